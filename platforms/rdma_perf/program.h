// What a host runs: perftest's loops, written against verbs, core time, and, where perftest looks
// into its buffer, a look at memory. Sizes one after another: queue pairs are made, connected,
// measured, destroyed.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "platforms/rdma_perf/board.h"
#include "platforms/rdma_perf/connection.h"
#include "platforms/rdma_perf/results.h"
#include "platforms/rdma_perf/test_config.h"
#include "tlm/core/address_space.h"
#include "tlm/core/core.h"

namespace railyard::rdma_perf {

/// What all programs of a run share. It outlives them.
struct Setting {
  Setting(const TestConfig& test, bool carry, std::size_t programs)
      : config(test), carried(carry), board(programs) {}

  const TestConfig& config;
  bool carried;  // payload bytes move
  Board board;
  Results results;
  /// Of client's and server's NIC: latency is measured between two hosts.
  LastPassing passed[2];
};

class Program {
 public:
  /// `roles`: one for each pair of hosts that this one is in; all clients' or all servers'.
  Program(Setting& setting, std::vector<Role> roles)
      : setting_(setting), roles_(std::move(roles)) {}

  void run(Core& core, AddressSpace& memory);

 private:
  Setting& setting_;
  std::vector<Role> roles_;
};

}  // namespace railyard::rdma_perf
