// Where congestion came from and whom it hit: from the pause logs of a fabric to congestion trees,
// how far pauses spread, and what the flows lost that had no part in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "platforms/common/congestion/pause_graph.h"
#include "tlm/base/time.h"

namespace railyard {

/// A flow as congestion meets it. Ports are indices into the fabric's ports.
struct FlowPath {
  std::size_t flow = 0;         // its number, for the report
  std::size_t source = 0;       // the port that sends it
  std::size_t destination = 0;  // the port that receives it
  std::uint8_t priority = 0;
  /// Every switch egress that its frames can pass; of a flow that is spread over paths, all.
  std::vector<std::size_t> egresses;
  Time start = 0;
  Time end = kForever;  // its completion; kForever: unfinished
};

/// The pauses at one distance from a root.
struct CongestionDepth {
  std::uint64_t pauses = 0;
  Time time = 0;                   // sum
  std::vector<std::string> ports;  // that were asked to pause, by name
};

/// All pauses that go back to one root.
struct CongestionTree {
  std::string root;
  std::uint8_t priority = 0;
  RootKind kind = RootKind::kOversubscription;
  std::vector<std::string> members;  // of a cycle: paused egress ports, each waiting for the next
  Time first = 0;                    // the first pause's begin
  Time last = 0;                     // the last one's end, or the end of the run
  std::uint64_t pauses = 0;
  Time time = 0;  // sum
  std::size_t hosts = 0;
  std::vector<CongestionDepth> depths;  // [0]: depth 1
};

/// A flow that pauses held whose root is not on its path.
struct VictimFlow {
  std::size_t flow = 0;
  /// Time in which its source obeyed such pauses while the flow was unfinished; none if only a
  /// switch on its path did.
  Time lost = 0;
  double share = 0;      // of its duration so far
  std::size_t tree = 0;  // the one that cost most
};

struct CongestionReport {
  std::uint64_t pauses = 0;
  std::uint64_t unlogged = 0;  // of which nothing is known but their number
  std::size_t depth = 0;       // the deepest
  std::size_t ports = 0;       // that were asked to pause
  std::size_t hosts = 0;       // with such a port
  std::size_t all_hosts = 0;
  std::vector<CongestionTree> trees;  // by pause time, the most first
  std::vector<VictimFlow> victims;    // by time lost, the most first
  Time victims_lost = 0;              // sum
};

std::string name_of(RootKind kind);

/// What happened until `now`, warm-up or not. A flow whose path holds the root, or that goes to the
/// slow receiver, or passes an egress of the cycle, is no victim of it; nor does an unlogged root
/// have victims. An obeyed pause goes back to the root of the latest that the peer had asked for
/// when it took effect.
CongestionReport analyse_congestion(const std::vector<PausePort>& ports,
                                    const std::vector<FlowPath>& flows, Time now);

}  // namespace railyard
