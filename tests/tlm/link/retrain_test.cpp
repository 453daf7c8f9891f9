// A device takes its link down.
#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/fresh_kernel.h"
#include "tests/tlm/link/timer.h"
#include "tlm/link/link_checker.h"
#include "tlm/link/stubs.h"
#include "tlm/sim/simulation.h"

namespace railyard {
namespace {

using Kind = PacketPhase::Kind;
using testing::ElementsAre;

constexpr Time kUs = kMicrosecond;
constexpr Time kFrame = 1038 * 20;  // a frame of 1000 B at 400 Gb/s, preamble and gap included

LinkConfig failing_link(std::vector<Outage> outages = {}) {
  LinkConfig config;
  config.rate = Rate::gbps(400);
  config.length = metres(20);  // 100 ns
  config.outages = std::move(outages);
  return config;
}

struct Change {
  Time at;
  bool up;
  bool operator==(const Change& o) const { return at == o.at && up == o.up; }
};
std::ostream& operator<<(std::ostream& out, const Change& c) {
  return out << c.at << (c.up ? " up" : " down");
}

/// A port that sends frames of 1000 B as fast as its line takes them, and notes what it is told.
struct Side {
  Side(const std::string& name, Partition& its_partition, const LinkConfig& config,
       Announce announce)
      : partition(its_partition),
        stub(name.c_str()),
        end((name + "_link").c_str(), partition, config, announce) {
    bind_both(stub, end);
    stub.on_line = [this](const PacketPhase& phase) {
      if (phase.kind == Kind::kTransmitDone) return send_next();
      changes.push_back({partition.now(), phase.kind == Kind::kLinkUp});
      EXPECT_EQ(end.up(), changes.back().up);
    };
  }
  void send_next() {
    if (sent == to_send) return;
    const Ref<net::Packet> packet = partition.packets().packets.acquire();
    packet->id = sent++;
    packet->frame.payload_bytes = 1000;
    packet->seal();
    stub.send_now(*packet);
  }
  void retrain_at(Time at, Time lasts) {
    timers.push_back(std::make_unique<support::Timer>(partition, at,
                                                      [this, lasts] { retrain(stub.tx, lasts); }));
  }
  void send_at(Time at, std::uint64_t frames) {
    to_send += frames;
    timers.push_back(std::make_unique<support::Timer>(partition, at, [this] { send_next(); }));
  }

  Partition& partition;
  PacketStub stub;
  LinkEnd end;
  std::vector<Change> changes;
  std::uint64_t to_send = 0;
  std::uint64_t sent = 0;
  std::vector<std::unique_ptr<support::Timer>> timers;
};

struct Bench {
  explicit Bench(const LinkConfig& config, std::size_t partitions = 1,
                 Announce announce = Announce::kLastBit)
      : simulation(of(partitions)),
        left("left", simulation.partition(0), config, announce),
        right("right", simulation.partition(1), config, announce) {
    LinkEnd::connect(left.end, right.end);
    check_link(left.end, right.end);
    simulation.seal();
  }
  static SimulationConfig of(std::size_t partitions) {
    SimulationConfig run;
    run.partitions = partitions;
    return run;
  }
  void run() { ASSERT_EQ(simulation.run(kSecond), RunEnd::kDrained); }
  /// All that was measured and seen.
  std::vector<std::string> report() const {
    std::vector<std::string> lines;
    for (const Metric& m : simulation.metrics()) {
      lines.push_back(m.info.name + "=" + std::to_string(m.value.real) + "," +
                      std::to_string(m.value.whole));
    }
    for (const Side* side : {&left, &right}) {
      for (const Change& c : side->changes) lines.push_back(std::to_string(c.at));
      for (const auto& r : side->stub.received) {
        lines.push_back(std::to_string(r.phase.last_bit) + (r.packet->bad_fcs ? " bad" : " good"));
      }
    }
    return lines;
  }

