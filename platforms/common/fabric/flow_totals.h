// What a fabric sums up over all its flows and switches, and which metrics it shows first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "platforms/common/fabric/flow_results.h"
#include "platforms/common/fabric/network.h"
#include "tlm/observe/statistics.h"
#include "tlm/sim/simulation.h"

namespace railyard {

class FlowTotals {
 public:
  /// `cyclic_ports`: egress ports in a cyclic buffer dependency. What is given by reference
  /// outlives it.
  FlowTotals(const FlowResults& flows, const Network& network, std::size_t cyclic_ports)
      : flows_(flows), network_(network), cyclic_ports_(cyclic_ports) {}

  void register_all(StatisticsRegistry& statistics);
  std::vector<std::string> summary(Simulation& simulation) const;

 private:
  using Values = std::map<std::string, double>;
  void append_switches(const Values& values, std::vector<std::string>& names) const;
  void append_ports(const Values& values, std::vector<std::string>& names) const;

  Time end_of(std::size_t flow, Time now) const;
  double goodput_gbps(Time now) const;
  double fairness(Time now) const;
  std::uint64_t unfinished_flows() const;
  double completion_us() const;

  const FlowResults& flows_;
  const Network& network_;
  std::size_t cyclic_ports_;
};

}  // namespace railyard
