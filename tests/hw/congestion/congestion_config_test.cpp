// Parameters of congestion control: sets, what is written over them, classes, and what is refused.
#include "hw/congestion/congestion_config.h"

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/tlm/config/trees.h"
#include "tlm/base/error.h"

namespace railyard {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

using Members = std::vector<std::pair<std::string, Node>>;

CongestionConfig bound(const Node& root) {
  CongestionConfig config;
  bind_config(root, config);
  return config;
}

CongestionConfig of_set(const std::string& set, Members dcqcn = {}) {
  return bound(map({{"parameters", text(set)}, {"dcqcn", map(std::move(dcqcn))}}));
}

std::string refusal(const Node& root) {
  try {
    bound(root);
  } catch (const ConfigError& error) {
    return error.remedy().empty() ? "no remedy" : error.what();
  }
  return "accepted";
}

std::string refusal_of(const std::string& key, const std::string& value) {
  return refusal(map({{"dcqcn", map({{key, text(value)}, {"rules", text("hardware")}})}}));
}

TEST(CongestionConfig, NothingIsControlledUnlessAnAlgorithmIsNamed) {
  EXPECT_FALSE(bound(map({})).controls());
  EXPECT_FALSE(bound(map({{"parameters", text("hardware")}})).controls());
  EXPECT_TRUE(bound(map({{"algorithm", text("dcqcn")}})).controls());
  EXPECT_THAT(refusal(map({{"algorithm", text("dcqnc")}})), HasSubstr("dcqcn"));
}

// Zhu et al., SIGCOMM 2015; the minimum is the authors' ns-3 code's.
TEST(CongestionConfig, TheDefaultIsThePaper) {
  for (const DcqcnParameters& p : {bound(map({})).dcqcn, of_set("paper").dcqcn}) {
    EXPECT_EQ(p.rules, DcqcnRules::kPaper);
    EXPECT_TRUE(p.rp_clamp_tgt_rate);
    EXPECT_EQ(p.rp_time_reset, 55 * kMicrosecond);
    EXPECT_EQ(p.rp_byte_reset, 10'000'000U);
    EXPECT_EQ(p.rp_threshold, 5U);
    EXPECT_EQ(p.rp_ai_rate, 40U);
    EXPECT_EQ(p.rp_hai_rate, 200U);
    EXPECT_EQ(p.rp_max_rate, 0U);
    EXPECT_EQ(p.rp_min_dec_fac, 0U);
    EXPECT_EQ(p.rp_min_rate, 100U);
    EXPECT_EQ(p.rp_rate_to_set_on_first_cnp, 0U);
    EXPECT_EQ(1024 - p.rp_dce_tcp_g, 4U);  // 1/256
    EXPECT_EQ(p.rp_dce_tcp_rtt, 55 * kMicrosecond);
    EXPECT_EQ(p.rp_initial_alpha_value, 1024U);  // 1
    EXPECT_EQ(p.rp_gd, 11U);                     // alpha / 2
    EXPECT_FALSE(p.alpha_first);
    EXPECT_FALSE(p.fewer_halvings);
  }
  EXPECT_EQ(least_time_between_cnps(DcqcnSet::kPaper), 50 * kMicrosecond);
}

// mlx5 cc_params of ConnectX-5 to -7.
TEST(CongestionConfig, TheHardwaresSetIsWhatAConnectXIsDeliveredWith) {
  const DcqcnParameters p = of_set("hardware").dcqcn;
  EXPECT_EQ(p.rules, DcqcnRules::kHardware);
  EXPECT_FALSE(p.rp_clamp_tgt_rate);
  EXPECT_TRUE(p.rp_clamp_tgt_rate_ati);
  EXPECT_EQ(p.rp_time_reset, 300 * kMicrosecond);
  EXPECT_EQ(p.rp_byte_reset, 32'767U * 64);
  EXPECT_EQ(p.rp_threshold, 1U);
  EXPECT_EQ(p.rp_ai_rate, 5U);
  EXPECT_EQ(p.rp_hai_rate, 50U);
  EXPECT_EQ(p.rp_max_rate, 0U);
  EXPECT_EQ(p.rp_min_dec_fac, 50U);
  EXPECT_EQ(p.rp_min_rate, 1U);
  EXPECT_EQ(p.rp_rate_to_set_on_first_cnp, 0U);
  EXPECT_EQ(p.rp_dce_tcp_g, 1019U);
  EXPECT_EQ(p.rp_dce_tcp_rtt, kMicrosecond);
  EXPECT_EQ(p.rp_rate_reduce_monitor_period, 4 * kMicrosecond);
  EXPECT_EQ(p.rp_initial_alpha_value, 1023U);
  EXPECT_EQ(p.rp_gd, 11U);
  EXPECT_EQ(least_time_between_cnps(DcqcnSet::kHardware), 4 * kMicrosecond);
}

// Barre et al., ATC 2025: CNPs 0 to 2 us apart, min_dec_fac 80 to 98, ai_rate 8 to 20, time_reset
// 20 to 100 us; else as delivered.
TEST(CongestionConfig, TheTunedSetIsInTheMiddleOfWhatWasFoundGood) {
  const DcqcnParameters p = of_set("tuned").dcqcn;
  const DcqcnParameters hardware = DcqcnParameters::of(DcqcnSet::kHardware);
  EXPECT_EQ(p.rp_min_dec_fac, 90U);
  EXPECT_EQ(p.rp_ai_rate, 14U);
  EXPECT_EQ(p.rp_time_reset, 60 * kMicrosecond);
  EXPECT_EQ(p.rules, hardware.rules);
  EXPECT_EQ(p.rp_hai_rate, hardware.rp_hai_rate);
  EXPECT_EQ(p.rp_byte_reset, hardware.rp_byte_reset);
  EXPECT_EQ(p.rp_dce_tcp_g, hardware.rp_dce_tcp_g);
  EXPECT_EQ(least_time_between_cnps(DcqcnSet::kTuned), kMicrosecond);
}

TEST(CongestionConfig, TheSimulatorsSetHasItsRatesAndNoByteCounter) {
  const DcqcnParameters p = of_set("hpcc_simulator").dcqcn;
  EXPECT_EQ(p.rules, DcqcnRules::kHardware);
  EXPECT_EQ(p.rp_byte_reset, 0xFFFF'FFFFU);
  EXPECT_EQ(p.rp_ai_rate, 200U);
  EXPECT_EQ(p.rp_min_rate, 1000U);
  EXPECT_EQ(p.rp_rate_to_set_on_first_cnp, 1'000'000U);
  EXPECT_EQ(p.rp_min_dec_fac, 0U);
  EXPECT_EQ(p.rp_dce_tcp_g, 1020U);
  EXPECT_EQ(p.rp_initial_alpha_value, 1024U);
  EXPECT_EQ(least_time_between_cnps(DcqcnSet::kHpccSimulator), 0);
}

TEST(CongestionConfig, WhatIsWrittenGoesBeforeTheSet) {
  const DcqcnParameters p = of_set("hardware", {{"rp_time_reset", text("55us")},  // the paper's
                                                {"rules", text("paper")},
                                                {"rp_clamp_tgt_rate", text("true")}})
                                .dcqcn;
  EXPECT_EQ(p.rp_time_reset, 55 * kMicrosecond);
  EXPECT_EQ(p.rules, DcqcnRules::kPaper);
  EXPECT_TRUE(p.rp_clamp_tgt_rate);
  EXPECT_EQ(p.rp_ai_rate, 5U);
}

TEST(CongestionConfig, AClassHasItsOwnSetNotTheOthers) {
  const CongestionConfig config = bound(
      map({{"parameters", text("hardware")},
           {"dcqcn", map({{"rp_ai_rate", text("9")}})},
           {"classes",
            list({map({{"traffic_class", text("5")}, {"rp_hai_rate", text("77")}}),
                  map({{"traffic_class", text("0")}, {"parameters", text("hpcc_simulator")}})})}}));
  EXPECT_EQ(config.of_class(3).rp_ai_rate, 9U);
  EXPECT_EQ(config.of_class(3).rp_threshold, 1U);
  EXPECT_EQ(config.of_class(5).rp_hai_rate, 77U);
  EXPECT_EQ(config.of_class(5).rp_ai_rate, 40U);  // the paper's
  EXPECT_EQ(config.of_class(5).rp_threshold, 5U);
  EXPECT_EQ(config.of_class(0).rp_min_rate, 1000U);
}

TEST(CongestionConfig, AClassIsListedOnceAndIsOneOfEight) {
  const auto classes = [](const std::string& a, const std::string& b) {
    return map({{"algorithm", text("dcqcn")},
                {"classes",
                 list({map({{"traffic_class", text(a)}}), map({{"traffic_class", text(b)}})})}});
  };
  EXPECT_EQ(refusal(classes("3", "4")), "accepted");
  EXPECT_THAT(refusal(classes("3", "3")),
              AllOf(StartsWith("f.yaml:2:"), HasSubstr("traffic class 3 is listed twice")));
  EXPECT_THAT(refusal(classes("3", "8")), HasSubstr("traffic_class"));
  EXPECT_THAT(refusal(map({{"classes", list({map({{"parameters", text("tuned")}})})}})),
              HasSubstr("traffic_class"));
}

TEST(CongestionConfig, WhatWasResolvedReadsBack) {
  const CongestionConfig once =
      bound(map({{"parameters", text("tuned")},
                 {"dcqcn", map({{"rp_threshold", text("3")}, {"rp_gd", text("12")}})},
                 {"classes", list({map({{"traffic_class", text("6")},
                                        {"parameters", text("hardware")},
                                        {"rp_min_rate", text("10")}})})}}));
  const Node dumped = dump_config(once);
  const CongestionConfig again = bound(dumped);
  EXPECT_EQ(again.dcqcn.rp_time_reset, 60 * kMicrosecond);
  EXPECT_EQ(again.dcqcn.rp_threshold, 3U);
  EXPECT_EQ(again.dcqcn.rp_gd, 12U);
  EXPECT_EQ(again.of_class(6).rp_min_rate, 10U);
  EXPECT_EQ(again.of_class(6).rp_min_dec_fac, 50U);
  // Every key is in it, so the set no longer says anything.
  Node other = dumped;
  for (Member& member : other.members) {
    if (member.key == "parameters") member.value = text("paper");
  }
  EXPECT_EQ(bound(other).dcqcn.rp_time_reset, 60 * kMicrosecond);
  EXPECT_EQ(bound(other).dcqcn.rules, DcqcnRules::kHardware);
  EXPECT_TRUE(bound(other).dcqcn.rp_clamp_tgt_rate_ati);
}

TEST(CongestionConfig, ValuesThatRegistersDoNotHoldAreRefused) {
  const std::vector<std::vector<std::string>> bounds = {
      // key, accepted, refused
      {"rp_threshold", "1", "0"},
      {"rp_threshold", "31", "32"},
      {"rp_ai_rate", "65535", "65536"},
      {"rp_hai_rate", "65535", "65536"},
      {"rp_min_rate", "1", "0"},
      {"rp_max_rate", "1000000", "1000001"},
      {"rp_min_dec_fac", "100", "101"},
      {"rp_dce_tcp_g", "512", "511"},
      {"rp_dce_tcp_g", "1023", "1024"},
      {"rp_initial_alpha_value", "1024", "1025"},
      {"rp_gd", "10", "9"},
      {"rp_gd", "15", "16"},
      {"rp_time_reset", "1us", "999ns"},
      {"rp_time_reset", "1s", "1001ms"},
      {"rp_dce_tcp_rtt", "100ns", "99ns"},
      {"rp_rate_reduce_monitor_period", "100ns", "99ns"},
      {"rp_byte_reset", "64B", "63B"},
      {"rp_byte_reset", "4294967295B", "4294967296B"},
  };
  for (const auto& b : bounds) {
    EXPECT_EQ(refusal_of(b[0], b[1]), "accepted") << b[0] << " " << b[1];
    EXPECT_THAT(refusal_of(b[0], b[2]), AllOf(StartsWith("f.yaml:1:"), HasSubstr(b[0]))) << b[2];
  }
  EXPECT_THAT(refusal(map({{"clock", text("499ps")}})), HasSubstr("clock"));
  EXPECT_THAT(refusal(map({{"burst", text("101ms")}})), HasSubstr("burst"));
}

TEST(CongestionConfig, AKeyThatDoesNothingIsRefused) {
  const auto with = [](const char* key, const char* value) {
    return refusal(map({{"dcqcn", map({{key, text(value)}})}}));
  };
  EXPECT_THAT(with("rp_rate_reduce_monitor_period", "5us"), HasSubstr("rules: hardware"));
  EXPECT_THAT(with("rp_clamp_tgt_rate_ati", "true"), HasSubstr("rp_clamp_tgt_rate: false"));
  // As a report has them, which another run reads.
  EXPECT_EQ(with("rp_rate_reduce_monitor_period", "50us"), "accepted");
  EXPECT_EQ(with("rp_clamp_tgt_rate_ati", "false"), "accepted");
}

TEST(DcqcnParameters, RegistersCountCyclesOfTheClock) {
  const DcqcnParameters p = DcqcnParameters::of(DcqcnSet::kHardware);
  const rtl::DcqcnSetup fast = p.setup(500, Rate::gbps(400));
  EXPECT_EQ(fast.time_reset, 600'000U);
  EXPECT_EQ(fast.alpha_period, 2000U);
  EXPECT_EQ(fast.rate_reduce_monitor, 8000U);
  const rtl::DcqcnSetup slow = p.setup(3 * kNanosecond, Rate::gbps(400));
  EXPECT_EQ(slow.time_reset, 100'000U);
  EXPECT_EQ(slow.alpha_period, 333U);  // whole ones
  DcqcnParameters shortest = p;
  shortest.rp_dce_tcp_rtt = 1;
  EXPECT_EQ(shortest.setup(kNanosecond, Rate::gbps(400)).alpha_period, 2U);  // what the block takes
}

TEST(DcqcnParameters, RegistersHoldFractionsAndFlags) {
  DcqcnParameters p = DcqcnParameters::of(DcqcnSet::kHardware);
  p.rp_gd = 13;
  rtl::DcqcnSetup s = p.setup(kNanosecond, Rate::gbps(400));
  EXPECT_DOUBLE_EQ(s.g, 5.0 / 1024);
  EXPECT_DOUBLE_EQ(s.initial_alpha, 1023.0 / 1024);
  EXPECT_DOUBLE_EQ(s.min_dec_fac, 0.5);
  EXPECT_EQ(s.gd, 13U);
  EXPECT_EQ(s.byte_reset, 32'767U * 64);
  EXPECT_EQ(s.threshold, 1U);
  EXPECT_TRUE(s.hardware_rules);
  EXPECT_FALSE(s.clamp_target);
  EXPECT_TRUE(s.clamp_target_ati);
  p = {};
  p.alpha_first = p.fewer_halvings = true;
  s = p.setup(kNanosecond, Rate::gbps(400));
  EXPECT_FALSE(s.hardware_rules);
  EXPECT_TRUE(s.clamp_target);
  EXPECT_FALSE(s.clamp_target_ati);
  EXPECT_TRUE(s.alpha_first);
  EXPECT_TRUE(s.fewer_halvings);
}

TEST(DcqcnParameters, NoRateIsAboveTheLine) {
  DcqcnParameters p;
  EXPECT_DOUBLE_EQ(p.setup(kNanosecond, Rate::gbps(400)).max_rate, 400'000);
  p.rp_max_rate = 200'000;
  p.rp_min_rate = 150'000;
  p.rp_rate_to_set_on_first_cnp = 180'000;
  rtl::DcqcnSetup s = p.setup(kNanosecond, Rate::gbps(400));
  EXPECT_DOUBLE_EQ(s.max_rate, 200'000);
  EXPECT_DOUBLE_EQ(s.min_rate, 150'000);
  EXPECT_DOUBLE_EQ(s.first_cnp_rate, 180'000);
  s = p.setup(kNanosecond, Rate::gbps(100));
  EXPECT_DOUBLE_EQ(s.max_rate, 100'000);
  EXPECT_DOUBLE_EQ(s.min_rate, 100'000);
  EXPECT_DOUBLE_EQ(s.first_cnp_rate, 100'000);
}

}  // namespace
}  // namespace railyard
