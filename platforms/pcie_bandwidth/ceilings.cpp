#include "platforms/pcie_bandwidth/ceilings.h"

#include <algorithm>

namespace railyard::pcie_bandwidth {

namespace {

std::uint64_t requests_of(std::uint64_t address, std::uint64_t bytes, std::uint32_t limit) {
  std::uint64_t count = 0;
  while (bytes > 0) {
    const std::uint32_t piece = pcie::next_request(address, bytes, limit);
    address += piece;
    bytes -= piece;
    ++count;
  }
  return count;
}

}  // namespace

TransferCost cost_of(const StreamShape& shape, const TransferRules& rules) {
  // The cuts repeat with the address modulo 4 KiB, at the latest after so many transfers.
  const std::uint64_t count = std::min<std::uint64_t>(shape.slots, pcie::kRequestBoundary);
  TransferCost sum;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = shape.address(i);
    const std::uint64_t bytes = shape.size;
    sum.write += static_cast<double>(pcie::write_wire_bytes(at, bytes, rules.max_payload));
    sum.read_up += static_cast<double>(pcie::read_up_bytes(at, bytes, rules.max_read_request));
    sum.read_down += static_cast<double>(
        pcie::read_down_bytes(at, bytes, rules.max_read_request, rules.completions));
    sum.write_tlps += static_cast<double>(requests_of(at, bytes, rules.max_payload));
    sum.read_tlps += static_cast<double>(requests_of(at, bytes, rules.max_read_request));
  }
  const auto n = static_cast<double>(count);
  return {static_cast<double>(shape.size),
          sum.write / n,
          sum.read_up / n,
          sum.read_down / n,
          sum.write_tlps / n,
          sum.read_tlps / n};
}

Ceilings ceilings_of(const TransferCost& cost, Rate rate, std::size_t write_lines,
                     std::size_t read_lines) {
  constexpr double kBits = 8;
  const double line = rate.bits_per_second() / kBits / kSecond;  // bytes a picosecond
  const double up = line * static_cast<double>(write_lines);
  const double down = line * static_cast<double>(read_lines);
  if (read_lines == 0) return {up / cost.write * cost.bytes, 0, false};
  double reads = down / cost.read_down;
  if (write_lines == 0) return {0, reads * cost.bytes, false};
  const double turn = cost.write / cost.write_tlps + cost.read_up / cost.read_tlps;
  const double in_turn = up / turn / cost.read_tlps;
  const bool requests_bind = in_turn < reads;
  if (requests_bind) reads = in_turn;
  return {(up - reads * cost.read_up) / cost.write * cost.bytes, reads * cost.bytes, requests_bind};
}

}  // namespace railyard::pcie_bandwidth
