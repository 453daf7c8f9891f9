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

double bytes_a_picosecond(Rate rate, std::size_t lines) {
  constexpr double kBits = 8;
  return rate.bits_per_second() / kBits / kSecond * static_cast<double>(lines);
}

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

double write_ceiling(const TransferCost& cost, Rate rate, std::size_t lines, double reads) {
  const double left = bytes_a_picosecond(rate, lines) - reads / cost.bytes * cost.read_up;
  return left / cost.write * cost.bytes;
}

ReadCeiling read_ceiling(const TransferCost& cost, Rate rate, std::size_t lines,
                         std::size_t write_lines) {
  const double by_completions = bytes_a_picosecond(rate, lines) / cost.read_down * cost.bytes;
  if (write_lines == 0) return {by_completions, false};
  const double turn = cost.write / cost.write_tlps + cost.read_up / cost.read_tlps;
  const double in_turn = bytes_a_picosecond(rate, write_lines) / turn / cost.read_tlps * cost.bytes;
  return {std::min(by_completions, in_turn), in_turn < by_completions};
}

}  // namespace railyard::pcie_bandwidth
