// DCQCN of one port, driven by a script.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "hw/congestion/dcqcn.h"
#include "tests/hw/congestion/script.h"
#include "tlm/sim/simulation.h"

namespace railyard::support {

constexpr std::uint32_t kPacket = 4194;  // bytes of the line
constexpr Time kCycle = kNanosecond;
/// What the edges take that see a packet, so that no packet is late by them.
constexpr Time kLeastBurst = 2 * kCycle;

inline CongestionConfig control_of(DcqcnSet set, Time burst = kLeastBurst) {
  CongestionConfig config;
  config.algorithm = "dcqcn";
  config.set = set;
  config.dcqcn = DcqcnParameters::of(set);
  config.clock = kCycle;
  config.burst = burst;
  return config;
}

struct DcqcnBench {
  struct Options {
    Rate line = Rate::gbps(100);
    std::vector<std::uint8_t> classes = {3};  // of the queue pairs
    BlocksConfig blocks{BlockEngine::kModel, BlockClocking::kGated};
    bool traces = false;
    VerilatedContext* context = nullptr;
    Time warm_up = 0;
  };

  explicit DcqcnBench(const CongestionConfig& config) : DcqcnBench(config, Options()) {}
  DcqcnBench(const CongestionConfig& config, const Options& options)
      : simulation([&] {
          SimulationConfig run;
          run.warm_up = options.warm_up;
          return run;
        }()),
        blocks(options.blocks, options.context),
        dcqcn(config, {simulation.partition(), "port", options.line, blocks}),
        script(simulation.partition()),
        sent(options.classes.size()) {
    if (options.traces) blocks.set_traces();
    for (std::size_t i = 0; i < options.classes.size(); ++i) {
      dcqcn.open({"flow" + std::to_string(i), options.classes[i]});
    }
    dcqcn.seal();
    simulation.seal();
    dcqcn.start();
  }

  void cnp(Time at, std::uint32_t qp = 0) {
    script.at(at, [this, qp] { dcqcn.cnp(qp); });
  }
  /// Sends from then on, each packet as soon as it may go, and keeps when.
  void send(std::uint32_t qp, Time from, Time until, std::uint32_t bytes = kPacket) {
    script.at(from, [this, qp, until, bytes] { send_next(qp, until, bytes); });
  }
  /// The rates of a queue pair at that time, when all that came by then is answered.
  void expect_rate(Time at, std::uint32_t qp, double gbps, double tolerance) {
    script.at(at, [this, at, qp, gbps, tolerance] {
      EXPECT_NEAR(dcqcn.rate_gbps(qp), gbps, tolerance) << at / kCycle << " ns, QP " << qp;
    });
  }
  void run() { simulation.run(1000 * kSecond); }

  double metric(const std::string& name) const {
    for (const Metric& m : simulation.metrics()) {
      if (m.info.name == name) return m.value.real;
    }
    throw std::out_of_range("no metric " + name);
  }

  Simulation simulation;
  Blocks blocks;
  Dcqcn dcqcn;
  Script script;
  std::vector<std::vector<Time>> sent;  // [qp] when

 private:
  void send_next(std::uint32_t qp, Time until, std::uint32_t bytes) {
    const Time now = simulation.partition().now();
    if (now >= until) return;
    if (dcqcn.next_packet(qp) <= now) {
      dcqcn.sent(qp, bytes);
      sent[qp].push_back(now);
    }
    const Time next = dcqcn.next_packet(qp);
    ASSERT_GT(next, now);
    if (next < until) send(qp, next, until, bytes);
  }
};

}  // namespace railyard::support
