// Twin of rtl/pfc/pfc_watchdog.sv: the same registers and outputs in every cycle. What the block
// does is told there.
#pragma once

#include <array>
#include <cstdint>

#include "rtl/model/block.h"
#include "rtl/model/cycles.h"

namespace railyard::rtl {

struct PfcWatchdogIn {
  std::uint64_t now = 0;  // cycles, as all times here
  std::uint64_t detection = 0;
  std::uint64_t restoration = 0;
  std::uint64_t forgiven = 0;
  std::uint64_t poll_at = 0;  // the first time of the owner's grid that is not earlier than now
  std::uint8_t enable = 0;    // watched priorities
  std::uint8_t paused = 0;
  std::uint8_t occupied = 0;  // the egress queue holds a frame
  std::uint8_t dequeued = 0;  // a frame was taken out since the last cycle
  std::uint8_t xoff = 0;      // a frame that pauses it arrived since the last cycle

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("now_i", self.now, kTimeBits);
    visit("detection_i", self.detection, kTimeBits);
    visit("restoration_i", self.restoration, kTimeBits);
    visit("forgiven_i", self.forgiven, kTimeBits);
    visit("poll_at_i", self.poll_at, kTimeBits);
    visit("enable_i", self.enable, 8);
    visit("paused_i", self.paused, 8);
    visit("occupied_i", self.occupied, 8);
    visit("dequeued_i", self.dequeued, 8);
    visit("xoff_i", self.xoff, 8);
  }
};

struct PfcWatchdogOut {
  std::uint8_t storm = 0;
  bool quiet = false;
  bool wake_valid = false;
  std::uint64_t wake = 0;

  bool operator==(const PfcWatchdogOut& o) const {
    return storm == o.storm && quiet == o.quiet && wake_valid == o.wake_valid && wake == o.wake;
  }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("storm_o", self.storm, 8);
    visit("quiet_o", self.quiet, 1);
    visit("wake_valid_o", self.wake_valid, 1);
    visit("wake_o", self.wake, kTimeBits);
  }
};

/// state_e of the RTL.
enum class WatchdogState : std::uint8_t { kIdle, kWatch, kGap, kStorm };

struct PfcWatchdogState {
  std::array<WatchdogState, kPriorities> state{};
  std::array<std::uint64_t, kPriorities> since{};
  std::array<std::uint64_t, kPriorities> gap_at{};
  std::array<std::uint64_t, kPriorities> gaps{};

  bool operator==(const PfcWatchdogState& o) const {
    return state == o.state && since == o.since && gap_at == o.gap_at && gaps == o.gaps;
  }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("state_q", self.state, 2);
    visit("since_q", self.since, kTimeBits);
    visit("gap_at_q", self.gap_at, kTimeBits);
    visit("gaps_q", self.gaps, kTimeBits);
  }
};

/// The block, whoever computes it.
class PfcWatchdog : public ClockedBlock<PfcWatchdogIn, PfcWatchdogOut, PfcWatchdogState> {};

class PfcWatchdogModel final : public PfcWatchdog {
 public:
  void reset() override { *this = PfcWatchdogModel(); }
  PfcWatchdogOut settle(const PfcWatchdogIn& in) override { return outputs(in); }
  PfcWatchdogOut clock(const PfcWatchdogIn& in) override;
  PfcWatchdogState state() const override { return state_; }

 private:
  /// Of one priority.
  struct Registers {
    WatchdogState state;
    std::uint64_t since;
    std::uint64_t gap_at;
    std::uint64_t gaps;
  };
  /// What the inputs say of one priority.
  struct Seen {
    std::uint64_t now;
    bool poll;
    bool paused;
    bool blocked;  // as a queue in a storm is
    bool held;     // blocked, or in a gap
    bool enable;
    bool xoff;
  };
  struct Next {
    Registers registers;
    bool acts;
  };

  static Seen seen(unsigned p, const PfcWatchdogIn& in);
  static bool watch(Registers& r, const Seen& s, const PfcWatchdogIn& in);
  static bool gap(Registers& r, const Seen& s, const PfcWatchdogIn& in);
  Next next(unsigned p, const PfcWatchdogIn& in) const;
  /// Priorities of which anything can change.
  unsigned alive(const PfcWatchdogIn& in) const {
    return active_ | (unsigned{in.enable} & in.occupied & in.paused);
  }
  PfcWatchdogOut outputs(const PfcWatchdogIn& in) const;

  PfcWatchdogState state_;
  // Of state_.state: not idle, and in a storm.
  unsigned active_ = 0;
  unsigned storms_ = 0;
};

}  // namespace railyard::rtl
