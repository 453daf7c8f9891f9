#include "hw/pcie/tlp_rules.h"

#include <algorithm>

namespace railyard::pcie {

namespace {

// No more than `limit` bytes of whole dwords, nor past the end of the block of `boundary` bytes.
std::uint64_t within(std::uint64_t address, std::uint64_t limit, std::uint64_t boundary) {
  return std::min(limit - (address & 3U), boundary - (address & (boundary - 1)));
}

bool same_transaction(const TlpFields& a, const TlpFields& b) {
  return a.requester == b.requester && a.tag == b.tag;
}

std::uint32_t wire_bytes(TlpType type, std::uint64_t address, std::uint32_t bytes) {
  TlpFields tlp;
  tlp.type = type;
  tlp.address = address;
  tlp.bytes = bytes;
  tlp.seal();
  return tlp.wire_bytes;
}

std::uint64_t requests_bytes(TlpType type, std::uint64_t address, std::uint64_t bytes,
                             std::uint32_t limit) {
  if (bytes == 0) return wire_bytes(type, address, 0);
  std::uint64_t sum = 0;
  while (bytes != 0) {
    const std::uint32_t piece = next_request(address, bytes, limit);
    sum += wire_bytes(type, address, piece);
    address += piece;
    bytes -= piece;
  }
  return sum;
}

std::uint64_t completions_bytes(std::uint64_t address, std::uint32_t bytes,
                                const CompletionRule& rule) {
  std::uint64_t sum = 0;
  while (bytes != 0) {
    const std::uint32_t piece = next_completion(address, bytes, rule);
    sum += wire_bytes(TlpType::kCompletionData, address, piece);
    address += piece;
    bytes -= piece;
  }
  return sum;
}

double share(std::uint64_t data, std::uint64_t line) {
  return static_cast<double>(data) / static_cast<double>(line);
}

// The place of the lowest bit that is set in `enables`, not 0.
std::uint32_t lowest(std::uint32_t enables) {
  std::uint32_t i = 0;
  while ((enables >> i & 1U) == 0) ++i;
  return i;
}

// Behind the highest bit that is set in `enables`, not 0.
std::uint32_t end_of(std::uint32_t enables) {
  std::uint32_t i = 4;
  while ((enables >> (i - 1) & 1U) == 0) --i;
  return i;
}

}  // namespace

std::uint32_t next_request(std::uint64_t address, std::uint64_t bytes_left, std::uint32_t limit) {
  return static_cast<std::uint32_t>(std::min(bytes_left, within(address, limit, kRequestBoundary)));
}

std::uint32_t next_completion(std::uint64_t address, std::uint32_t bytes_left,
                              const CompletionRule& rule) {
  const std::uint64_t block = rule.boundary;
  if (rule.split == CompletionSplit::kBoundary) {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(bytes_left, within(address, rule.max_payload, block)));
  }
  const std::uint64_t farthest = (address & ~std::uint64_t{3}) + rule.max_payload;
  if (address + bytes_left <= farthest) return bytes_left;
  return static_cast<std::uint32_t>((farthest & ~(block - 1)) - address);
}

ByteEnables byte_enables(const TlpFields& request) {
  if (request.bytes == 0) return {0, 0};
  const auto offset = static_cast<std::uint32_t>(request.address & 3U);
  const std::uint32_t from_first = 0xFU << offset & 0xFU;
  const std::uint32_t to_last = 0xFU >> (3U - (offset + request.bytes - 1) % 4);
  if (request.dwords() == 1) {
    return {static_cast<std::uint8_t>(request.byte_enables & from_first & to_last), 0};
  }
  return {static_cast<std::uint8_t>(from_first), static_cast<std::uint8_t>(to_last)};
}

std::uint32_t byte_count(ByteEnables enables, std::uint32_t dwords) {
  if (enables.first == 0) return 1;
  const std::uint32_t last = enables.last == 0 ? enables.first : enables.last;
  return (dwords - 1) * 4 + end_of(last) - lowest(enables.first);
}