  Simulation simulation;
  Side left, right;
};

std::uint64_t lost(const Bench& bench) {
  std::uint64_t sum = 0;
  for (const Metric& m : bench.simulation.metrics()) {
    if (m.info.name.find("lost_down") != std::string::npos) sum += m.value.whole;
  }
  return sum;
}

TEST(Retrain, TheOtherEndFollowsWhenTheLossOfTheSignalReachesIt) {
  Bench bench(failing_link());
  bench.left.retrain_at(10 * kUs, 5 * kUs);
  bench.run();
  EXPECT_THAT(bench.left.changes, ElementsAre(Change{10 * kUs, false}, Change{15 * kUs, true}));
  EXPECT_THAT(bench.right.changes,
              ElementsAre(Change{10'100 * kNanosecond, false}, Change{15'100 * kNanosecond, true}));
}

TEST(Retrain, LosesWhatHasNotArrivedAndWhatIsSentMeanwhile) {
  Bench bench(failing_link());
  bench.left.send_at(0, 1000);
  bench.right.send_at(0, 1000);
  bench.left.retrain_at(10 * kUs, 5 * kUs);
  bench.run();
  // From the right all that is sent from one propagation before to one after is lost: 5.2 us.
  EXPECT_NEAR(static_cast<double>(1000 - bench.right.stub.received.size()), 5.0 * kUs / kFrame, 2);
  EXPECT_NEAR(static_cast<double>(1000 - bench.left.stub.received.size()), 5.2 * kUs / kFrame, 2);
  EXPECT_EQ(bench.left.stub.received.size() + bench.right.stub.received.size() + lost(bench),
            2000U);
}

TEST(Retrain, AFrameIsLostUnlessItsLastBitHasLeft) {
  for (const bool cut : {false, true}) {
    const support::FreshKernel kernel;
    Bench bench(failing_link());
    bench.left.send_at(0, 1);
    bench.left.retrain_at((8 + 1018) * 20 + (cut ? -1 : 1), kUs);
    bench.run();
    EXPECT_EQ(bench.right.stub.received.size(), cut ? 0U : 1U);
    EXPECT_EQ(lost(bench), cut ? 1U : 0U);
    bench.right.stub.received.clear();
  }
}

TEST(Retrain, LastsForARoundTripAtLeast) {
  Bench bench(failing_link());
  bench.left.retrain_at(10 * kUs, 1 * kNanosecond);
  bench.run();
  EXPECT_THAT(bench.left.changes,
              ElementsAre(Change{10 * kUs, false}, Change{10'200 * kNanosecond, true}));
  EXPECT_THAT(bench.right.changes,
              ElementsAre(Change{10'100 * kNanosecond, false}, Change{10'300 * kNanosecond, true}));
}

TEST(Retrain, AFrameThatTheOtherEndCutDoesNotArriveAtAnEndThatIsUpAgain) {
  Bench bench(failing_link());
  bench.left.retrain_at(10 * kUs, 1 * kNanosecond);
  // The first is cut at 10.1 us; its rest would come after the left end is up, at 10.2 us.
  bench.right.send_at(10 * kUs + 90 * kNanosecond, 20);
  bench.run();
  ASSERT_FALSE(bench.left.stub.received.empty());
  EXPECT_GE(bench.left.stub.received.front().phase.first_bit, 10'400 * kNanosecond);
  EXPECT_EQ(bench.left.stub.received.size() + lost(bench), 20U);
}

TEST(Retrain, TwiceInARowHoldsUntilTheLaterEnd) {
  Bench bench(failing_link());
  bench.left.retrain_at(10 * kUs, 5 * kUs);
  bench.left.retrain_at(12 * kUs, 5 * kUs);
  bench.left.retrain_at(13 * kUs, 1 * kUs);
  bench.left.retrain_at(20 * kUs, 1 * kUs);
  bench.run();
  EXPECT_THAT(bench.right.changes,
              ElementsAre(Change{10'100 * kNanosecond, false}, Change{17'100 * kNanosecond, true},
                          Change{20'100 * kNanosecond, false}, Change{21'100 * kNanosecond, true}));
}

TEST(Retrain, BothEndsMayAskAtOnce) {
  Bench bench(failing_link());
  bench.left.retrain_at(10 * kUs, 5 * kUs);
  bench.right.retrain_at(10 * kUs, 7 * kUs);
  bench.run();
  EXPECT_THAT(bench.left.changes,
              ElementsAre(Change{10 * kUs, false}, Change{17'100 * kNanosecond, true}));
  EXPECT_THAT(bench.right.changes, ElementsAre(Change{10 * kUs, false}, Change{17 * kUs, true}));
}

TEST(Retrain, WithAnOutageTheLinkIsUpWhenNeitherHoldsIt) {
  Bench bench(failing_link({{10 * kUs, 5 * kUs}, {30 * kUs, 5 * kUs}, {50 * kUs, 20 * kUs}}));
  bench.left.retrain_at(12 * kUs, 10 * kUs);  // ends later
  bench.left.retrain_at(28 * kUs, 4 * kUs);   // begins before
  bench.left.retrain_at(55 * kUs, 5 * kUs);   // within
  bench.run();
  EXPECT_THAT(bench.left.changes,
              ElementsAre(Change{10 * kUs, false}, Change{22 * kUs, true}, Change{28 * kUs, false},
                          Change{35 * kUs, true}, Change{50 * kUs, false}, Change{70 * kUs, true}));
}

/// What holds an end down, from one time to another.
using Holds = std::vector<std::pair<Time, Time>>;

std::vector<Change> changes_of(Holds holds) {
  std::sort(holds.begin(), holds.end());
  std::vector<Change> changes;
  Time until = -1;
  for (const auto& [from, to] : holds) {
    if (from > until) {
      if (until >= 0) changes.push_back({until, true});
      changes.push_back({from, false});
    }
    until = std::max(until, to);
  }
  if (until >= 0) changes.push_back({until, true});
  return changes;
}

/// Retrains and outages at random; `left` and `right` are what should hold the ends down.
void hold_at_random(Bench& bench, RandomStream& random, Holds& left, Holds& right) {
  for (const Outage& outage : bench.left.end.config().outages) {
    for (Holds* holds : {&left, &right}) holds->push_back({outage.at, outage.end()});
  }
  for (std::uint64_t n = random.below(8); n > 0; --n) {
    const auto at = static_cast<Time>(random.below(12'000'000));
    const auto lasts = static_cast<Time>(random.below(1'000'000));
    const Time down = std::max(lasts, 200 * kNanosecond);
    const bool by_left = random.below(2) == 0;
    (by_left ? bench.left : bench.right).retrain_at(at, lasts);
    (by_left ? left : right).push_back({at, at + down});
    (by_left ? right : left).push_back({at + 100 * kNanosecond, at + 100 * kNanosecond + down});
  }
}

TEST(Retrain, AtRandomTimesTheEndsAreAsTheyShouldAndTwoPartitionsMeasureWhatOneDoes) {
  std::uint64_t all_lost = 0;
  std::uint64_t bad = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    std::vector<std::vector<std::string>> reports;
    for (const std::size_t partitions : {1, 2}) {
      const support::FreshKernel kernel;
      RandomStream random(seed, "retrain");
      std::vector<Outage> outages;
      for (Time at = 1 * kUs; random.below(3) != 0; at += kUs) {
        at += static_cast<Time>(random.below(3'000'000));
        outages.push_back({at, 1 + static_cast<Time>(random.below(900'000))});
      }
      const Announce announce = seed % 2 == 0 ? Announce::kFirstBit : Announce::kLastBit;
      Bench bench(failing_link(outages), partitions, announce);
      Holds left;
      Holds right;
      hold_at_random(bench, random, left, right);
      bench.left.send_at(0, 600);
      bench.right.send_at(static_cast<Time>(random.below(50'000)), 600);
      bench.run();
      ASSERT_EQ(bench.left.changes, changes_of(left)) << seed;
      ASSERT_EQ(bench.right.changes, changes_of(right)) << seed;
      auto& left_received = bench.left.stub.received;
      auto& right_received = bench.right.stub.received;
      ASSERT_EQ(left_received.size() + right_received.size() + lost(bench), 1200U) << seed;
      all_lost += lost(bench);
      for (const auto& r : left_received) bad += r.packet->bad_fcs ? 1U : 0U;
      reports.push_back(bench.report());
      left_received.clear();
      right_received.clear();
    }
    ASSERT_EQ(reports[0], reports[1]) << seed;
  }
  EXPECT_GT(all_lost, 10'000U);
  EXPECT_GT(bad, 100U);
}

}  // namespace
}  // namespace railyard
