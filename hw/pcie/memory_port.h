// What is behind a root complex: memory that answers later. hw/host has one; an adapter makes one
// of any base-protocol TLM-2.0 target.
#pragma once

#include <cstdint>

#include "tlm/base/pool.h"
#include "tlm/base/time.h"
#include "tlm/net/packet.h"

namespace railyard::pcie {

class MemoryClient;

/// One access, of at most 4 KiB, not over a 4 KiB boundary. Owned by its client until it is done.
struct MemoryAccessFields {
  bool write = false;
  bool failed = false;               // set by the memory: nobody is at that address
  std::uint8_t byte_enables = 0xF;   // a write within one dword: which bytes of it (bit 0: address
                                     // with the lowest two bits 0)
  std::uint64_t address = 0;         // of the first byte
  std::uint32_t bytes = 0;           // 0: only takes its time
  Ref<net::Payload> payload;         // write: the bytes; read: where they go, of the right size;
  std::uint32_t payload_offset = 0;  // none: elided
  MemoryClient* client = nullptr;
  Time done_at = 0;          // the memory's, while it holds the access
  void* context = nullptr;   // the client's
  std::uint64_t ticket = 0;  // the client's
};

struct MemoryAccess : Pooled<MemoryAccess>, MemoryAccessFields {
  void reset() { static_cast<MemoryAccessFields&>(*this) = MemoryAccessFields{}; }
};

class MemoryClient {
 public:
  virtual ~MemoryClient() = default;
  /// A read's bytes are there; a write's can be seen by all when the client calls commit() on the
  /// memory, now or later: so the client keeps posted writes in order.
  virtual void memory_done(MemoryAccess& access) = 0;
};

class MemoryPort {
 public:
  virtual ~MemoryPort() = default;
  /// Whether all bytes of the range are memory.
  virtual bool covers(std::uint64_t address, std::uint64_t bytes) const = 0;
  /// Takes the access; calls its client's memory_done() later, never within this call.
  virtual void access(Ref<MemoryAccess> access) = 0;
  /// Makes a write that is done visible; reads the bytes of a read that is done again.
  virtual void commit(MemoryAccess& access) = 0;
  /// Whether somebody outside waits for a write to the range: then it must be made on time.
  virtual bool watched(std::uint64_t address, std::uint64_t bytes) const = 0;
  /// Whether a write can be seen by all already when it is done, or before, and commit() does
  /// nothing: a foreign memory. It executes writes in the order in which it was given them.
  virtual bool commits_at_once() const { return false; }
  /// Reads or writes what all can see, at no time, for debuggers; the bytes from `address` on that
  /// were moved, 0 if there is no such way.
  virtual std::uint32_t debug(bool write, std::uint64_t address, std::uint8_t* data,
                              std::uint32_t bytes) {
    static_cast<void>(write), static_cast<void>(address), static_cast<void>(data);
    return static_cast<void>(bytes), 0;
  }
};

}  // namespace railyard::pcie
