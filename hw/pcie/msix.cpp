#include "hw/pcie/msix.h"

#include <stdexcept>
#include <string>

namespace railyard::pcie {

namespace {

constexpr std::uint32_t kMasked = 1;  // of vector control
// What software can write of address, upper address, data and vector control: messages are aligned
// to dwords, and of vector control only the mask is there.
constexpr std::uint32_t kWritable[] = {~3U, ~0U, ~0U, kMasked};

}  // namespace

MsixTable::MsixTable(unsigned vectors) {
  if (vectors < 1 || vectors > 2048) {
    throw std::invalid_argument(std::to_string(vectors) + " MSI-X vectors: it takes 1 to 2048");
  }
  entries_.assign(vectors, Entry{{0, 0, 0, kMasked}});
  pending_.assign(pending_bytes() / 4, 0);
}

std::uint32_t MsixTable::read_table(std::uint32_t offset) const {
  if (offset >= table_bytes()) return 0;
  return entries_[offset / kEntryBytes].dwords[offset / 4 % 4];
}

std::optional<MsixMessage> MsixTable::write_table(std::uint32_t offset, std::uint32_t value,
                                                  std::uint8_t byte_enables) {
  if (offset >= table_bytes()) return std::nullopt;
  const unsigned field = offset / 4 % 4;
  std::uint32_t mask = 0;
  for (unsigned i = 0; i < 4; ++i) {
    if ((byte_enables >> i & 1U) != 0) mask |= 0xFFU << 8 * i;
  }
  mask &= kWritable[field];
  const unsigned vector = offset / kEntryBytes;
  std::uint32_t& dword = entries_[vector].dwords[field];
  dword = (dword & ~mask) | (value & mask);
  if (!pending(vector) || !may_send(vector)) return std::nullopt;
  return take(vector);
}

std::uint32_t MsixTable::read_pending(std::uint32_t offset) const {
  return offset / 4 < pending_.size() ? pending_[offset / 4] : 0;
}

void MsixTable::set_control(bool enabled, bool function_mask) { open_ = enabled && !function_mask; }

std::optional<MsixMessage> MsixTable::release() {
  for (unsigned word = 0; open_ && word < pending_.size(); ++word) {
    if (pending_[word] == 0) continue;
    for (unsigned vector = word * 32; vector < word * 32 + 32 && vector < vectors(); ++vector) {
      if (pending(vector) && may_send(vector)) return take(vector);
    }
  }
  return std::nullopt;
}

std::optional<MsixMessage> MsixTable::raise(unsigned vector) {
  if (vector >= vectors()) {
    throw std::out_of_range("MSI-X vector " + std::to_string(vector) + " of " +
                            std::to_string(vectors()));
  }
  if (may_send(vector)) return take(vector);
  pending_[vector / 32] |= 1U << vector % 32;
  return std::nullopt;
}

bool MsixTable::may_send(unsigned vector) const {
  return open_ && (entries_[vector].dwords[3] & kMasked) == 0;
}

MsixMessage MsixTable::take(unsigned vector) {
  pending_[vector / 32] &= ~(1U << vector % 32);
  const Entry& entry = entries_[vector];
  return {std::uint64_t{entry.dwords[1]} << 32 | entry.dwords[0], entry.dwords[2]};
}

}  // namespace railyard::pcie
