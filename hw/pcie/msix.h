// MSI-X: the table of messages and the pending bits (PCI Express Base Specification 5.0, 6.1.4,
// 7.7.2). A function maps both into a BAR; it reads and writes them by dwords.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace railyard::pcie {

/// A memory write of one dword.
struct MsixMessage {
  std::uint64_t address = 0;
  std::uint32_t data = 0;
};

class MsixTable {
 public:
  static constexpr unsigned kEntryBytes = 16;

  /// All vectors are masked, as after reset. Throws std::invalid_argument unless 1 to 2048.
  explicit MsixTable(unsigned vectors);

  unsigned vectors() const { return static_cast<unsigned>(entries_.size()); }
  std::uint32_t table_bytes() const { return vectors() * kEntryBytes; }
  std::uint32_t pending_bytes() const { return (vectors() + 63) / 64 * 8; }

  /// Offsets are those of a dword in the table; outside it reads as 0, and writes do nothing.
  std::uint32_t read_table(std::uint32_t offset) const;
  /// Returns the message to send now if the write unmasked a vector that was pending.
  std::optional<MsixMessage> write_table(std::uint32_t offset, std::uint32_t value,
                                         std::uint8_t byte_enables = 0xF);
  /// The pending bits can only be read.
  std::uint32_t read_pending(std::uint32_t offset) const;

  /// What the capability's message control says; call release() after it. While MSI-X is disabled
  /// or the function masked, what is raised stays pending.
  void set_control(bool enabled, bool function_mask);
  /// The message of the first vector that is pending and may be sent; it is not pending then.
  std::optional<MsixMessage> release();

  /// The message to send now; none: the vector is masked and now pending. Many raises of a masked
  /// vector are one message. Throws std::out_of_range if there is no such vector.
  std::optional<MsixMessage> raise(unsigned vector);
  bool pending(unsigned vector) const { return (pending_[vector / 32] >> vector % 32 & 1U) != 0; }

 private:
  struct Entry {
    std::uint32_t dwords[4];  // address, upper address, data, vector control
  };

  bool may_send(unsigned vector) const;
  MsixMessage take(unsigned vector);

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> pending_;
  bool open_ = false;  // enabled and not masked as a whole
};

}  // namespace railyard::pcie
