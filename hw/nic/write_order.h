// What requests do, in order: writes of payload, which pass the stage dma_write, and what has to
// come behind them (acknowledgements, completions, READs).
//
// So many bytes of writes may be with PCIe and not on its line (dma.write_bytes): beyond that the
// stage is blocked, packets keep their place in the receive buffer, and when that is full the peer
// is paused. An event a write, at the time when it is given to PCIe.
#pragma once

#include <cstdint>

#include "hw/nic/stage.h"
#include "hw/nic/units.h"
#include "tlm/base/ring.h"

namespace railyard::nic {

struct OrderedStep {
  std::uint32_t request = 0;  // whose it is, by the client's number
  bool write = false;
  bool last = false;  // of its request
  bool relaxed = false;
  std::uint8_t cls = 0;
  std::uint32_t bytes = 0;
  std::uint32_t offset = 0;  // in the payload
  std::uint64_t address = 0;
  Time at = 0;  // when it comes to the stage; then when it leaves
};

class OrderedStepClient {
 public:
  virtual ~OrderedStepClient() = default;
  virtual void carry_out(const OrderedStep& step) = 0;
};

class WriteOrder {
 public:
  WriteOrder(Units& units, OrderedStepClient& client);

  void push(const OrderedStep& step);
  /// A write is on PCIe's line, or was not made after all.
  void written(std::uint32_t bytes);

 private:
  void enter();
  void due();

  Units& units_;
  OrderedStepClient& client_;
  Stage stage_;
  Event due_;
  Ring<OrderedStep> steps_;
  std::size_t entered_ = 0;  // of the first of steps_: they have passed the stage
  bool in_due_ = false;
  Time last_ = 0;
  std::uint64_t room_;
  std::uint64_t outstanding_ = 0;  // bytes of writes entered and not on the line
  Counter writes_;
  Counter bytes_;
  TimeWeighted level_;
};

}  // namespace railyard::nic
