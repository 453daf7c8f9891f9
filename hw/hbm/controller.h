// The controller of an HBM memory: all its channels, and the accesses that are spread over them.
//
// Modelled: per pseudo-channel a queue of reads and one of writes, scheduling, pages, write drain,
// refresh; every constraint of constraint_table.h; the command buses that two pseudo-channels
// share. Not modelled: the PHY's training, temperature, row hammer, power-down and self-refresh,
// energy (no public source gives a consistent set of currents for HBM3).
//
// An access of more than one piece is spread over channels and rows exactly as its pieces one by
// one, given at the same time, would be: each goes through its queue and gets its commands. Only
// who is told is different: nobody of a piece, so a bulk costs a few events of the kernel.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "hw/hbm/access.h"
#include "hw/hbm/address_map.h"
#include "hw/hbm/bulk.h"
#include "hw/hbm/channel.h"
#include "hw/hbm/command.h"
#include "hw/hbm/hbm_config.h"
#include "tlm/observe/statistics.h"
#include "tlm/sim/partition.h"

namespace railyard::hbm {

/// How many commands of a kind came when they did because of a constraint ("tFAW", "row bus"), or
/// of none ("unbound": they were wanted no earlier).
struct BoundCount {
  const char* name;
  Command command;
  std::uint64_t count;
};

class Controller : private EndListener, private ChannelClient {
 public:
  /// `name` is hierarchical; metrics, probes and endpoints stand below it. ConfigError without a
  /// place if the parts of `config` do not fit together.
  Controller(const std::string& name, Partition& partition, const HbmConfig& config);
  ~Controller() override;

  const std::string& name() const { return name_; }
  const HbmConfig& config() const { return settings_.config; }
  const AddressMap& map() const { return map_; }
  /// Bytes for data: the product of the organisation's fields, less an eighth with inline ECC.
  std::uint64_t capacity() const { return capacity_; }
  /// Bytes a second of all data buses.
  double peak() const;

  /// Takes an access, whose range lies within the capacity (else std::out_of_range); calls its
  /// client later. Any number may be under way. Accesses given at one time are taken in that order.
  void access(Access& access);

  /// Told of each command from now on; before the run.
  void add_listener(CommandListener& listener) { listeners_.push_back(&listener); }
  /// Brings all channels up to now: for who reads listeners' state or counters in a run.
  void catch_up();

  /// The time of a tick, rounded up to the picosecond; the first tick that is not before a time.
  Time time_of(Tick tick) const { return settings_.time(tick); }
  Tick tick_at(Time time) const { return settings_.ticks(time); }
  // As of the last catch_up(), since the end of warm-up.
  std::uint64_t commands(Command command) const;
  const ChannelCounts& counts(unsigned channel) const { return channels_[channel].counts(); }
  std::vector<BoundCount> bound_counts() const;
  std::uint64_t accesses_under_way() const { return under_way_; }

 private:
  friend struct Bulk;

  void piece_done(Access& access, unsigned pseudo_channel, Tick end) override;
  void piece_added(Access& access, unsigned pseudo_channel) override;
  void single_done(Access& access) override { finish(access); }
  void start_bulk(Access& access, std::uint64_t first, std::uint64_t last, Tick at);
  Time earliest_end(Bulk& bulk);
  void look_at(Bulk& bulk);
  void hasten_bulks(unsigned pseudo_channel);
  void arrive(Access& access, const Place& place, Tick at);
  void finish(Access& access);
  Bulk& acquire();
  void start_watching();

  void add_metrics();
  void add_channel_metrics(const Channel& channel);
  void add_total(const char* metric, const char* unit, const char* doc,
                 std::uint64_t ChannelCounts::*count);

  std::string name_;
  Partition& partition_;
  Settings settings_;
  AddressMap map_;
  std::uint64_t capacity_;
  std::vector<CommandListener*> listeners_;
  std::deque<Channel> channels_;
  railyard::Endpoint& bulk_endpoint_;
  std::deque<Bulk> bulks_;
  std::vector<std::uint32_t> free_bulks_;
  std::uint64_t under_way_ = 0;
  bool begun_ = false;
  Counter bytes_read_;
  Counter bytes_written_;
  Histogram read_latency_;
  Histogram write_latency_;
};

}  // namespace railyard::hbm