std::uint32_t byte_count(const TlpFields& request) {
  if (request.type != TlpType::kMemoryRead) return 4;
  return byte_count(byte_enables(request), request.dwords());
}

std::uint8_t lower_address(const TlpFields& request) {
  if (request.type != TlpType::kMemoryRead) return 0;
  const std::uint8_t first = byte_enables(request).first;
  const std::uint32_t within_dword = first == 0 ? 0 : lowest(first);
  return static_cast<std::uint8_t>((request.address & 0x7CU) + within_dword);
}

std::array<std::uint32_t, 4> header_of(const TlpFields& request) {
  constexpr std::uint32_t kRelaxed = 1U << 13;
  const bool config = request.is_config();
  const bool write = request.has_data();
  const bool wide = !config && request.address >> 32 != 0;
  // Format in bits 31:29, type in 28:24.
  const std::uint32_t format = (write ? 2U : 0U) | (wide ? 1U : 0U);
  const std::uint32_t type = config ? (request.type_1 ? 5U : 4U) : 0U;
  const ByteEnables enables = byte_enables(request);
  const auto tag = static_cast<std::uint32_t>(request.tag);
  std::array<std::uint32_t, 4> header{};
  // Tag bits 9 and 8 are bits 23 and 19 of the first dword.
  header[0] = format << 29 | type << 24 | (tag >> 9 & 1U) << 23 | (tag >> 8 & 1U) << 19 |
              (request.relaxed ? kRelaxed : 0U) | (request.dwords() & 0x3FFU);
  header[1] = std::uint32_t{request.requester.value} << 16 | (tag & 0xFFU) << 8 |
              std::uint32_t{enables.last} << 4 | enables.first;
  if (config) {
    header[2] = std::uint32_t{request.completer.value} << 16 |
                (static_cast<std::uint32_t>(request.address) & 0xFFCU);
    return header;
  }
  const auto low = static_cast<std::uint32_t>(request.address & ~3ULL);
  header[2] = wide ? static_cast<std::uint32_t>(request.address >> 32) : low;
  header[3] = wide ? low : 0;
  return header;
}

bool may_pass(const TlpFields& later, const TlpFields& earlier) {
  const FlowClass later_class = later.flow_class();
  switch (earlier.flow_class()) {
    case FlowClass::kPosted:
      return later.relaxed && later_class != FlowClass::kNonPosted;
    case FlowClass::kNonPosted:
      return true;
    case FlowClass::kCompletion:
      return later_class != FlowClass::kCompletion || !same_transaction(later, earlier);
  }
  return false;
}

std::uint64_t write_wire_bytes(std::uint64_t address, std::uint64_t bytes,
                               std::uint32_t max_payload) {
  return requests_bytes(TlpType::kMemoryWrite, address, bytes, max_payload);
}

std::uint64_t read_up_bytes(std::uint64_t address, std::uint64_t bytes,
                            std::uint32_t max_read_request) {
  return requests_bytes(TlpType::kMemoryRead, address, bytes, max_read_request);
}

std::uint64_t read_down_bytes(std::uint64_t address, std::uint64_t bytes,
                              std::uint32_t max_read_request, const CompletionRule& rule) {
  if (bytes == 0) return wire_bytes(TlpType::kCompletionData, address, 0);
  std::uint64_t sum = 0;
  while (bytes != 0) {
    const std::uint32_t piece = next_request(address, bytes, max_read_request);
    sum += completions_bytes(address, piece, rule);
    address += piece;
    bytes -= piece;
  }
  return sum;
}

double write_efficiency(std::uint64_t address, std::uint64_t bytes, std::uint32_t max_payload) {
  return share(bytes, write_wire_bytes(address, bytes, max_payload));
}

ReadEfficiency read_efficiency(std::uint64_t address, std::uint64_t bytes,
                               std::uint32_t max_read_request, const CompletionRule& rule) {
  return {share(bytes, read_up_bytes(address, bytes, max_read_request)),
          share(bytes, read_down_bytes(address, bytes, max_read_request, rule))};
}

}  // namespace railyard::pcie
