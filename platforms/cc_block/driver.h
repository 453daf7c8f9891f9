// Drives one block, cycle by cycle, from a stimulus.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/congestion/blocks.h"
#include "platforms/cc_block/block.h"
#include "platforms/cc_block/comparison.h"
#include "platforms/cc_block/probes.h"
#include "platforms/cc_block/response.h"
#include "platforms/cc_block/stimulus.h"
#include "tlm/observe/probe.h"
#include "tlm/observe/statistics.h"
#include "tlm/sim/partition.h"

namespace railyard {

class TraceFile;

struct BlockDriverConfig {
  CongestionConfig congestion;
  std::vector<Values> setup;  // inputs of edges before cycle 0, while time stands
  bool compare = false;
  Time period = kNanosecond;
  std::uint64_t cycles = 1;
  std::optional<std::string> response;  // a path
  std::string response_place;           // where it was written
};

/// Cycle n begins at n periods: the clock is low and the inputs are driven. Its edge rises half a
/// period later. With a gated clock a cycle in which the block is quiet has no edge, and those
/// behind it are not looked at until an input changes or the block's wake comes.
///
/// To compare, the other engine runs beside, free-running on the same inputs, and what is seen of
/// both must be equal in every cycle: that also holds skipping to its promise.
class BlockDriver : public sc_core::sc_module {
 public:
  BlockDriver(sc_core::sc_module_name name, Partition& partition, const BlockType& type,
              Stimulus stimulus, BlockDriverConfig config);

  /// Fabric::join.
  void join(TraceFile& trace, std::function<void(Time)> ticks);
  /// Names of the metrics, in the order of a summary.
  std::vector<std::string> summary() const;

 private:
  void start_of_simulation() override;
  void begin_cycle();
  void rise();
  void go_on();

  bool free_running() const { return config_.congestion.clocking == BlockClocking::kFreeRunning; }
  bool drive();
  void look(Time now);
  void compare(Time now);
  void count_changes();
  std::uint64_t next_cycle() const;
  void touch(const Block& block, Time now);
  std::unique_ptr<Block> make(BlockEngine engine);
  void make_other();
  void register_metrics();

  Partition& partition_;
  BlockType type_;
  Stimulus stimulus_;
  BlockDriverConfig config_;
  std::optional<std::size_t> now_;  // the input now_i, if there is one
  std::uint64_t now_mask_;
  Event begin_cycle_;
  Event rise_;

  RtlContext context_;  // before the models
  std::unique_ptr<Block> block_;
  std::unique_ptr<BlockComparison> other_;  // nullptr: nothing is compared
  Block* rtl_ = nullptr;                    // of the two, the Verilated one
  std::unique_ptr<BlockProbes> probes_;
  std::unique_ptr<Response> response_;
  std::function<void(Time)> ticks_;

  std::uint64_t cycle_ = 0;
  std::uint64_t look_at_ = 0;  // when it must be looked at next if no input changes
  std::size_t next_change_ = 0;
  bool edge_ = false;  // this cycle has one
  Values inputs_;
  BlockView view_;  // of the latest cycle that was looked at
  BlockView before_;
  BlockView after_;  // the edge

  SpanProbe asleep_;
  Moment differs_;
  Counter executed_;
  Counter skipped_;
  Counter compared_;
  Counter mismatches_;
  Counter output_changes_;
  Counter register_changes_;
};

}  // namespace railyard
