// What moves between functions, memory and cores if PCIe is ideal: at most a page of a transfer,
// which no request may cross (2.2.7), or one access of a core.
#pragma once

#include <cstdint>

#include "hw/pcie/memory_port.h"
#include "hw/pcie/tlp.h"

namespace railyard::pcie {

class IdealFunction;

enum class MoveKind : std::uint8_t { kWrite, kInterrupt, kRead, kCoreWrite, kCoreRead };

struct IdealMoveFields {
  MoveKind kind = MoveKind::kWrite;
  Status status = Status::kSuccess;  // reads, once answered
  bool relaxed = false;              // writes: seen as soon as memory has them
  bool answered = false;             // reads: on the way back
  bool last = false;                 // of its transfer
  bool done = false;                 // writes: nothing but those before it keeps it from being seen
  bool visible = false;              // writes: all see it
  bool later = false;                // its memory has not been asked yet: others go first
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  Ref<net::Payload> payload;  // none: elided
  std::uint32_t payload_offset = 0;
  IdealFunction* from = nullptr;  // who asks; none: a core
  IdealFunction* to = nullptr;    // who is asked; none: the host
  unsigned bar = 0;               // of `to`
  std::uint64_t offset = 0;       // in it, or the address in the host's memory
  MemoryPort* memory = nullptr;   // that is there; none: registers
  Ref<MemoryAccess> access;
  std::uint32_t read = 0;    // kRead: which of those of `from`
  std::uint64_t ticket = 0;  // kCoreRead: the core's; kInterrupt: the vector
  std::uint64_t after = 0;   // reads: the write before which they may not be answered
  Time first = 0;            // when its first byte was there
  TlpRef transfer;           // writes: as others wait for them (Hierarchy::write_starts)

  bool is_read() const { return kind == MoveKind::kRead || kind == MoveKind::kCoreRead; }
  const std::uint8_t* data() const { return payload ? payload->data() + payload_offset : nullptr; }
};

struct IdealMove : Pooled<IdealMove>, IdealMoveFields {
  void reset() { static_cast<IdealMoveFields&>(*this) = IdealMoveFields{}; }
};

using MoveRef = Ref<IdealMove>;

}  // namespace railyard::pcie
