#include "hw/tester/patterns.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tests/hw/tester/patterns_support.h"

namespace railyard {
namespace {

using testing::HasSubstr;

std::string refused(const Keys& keys, std::size_t endpoints = 9) {
  return refusal([&] { flows(keys, hosts(endpoints)); });
}

std::vector<std::uint32_t> sources(const std::vector<FlowSpec>& all) {
  std::vector<std::uint32_t> list;
  for (const FlowSpec& flow : all) list.push_back(flow.source);
  return list;
}

TEST(Incast, AllOthersSendToTheLastByDefault) {
  const std::vector<FlowSpec> all = flows({}, hosts(9));
  EXPECT_THAT(sources(all), testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  for (const FlowSpec& flow : all) {
    EXPECT_EQ(flow.destination, 8U);
    EXPECT_EQ(flow.messages, 16U);
    EXPECT_EQ(flow.message_size, 65'536U);
    EXPECT_EQ(flow.start, 0);
    EXPECT_FALSE(flow.rate);
    EXPECT_EQ(flow.priority, 3U);
  }
}

TEST(Incast, SendersAreTheFirstEndpointsButTheReceiverAndBeginOneAfterAnother) {
  const std::vector<FlowSpec> all = flows({{"senders", "3"},
                                           {"receiver", "1"},
                                           {"start", "5us"},
                                           {"stagger", "2us"},
                                           {"rate", "100Gbps"},
                                           {"messages", "7"},
                                           {"message_size", "1KiB"},
                                           {"priority", "4"}},
                                          hosts(9));
  EXPECT_THAT(sources(all), testing::ElementsAre(0, 2, 3));
  EXPECT_EQ(all[2], (FlowSpec{3, 1, 7, 1024, 9 * kMicrosecond, Rate::gbps(100), 4}));
}

TEST(Incast, WhatTheFabricCannotHoldIsRefused) {
  EXPECT_THAT(refused({{"senders", "9"}}), HasSubstr("senders: 9 senders and a receiver, but 9"));
  EXPECT_THAT(refused({{"receiver", "9"}}), HasSubstr("receiver: there is no endpoint 9"));
  EXPECT_EQ(refused({{"receiver", "8"}, {"senders", "8"}}), "");
  EXPECT_THAT(refused({}, 1), HasSubstr("has no flows"));
}

TEST(Permutation, EachSendsToAnotherAndEachReceivesOnce) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const std::size_t n = 2 + seed % 17;
    std::set<std::uint32_t> receivers;
    for (const FlowSpec& flow : flows({{"pattern", "permutation"}}, hosts(n), seed)) {
      EXPECT_NE(flow.source, flow.destination);
      receivers.insert(flow.destination);
    }
    EXPECT_EQ(receivers.size(), n);
  }
}

TEST(Permutation, EveryDerangementIsAsLikely) {
  constexpr int kRuns = 18'000;  // 9 derangements of 4
  std::map<std::vector<std::uint32_t>, int> seen;
  for (int seed = 0; seed < kRuns; ++seed) {
    std::vector<std::uint32_t> to;
    for (const FlowSpec& flow :
         flows({{"pattern", "permutation"}}, hosts(4), static_cast<std::uint64_t>(seed))) {
      to.push_back(flow.destination);
    }
    ++seen[to];
  }
  ASSERT_EQ(seen.size(), 9U);
  // 2,000 each, standard deviation 42.
  for (const auto& [to, count] : seen) EXPECT_NEAR(count, kRuns / 9.0, 5 * 42);
}

TEST(AllToAll, EachSendsToEachOtherOnceAndNoStepHitsAReceiverTwice) {
  constexpr std::size_t kHosts = 7;
  const std::vector<FlowSpec> all = flows({{"pattern", "all_to_all"}}, hosts(kHosts));
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const FlowSpec& flow : all) {
    EXPECT_NE(flow.source, flow.destination);
    pairs.insert({flow.source, flow.destination});
  }
  EXPECT_EQ(pairs.size(), kHosts * (kHosts - 1));
  ASSERT_EQ(all.size(), pairs.size());
  for (std::size_t step = 0; step < kHosts - 1; ++step) {
    std::set<std::uint32_t> receivers;
    for (std::size_t i = 0; i < kHosts; ++i) receivers.insert(all[step * kHosts + i].destination);
    EXPECT_EQ(receivers.size(), kHosts);
  }
}

TEST(Ring, EachSendsToTheOneHopsFurther) {
  const std::vector<FlowSpec> all = flows({{"pattern", "ring"}, {"hops", "2"}}, hosts(5));
  ASSERT_EQ(all.size(), 5U);
  for (const FlowSpec& flow : all) EXPECT_EQ(flow.destination, (flow.source + 2) % 5);
  EXPECT_THAT(refused({{"pattern", "ring"}, {"hops", "18"}}), HasSubstr("each endpoint to itself"));
  EXPECT_THAT(refused({{"pattern", "ring"}, {"hops", "0"}}), HasSubstr("each endpoint to itself"));
}

// 20,000 flows: what an exponential distribution says, to five standard deviations.
TEST(Poisson, FlowsBeginAtExponentialGapsThatMakeTheLoad) {
  constexpr std::size_t kHosts = 10;
  constexpr double kLoad = 0.4;
  const std::vector<FlowSpec> all = flows({{"pattern", "poisson"},
                                           {"load", "0.4"},
                                           {"messages", "1"},
                                           {"message_size", "50KB"},  // 1 us at 400 Gb/s
                                           {"start", "1ms"},
                                           {"duration", "5ms"}},
                                          hosts(kHosts));
  const double expected = kHosts * 5'000 * kLoad;
  EXPECT_NEAR(static_cast<double>(all.size()), expected, 5 * std::sqrt(expected));
  double sum = 0;
  double squares = 0;
  std::size_t gaps = 0;
  std::map<std::uint32_t, Time> last;
  std::map<std::uint32_t, std::size_t> received;
  for (const FlowSpec& flow : all) {
    ASSERT_GE(flow.start, kMillisecond);
    ASSERT_LT(flow.start, 6 * kMillisecond);
    ASSERT_NE(flow.source, flow.destination);
    ++received[flow.destination];
    if (const auto before = last.find(flow.source); before != last.end()) {
      const double gap = static_cast<double>(flow.start - before->second) / kMicrosecond;
      sum += gap;
      squares += gap * gap;
      ++gaps;
    }
    last[flow.source] = flow.start;
  }
  const auto n = static_cast<double>(gaps);
  const double mean = sum / n;
  EXPECT_NEAR(mean, 1 / kLoad, 5 / kLoad / std::sqrt(n));
  // The variance of an exponential is its mean squared; that of the estimate 8/n of that squared.
  EXPECT_NEAR(squares / n - mean * mean, 1 / (kLoad * kLoad),
              5 * std::sqrt(8 / n) / (kLoad * kLoad));
  for (std::uint32_t i = 0; i < kHosts; ++i) {
    EXPECT_NEAR(static_cast<double>(received[i]), expected / kHosts,
                5 * std::sqrt(expected / kHosts));
  }
}

TEST(Poisson, FlowsAreNumberedByTheirStart) {
  const std::vector<FlowSpec> all = flows({{"pattern", "poisson"}}, hosts(5));
  ASSERT_GT(all.size(), 10U);
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), [](const FlowSpec& a, const FlowSpec& b) {
    return a.start < b.start;
  }));
}

