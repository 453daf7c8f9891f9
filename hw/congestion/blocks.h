// Which engine computes the blocks of congestion control, and how their clocks run: the RTL,
// Verilated, or its twin in C++. Both have the same registers in the same cycles, so nothing that a
// run measures depends on the choice.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "hw/congestion/congestion_config.h"
#include "rtl/model/dcqcn_np.h"
#include "rtl/model/dcqcn_rp.h"
#include "rtl/model/ecn_marker.h"
#include "rtl/model/fields.h"
#include "rtl/model/pacer.h"
#include "rtl/model/pfc_gen.h"
#include "rtl/model/pfc_rx.h"
#include "rtl/model/pfc_watchdog.h"
#include "tlm/base/time.h"

class VerilatedContext;
class VerilatedFstC;

namespace railyard {

enum class BlockKind : std::uint8_t {
  kPfcGen,
  kPfcRx,
  kPfcWatchdog,
  kEcnMarker,
  kDcqcnRp,
  kDcqcnNp,
  kPacer
};
constexpr std::size_t kBlockKinds = 7;
const char* name_of(BlockKind kind);

/// Makes the blocks of a simulation and knows them; outlives them.
class Blocks {
 public:
  /// A Verilated block for the trace.
  struct Traced {
    std::string name;
    std::function<void(VerilatedFstC&)> trace;
  };
  /// Called before a Verilated block's inputs change, at most once for a time.
  using Tick = std::function<void(Time now)>;
  /// Called after an edge with the block's architectural registers: for tests that compare runs.
  using Watch = std::function<void(const std::string& block, std::uint64_t cycle,
                                   const std::vector<rtl::Field>& registers)>;

  /// Twins, gated.
  Blocks() = default;
  /// `context` is what Verilated models are made in; it may be null if the engine is `model`.
  Blocks(const BlocksConfig& config, VerilatedContext* context);
  ~Blocks();
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  /// `name` is hierarchical, with dots, and unique.
  std::unique_ptr<rtl::PfcGen> pfc_gen(const std::string& name);
  std::unique_ptr<rtl::PfcRx> pfc_rx(const std::string& name);
  std::unique_ptr<rtl::PfcWatchdog> pfc_watchdog(const std::string& name);
  std::unique_ptr<rtl::EcnMarker> ecn_marker(const std::string& name);
  /// Of the smallest size class that has so many contexts; std::length_error beyond the largest.
  std::unique_ptr<rtl::DcqcnRp> dcqcn_rp(const std::string& name, std::size_t contexts);
  std::unique_ptr<rtl::DcqcnNp> dcqcn_np(const std::string& name, std::size_t contexts);
  std::unique_ptr<rtl::Pacer> pacer(const std::string& name, std::size_t contexts);

  bool free_running() const { return clocking_ == BlockClocking::kFreeRunning; }
  const std::vector<Traced>& traced() const { return traced_; }
  /// Before the run: somebody looks at signals, so edges are to be executed at their times.
  void set_traces() { traces_ = true; }
  bool traces() const { return traces_; }
  /// Ticks are called in the order in which they were given.
  void on_tick(Tick tick) { ticks_.push_back(std::move(tick)); }
  void watch(Watch watch) { watch_ = std::move(watch); }

  /// One edge of a block: to be called in place of its clock().
  template <class Block>
  typename Block::Out clock(Block& block, BlockKind kind, const std::string& name,
                            const typename Block::In& in, Time now) {
    return clock(block, kind, name, in, now, 1);
  }
  /// `edges` of them at one time, all with these inputs: the last one's outputs.
  template <class Block>
  typename Block::Out clock(Block& block, BlockKind kind, const std::string& name,
                            const typename Block::In& in, Time now, unsigned edges) {
    if (now != ticked_) tick(now);
    if (watch_) return clock_watched(block, kind, name, in, edges);
    cycles_[static_cast<std::size_t>(kind)] += edges;
    for (; edges > 1; --edges) block.clock(in);
    return block.clock(in);
  }

  /// Outputs before the edge: to be called in place of settle(), which drives the pins too.
  template <class Block>
  typename Block::Out settle(Block& block, const typename Block::In& in, Time now) {
    if (now != ticked_) tick(now);
    return block.settle(in);
  }

  /// Cycles that all blocks of a kind have executed.
  std::uint64_t cycles(BlockKind kind) const { return cycles_[static_cast<std::size_t>(kind)]; }

 private:
  template <class In, class = void>
  struct HasNow : std::false_type {};
  template <class In>
  struct HasNow<In, std::void_t<decltype(In::now)>> : std::true_type {};

  /// What now_i says; of a block without one, how many edges its kind has had.
  template <class In>
  std::uint64_t cycle_of(BlockKind kind, const In& in) const {
    if constexpr (HasNow<In>::value) {
      return in.now;
    } else {
      return cycles(kind);
    }
  }
  // Only tests watch: it is kept out of where edges are executed.
  template <class Block>
  [[gnu::cold, gnu::noinline]] typename Block::Out clock_watched(Block& block, BlockKind kind,
                                                                 const std::string& name,
                                                                 const typename Block::In& in,
                                                                 unsigned edges) {
    for (;;) {
      ++cycles_[static_cast<std::size_t>(kind)];
      const typename Block::Out out = block.clock(in);
      watch_(name, cycle_of(kind, in), rtl::fields_of(block.state()));
      if (--edges == 0) return out;
    }
  }
  void tick(Time now);
  template <class Interface, class Model, class Rtl, class... Size>
  std::unique_ptr<Interface> make(const std::string& name, Size... size);

  BlockEngine engine_ = BlockEngine::kModel;
  BlockClocking clocking_ = BlockClocking::kGated;
  VerilatedContext* context_ = nullptr;
  std::vector<Traced> traced_;
  std::vector<Tick> ticks_;
  Watch watch_;
  Time ticked_ = -1;
  bool traces_ = false;
  std::array<std::uint64_t, kBlockKinds> cycles_{};
};

}  // namespace railyard
