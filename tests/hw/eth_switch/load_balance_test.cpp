#include "hw/eth_switch/load_balance.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>

#include "tests/hw/eth_switch/load_balance_flows.h"
#include "tests/tlm/config/trees.h"
#include "tlm/base/error.h"
#include "tlm/sim/random.h"

namespace railyard {
namespace {

using Counts = std::vector<double>;
const std::vector<std::uint64_t> kNoQueues;

LivePorts ports(std::size_t n) {
  LivePorts live;
  live.ports.resize(n);
  std::iota(live.ports.begin(), live.ports.end(), PortId{0});
  return live;
}

std::unique_ptr<LoadBalancer> balancer(LoadBalancing kind, std::uint64_t seed = 1,
                                       const std::string& name = "sw0") {
  LoadBalanceConfig config;
  config.load_balance = kind;
  return make_load_balancer(config, seed, name, kNoQueues);
}

/// Whether the counts of independent uniform choices would be as uneven as that once in 10^5
/// (chi-square by Wilson and Hilferty 1931).
bool uniform(const Counts& counts) {
  const double mean =
      std::accumulate(counts.begin(), counts.end(), 0.0) / static_cast<double>(counts.size());
  double chi = 0;
  for (const double count : counts) chi += (count - mean) * (count - mean) / mean;
  const double freedom = static_cast<double>(counts.size() - 1);
  const double spread = 2 / (9 * freedom);
  return (std::cbrt(chi / freedom) - (1 - spread)) / std::sqrt(spread) < 4.3;
}

struct Hashed {
  double carried = 0;  // of what min(flows, links) links could
  double worst = 0;    // flows on the fullest link
};

/// Means over 2,000 seeds, ten sets of connections each.
Hashed hash_flows(unsigned flows, unsigned links) {
  constexpr unsigned kSeeds = 2000;
  constexpr unsigned kSets = 10;
  const LivePorts live = ports(links);
  std::vector<std::vector<net::Frame>> sets;
  for (unsigned i = 0; i < kSets; ++i) sets.push_back(connections(flows, 0x40 + 1000 * i));
  Hashed mean;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const auto ecmp = balancer(LoadBalancing::kEcmp, seed);
    for (const std::vector<net::Frame>& frames : sets) {
      Counts load(links);
      for (const net::Frame& frame : frames) ++load[ecmp->choose(live, frame, 0)];
      const auto busy = links - std::count(load.begin(), load.end(), 0.0);
      mean.carried += static_cast<double>(busy) / std::min(flows, links);
      mean.worst += *std::max_element(load.begin(), load.end());
    }
  }
  mean.carried /= kSeeds * kSets;
  mean.worst /= kSeeds * kSets;
  return mean;
}

TEST(Ecmp, FlowsOverLinksCarryWhatTheClosedFormSays) {
  struct Case {
    unsigned flows, links;
    double published;
  };
  for (const auto& [flows, links, published] :
       {Case{4, 4, .684}, {8, 8, .656}, {16, 16, .644}, {8, 16, .807}, {32, 8, .986}}) {
    const double closed = links * (1 - std::pow(1 - 1.0 / links, flows)) / std::min(flows, links);
    EXPECT_NEAR(closed, published, .0005);
    EXPECT_NEAR(hash_flows(flows, links).carried / closed, 1, .01) << flows << '/' << links;
  }
}

TEST(Ecmp, TheFullestOfNLinksHasWhatBallsInBinsSay) {
  for (const auto& [n, worst] :
       {std::pair(4U, 2.13), std::pair(8U, 2.59), std::pair(16U, 3.08), std::pair(32U, 3.53)}) {
    EXPECT_NEAR(hash_flows(n, n).worst / worst, 1, .02) << n;
  }
}

TEST(Ecmp, RandomAndSequentialTuplesSpreadEvenly) {
  RandomStream random(1, "tuples");
  for (const bool v6 : {false, true}) {
    for (const std::size_t links : {2U, 3U, 4U, 7U, 8U, 16U, 33U, 64U, 512U}) {
      const LivePorts live = ports(links);
      const auto ecmp = balancer(LoadBalancing::kEcmp, 3);
      Counts by_random(links), by_port(links), by_host(links), by_pair(links);
      for (unsigned i = 0; i < 65'536; ++i) {
        net::Frame frame = roce(static_cast<std::uint16_t>(i), v6);
        ++by_port[ecmp->choose(live, frame, 0)];
        const auto set_hosts = [&](std::uint32_t source, std::uint32_t destination) {
          frame.ipv4.source.value = source;
          frame.ipv4.destination.value = destination;
          for (unsigned b = 0; b < 4; ++b) {
            frame.ipv6.source.bytes[12 + b] = static_cast<std::uint8_t>(source >> (24 - 8 * b));
            frame.ipv6.destination.bytes[12 + b] =
                static_cast<std::uint8_t>(destination >> (24 - 8 * b));
          }
        };
        frame.udp.source_port = 0xC000;
        set_hosts(0x0A000001, 0x0A010000 + i);
        ++by_host[ecmp->choose(live, frame, 0)];
        set_hosts(0x0A000000 + i / 256, 0x0A000000 + i % 256);
        ++by_pair[ecmp->choose(live, frame, 0)];
        frame.udp.source_port = static_cast<std::uint16_t>(random.next());
        set_hosts(static_cast<std::uint32_t>(random.next()),
                  static_cast<std::uint32_t>(random.next()));
        ++by_random[ecmp->choose(live, frame, 0)];
      }
      EXPECT_TRUE(uniform(by_random)) << links;
      EXPECT_TRUE(uniform(by_port)) << links;
      EXPECT_TRUE(uniform(by_host)) << links;
      EXPECT_TRUE(uniform(by_pair)) << links;
    }
  }
}

/// Choices in a second tier of four links by flows that chose `first` of four in the first.
Counts second_choices(LoadBalancer& tier1, LoadBalancer& tier2, PortId first) {
  const LivePorts live = ports(4);
  Counts counts(4);
  for (unsigned i = 0; i < 16'384; ++i) {
    const net::Frame frame = roce(static_cast<std::uint16_t>(0xC000 + i));
    if (tier1.choose(live, frame, 0) == first) ++counts[tier2.choose(live, frame, 0)];
  }
  return counts;
}

TEST(Ecmp, TiersChooseIndependently) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto leaf = balancer(LoadBalancing::kEcmp, seed, "leaf0");
    const auto spine = balancer(LoadBalancing::kEcmp, seed, "spine0");
    for (PortId first = 0; first < 4; ++first) {
      EXPECT_TRUE(uniform(second_choices(*leaf, *spine, first))) << seed << ' ' << first;
    }
  }
}

