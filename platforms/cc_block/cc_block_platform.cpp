#include "platforms/cc_block/cc_block_platform.h"

#include <filesystem>
#include <utility>

#include "platforms/cc_block/setup.h"
#include "platforms/cc_block/stimulus.h"
#include "tlm/base/error.h"
#include "waveforms/output_file.h"

namespace railyard {

namespace {

class CcBlockFabric : public Fabric {
 public:
  CcBlockFabric(Simulation& simulation, const BlockType& type, Stimulus stimulus,
                const BlockDriverConfig& config)
      : response_(config.response),
        driver_(type.name.c_str(), simulation.partition(), type, std::move(stimulus), config) {}

  std::vector<std::string> summary() const override { return driver_.summary(); }
  void join(TraceFile& trace, std::function<void(Time)> ticks) override {
    driver_.join(trace, std::move(ticks));
  }
  std::vector<std::string> files() const override {
    return response_ ? std::vector<std::string>{*response_} : std::vector<std::string>{};
  }

 private:
  std::optional<std::string> response_;
  BlockDriver driver_;
};

/// What is written in a file is relative to its folder, what is written on the command line to the
/// working directory. Absolute, so that a report, which lies elsewhere, finds it too.
std::string found_from(const std::string& path, const Mark& mark, const std::string& file) {
  namespace fs = std::filesystem;
  const fs::path folder = mark.line == 0 ? fs::path() : fs::path(file).parent_path();
  return fs::absolute(folder / path).lexically_normal().string();
}

/// "block: pacer, or block: dcqcn_np": those of which `has` says so.
template <class Has>
std::string blocks_that(const std::vector<BlockType>& blocks, Has&& has) {
  std::string text;
  for (const BlockType& block : blocks) {
    if (has(block)) text += (text.empty() ? "block: " : ", or block: ") + block.name;
  }
  return text;
}

}  // namespace

CcBlockPlatform::CcBlockPlatform(std::vector<BlockType> blocks, std::string default_config,
                                 std::string stimuli)
    : blocks_(std::move(blocks)),
      default_config_(std::move(default_config)),
      stimuli_(std::move(stimuli)) {}

void CcBlockPlatform::declare(Parameters& p) {
  CcBlockConfig& c = config_;
  declare_block(p);
  p.group("congestion", c.congestion)
      .doc("Engine and clocking of the block, and DCQCN's registers");
  p.add("clock", c.clock).range(10 * kPicosecond, kMicrosecond).doc("Period of the block's clock");
  p.add("cycles", c.cycles)
      .range(1, kMostCycles)
      .doc("Cycles that are run; by default to that of the stimulus' last row, inclusive");
  p.add("stimulus", c.stimulus)
      .doc(
          "CSV file of the inputs, relative to the folder of this file (with --set: to the "
          "working directory); by default the one shipped for the block");
  p.add("response", c.response)
      .doc(
          "CSV file of outputs and registers to be written, relative as stimulus is; by default "
          "none");
  p.add("compare", c.compare)
      .doc(
          "Runs the other engine beside, free-running; a cycle in which they differ ends the run "
          "with exit code 3");
  p.check([this, &c](const Bound& bound) {
    check_block(bound);
    check_congestion(bound);
    c.cycles_mark = bound.mark("cycles");
    c.stimulus_mark = bound.mark("stimulus");
    c.response_mark = bound.mark("response");
  });
}

void CcBlockPlatform::declare_block(Parameters& p) {
  CcBlockConfig& c = config_;
  std::vector<std::pair<std::string, std::size_t>> names;
  for (std::size_t i = 0; i < blocks_.size(); ++i) names.emplace_back(blocks_[i].name, i);
  p.choice("block", c.block, std::move(names)).doc("The block that is driven");
  p.choice("contexts", c.contexts, {{"16", 16U}, {"256", 256U}, {"4096", 4096U}})
      .doc("Size class of a block with contexts in memory");
  p.add("watch_context", c.watch_context)
      .doc("A context whose fields are among the registers; by default none");
  p.add("setup", c.setup)
      .doc("The registers of dcqcn_rp hold the parameters of the group congestion in cycle 0");
  p.add("line_rate", c.line_rate)
      .range(Rate::gbps(1), Rate::gbps(1000))
      .doc("Rate of the line, for setup");
}

/// A key that the block has no use for is refused.
void CcBlockPlatform::check_block(const Bound& bound) const {
  const CcBlockConfig& c = config_;
  const CcBlockConfig usual;
  const BlockType& type = blocks_[c.block];
  if (!type.with_contexts) {
    const std::string others = blocks_that(
        blocks_, [](const BlockType& block) { return static_cast<bool>(block.with_contexts); });
    bound.needs("contexts", c.contexts != usual.contexts, others);
    bound.needs("watch_context", c.watch_context.has_value(), others);
  }
  if (c.watch_context && *c.watch_context >= c.contexts) {
    bound.fail("watch_context",
               "watch_context: there are " + std::to_string(c.contexts) + " contexts",
               "write 0 to " + std::to_string(c.contexts - 1));
  }
  if (!has_setup(type)) {
    const std::string others = blocks_that(blocks_, has_setup);
    bound.needs("setup", !c.setup, others);
    bound.needs("line_rate", c.line_rate != usual.line_rate, others);
  }
}

/// Keys that fabrics have a use for and one block has none.
void CcBlockPlatform::check_congestion(const Bound& bound) const {
  const CongestionConfig& c = config_.congestion;
  const CongestionConfig usual;
  const auto refuse = [&](const std::string& key, bool changed, const std::string& remedy) {
    if (changed) bound.fail(key, key + ": does nothing for a block on its own", remedy);
  };
  refuse("congestion.algorithm", c.controls(), "name the block by block: dcqcn_rp");
  refuse("congestion.clock", c.clock != usual.clock, "write clock");
  refuse("congestion.burst", c.burst != usual.burst, "drive burst_i of pacer by the stimulus");
}

BlockType CcBlockPlatform::chosen() const {
  const BlockType& type = blocks_[config_.block];
  if (!type.with_contexts) return type;
  return type.with_contexts({config_.contexts, config_.watch_context});
}

void CcBlockPlatform::find_files(const RunConfig& run) {
  CcBlockConfig& c = config_;
  if (c.stimulus) c.stimulus = found_from(*c.stimulus, c.stimulus_mark, run.file);
  if (!c.response) return;
  c.response = found_from(*c.response, c.response_mark, run.file);
  const std::string place = c.response_mark.place();
  check_suffix(place, *c.response, {".csv"});
  check_regular_file(place, *c.response);
  std::error_code error;
  if (c.stimulus && std::filesystem::equivalent(*c.stimulus, *c.response, error)) {
    throw ConfigError(place, "response: it is the stimulus", "name another file");
  }
}

std::uint64_t CcBlockPlatform::cycles(const Stimulus& stimulus) const {
  const std::uint64_t least = stimulus.last_cycle + 1;
  if (!config_.cycles) return least;
  if (*config_.cycles >= least) return *config_.cycles;
  throw ConfigError(config_.cycles_mark.place(),
                    "cycles: the stimulus has a row for cycle " +
                        std::to_string(stimulus.last_cycle) + " (" + stimulus.last_place + ")",
                    "write at least " + std::to_string(least) + ", or end the run by until");
}

std::unique_ptr<Fabric> CcBlockPlatform::build(Simulation& simulation, const RunConfig& run) {
  find_files(run);
  const BlockType type = chosen();
  const std::string shipped = stimuli_ + "/" + type.name + ".csv";
  Stimulus stimulus = config_.stimulus
                          ? read_stimulus(config_.stimulus_mark.place(), *config_.stimulus, type)
                          : read_stimulus(shipped, shipped, type);
  BlockDriverConfig config;
  config.congestion = config_.congestion;
  if (config_.setup && has_setup(type)) {
    config.setup = setup_edges(type, config_.congestion, config_.clock, config_.line_rate);
  }
  config.compare = config_.compare;
  config.period = config_.clock;
  config.cycles = cycles(stimulus);
  config.response = config_.response;
  config.response_place = config_.response_mark.place();
  return std::make_unique<CcBlockFabric>(simulation, type, std::move(stimulus), config);
}

}  // namespace railyard
