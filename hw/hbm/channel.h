// A channel: two pseudo-channels that share its row and its column command bus.
//
// It takes its steps late, many at once: all before a tick, when somebody looks or something is to
// be told. What is sent, and when, is the same as on time, for a request takes part from the first
// tick that is not before its arrival, and steps of earlier ticks are taken first. So an access
// costs one event of the kernel, that of its end, and an idle channel none.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "hw/hbm/channel_parts.h"
#include "hw/hbm/pseudo_channel.h"
#include "tlm/base/ring.h"
#include "tlm/observe/probe.h"
#include "tlm/sim/partition.h"

namespace railyard::hbm {

/// Hears of accesses of one piece that end, on time.
class ChannelClient {
 public:
  virtual ~ChannelClient() = default;
  virtual void single_done(Access& access) = 0;
};

class Channel {
 public:
  /// `number` of the device's channels.
  Channel(const std::string& name, Partition& partition, const Settings& settings, unsigned number,
          EndListener& ends, ChannelClient& client, std::vector<CommandListener*>& listeners);

  const std::string& name() const { return name_; }
  PseudoChannel& pseudo_channel(unsigned index) { return pseudo_channels_[index]; }
  const ChannelCounts& counts() const { return parts_.counts; }
  /// Warm-up ends.
  void reset_counts(Tick now);
  Tick busy(Tick now) const;

  /// Takes all steps before `end`.
  void advance(Tick end);
  /// The steps up to now.
  void catch_up() { advance(parts_.settings.ticks(partition_.now())); }
  void arrive(unsigned pseudo_channel, const Arrival& arrival) {
    pseudo_channels_[pseudo_channel].arrive(arrival, advanced_);
  }
  /// An access of one piece came, or ends at its done_tick.
  void single_came(bool write) { ++open_[write]; }
  void single_ends(Access& access);
  /// After something came: wakes the kernel when the next can end.
  void rearm();
  /// Each step is on time from now on: somebody looks at the probes.
  void set_eager() { eager_ = true; }
  bool watched() const;

 private:
  struct End {
    Tick tick = 0;
    Time at = 0;
    Access* access = nullptr;
  };
  struct Probes {
    Probe reads, writes, arriving, open_banks, refreshing, writing;
  };

  void wake();
  void look_after_writes();
  Tick next_end();
  void show(Time now);
  void add_probes(const std::string& name, Probes& probes);

  std::string name_;
  Partition& partition_;
  ChannelParts parts_;
  ChannelClient& client_;
  Event wake_;
  Event writes_;                               // keeps a run alive until all is written
  std::deque<PseudoChannel> pseudo_channels_;  // one or two
  std::deque<Probes> probes_;
  std::uint64_t open_[2] = {0, 0};  // of one piece, whose end is not known yet
  Ring<End> ends_;                  // known, not told; in order
  Tick advanced_ = 0;
  bool telling_ = false;
  bool eager_ = false;
};

}  // namespace railyard::hbm