TEST(Ecmp, OneSeedForAllSwitchesPolarises) {
  LoadBalanceConfig config;
  config.hash_seed = 7;
  const auto leaf = make_load_balancer(config, 1, "leaf0", kNoQueues);
  const auto spine = make_load_balancer(config, 2, "spine0", kNoQueues);
  for (PortId first = 0; first < 4; ++first) {
    const Counts counts = second_choices(*leaf, *spine, first);
    EXPECT_FALSE(uniform(counts));
    EXPECT_EQ(std::count(counts.begin(), counts.end(), 0.0), 3);
  }
}

TEST(Ecmp, AFlowKeepsItsPort) {
  const auto ecmp = balancer(LoadBalancing::kEcmp);
  const LivePorts live = ports(64);
  std::vector<PortId> first;
  for (const net::Frame& frame : connections(1000, 1)) {
    first.push_back(ecmp->choose(live, frame, 0));
  }
  for (Time now = 1; now < 10; ++now) {
    std::vector<PortId> later;
    for (net::Frame frame : connections(1000, 1)) {
      frame.bth.psn = static_cast<std::uint32_t>(now);
      later.push_back(ecmp->choose(live, frame, now * kSecond));
    }
    EXPECT_EQ(later, first);
  }
}

TEST(Flowlet, AFlowKeepsItsPortWithinTheGapAndMayLeaveAfterIt) {
  const auto flowlet = balancer(LoadBalancing::kFlowlet);
  const Time gap = LoadBalanceConfig{}.flowlet_gap;
  const LivePorts live = ports(8);
  const net::Frame frame = roce(0xC001);
  Counts counts(8);
  Time now = 0;
  for (unsigned i = 0; i < 8'000; ++i) {
    now += gap + 1;
    const PortId port = flowlet->choose(live, frame, now);
    ++counts[port];
    for (unsigned k = 0; k < 5; ++k) ASSERT_EQ(flowlet->choose(live, frame, now += gap), port);
  }
  EXPECT_TRUE(uniform(counts));
  EXPECT_EQ(std::count(counts.begin(), counts.end(), 0.0), 0);
}

TEST(Flowlet, FlowsHaveEntriesOfTheirOwnUnlessTheTableIsTooSmall) {
  const auto used_ports = [](std::uint32_t entries) {
    LoadBalanceConfig config;
    config.load_balance = LoadBalancing::kFlowlet;
    config.flowlet_entries = entries;
    const auto flowlet = make_load_balancer(config, 1, "sw0", kNoQueues);
    std::set<PortId> used;
    for (const net::Frame& frame : connections(100, 1)) {
      used.insert(flowlet->choose(ports(16), frame, 0));
    }
    return used.size();
  };
  EXPECT_EQ(used_ports(1), 1U);
  EXPECT_EQ(used_ports(4096), 16U);
}

TEST(Flowlet, AnEntrySharedByGroupsGivesEachItsOwnPorts) {
  LoadBalanceConfig config;
  config.load_balance = LoadBalancing::kFlowlet;
  config.flowlet_entries = 1;
  const auto flowlet = make_load_balancer(config, 1, "sw0", kNoQueues);
  LivePorts up{0, {10, 11}};
  LivePorts down{1, {20, 21, 22}};
  for (Time now = 0; now < kSecond; now += 30 * kMicrosecond) {
    EXPECT_THAT(flowlet->choose(up, roce(1), now), testing::AnyOf(10, 11));
    EXPECT_THAT(flowlet->choose(down, roce(2), now), testing::AnyOf(20, 21, 22));
  }
}