TEST(Poisson, AnEndpointKeepsItsTimesWhenOthersAreAdded) {
  const auto starts = [](std::size_t n) {
    std::vector<Time> times;
    for (const FlowSpec& flow : flows({{"pattern", "poisson"}}, hosts(n))) {
      if (flow.source == 2) times.push_back(flow.start);
    }
    return times;
  };
  EXPECT_EQ(starts(4), starts(40));
}

TEST(Patterns, ASlowerEndpointSendsLess) {
  std::vector<PatternEndpoint> mixed = hosts(2);
  mixed[1].line_rate = Rate::gbps(100);
  std::map<std::uint32_t, double> sent;
  for (const FlowSpec& flow :
       flows({{"pattern", "poisson"}, {"messages", "1"}, {"duration", "100ms"}}, mixed)) {
    ++sent[flow.source];
  }
  EXPECT_NEAR(sent[0] / sent[1], 4, 5 * 4 * std::sqrt(1 / 38'000.0 + 1 / 9'500.0));
}

TEST(OnOff, BurstsAndSilencesHaveTheirMeans) {
  const std::vector<FlowSpec> all = flows({{"pattern", "on_off"},
                                           {"on", "20us"},
                                           {"off", "30us"},
                                           {"message_size", "1000B"},  // 20 ns at 400 Gb/s
                                           {"duration", "100ms"}},
                                          hosts(4));
  double on = 0;
  double off = 0;
  std::size_t silences = 0;
  std::map<std::uint32_t, Time> ended;
  for (const FlowSpec& flow : all) {
    const Time lasts = static_cast<Time>(flow.messages) * 20 * kNanosecond;
    on += static_cast<double>(lasts) / kMicrosecond;
    if (const auto before = ended.find(flow.source); before != ended.end()) {
      ASSERT_GE(flow.start, before->second);
      off += static_cast<double>(flow.start - before->second) / kMicrosecond;
      ++silences;
    }
    ended[flow.source] = flow.start + lasts;
  }
  const auto n = static_cast<double>(all.size());
  EXPECT_NEAR(n, 4 * 100'000 / 50.0, 5 * std::sqrt(8'000));
  EXPECT_NEAR(on / n, 20, 5 * 20 / std::sqrt(n));
  EXPECT_NEAR(off / static_cast<double>(silences), 30, 5 * 30 / std::sqrt(n));
}

