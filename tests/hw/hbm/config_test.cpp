// An HBM's parameters: what is refused, and with what remedy; what a preset gives.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "hw/hbm/hbm_config.h"
#include "tests/tlm/config/trees.h"
#include "tlm/base/error.h"

namespace railyard::hbm {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::uint64_t kGibibyte = 1ULL << 30U;

HbmConfig bound(const Node& tree) {
  HbmConfig config;
  bind_config(tree, config);
  return config;
}

/// What binding is refused with, or "".
std::string refusal(const Node& tree) {
  try {
    bound(tree);
  } catch (const ConfigError& error) {
    return error.remedy().empty() ? "no remedy" : error.what();
  }
  return "";
}

Node one(const std::string& key, const std::string& value) { return map({{key, text(value)}}); }
Node in(const std::string& group, const std::string& key, const std::string& value) {
  return map({{group, one(key, value)}});
}

std::string dump_text(const HbmConfig& config) {
  std::string all;
  for (const ParameterRow& row : describe_config(config)) all += row.path + row.fallback + "\n";
  return all;
}

TEST(HbmConfig, EachKeyHasADoc) {
  for (const ParameterRow& row : describe_config<HbmConfig>()) {
    EXPECT_FALSE(row.doc.empty()) << row.path;
  }
}

TEST(HbmConfig, EveryPresetIsAcceptedAsItIsWritten) {
  for (const auto& [name, preset] : hbm_preset_names()) {
    const HbmConfig config = bound(one("preset", name));
    EXPECT_EQ(config.preset, preset);
    HbmConfig again;
    bind_config(dump_config(config), again);
    EXPECT_EQ(dump_text(again), dump_text(config)) << name;
    EXPECT_EQ(dump_text(HbmConfig::of(preset)), dump_text(config)) << name;
  }
}

TEST(HbmConfig, WithoutAKeyItIsTheH100) {
  EXPECT_EQ(dump_text(bound(map({}))), dump_text(HbmConfig()));
  EXPECT_EQ(dump_text(HbmConfig::of(HbmPreset::kH100)), dump_text(HbmConfig()));
}

TEST(HbmConfig, PresetsHaveTheProductsCapacityAndBandwidth) {
  struct Product {
    HbmPreset preset;
    std::uint64_t capacity;
    std::uint64_t bandwidth;
  };
  constexpr std::uint64_t kMega = 1'000'000;
  for (const Product& product : {Product{HbmPreset::kH100, 80 * kGibibyte, 3'352'000 * kMega},
                                 Product{HbmPreset::kH200, 144 * kGibibyte, 4'800'000 * kMega},
                                 Product{HbmPreset::kB200, 192 * kGibibyte, 8'000'000 * kMega},
                                 Product{HbmPreset::kHbm3At5p2, 8 * kGibibyte, 670'400 * kMega},
                                 Product{HbmPreset::kHbm3At6p4, 8 * kGibibyte, 819'200 * kMega},
                                 Product{HbmPreset::kHbm3eAt9p2, 8 * kGibibyte, 1'177'600 * kMega},
                                 Product{HbmPreset::kHbm2, 8 * kGibibyte, 256'000 * kMega}}) {
    const HbmConfig config = HbmConfig::of(product.preset);
    EXPECT_EQ(config.organisation.capacity(), product.capacity);
    EXPECT_EQ(config.peak_bandwidth(), product.bandwidth);
  }
}

TEST(HbmConfig, CapacityIsTheProductOfTheFields) {
  for (const auto& [name, preset] : hbm_preset_names()) {
    const Organisation o = hbm_preset(preset).organisation;
    const std::uint64_t product = std::uint64_t{o.stacks} * o.channels * o.pseudo_channels *
                                  o.sids * o.groups * o.banks * o.rows * o.columns * o.access_bytes;
    EXPECT_EQ(o.capacity(), product) << name;
  }
}

TEST(HbmConfig, AnyKeyOverridesThePreset) {
  const HbmConfig config =
      bound(map({{"preset", text("hbm3_6p4")},
                 {"organisation", map({{"stacks", text("2")}, {"sids", text("2")}})},
                 {"timing", one("faw", "30")}}));
  EXPECT_EQ(config.organisation.stacks, 2U);
  EXPECT_EQ(config.organisation.capacity(), 32 * kGibibyte);
  EXPECT_EQ(config.timing.faw, 30U);
  EXPECT_EQ(config.timing.cl, 20U);
  EXPECT_EQ(config.timing.pin_rate, 6'400'000'000U);
}

TEST(HbmConfig, AnotherRateKeepsTheNanosecondsOfTheKeysThatAreNotWritten) {
  const HbmConfig config =
      bound(map({{"timing", map({{"pin_rate", text("10.475Gbps")}, {"rp", text("40")}})}}));
  EXPECT_EQ(config.timing.pin_rate, 10'475'000'000U);
  EXPECT_EQ(config.timing.cl, 34U);
  EXPECT_EQ(config.timing.rp, 40U);
  EXPECT_EQ(config.timing.rfc_all, 917U);  // 350 ns of 381.86 ps, not twice 459
}

TEST(HbmConfig, AnUnknownPresetIsRefused) {
  EXPECT_THAT(refusal(one("preset", "hbm3_6p5")), HasSubstr("hbm3_6p4"));
}

TEST(HbmConfig, FieldsThatAreNoPowersOfTwoAreRefusedButStacks) {
  for (const OrganisationField& field : organisation_fields()) {
    const std::string message = refusal(in("organisation", field.key, "5"));
    if (std::string(field.key) == "stacks") {
      EXPECT_EQ(message, "");
    } else {
      EXPECT_THAT(message, HasSubstr(std::string("organisation.") + field.key));
    }
  }
  EXPECT_EQ(refusal(in("organisation", "rows", "12288")), "");
  EXPECT_THAT(refusal(in("organisation", "rows", "20480")), HasSubstr("three quarters"));
}

TEST(HbmConfig, MoreThan64BanksOfAPseudoChannelAreRefused) {
  EXPECT_EQ(refusal(in("organisation", "sids", "4")), "");
  EXPECT_THAT(refusal(map({{"organisation", map({{"sids", text("4")}, {"groups", text("8")}})}})),
              AllOf(HasSubstr("organisation.sids"), HasSubstr("128 banks"), HasSubstr("64")));
}

TEST(HbmConfig, AnAccessThatTheBurstDoesNotCarryIsRefused) {
  EXPECT_THAT(refusal(in("organisation", "access_bytes", "64")),
              AllOf(HasSubstr("organisation.access_bytes"), HasSubstr("64 B")));
  EXPECT_THAT(refusal(in("timing", "burst", "4")), HasSubstr("timing.burst"));
}

TEST(HbmConfig, TimingsThatContradictEachOtherAreRefused) {
  struct Case {
    const char* key;
    const char* value;
    const char* remedy;
  };
  for (const Case& c :
       {Case{"ccd_l", "1", "ccd_s"}, Case{"rrd_l", "3", "rrd_s"}, Case{"wtr_l", "5", "wtr_s"},
        Case{"faw", "3", "rrd_s"}, Case{"rfc_bank", "460", "rfc_all"},
        Case{"wl", "20", "cl + burst"}, Case{"rtw", "9", "= 10"}, Case{"rc", "58", "ras + rp"},
        Case{"ras", "38", "ras + rp"}, Case{"refi", "507", "above"}}) {
    EXPECT_THAT(refusal(in("timing", c.key, c.value)),
                AllOf(HasSubstr(std::string("timing.") + c.key), HasSubstr(c.remedy)));
  }
  // On the edge.
  for (const Case& c : {Case{"ccd_l", "2", ""}, Case{"wl", "19", ""}, Case{"rtw", "10", ""},
                        Case{"ras", "37", ""}, Case{"refi", "508", ""}}) {
    EXPECT_EQ(refusal(in("timing", c.key, c.value)), "") << c.key;
  }
}

TEST(HbmConfig, TimingsAreCheckedAgainstThePresetNotTheDefaults) {
  EXPECT_NE(refusal(in("timing", "ras", "65")), "");
  EXPECT_EQ(refusal(map({{"timing", one("ras", "65")}, {"preset", text("hbm3e_9p2")}})), "");
}

TEST(HbmConfig, APinRateIsARate) {
  EXPECT_THAT(refusal(in("timing", "pin_rate", "64Gbps")), HasSubstr("32Gbps"));
  EXPECT_THAT(refusal(in("timing", "pin_rate", "6400")), HasSubstr("timing.pin_rate"));
  EXPECT_EQ(bound(in("timing", "pin_rate", "5.2375Gbps")).timing.pin_rate, 5'237'500'000U);
}

TEST(HbmConfig, DrainsThatNeverBeginOrEndAreRefused) {
  EXPECT_THAT(refusal(in("drain", "low", "48")),
              AllOf(HasSubstr("drain.low"), HasSubstr("below high")));
  EXPECT_THAT(refusal(in("drain", "high", "16")), HasSubstr("drain.high"));
  EXPECT_THAT(refusal(one("write_queue", "47")), AllOf(HasSubstr("write_queue"), HasSubstr("48")));
  EXPECT_THAT(refusal(in("drain", "high", "65")), HasSubstr("drain.high"));
  EXPECT_EQ(refusal(one("write_queue", "48")), "");
}

TEST(HbmConfig, TimeoutsOutOfOrderAreRefused) {
  const auto page = [](const std::string& key, const std::string& value) {
    return map({{"page", map({{"policy", text("adaptive")}, {key, text(value)}})}});
  };
  EXPECT_THAT(refusal(page("timeout", "8")), HasSubstr("timeout_min"));
  EXPECT_THAT(refusal(page("timeout", "2000")), HasSubstr("timeout_max"));
  EXPECT_EQ(refusal(page("timeout", "1024")), "");
}

TEST(HbmConfig, KeysThatWouldDoNothingAreRefused) {
  EXPECT_THAT(refusal(in("page", "timeout", "32")), HasSubstr("policy: adaptive"));
  EXPECT_THAT(refusal(in("ecc", "lines", "16")), HasSubstr("mode: inline"));
  EXPECT_THAT(refusal(map({{"refresh", map({{"mode", text("off")}, {"postpone", text("1")}})}})),
              HasSubstr("mode: all_bank"));
  EXPECT_THAT(refusal(map({{"scheduling", text("fcfs")}, {"age_limit", text("1us")}})),
              HasSubstr("fr_fcfs"));
}

TEST(HbmConfig, NoMoreThanEightRefreshesArePostponed) {
  EXPECT_EQ(refusal(in("refresh", "postpone", "8")), "");
  EXPECT_THAT(refusal(in("refresh", "postpone", "9")), HasSubstr("at most 8"));
}

TEST(HbmConfig, PerBankRefreshesThatComeTooFastAreRefused) {
  const auto tree = [](const std::string& mode, const std::string& rrefd) {
    return map({{"refresh", one("mode", mode)}, {"timing", one("rrefd", rrefd)}});
  };
  EXPECT_EQ(refusal(tree("per_bank", "159")), "");
  EXPECT_EQ(refusal(tree("all_bank", "160")), "");
  EXPECT_THAT(refusal(tree("per_bank", "160")), AllOf(HasSubstr("refi"), HasSubstr("159")));
}

TEST(HbmPreset, EachNumberSaysWhereItComesFrom) {
  const auto rows = hbm_preset_rows();
  EXPECT_EQ(rows.size(), hbm_preset_names().size() *
                             (organisation_fields().size() + 1 + timing_fields().size()));
  for (const HbmPresetRow& row : rows) {
    EXPECT_FALSE(row.source.empty()) << row.preset << " " << row.key;
  }
  // Rows of exceptions that name no key would vanish.
  const auto of = [&](const char* preset, const char* key) {
    return std::find_if(rows.begin(), rows.end(), [&](const HbmPresetRow& row) {
      return row.preset == preset && row.key == key;
    });
  };
  EXPECT_EQ(of("hbm3_6p4", "timing.cl")->origin, Origin::kPublished);
  EXPECT_EQ(of("hbm3_6p4", "timing.ccd_r")->origin, Origin::kScaled);
  EXPECT_EQ(of("h200", "organisation.rows")->origin, Origin::kAssumed);
  EXPECT_EQ(of("hbm2", "timing.rfc_bank")->origin, Origin::kAssumed);
}

}  // namespace
}  // namespace railyard::hbm
