#include "platforms/cc_block/driver.h"

#include <algorithm>
#include <utility>

#include "tlm/observe/checker.h"
#include "waveforms/trace_file.h"

namespace railyard {

namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};

std::optional<std::size_t> time_input(const BlockType& block) {
  const auto found = std::find_if(block.inputs.begin(), block.inputs.end(),
                                  [](const BlockPort& port) { return port.name == "now_i"; });
  if (found == block.inputs.end()) return std::nullopt;
  return static_cast<std::size_t>(found - block.inputs.begin());
}

std::uint64_t differing(const Values& a, const Values& b) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i] ? 1 : 0;
  return count;
}

/// At the end of a run.
class NoDifference : public Checker {
 public:
  explicit NoDifference(const BlockComparison& comparison) : comparison_(comparison) {}
  void at_end(Time /*now*/, bool /*drained*/) override { comparison_.conclude(); }

 private:
  const BlockComparison& comparison_;
};

const char* name_of(BlockEngine engine) { return engine == BlockEngine::kRtl ? "rtl" : "model"; }

}  // namespace

BlockDriver::BlockDriver(sc_core::sc_module_name name, Partition& partition, const BlockType& type,
                         Stimulus stimulus, BlockDriverConfig config)
    : sc_module(name),
      partition_(partition),
      type_(type),
      stimulus_(std::move(stimulus)),
      config_(std::move(config)),
      now_(time_input(type_)),
      now_mask_(now_ ? (std::uint64_t{1} << type_.inputs[*now_].bits) - 1 : 0),
      begin_cycle_(Event::of<&BlockDriver::begin_cycle>(
          *this, partition.endpoint(type_.name + ".begin_cycle"), Phase::kAct)),
      rise_(Event::of<&BlockDriver::rise>(*this, partition.endpoint(type_.name + ".rise"),
                                          Phase::kAct)),
      block_(make(config_.congestion.engine)),
      probes_(std::make_unique<BlockProbes>(type_, partition.probes())),
      inputs_(type_.inputs.size()) {
  if (config_.congestion.engine == BlockEngine::kRtl) rtl_ = block_.get();
  if (config_.compare) make_other();
  partition.probes().add(asleep_, {type_.name + ".clock", "Times without a clock"});
  partition.probes().add(
      differs_, {type_.name + ".mismatch", "A cycle in which the two engines differ (compare)"});
  register_metrics();
  partition.on_end([this](Time /*now*/) {
    if (response_) response_->close();
  });
}

std::unique_ptr<Block> BlockDriver::make(BlockEngine engine) {
  auto block = engine == BlockEngine::kRtl ? type_.make_rtl(context_, type_.name + " rtl")
                                           : type_.make_model();
  BlockView view;
  for (const Values& inputs : config_.setup) block->clock(inputs, view);
  return block;
}

void BlockDriver::make_other() {
  const BlockEngine other =
      config_.congestion.engine == BlockEngine::kRtl ? BlockEngine::kModel : BlockEngine::kRtl;
  other_ = std::make_unique<BlockComparison>(type_, make(other), name_of(config_.congestion.engine),
                                             name_of(other));
  if (other == BlockEngine::kRtl) rtl_ = &other_->block();
  partition_.add_checker<NoDifference>(*other_);
}

void BlockDriver::register_metrics() {
  StatisticsRegistry& statistics = partition_.statistics();
  const auto add = [&](Counter& counter, const char* name, const char* unit, const char* doc) {
    statistics.add(counter, {type_.name + "." + name, unit, doc});
  };
  add(executed_, "cycles", "cycles", "Cycles with a clock edge");
  add(skipped_, "cycles_skipped", "cycles", "Cycles without an edge: the block was quiet");
  add(compared_, "cycles_compared", "cycles", "Cycles in which both engines were looked at");
  add(mismatches_, "mismatches", "cycles", "Compared cycles with other outputs or registers");
  add(output_changes_, "output_changes", "changes",
      "Outputs that differ from those of the cycle before, over all outputs and cycles");
  add(register_changes_, "register_changes", "changes",
      "Registers that differ from those of the cycle before, over all registers and cycles");
}

