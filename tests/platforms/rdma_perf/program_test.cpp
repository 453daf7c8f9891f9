// perftest's loops over verbs of known rate and latency.
#include "tests/platforms/rdma_perf/fake_verbs.h"
// After the above, which wants to come before <systemc>.
#include <gmock/gmock.h>

#include "platforms/rdma_perf/program.h"
#include "tlm/base/error.h"

namespace railyard::rdma_perf {
namespace {

/// Programs of hosts, each on a core of its own.
class Bench : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Bench);
  Bench(const TestConfig& test, const std::vector<std::vector<Role>>& hosts, bool carried = true)
      : sc_module(sc_core::sc_module_name("bench")),
        config(test),
        setting(config, carried, hosts.size()) {
    for (const Bytes& size : config.sizes) setting.results.sizes.emplace_back(size, config.test);
    setting.results.programs = hosts.size();
    for (const std::vector<Role>& roles : hosts) {
      for (const Role& role : roles) {
        if (setting.results.pairs.size() <= role.pair) setting.results.pairs.resize(role.pair + 1);
      }
      programs.push_back(std::make_unique<Program>(setting, roles));
      Program& program = *programs.back();
      sc_core::sc_spawn([this, &program] {
        try {
          program.run(core, memory);
        } catch (const InvariantError& error) {
          failure = error.what();
          sc_core::sc_stop();  // as a run does
        }
      });
    }
  }

  SizeResult& run() {
    sc_core::sc_start();
    return setting.results.sizes.front();
  }

  TestConfig config;
  Setting setting;
  fake::FakeCore core;
  fake::FakeMemory memory;
  std::vector<std::unique_ptr<Program>> programs;
  std::string failure;
};

const std::vector<std::vector<Role>> kTwoHosts = {{{0, true}}, {{0, false}}};

TestConfig one_size(std::uint64_t bytes, std::uint32_t iterations) {
  TestConfig config;
  config.sizes = {Bytes{bytes}};
  config.iterations = iterations;
  return config;
}

void expect_finished(const Bench& bench, std::uint64_t messages) {
  EXPECT_EQ(bench.failure, "");
  EXPECT_EQ(bench.setting.results.finished, bench.programs.size());
  EXPECT_EQ(bench.setting.results.messages, messages);
  EXPECT_EQ(bench.setting.results.wrong_bytes, 0U);
}

TEST(BandwidthLoop, OfLargeMessagesIsTheLinesRate) {
  Bench bench(one_size(1 << 20, 50), kTwoHosts);
  const BandwidthRow row = bench.run().bandwidth;
  expect_finished(bench, 50);
  EXPECT_EQ(row.iterations, 50U);
  EXPECT_NEAR(row.average_gbps, 100, 0.1);
}

TEST(BandwidthLoop, OfSmallMessagesIsTheIntervals) {
  Bench bench(one_size(2, 5000), kTwoHosts);
  const BandwidthRow row = bench.run().bandwidth;
  expect_finished(bench, 5000);
  EXPECT_NEAR(row.rate_mpps, 20, 0.2);  // one in 50 ns
}

TEST(BandwidthLoop, NoMoreAreOutstandingThanDepth) {
  fake::timing.latency = 10 * kMicrosecond;  // longer than it takes to post them
  Bench bench(one_size(2, 1000), kTwoHosts);
  bench.run();
  expect_finished(bench, 1000);
  EXPECT_EQ(fake::all_qps.front()->most, 128U);
}

TEST(BandwidthLoop, AFewOutstandingAreBoundByTheRoundTrip) {
  TestConfig config = one_size(2, 400);
  config.depth = 4;
  config.signal_every = 1;
  Bench bench(config, kTwoHosts);
  // Four in a round trip of 1 us, an interval, and what software takes.
  const BandwidthRow row = bench.run().bandwidth;
  expect_finished(bench, 400);
  EXPECT_NEAR(row.rate_mpps, 4 / 1.08, 0.2);
}

TEST(BandwidthLoop, AListIsOnePosting) {
  TestConfig config = one_size(64, 1000);
  config.post_list = 8;
  Bench bench(config, kTwoHosts);
  bench.run();
  expect_finished(bench, 1000);
  EXPECT_EQ(fake::calls_of_post, 125U);
}

TEST(BandwidthLoop, ReadsBringTheOtherSidesBytes) {
  TestConfig config = one_size(5000, 100);
  config.test = TestKind::kRead;
  Bench bench(config, kTwoHosts);
  bench.run();
  expect_finished(bench, 100);
}

TEST(BandwidthLoop, SendsFindReceivesThatArePostedAgain) {
  TestConfig config = one_size(100, 2000);
  config.test = TestKind::kSend;
  config.receive_depth = 16;
  Bench bench(config, kTwoHosts);
  bench.run();
  expect_finished(bench, 2000);
}

