// What programs of one run tell each other outside of the network: perftest does it over a socket
// before and after it measures.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <map>
#include <tuple>

#include "tlm/core/core.h"

namespace railyard::rdma_perf {

/// What the other side must know of a queue pair.
struct Destination {
  std::uint32_t number = 0;
  std::uint32_t psn = 0;
  std::uint32_t rkey = 0;
  std::uint64_t address = 0;  // of the memory that its messages are for
  ibv_gid gid{};
};

/// A queue pair: of which pair of hosts, which size, its number among those; on which side.
struct ConnectionId {
  std::size_t pair = 0;
  std::size_t group = 0;
  std::uint32_t number = 0;
  bool client = false;

  bool operator<(const ConnectionId& o) const {
    return std::tie(pair, group, number, client) < std::tie(o.pair, o.group, o.number, o.client);
  }
};

class Board {
 public:
  explicit Board(std::size_t programs) : programs_(programs) {}

  /// Waits until all programs have called it as often.
  void meet(Core& core) {
    constexpr Time kLook = kMicrosecond;
    const std::uint64_t round = round_;
    if (++arrived_ == programs_) {
      arrived_ = 0;
      ++round_;
    }
    while (round_ == round) core.spend(kLook);
  }

  void publish(const ConnectionId& id, const Destination& destination) {
    destinations_[id] = destination;
  }
  /// std::out_of_range: nobody has published it.
  const Destination& find(const ConnectionId& id) const { return destinations_.at(id); }

 private:
  std::size_t programs_;
  std::size_t arrived_ = 0;
  std::uint64_t round_ = 0;
  std::map<ConnectionId, Destination> destinations_;
};

}  // namespace railyard::rdma_perf
