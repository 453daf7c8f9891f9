// Where the two sides of a queue pair report what is done.
#pragma once

#include <cstdint>

#include "hw/nic/nic_abi.h"
#include "tlm/base/time.h"

namespace railyard::nic {

struct Completion {
  std::uint32_t cq = 0;
  std::uint32_t qp = 0;
  abi::CqeOpcode opcode = abi::CqeOpcode::kRequester;
  abi::Opcode wqe_opcode = abi::Opcode::kNop;  // of a requester's
  abi::Syndrome syndrome = abi::Syndrome::kNone;
  std::uint16_t wqe_counter = 0;
  std::uint32_t byte_count = 0;
  std::uint32_t immediate = 0;
  bool solicited = false;
  unsigned cls = 0;  // traffic class, for the stages
};

class CompletionSink {
 public:
  virtual ~CompletionSink() = default;
  /// Writes a CQE behind all that was written before the call, and what follows from it: an event,
  /// an interrupt. `at`: when it comes to the stage, not before now.
  virtual void complete(const Completion& completion, Time at) = 0;
  /// An event of a queue pair (abi::EventType) for the device's own event queue, EQ 0.
  virtual void event(abi::EventType type, std::uint32_t qp) = 0;
};

}  // namespace railyard::nic
