// DCQCN computed by twins or RTL, its edges executed lazily, at their times, or in every cycle: one
// script gives the same answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "tests/hw/congestion/dcqcn_bench.h"
#include "tests/support/fresh_kernel.h"
#include "tlm/sim/random.h"
#include "waveforms/rtl_context.h"

namespace railyard {
namespace {

using support::control_of;
using support::DcqcnBench;
using support::kCycle;

constexpr std::uint32_t kQps = 6;
constexpr Time kLong = 200 * kMicrosecond;

struct Answers {
  std::vector<std::tuple<Time, std::uint32_t, Time, double>> heard;  // now, QP, next, rate
  std::vector<std::vector<Time>> sent;
  std::map<std::string, double> metrics;
  std::uint64_t rp_cycles = 0;
  std::uint64_t pacer_cycles = 0;
};

/// CNPs and questions at random times; senders that go as fast as they may, some with long rests.
void fill(DcqcnBench& bench, Answers& answers) {
  RandomStream random(7, "script");
  const auto time = [&] { return static_cast<Time>(random.below(kLong)); };
  const auto qp = [&] { return static_cast<std::uint32_t>(random.below(kQps)); };
  for (int i = 0; i < 40; ++i) bench.cnp(time(), qp());
  for (int i = 0; i < 4; ++i) {  // on an edge
    const Time together = time() / kCycle * kCycle;
    for (int n = 0; n < 6; ++n) bench.cnp(together, qp());
  }
  for (std::uint32_t i = 0; i < kQps; ++i) {
    const Time from = time() / 2;
    bench.send(i, from, from + static_cast<Time>(random.below(kLong / 2)), 84 + 1024 * i);
  }
  for (int i = 0; i < 3000; ++i) {
    const std::uint32_t of = qp();
    bench.script.at(time(), [&bench, &answers, of] {
      const Time next = bench.dcqcn.next_packet(of);
      answers.heard.emplace_back(bench.simulation.partition().now(), of, next,
                                 bench.dcqcn.rate_gbps(of));
    });
  }
  bench.script.last_until(kLong);
}

Answers run(DcqcnSet set, DcqcnBench::Options options) {
  const support::FreshKernel kernel;
  RtlContext context;
  options.context = context.get();
  options.classes = {3, 4, 3, 4, 3, 3};
  options.warm_up = kLong / 3;
  CongestionConfig config = control_of(set, kMicrosecond);
  DcqcnClassConfig other;
  other.traffic_class = 4;
  other.dcqcn = DcqcnParameters::of(DcqcnSet::kTuned);
  config.classes.push_back(other);
  Answers answers;
  DcqcnBench bench(config, options);
  bench.blocks.on_tick([&](Time now) { context.set_time(now); });
  fill(bench, answers);
  bench.run();
  bench.simulation.conclude();
  for (const Metric& m : bench.simulation.metrics()) answers.metrics[m.info.name] = m.value.real;
  answers.sent = bench.sent;
  answers.rp_cycles = bench.blocks.cycles(BlockKind::kDcqcnRp);
  answers.pacer_cycles = bench.blocks.cycles(BlockKind::kPacer);
  return answers;
}

void expect_equal(const Answers& a, const Answers& b) {
  EXPECT_EQ(a.heard, b.heard);
  EXPECT_EQ(a.sent, b.sent);
  EXPECT_EQ(a.metrics, b.metrics);
}

class DcqcnWays : public testing::TestWithParam<DcqcnSet> {
 protected:
  static Answers by(BlockEngine engine, BlockClocking clocking, bool traces) {
    DcqcnBench::Options options;
    options.blocks = {engine, clocking};
    options.traces = traces;
    return run(GetParam(), options);
  }
  const Answers lazy_ = by(BlockEngine::kModel, BlockClocking::kGated, false);
};

TEST_P(DcqcnWays, TheScriptDoesMuch) {
  EXPECT_EQ(lazy_.heard.size(), 3000U);
  std::size_t packets = 0;
  for (const auto& sent : lazy_.sent) packets += sent.size();
  EXPECT_GT(packets, 200U);
  double least = 1e9;
  for (const auto& heard : lazy_.heard) least = std::min(least, std::get<3>(heard));
  EXPECT_LT(least, 1);
  EXPECT_LT(lazy_.rp_cycles, 50'000U);  // of 200,000
}

TEST_P(DcqcnWays, EdgesAtTheirTimesAreThoseExecutedLazily) {
  const Answers traced = by(BlockEngine::kModel, BlockClocking::kGated, true);
  expect_equal(lazy_, traced);
  EXPECT_EQ(lazy_.rp_cycles, traced.rp_cycles);
  EXPECT_EQ(lazy_.pacer_cycles, traced.pacer_cycles);
}

TEST_P(DcqcnWays, EveryCycleGivesTheSame) {
  const Answers free = by(BlockEngine::kModel, BlockClocking::kFreeRunning, false);
  expect_equal(lazy_, free);
  EXPECT_EQ(free.rp_cycles, static_cast<std::uint64_t>(kLong / kCycle));
  EXPECT_EQ(free.pacer_cycles, static_cast<std::uint64_t>(kLong / kCycle));
}

TEST_P(DcqcnWays, TheRtlGivesTheSame) {
  const Answers rtl = by(BlockEngine::kRtl, BlockClocking::kGated, false);
  expect_equal(lazy_, rtl);
  EXPECT_EQ(lazy_.rp_cycles, rtl.rp_cycles);
  EXPECT_EQ(lazy_.pacer_cycles, rtl.pacer_cycles);
}

INSTANTIATE_TEST_SUITE_P(Sets, DcqcnWays, testing::Values(DcqcnSet::kPaper, DcqcnSet::kHardware),
                         [](const auto& set) {
                           return set.param == DcqcnSet::kPaper ? "paper" : "hardware";
                         });

}  // namespace
}  // namespace railyard