TEST(Adaptive, TakesTheLeastQueuedAndLetsTheHashDecideTies) {
  LoadBalanceConfig config;
  config.load_balance = LoadBalancing::kAdaptive;
  std::vector<std::uint64_t> queued = {0, 900, 400, 401, 400, 800, 400, 0};
  const auto adaptive = make_load_balancer(config, 1, "sw0", queued);
  LivePorts live{0, {1, 2, 3, 4, 5, 6}};
  Counts counts(8);
  for (unsigned i = 0; i < 16'384; ++i) {
    const net::Frame frame = roce(static_cast<std::uint16_t>(0xC000 + i));
    const PortId port = adaptive->choose(live, frame, 0);
    EXPECT_EQ(adaptive->choose(live, frame, 1), port);
    ++counts[port];
  }
  EXPECT_EQ(counts[2] + counts[4] + counts[6], 16'384);
  EXPECT_TRUE(uniform({counts[2], counts[4], counts[6]}));
  RandomStream random(1, "queues");
  for (unsigned i = 0; i < 10'000; ++i) {
    for (std::uint64_t& bytes : queued) bytes = random.below(20);
    const std::uint64_t chosen = queued[adaptive->choose(live, roce(1), i)];
    EXPECT_EQ(chosen, *std::min_element(queued.begin() + 1, queued.end() - 1));
  }
}

TEST(Spray, IsUniformWhateverTheFlow) {
  for (const std::size_t links : {2U, 3U, 8U, 64U}) {
    const auto spray = balancer(LoadBalancing::kSpray);
    Counts counts(links), after(links);
    PortId previous = 0;
    for (unsigned i = 0; i < 100'000; ++i) {
      const PortId port = spray->choose(ports(links), roce(1), 0);
      ++counts[port];
      if (previous == 0) ++after[port];
      previous = port;
    }
    EXPECT_TRUE(uniform(counts)) << links;
    EXPECT_TRUE(uniform(after)) << links;
  }
}

TEST(Spray, RoundRobinTakesPortsInTurnForEachGroup) {
  LoadBalanceConfig config;
  config.load_balance = LoadBalancing::kSpray;
  config.spray_order = SprayOrder::kRoundRobin;
  const auto spray = make_load_balancer(config, 1, "sw0", kNoQueues);
  LivePorts a{0, {3, 5, 7}};
  const LivePorts b{1, {1, 2}};
  std::vector<PortId> of_a, of_b;
  for (unsigned i = 0; i < 6; ++i) {
    of_a.push_back(spray->choose(a, roce(1), 0));
    of_b.push_back(spray->choose(b, roce(1), 0));
  }
  EXPECT_THAT(of_a, testing::ElementsAre(3, 5, 7, 3, 5, 7));
  EXPECT_THAT(of_b, testing::ElementsAre(1, 2, 1, 2, 1, 2));
  EXPECT_EQ(spray->choose(a, roce(1), 0), 3);
  EXPECT_EQ(spray->choose(a, roce(1), 0), 5);
  a.ports = {3, 5};  // a link went down
  EXPECT_EQ(spray->choose(a, roce(1), 0), 3);
}

TEST(LoadBalance, ARunIsAFunctionOfSeedAndName) {
  const auto choices = [](LoadBalancing kind, std::uint64_t seed, const std::string& name) {
    const auto b = balancer(kind, seed, name);
    std::vector<PortId> chosen;
    for (const net::Frame& frame : connections(100, 1)) {
      chosen.push_back(b->choose(ports(16), frame, 0));
    }
    return chosen;
  };
  for (const auto kind : {LoadBalancing::kEcmp, LoadBalancing::kFlowlet, LoadBalancing::kSpray}) {
    EXPECT_EQ(choices(kind, 1, "sw0"), choices(kind, 1, "sw0"));
    EXPECT_NE(choices(kind, 1, "sw0"), choices(kind, 2, "sw0"));
    EXPECT_NE(choices(kind, 1, "sw0"), choices(kind, 1, "sw1"));
  }
}

TEST(LoadBalanceConfig, ReadsItsKeysAndComesBackFromItsDump) {
  LoadBalanceConfig config;
  bind_config(map({{"load_balance", text("flowlet")},
                   {"flowlet_gap", text("20us")},
                   {"flowlet_entries", text("256")},
                   {"hash_seed", text("18446744073709551615")}}),
              config);
  LoadBalanceConfig again;
  bind_config(dump_config(config), again);
  EXPECT_EQ(again.load_balance, LoadBalancing::kFlowlet);
  EXPECT_EQ(again.flowlet_gap, 20 * kMicrosecond);
  EXPECT_EQ(again.flowlet_entries, 256U);
  EXPECT_EQ(again.hash_seed, ~std::uint64_t{0});
  EXPECT_THROW(bind_config(map({{"load_balance", text("hash")}}), config), ConfigError);
  EXPECT_THROW(bind_config(map({{"flowlet_entries", text("0")}}), config), ConfigError);
}

}  // namespace
}  // namespace railyard