TEST(BandwidthLoop, BothWaysAtOnceAddUp) {
  TestConfig config = one_size(1 << 16, 100);
  config.bidirectional = true;
  config.test = TestKind::kSend;
  Bench bench(config, kTwoHosts);
  const BandwidthRow row = bench.run().bandwidth;
  expect_finished(bench, 200);
  EXPECT_EQ(row.iterations, 200U);
  EXPECT_NEAR(row.average_gbps, 200, 5);
}

TEST(BandwidthLoop, WaitsForEventsInsteadOfPolling) {
  TestConfig config = one_size(1 << 16, 100);
  config.events = true;
  config.bidirectional = true;
  config.test = TestKind::kSend;
  Bench bench(config, kTwoHosts);
  bench.run();
  expect_finished(bench, 200);
}

TEST(BandwidthLoop, ManyQueuePairsEachHaveTheirIterations) {
  TestConfig config = one_size(64, 20);
  config.qps = 100;
  config.depth = 3;
  Bench bench(config, kTwoHosts);
  EXPECT_EQ(bench.run().bandwidth.iterations, 2000U);
  expect_finished(bench, 2000);
}

TEST(BandwidthLoop, MixedSizesRunUntilEachHasItsIterationsOnItsPathMtu) {
  TestConfig config = one_size(64, 20);
  config.sizes.emplace_back(Bytes{1 << 20});
  config.mixed = true;
  config.depth = 4;
  config.policy.below = 4096;
  Bench bench(config, kTwoHosts);
  bench.run();
  EXPECT_EQ(bench.failure, "");
  EXPECT_EQ(bench.setting.results.finished, 2U);
  EXPECT_EQ(bench.setting.results.wrong_bytes, 0U);
  const std::vector<SizeResult>& sizes = bench.setting.results.sizes;
  EXPECT_EQ(sizes[1].bandwidth.iterations, 20U);
  EXPECT_GT(sizes[0].bandwidth.iterations, 200U);  // beside them
  EXPECT_GT(sizes[0].completion.count(), 200U);
  EXPECT_NEAR(sizes[1].bandwidth.average_gbps, 100, 5);
  EXPECT_EQ(fake::all_qps[0]->mtu, IBV_MTU_1024);
  EXPECT_EQ(fake::all_qps[1]->mtu, IBV_MTU_4096);
}

TEST(BandwidthLoop, PairsOfOneClientHaveResultsOfTheirOwn) {
  Bench bench(one_size(1 << 16, 50), {{{0, true}, {1, true}}, {{0, false}}, {{1, false}}});
  bench.run();
  expect_finished(bench, 100);
  for (const PairResult& pair : bench.setting.results.pairs) {
    EXPECT_EQ(pair.bytes, 50U << 16);
    EXPECT_NEAR(pair.goodput_gbps(), 100, 5);
  }
}

TEST(BandwidthLoop, SizesRunOneAfterAnother) {
  TestConfig config = one_size(2, 10);
  config.sizes = {Bytes{2}, Bytes{4096}, Bytes{100'000}};
  Bench bench(config, kTwoHosts);
  bench.run();
  expect_finished(bench, 30);
  for (const SizeResult& size : bench.setting.results.sizes) {
    EXPECT_EQ(size.bandwidth.iterations, 10U);
  }
}

TEST(BandwidthLoop, AnErrorEndsTheRunAndIsNamed) {
  fake::fail_at = 7;
  Bench bench(one_size(1 << 16, 50), kTwoHosts);
  sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_MS));
  EXPECT_THAT(bench.failure, testing::HasSubstr("status 10"));
}

TestConfig latency(TestKind test, std::uint64_t bytes) {
  TestConfig config = one_size(bytes, 300);
  config.test = test;
  config.measure = Measure::kLatency;
  config.inline_bytes = 220;
  return config;
}

// One way: posting 20 ns, an interval of 50, or what the line takes if that is longer, 500 ns.
TEST(LatencyLoop, OfWritesIsHalfARoundTrip) {
  Bench bench(latency(TestKind::kWrite, 2), kTwoHosts);
  const SizeResult& result = bench.run();
  expect_finished(bench, 600);
  EXPECT_EQ(result.latency.iterations, 300U);
  EXPECT_NEAR(result.latency.typical_us, 0.57, 0.005);
  EXPECT_GT(result.breakdown.messages(), 500U);
}

TEST(LatencyLoop, OfReadsIsAWholeRoundTrip) {
  Bench bench(latency(TestKind::kRead, 2), kTwoHosts);
  const SizeResult& result = bench.run();
  expect_finished(bench, 300);
  EXPECT_NEAR(result.latency.typical_us, 1.07, 0.006);
}

TEST(LatencyLoop, OfSendsPostsReceivesAgainAndTakesEvents) {
  TestConfig config = latency(TestKind::kSend, 1000);
  config.receive_depth = 4;
  config.events = true;
  Bench bench(config, kTwoHosts);
  const SizeResult& result = bench.run();
  expect_finished(bench, 600);
  // 1,000 B take 80 ns at 100 Gb/s.
  EXPECT_NEAR(result.latency.typical_us, 0.6, 0.01);
}

}  // namespace
}  // namespace railyard::rdma_perf
