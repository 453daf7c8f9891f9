// What a device sees of the way to memory: `pcie: modelled` and `pcie: ideal` both offer it.
#pragma once

#include <cstdint>

#include "hw/pcie/tlp.h"

namespace railyard::pcie {

/// A transfer between a device and an address space of any length, of which the function makes
/// requests. Writes are posted, and reach the link in the order in which they were given; reads are
/// requested in theirs, beside the writes.
struct DmaRequest {
  bool write = false;
  bool fenced = false;   // read: not before the writes that were given before are queued
  bool relaxed = false;  // relaxed ordering
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;    // 0: a read of no byte, which flushes the writes before it
  Ref<net::Payload> payload;  // write: the bytes, from payload_offset; none: elided
  std::uint32_t payload_offset = 0;
  bool elided = false;       // read: for its length only
  std::uint64_t ticket = 0;  // given back when it is done
};

/// A transfer that is done. A write is done when its last TLP is on the line; what failed of it
/// nobody says (posted). A read is done when its last completion was taken.
struct DmaDone {
  std::uint64_t ticket = 0;
  Status status = Status::kSuccess;  // a read's: the first that is none of success
  Ref<net::Payload> payload;         // a read's bytes; none: elided, or it failed
};

class DmaListener {
 public:
  virtual ~DmaListener() = default;
  virtual void dma_done(const DmaDone& done) = 0;
};

/// A device behind a PCIe function: what the host may do to it. Called at the time of arrival.
class DeviceRegisters {
 public:
  virtual ~DeviceRegisters() = default;
  /// `bytes` at `offset` of BAR `bar`; a single-dword write may have holes, whose bytes are not in
  /// `byte_enables` (bit i: data[i]); more than 8 bytes always have all.
  virtual void register_write(unsigned bar, std::uint64_t offset, const std::uint8_t* data,
                              std::uint32_t bytes, std::uint8_t byte_enables) = 0;
  /// Fills `data`. Not success: the completer aborts (kCompleterAbort), or never answers
  /// (kTimeout).
  virtual Status register_read(unsigned bar, std::uint64_t offset, std::uint8_t* data,
                               std::uint32_t bytes) = 0;
};

class Function {
 public:
  virtual ~Function() = default;
  virtual void dma(DmaRequest request, DmaListener& listener) = 0;
  /// Raises interrupt `vector`: an MSI-X write behind all writes given before. One that is masked
  /// stays pending.
  virtual void interrupt(unsigned vector) = 0;
};

}  // namespace railyard::pcie
