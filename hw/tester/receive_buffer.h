// The receive buffer of a tester: frames wait in it until the receiver takes them, at a rate, after
// random stalls, and not at all while it is stuck. A buffer of none of these is none: frames pass
// through it at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hw/congestion/pause_timers.h"
#include "hw/tester/pfc_sender.h"
#include "tlm/link/stall.h"
#include "tlm/sim/partition.h"

namespace railyard {

class ReceiveBuffer {
 public:
  /// `name` is the port's. `take` is called with each frame that the receiver takes.
  ReceiveBuffer(Partition& partition, const std::string& name, const TesterConfig& config,
                TesterPfcSender& pfc, std::function<void(const net::Packet&)> take);

  /// When the run starts.
  void start();
  /// Nothing ever waits: frames need not be pushed.
  bool passes_through() const { return passes_through_; }
  void push(net::Packet& packet);

 private:
  void drain_next();
  void end_drain();
  void change_stuck();
  void level_changed(Time now);
  void update_wait(Time now);

  Partition& partition_;
  TesterPfcSender& pfc_;
  std::function<void(const net::Packet&)> take_;
  std::uint64_t size_;
  bool drains_;  // at a rate
  std::vector<StuckWindow> stuck_windows_;
  bool passes_through_;

  StallableQueue<Ref<net::Packet>> queue_;
  ByteClock drain_clock_;
  Event drain_done_;
  Event stuck_change_;
  std::size_t next_stuck_ = 0;
  bool stuck_ = false;
  Time left_to_drain_ = 0;  // of the frame that was being taken when it stuck
  bool draining_ = false;
  std::uint64_t buffered_ = 0;

  bool waits_ = false;
  std::array<WaitPoint, PauseTimers::kPriorities> host_waits_;
  Counter overflow_;
  TimeWeighted level_;
  Probe level_probe_;
  Moment drop_moment_;
};

}  // namespace railyard
