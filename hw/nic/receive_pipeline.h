// From the receive buffer to the two sides of queue pairs: parser, queue pair, context. RoCE
// packets that have no queue pair, or the wrong one, are counted and dropped.
#pragma once

#include "hw/nic/context_store.h"
#include "hw/nic/receive_path.h"
#include "hw/nic/units.h"

namespace railyard::nic {

class ReceivePipeline : private ContextClient {
 public:
  explicit ReceivePipeline(Units& units);
  ~ReceivePipeline() override;

  /// A packet with a good FCS whose last bit came now, and whose place in the buffer is taken.
  void take(net::Packet& packet);

 private:
  void context_ready(std::uint32_t slot, std::uint64_t ticket) override;
};

}  // namespace railyard::nic