std::vector<std::string> BlockDriver::summary() const {
  std::vector<std::string> names;
  for (const char* metric : {"cycles", "cycles_skipped", "cycles_compared", "mismatches",
                             "output_changes", "register_changes"}) {
    names.push_back(type_.name + "." + metric);
  }
  return names;
}

void BlockDriver::join(TraceFile& trace, std::function<void(Time)> ticks) {
  if (rtl_ == nullptr) return;
  ticks_ = std::move(ticks);
  trace.add_model(type_.name + ".rtl", [this](VerilatedFstC& fst) { rtl_->trace(fst); });
}

void BlockDriver::start_of_simulation() {
  if (config_.response) {
    response_ = std::make_unique<Response>(config_.response_place, *config_.response, type_);
  }
  partition_.open_work(config_.cycles);
  partition_.scheduler().schedule(begin_cycle_, 0);
}

void BlockDriver::begin_cycle() {
  if (cycle_ == config_.cycles) return;  // the last one is over
  const Time now = partition_.now();
  const bool driven = drive();
  edge_ = false;
  if (driven || cycle_ >= look_at_ || free_running()) look(now);
  if (other_ != nullptr) compare(now);
  if (edge_ || other_ != nullptr) {
    partition_.scheduler().schedule_in(rise_, config_.period / 2);
  } else {
    go_on();
  }
}

/// True if an input changes, the time aside.
bool BlockDriver::drive() {
  if (now_) inputs_[*now_] = cycle_ & now_mask_;
  const std::size_t first = next_change_;
  for (; next_change_ < stimulus_.changes.size(); ++next_change_) {
    const Stimulus::Change& change = stimulus_.changes[next_change_];
    if (change.cycle > cycle_) break;
    inputs_[change.input] = change.value;
  }
  return next_change_ != first;
}

/// Looks at the block before the cycle's edge, and decides whether it has one.
void BlockDriver::look(Time now) {
  touch(*block_, now);
  before_ = view_;
  block_->settle(inputs_, view_);
  edge_ = !view_.quiet || free_running();
  if (edge_) {
    look_at_ = cycle_ + 1;
  } else if (view_.wake_valid) {
    look_at_ = cycle_ + std::max<std::uint64_t>((view_.wake - cycle_) & now_mask_, 1);
  } else {
    look_at_ = kNever;
  }
  probes_->inputs(inputs_, now);
  probes_->view(view_, now);
  if (response_) response_->cycle(cycle_, view_);
  count_changes();
}

void BlockDriver::count_changes() {
  if (before_.registers.empty()) return;  // the first cycle
  output_changes_.add(differing(before_.outputs, view_.outputs));
  register_changes_.add(differing(before_.registers, view_.registers));
}

void BlockDriver::compare(Time now) {
  touch(other_->block(), now);
  compared_.add();
  if (other_->equal(cycle_, now, inputs_, view_)) return;
  mismatches_.add();
  differs_.raise(now);
}

void BlockDriver::rise() {
  const Time now = partition_.now();
  if (edge_) {
    touch(*block_, now);
    block_->clock(inputs_, after_);
    executed_.add();
    probes_->view(after_, now);
  }
  if (other_ != nullptr) {
    touch(other_->block(), now);
    other_->clock(inputs_);
  }
  go_on();
}

/// To the next cycle that something is to be done in, or to the end.
void BlockDriver::go_on() {
  const std::uint64_t next = next_cycle();
  const std::uint64_t passed = next - cycle_;
  const auto begin = static_cast<Time>(cycle_) * config_.period;
  const auto end = static_cast<Time>(next) * config_.period;
  if (!edge_) {
    skipped_.add(passed);
    asleep_.span("asleep", begin, end, "cycles", passed);
  }
  partition_.close_work(passed);
  cycle_ = next;
  partition_.scheduler().schedule(begin_cycle_, end);
}

std::uint64_t BlockDriver::next_cycle() const {
  if (edge_ || other_ != nullptr) return cycle_ + 1;
  std::uint64_t next = std::min(look_at_, config_.cycles);
  if (next_change_ < stimulus_.changes.size()) {
    next = std::min(next, stimulus_.changes[next_change_].cycle);
  }
  return next;
}

/// Before a block's inputs change or its clock rises.
void BlockDriver::touch(const Block& block, Time now) {
  if (&block != rtl_) return;
  context_.set_time(now);
  if (ticks_) ticks_(now);
}

}  // namespace railyard