TEST(OnOff, ABurstHoldsAtLeastOneMessage) {
  for (const FlowSpec& flow : flows({{"pattern", "on_off"}, {"on", "1ns"}}, hosts(3))) {
    EXPECT_EQ(flow.messages, 1U);
  }
}

TEST(Patterns, FlowsAreAFunctionOfConfigurationAndSeed) {
  for (const char* name : {"permutation", "poisson", "on_off"}) {
    const Keys keys = {{"pattern", name}};
    EXPECT_EQ(flows(keys, hosts(20), 7), flows(keys, hosts(20), 7)) << name;
    EXPECT_FALSE(flows(keys, hosts(20), 7) == flows(keys, hosts(20), 8)) << name;
  }
}

TEST(Patterns, TooManyFlowsAreRefusedBeforeTheyAreMade) {
  EXPECT_THAT(refused({{"pattern", "all_to_all"}}, 449), HasSubstr("at most 200000"));
  EXPECT_THAT(refused({{"pattern", "poisson"}, {"duration", "1000s"}}), HasSubstr("duration: "));
  EXPECT_THAT(refused({{"pattern", "poisson"}, {"duration", "1s"}, {"message_size", "1B"}}),
              HasSubstr("at most 200000"));
  EXPECT_THAT(refused({{"pattern", "on_off"}, {"duration", "1000s"}}), HasSubstr("duration: "));
  EXPECT_EQ(refused({{"pattern", "all_to_all"}}, 400), "");
}

TEST(Patterns, TheLargestFlowsOverflowNothing) {
  const std::vector<FlowSpec> all = flows({{"pattern", "poisson"},
                                           {"load", "1e-9"},
                                           {"messages", "1000000000"},
                                           {"message_size", "2GiB"},
                                           {"duration", "1000s"}},
                                          hosts(3, Rate::bits_per_second(1'000'000)));
  EXPECT_TRUE(all.empty());
}

