// The inputs, outputs and registers of a block as signals, alike for either engine.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "platforms/cc_block/block.h"
#include "tlm/observe/probe.h"

namespace railyard {

/// Signals BLOCK.in.depth_i_3, BLOCK.out.tx_valid_o, BLOCK.reg.want_q; element 3 of an array ends
/// in _3.
class BlockProbes {
 public:
  BlockProbes(const BlockType& block, ProbeRegistry& registry);

  void inputs(const Values& values, Time now) { set(inputs_, values, now); }
  void view(const BlockView& view, Time now) {
    set(outputs_, view.outputs, now);
    set(registers_, view.registers, now);
  }

 private:
  static void add(std::vector<Probe>& probes, const std::vector<BlockPort>& ports,
                  const std::string& scope, const std::string& doc, ProbeRegistry& registry);
  static void set(std::vector<Probe>& probes, const Values& values, Time now) {
    for (std::size_t i = 0; i < probes.size(); ++i) probes[i].set(values[i], now);
  }

  std::vector<Probe> inputs_;
  std::vector<Probe> outputs_;
  std::vector<Probe> registers_;
};

}  // namespace railyard
