// One RTL block between a stimulus and its response.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/congestion/blocks.h"
#include "platforms/cc_block/block.h"
#include "platforms/cc_block/driver.h"
#include "platforms/common/platform.h"

namespace railyard {

struct CcBlockConfig {
  std::size_t block = 0;  // of the platform's
  CongestionConfig congestion;
  unsigned contexts = 16;
  std::optional<unsigned> watch_context;
  bool setup = true;
  Rate line_rate = Rate::gbps(100);
  bool compare = false;
  Time clock = kNanosecond;
  std::optional<std::uint64_t> cycles;
  std::optional<std::string> stimulus;
  std::optional<std::string> response;
  // Where the last three were written.
  Mark cycles_mark;
  Mark stimulus_mark;
  Mark response_mark;
};

class CcBlockPlatform : public Platform {
 public:
  /// `stimuli` is the folder with a NAME.csv for each block.
  CcBlockPlatform(std::vector<BlockType> blocks, std::string default_config, std::string stimuli);

  std::string name() const override { return "cc_block"; }
  std::string doc() const override {
    return "One RTL block between a stimulus and its response, by either engine";
  }
  std::string default_config() const override { return default_config_; }
  void declare(Parameters& p) override;
  std::unique_ptr<Fabric> build(Simulation& simulation, const RunConfig& run) override;

 private:
  void declare_block(Parameters& p);
  void check_block(const Bound& bound) const;
  void check_congestion(const Bound& bound) const;
  void find_files(const RunConfig& run);
  BlockType chosen() const;
  std::uint64_t cycles(const Stimulus& stimulus) const;

  std::vector<BlockType> blocks_;
  std::string default_config_;
  std::string stimuli_;
  CcBlockConfig config_;
};

}  // namespace railyard
