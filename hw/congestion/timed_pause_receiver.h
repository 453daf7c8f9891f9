// A PauseReceiver with exact timers and no clock: an instrument's.
#pragma once

#include <string>

#include "hw/congestion/pause_receiver.h"
#include "tlm/base/ring.h"

namespace railyard {

class TimedPauseReceiver final : public PauseReceiver {
 public:
  TimedPauseReceiver(Partition& partition, const std::string& name, Rate rate,
                     std::uint64_t response_quanta, PauseListener& listener);

 private:
  struct Waiting {
    Time due = 0;
    net::Frame frame;
  };

  void take(const net::Frame& frame) override;
  void drop_all() override;
  void take_effect();
  void update();

  PauseTimers timers_;
  Ring<Waiting> waiting_;
  Event effect_;
  Event expiry_;
};

}  // namespace railyard