TEST(PatternKeys, AKeyOfAnotherPatternIsRefusedWithThoseOfThisOne) {
  const std::string message = refused({{"pattern", "ring"}, {"senders", "3"}});
  EXPECT_THAT(message, HasSubstr("senders: is no key of pattern ring"));
  EXPECT_THAT(message, HasSubstr("accepted: messages, stagger, hops, message_size"));
  for (const auto& [name, key, value] :
       std::vector<std::tuple<const char*, const char*, const char*>>{
           {"incast", "load", "0.5"},
           {"incast", "hops", "1"},
           {"incast", "file", "x"},
           {"permutation", "receiver", "1"},
           {"permutation", "on", "1us"},
           {"all_to_all", "off", "1us"},
           {"ring", "duration", "1us"},
           {"poisson", "stagger", "1us"},
           {"on_off", "messages", "1"},
           {"list", "senders", "1"}}) {
    EXPECT_THAT(refused({{"pattern", name}, {key, value}}), HasSubstr("is no key of pattern"))
        << name << " " << key;
  }
  EXPECT_THAT(refused({{"pattern", "list"}}), HasSubstr("file: is required"));
  EXPECT_THAT(refused({{"pattern", "poisson"}, {"load", "0"}}), HasSubstr("above 0 to 1"));
  EXPECT_THAT(refused({{"pattern", "poisson"}, {"load", "1.1"}}), HasSubstr("above 0 to 1"));
}

PatternConfig written(std::vector<FlowRow> rows) {
  PatternConfig config = pattern({{"pattern", "list"}, {"file", "f"}, {"messages", "5"}});
  config.file.reset();
  config.flows = std::move(rows);
  return config;
}

std::string refused_rows(std::vector<FlowRow> rows) {
  return refusal([&] { make_flows(written(std::move(rows)), hosts(3), RandomStream(1, "t")); });
}

TEST(WrittenFlows, AreWhatTheySayAndElseAsTheKeys) {
  FlowRow row;
  row.source = "h2";
  row.destination = "0";
  FlowRow full = row;
  full.start = kMicrosecond;
  full.messages = 2;
  full.message_size = Bytes(100);
  full.rate = Rate::gbps(1);
  full.priority = 0;
  EXPECT_THAT(make_flows(written({row, full}), hosts(3), RandomStream(1, "t")),
              testing::ElementsAre(FlowSpec{2, 0, 5, 65'536, 0, std::nullopt, 3},
                                   FlowSpec{2, 0, 2, 100, kMicrosecond, Rate::gbps(1), 0}));
}

TEST(WrittenFlows, ToNobodyOrToOneselfAreRefused) {
  FlowRow row;
  row.source = "h2";
  row.destination = "h3";
  EXPECT_THAT(refused_rows({row}), HasSubstr("\"h3\" is no host"));
  row.destination = "h2.nic0";
  EXPECT_THAT(refused_rows({row}), HasSubstr("from h2.nic0 to itself"));
}

TEST(PatternKeys, WhatWasResolvedReadsBack) {
  for (const Keys& keys : {Keys{}, Keys{{"pattern", "on_off"}}, Keys{{"pattern", "poisson"}},
                           Keys{{"pattern", "list"}, {"file", "x.csv"}}}) {
    const Node once = dump_config(pattern(keys));
    PatternConfig again;
    bind_config(once, again);
    const Node twice = dump_config(again);
    ASSERT_EQ(once.members.size(), twice.members.size());
    for (std::size_t i = 0; i < once.members.size(); ++i) {
      EXPECT_EQ(once.members[i].key, twice.members[i].key);
      EXPECT_EQ(once.members[i].value.text, twice.members[i].value.text);
    }
  }
}

TEST(PatternKeys, TheDscpFollowsThePriority) {
  EXPECT_EQ(pattern({}).dscp_of(3), 26);
  EXPECT_EQ(pattern({}).dscp_of(6), 48);
  EXPECT_EQ(pattern({}).dscp_of(0), 0);
  EXPECT_EQ(pattern({{"dscp", "10"}}).dscp_of(3), 10);
}

}  // namespace
}  // namespace railyard
