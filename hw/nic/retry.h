// A timer for each queue pair behind one event: arming one anew costs no event.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tlm/sim/partition.h"

namespace railyard::nic {

/// The ACK timeout of IBTA Vol 1 9.7.6.1.3: 4.096 us * 2^exponent; 0: kForever.
Time ack_timeout(std::uint8_t exponent);
/// How long an RNR NAK's timer code says to wait (IBTA Vol 1 table 45).
Time rnr_delay(std::uint8_t code);

class SlotTimerClient {
 public:
  virtual ~SlotTimerClient() = default;
  virtual void timer_ran_out(std::uint32_t slot) = 0;
};

/// A timer is looked at when the earliest time that it was ever armed for comes: if it was put off
/// since, it waits anew. So a timer that is put off by every acknowledgement costs one event in its
/// period. While none is armed, none keeps the run alive.
class SlotTimers {
 public:
  SlotTimers(Partition& partition, const std::string& name, std::uint32_t slots,
             SlotTimerClient& client);

  /// It runs out at `at`, whatever it was armed for before. kForever: it does not.
  void arm(std::uint32_t slot, Time at);
  void disarm(std::uint32_t slot) { arm(slot, kForever); }
  bool armed(std::uint32_t slot) const { return timers_[slot].due != kForever; }

 private:
  struct Timer {
    Time due = kForever;
    Time look = kForever;  // an entry of the heap that stands for it
  };
  struct Entry {
    Time look;
    std::uint32_t slot;
  };

  static bool later(const Entry& a, const Entry& b) {
    return a.look != b.look ? a.look > b.look : a.slot > b.slot;
  }
  void push(std::uint32_t slot, Time look);
  void plan();
  void fire();

  Partition& partition_;
  SlotTimerClient& client_;
  Event event_;
  std::vector<Timer> timers_;
  std::vector<Entry> heap_;
  std::uint32_t armed_ = 0;
};

}  // namespace railyard::nic
