// What a fabric sums up over all its flows and ports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platforms/common/fabric/first_moments.h"
#include "platforms/common/fabric/flow_results.h"
#include "platforms/common/fabric/network.h"
#include "tlm/observe/statistics.h"
#include "tlm/sim/simulation.h"

namespace railyard {

/// When congestion first showed.
struct Firsts {
  explicit Firsts(Simulation& simulation)
      : xoff("xoff", simulation), mark("mark", simulation), cnp("cnp", simulation) {}

  FirstMoment xoff, mark, cnp;
};

class FlowTotals {
 public:
  /// Once all modules are there. `cyclic_ports`: egress ports in a cyclic buffer dependency. What
  /// is given by reference outlives it.
  FlowTotals(const FlowResults& flows, const Network& network, std::size_t cyclic_ports,
             Simulation& simulation)
      : flows_(flows), network_(network), cyclic_ports_(cyclic_ports), firsts_(simulation) {}

  void register_all(Simulation& simulation);
  const Firsts& firsts() const { return firsts_; }

 private:
  Time end_of(std::size_t flow, Time now) const;
  double goodput_gbps(Time now) const;
  double fairness(Time now) const;
  std::uint64_t unfinished_flows() const;
  double completion_us() const;
  /// Of flows that are complete, ascending.
  std::vector<Time> durations() const;
  void register_durations(StatisticsRegistry& statistics);

  const FlowResults& flows_;
  const Network& network_;
  std::size_t cyclic_ports_;
  Firsts firsts_;
};

}  // namespace railyard
