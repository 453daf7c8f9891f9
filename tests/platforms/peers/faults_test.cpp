// Faults of other simulators of RoCE fabrics that are looked for from inside; README.md lists all.
#include <gtest/gtest.h>
#include <malloc.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/hw/eth_switch/switch_tools.h"
#include "tests/platforms/common/fabric/fabric_support.h"
#include "tests/support/fresh_kernel.h"

namespace railyard {
namespace {

using bench::link_of;
using bench::SwitchBench;

#ifdef __SANITIZE_ADDRESS__
constexpr bool kCountsHeap = false;
#else
constexpr bool kCountsHeap = true;
#endif

using Values = std::vector<std::pair<std::string, double>>;

Values run(const std::string& text) {
  const support::FreshKernel kernel;
  BuiltFabric built(text);
  built.simulation.run(10 * kMillisecond);
  EXPECT_EQ(built.metric("total.unfinished_flows"), 0);
  Values values;
  for (const Metric& metric : built.simulation.metrics()) {
    values.emplace_back(metric.info.name, metric.value.real);
  }
  return values;
}

double sum_of(const Values& values, const std::string& ending) {
  double sum = 0;
  for (const auto& [name, value] : values) {
    const bool ends = name.size() > ending.size() &&
                      name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
    if (ends) sum += value;
  }
  return sum;
}

constexpr const char* kIncast =
    "data: elided\nlink: {rate: 100Gbps}\nswitch: {buffer: 2MiB, ecn: {pmax: 0.5}}\n"
    "traffic: {senders: 8, messages: 8}\n";
constexpr const char* kSprayed =
    "data: elided\nlink: {rate: 100Gbps}\nswitch: {buffer: 4MiB, load_balance: spray, ecn: {kmin: "
    "5KB, kmax: 50KB}}\n"
    "topology: {kind: leaf_spine, leaves: 2, spines: 4, hosts_per_switch: 4}\n"
    "tester: {cnp: {enabled: true}}\n"
    "traffic: {pattern: all_to_all, messages: 8}\n";

/// Either fabric in a process of its own, and after the other: nothing is left behind.
TEST(SharedState, NoneOutlivesAFabric) {
  const Values first = run(kIncast);
  const Values other = run(kSprayed);
  EXPECT_GT(sum_of(first, ".pfc_xoff_sent"), 0);
  EXPECT_GT(sum_of(other, ".cnp_sent"), 0);
  EXPECT_EQ(run(kIncast), first);
  EXPECT_EQ(run(kSprayed), other);
  EXPECT_EQ(run(kIncast), first);
}

/// Two switches that exchange nothing: what one does is as if the other idled.
TEST(SharedState, NoneIsBetweenSwitchesOrFlows) {
  const std::string fabric =
      "data: elided\n"
      "link: {rate: 100Gbps}\n"
      "switch: {buffer: 1MiB, ecn: {kmin: 20KB, kmax: 200KB, pmax: 0.5}}\n"
      "topology: {kind: leaf_spine, leaves: 2, spines: 1, hosts_per_switch: 3}\n"
      "traffic:\n"
      "  pattern: list\n"
      "  messages: 8\n"
      "  flows:\n"
      "    - {source: h0, destination: h2}\n"
      "    - {source: h1, destination: h2}\n";
  const std::string more =
      "    - {source: h3, destination: h5, messages: 6}\n"
      "    - {source: h4, destination: h5, messages: 6}\n";
  const auto of_first_leaf = [](const Values& values) {
    Values kept;
    for (const auto& value : values) {
      for (const char* prefix : {"leaf0.", "h0.", "h1.", "h2.", "flow0.", "flow1."}) {
        if (value.first.rfind(prefix, 0) == 0) kept.push_back(value);
      }
    }
    return kept;
  };
  const Values alone = of_first_leaf(run(fabric));
  EXPECT_GT(sum_of(alone, ".pfc_xoff_sent"), 0);
  EXPECT_GT(sum_of(alone, ".ecn_marked"), 0);
  EXPECT_EQ(of_first_leaf(run(fabric + more)), alone);
}

/// Buffers, queues, counters, probes and their names: of the whole switch.
TEST(Memory, A64PortSwitchTakesLessThan2MB) {
  if (!kCountsHeap) GTEST_SKIP() << "the sanitizer has a heap of its own";
  Simulation simulation({});
  const std::vector<std::optional<SwitchLine>> lines(64, SwitchLine{link_of(400, 3), "h"});
  const std::size_t before = mallinfo2().uordblks;
  const EthSwitch device("sw", simulation.partition(), SwitchConfig{}, lines);
  const std::size_t bytes = mallinfo2().uordblks - before;
  RecordProperty("bytes", std::to_string(bytes));
  EXPECT_LT(bytes, 2'000'000U);
}

/// A pause that ends while a frame is on the line begins none before that frame has ended.
TEST(Reentrance, AnXonWhileAFrameIsSentSendsNothingTwice) {
  for (const Time apart : {Time{0}, 7 * kNanosecond, 40 * kNanosecond}) {
    const support::FreshKernel kernel;
    SwitchConfig config;
    config.buffers.pfc.response_quanta = 0;
    SwitchBench bench(config, {link_of(100, 1), link_of(100, 1)});
    constexpr std::uint64_t kFrames = 200;
    for (std::uint64_t i = 0; i < kFrames; ++i) {
      bench.station(0).queue(bench.station(0).frame_to(1, 1518, 3));
    }
    std::vector<std::unique_ptr<bench::Timer>> timers;
    for (Time at = 2 * kMicrosecond; at < 20 * kMicrosecond; at += 313 * kNanosecond) {
      for (const std::uint16_t quanta : {std::uint16_t{0xFFFF}, std::uint16_t{0}}) {
        timers.push_back(std::make_unique<bench::Timer>(
            bench.partition, at + (quanta == 0 ? apart : 0),
            [&bench, quanta] { bench.station(1).send_pfc(1U << 3, quanta); }));
      }
    }
    EXPECT_EQ(bench.run(), RunEnd::kDrained);
    const auto& arrived = bench.station(1).arrived;
    ASSERT_EQ(arrived.size(), kFrames);
    const Time frame = Rate::gbps(100).time_of(1518 + 20);
    for (std::size_t i = 1; i < arrived.size(); ++i) {
      EXPECT_EQ(arrived[i].id, arrived[i - 1].id + 1);
      EXPECT_GE(arrived[i].first_bit - arrived[i - 1].first_bit, frame - 1);
    }
    EXPECT_GT(bench.metric("sw.port1.pfc_xoff_received"), 50);
  }
}

}  // namespace
}  // namespace railyard
