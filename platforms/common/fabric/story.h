// What happened in a run of a fabric, told in a table that a terminal of 80 columns has room for,
// whatever the number of flows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hw/tester/patterns.h"
#include "platforms/common/congestion/congestion.h"
#include "platforms/common/fabric/flow_results.h"
#include "platforms/common/fabric/flow_totals.h"
#include "tlm/observe/statistics.h"

namespace railyard {

/// Times in microseconds.
struct Story {
  struct Times {
    double least = 0, median = 0, p99 = 0, most = 0;
  };
  /// Something that happens again and again.
  struct Events {
    std::uint64_t count = 0;
    bool happened = false;
    double first = 0;   // since traffic began
    std::string where;  // the port that was first
  };

  std::string traffic;  // who sends what to whom
  double goodput_gbps = 0;
  double line_gbps = 0;  // what the ports that send, and those that receive, have at most
  double fairness = 0;
  std::size_t flows = 0;
  std::size_t finished = 0;
  std::size_t failed = 0;
  std::uint64_t wrong_bytes = 0;
  std::optional<Times> completion;  // of flows that finished
  std::optional<Times> message;     // where software posts them
  Events mark, cnp, xoff;
  std::uint64_t dropped = 0;     // by switches, frames
  std::uint64_t overflowed = 0;  // by receivers, frames
  std::uint64_t repeated = 0;    // packets
  std::size_t cyclic_ports = 0;  // egress ports that can wait for each other
};

/// Of a run that is over, or as far as it has come. `metrics` are the simulation's.
Story tell(const FlowResults& flows, const std::vector<PatternEndpoint>& endpoints,
           const Firsts& firsts, const std::vector<Metric>& metrics);

std::string story_text(const Story& story, const CongestionReport& congestion);

}  // namespace railyard
