// Whom the programs of a run tell what their queue pairs are called.
#pragma once

#include <cstdint>
#include <tuple>

#include "platforms/common/verbs/board.h"

namespace railyard::rdma_perf {

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

using Board = rdma::Board<ConnectionId>;

}  // namespace railyard::rdma_perf
