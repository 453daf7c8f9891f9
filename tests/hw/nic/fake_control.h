// Congestion control that a test speaks for: a packet in `interval`, whoever sends it.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "hw/congestion/congestion_control.h"
#include "tlm/sim/partition.h"

namespace railyard::nic::test {

struct PacedControl : CongestionControl {
  void open(const QueuePair& /*qp*/) override {}
  void set_listener(CongestionListener* its_listener) override { listener = its_listener; }
  void sent(std::uint32_t qp, std::uint32_t line_bytes) override {
    lines.emplace_back(qp, line_bytes);
    times[qp].push_back(partition->now());
    next[qp] = partition->now() + interval;
  }
  Time next_packet(std::uint32_t qp) override { return next[qp]; }
  double rate_gbps(std::uint32_t /*qp*/) override { return 0; }

  /// Set before the first packet.
  Partition* partition = nullptr;
  CongestionListener* listener = nullptr;
  Time interval = 0;
  std::map<std::uint32_t, Time> next;
  std::map<std::uint32_t, std::vector<Time>> times;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> lines;  // {queue pair, bytes}
};

}  // namespace railyard::nic::test
