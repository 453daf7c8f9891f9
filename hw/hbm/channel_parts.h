// What the pseudo-channels of a channel share: the buses, the settings in ticks, and those who are
// told of what happens.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/hbm/access.h"
#include "hw/hbm/command.h"
#include "hw/hbm/hbm_config.h"
#include "hw/hbm/ready_times.h"
#include "hw/hbm/write_drain.h"

namespace railyard::hbm {

/// A controller's settings, in the units in which it decides.
struct Settings {
  explicit Settings(const HbmConfig& all);

  /// The first tick that is not before a time; the time of a tick, rounded up.
  Tick ticks(Time time) const {
    if (time != last_time_) {
      last_tick_ = compute_ticks(time);
      last_time_ = time;
    }
    return last_tick_;
  }
  Time time(Tick tick) const;
  /// When who waits is told of data that ends at a tick.
  Time end_time(Tick tick) const { return time(tick) + config.controller.back_latency; }

  HbmConfig config;
  std::uint64_t num;  // a tick is num/den picoseconds
  std::uint64_t den;
  ConstraintRules rules;
  DrainLimits drain;
  Tick age_limit = kNever;
  Tick read_end = 0;  // from a command to the end of its data
  Tick write_end = 0;
  Tick least_column_gap = 0;
  Tick least_activate = 0;  // from an activate to a column command

 private:
  Tick compute_ticks(Time time) const;

  // Asked for the same time again and again.
  mutable Time last_time_ = 0;
  mutable Tick last_tick_ = 0;
};

/// Whoever counts accesses that are done: the controller.
class EndListener {
 public:
  virtual ~EndListener() = default;
  /// One access of the device of `access`, in a pseudo-channel, ends at `end`.
  virtual void piece_done(Access& access, unsigned pseudo_channel, Tick end) = 0;
  /// It waits for one more.
  virtual void piece_added(Access& access, unsigned pseudo_channel) = 0;
};

struct ChannelCounts {
  std::array<std::uint64_t, kCommands> commands{};
  std::vector<std::array<std::uint64_t, kCommands>> causes;  // by cause
  std::uint64_t hits = 0;       // column commands to rows that were open
  std::uint64_t misses = 0;     // for which a bank without one was opened
  std::uint64_t conflicts = 0;  // for which another row was closed
  std::uint64_t forwarded = 0;
  std::uint64_t turnarounds = 0;
  std::uint64_t ecc_reads = 0;
  std::uint64_t ecc_writes = 0;
  Tick busy = 0;  // of the pseudo-channels together: with requests, or with data under way
};

struct ChannelParts {
  const Settings& settings;
  unsigned channel;  // of the device
  BusTimes buses;
  EndListener& ends;
  std::vector<CommandListener*>& listeners;
  ChannelCounts counts;
  std::uint64_t ages = 0;  // given so far
};

}  // namespace railyard::hbm
