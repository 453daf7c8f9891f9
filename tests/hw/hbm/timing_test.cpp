// The clocks of a device at another data rate, and what follows from them.
#include "hw/hbm/timing.h"

#include <gmock/gmock.h>

#include <map>
#include <string>
#include <utility>

#include "hw/hbm/hbm_preset.h"

namespace railyard::hbm {
namespace {

std::map<std::string, unsigned> fields(const Timing& timing) {
  std::map<std::string, unsigned> all;
  for (const TimingField& field : timing_fields()) all[field.key] = timing.*field.member;
  return all;
}

TEST(Timing, AtItsOwnRateItIsItself) {
  for (const auto& [name, preset] : hbm_preset_names()) {
    const Timing timing = hbm_preset(preset).timing;
    EXPECT_EQ(fields(timing.at_rate(timing.pin_rate)), fields(timing)) << name;
  }
}

TEST(Timing, TheH100SetIsThePublishedOne) {
  const std::map<std::string, unsigned> published = {{"bits_per_clock", 4},
                                                     {"burst", 2},
                                                     {"cl", 17},
                                                     {"wl", 9},
                                                     {"rcd_read", 26},
                                                     {"rcd_write", 13},
                                                     {"rp", 22},
                                                     {"ras", 37},
                                                     {"rc", 59},
                                                     {"ccd_s", 2},
                                                     {"ccd_l", 4},
                                                     {"ccd_r", 3},
                                                     {"rrd_s", 4},
                                                     {"rrd_l", 5},
                                                     {"faw", 20},
                                                     {"wtr_s", 6},
                                                     {"wtr_l", 9},
                                                     {"wr", 28},
                                                     {"rtp", 8},
                                                     {"rtw", 17},
                                                     {"rfc_all", 459},
                                                     {"rfc_bank", 262},
                                                     {"refi", 5106},
                                                     {"rrefd", 11},
                                                     {"ppd", 2},
                                                     {"activate_slots", 3},
                                                     {"other_row_slots", 1}};
  EXPECT_EQ(fields(hbm_preset(HbmPreset::kH100).timing), published);
}

TEST(Timing, RefreshOfTheH100IsItsNanosecondsRounded) {
  const Timing t;
  EXPECT_EQ(t.clocks_at_least(350 * kNanosecond), t.rfc_all);
  EXPECT_EQ(t.clocks_at_least(200 * kNanosecond), t.rfc_bank);
  EXPECT_EQ(t.clocks_at_most(3900 * kNanosecond), t.refi);
  EXPECT_EQ(t.clocks_at_least(8 * kNanosecond), t.rrefd);
  EXPECT_EQ(t.clocks_at_least(2500), t.ccd_l);
}

TEST(Timing, APublishedSetAt6400DiffersFromTheScaledOneWhereItSays) {
  const auto scaled = fields(Timing().at_rate(6'400'000'000));
  const auto preset = fields(hbm_preset(HbmPreset::kHbm3At6p4).timing);
  std::map<std::string, std::pair<unsigned, unsigned>> differ;  // scaled, and what the preset has
  for (const auto& [key, value] : scaled) {
    if (preset.at(key) != value) differ[key] = {value, preset.at(key)};
  }
  // The set in clocks has been rounded up once, so what is scaled from it may be a clock or two
  // more than the same nanoseconds.
  const std::map<std::string, std::pair<unsigned, unsigned>> expected = {
      {"cl", {21, 20}},
      {"wl", {11, 10}},
      {"rcd_read", {32, 31}},
      {"rcd_write", {16, 15}},
      {"rp", {27, 26}},
      {"ras", {46, 45}},
      {"rc", {73, 72}},
      {"rrd_l", {7, 5}},
      {"faw", {25, 24}},
      {"wtr_s", {8, 7}},
      {"wtr_l", {11, 10}},
      {"wr", {35, 33}},
      {"rtp", {10, 9}},
      {"rtw", {21, 20}},
      // Scaled from clocks; the preset's are 350 ns, 200 ns and 3.9 us.
      {"rfc_all", {561, 560}},
      {"rfc_bank", {321, 320}},
      {"refi", {6239, 6240}},
      {"rrefd", {14, 13}}};
  EXPECT_EQ(differ, expected);
}

TEST(Timing, WhatIsAtItsFloorOrANumberOfClocksStays) {
  const Timing t = Timing().at_rate(9'200'000'000);
  EXPECT_EQ(t.burst, 2U);
  EXPECT_EQ(t.ccd_s, 2U);
  EXPECT_EQ(t.rrd_s, 4U);
  EXPECT_EQ(t.ppd, 2U);
  EXPECT_EQ(t.activate_slots, 3U);
  EXPECT_EQ(t.ccd_l, 6U);  // 2.5 ns of 434.8 ps
  EXPECT_EQ(Timing().at_rate(1'000'000'000).ccd_l, 4U);
}

TEST(Timing, AboveItsFloorAFieldScalesDownToTheFloor) {
  Timing t;
  t.rrd_s = 8;
  EXPECT_EQ(t.at_rate(t.pin_rate / 2).rrd_s, 4U);
  EXPECT_EQ(t.at_rate(t.pin_rate / 4).rrd_s, 4U);
  EXPECT_EQ(t.at_rate(t.pin_rate * 2).rrd_s, 16U);
}

TEST(Timing, NoNanosecondIsLostAtAnyRate) {
  const Timing slow;
  for (std::uint64_t rate = 5'300'000'000; rate <= 12'000'000'000; rate += 137'000'000) {
    const Timing fast = slow.at_rate(rate);
    for (const TimingField& field : timing_fields()) {
      if (field.scaling == Scaling::kClocks || slow.*field.member <= field.floor) continue;
      if (field.member == &Timing::ccd_l) continue;  // by its own nanoseconds
      const std::uint64_t before = slow.*field.member * rate;
      const std::uint64_t after = fast.*field.member * std::uint64_t{slow.pin_rate};
      if (field.scaling == Scaling::kPeriod) {
        EXPECT_LE(after, before) << field.key << " at " << rate;
      } else {
        EXPECT_GE(after, before) << field.key << " at " << rate;
      }
    }
    EXPECT_GE(fast.rc, fast.ras + fast.rp) << rate;
    EXPECT_GE(fast.rtw + fast.wl, fast.cl + fast.burst) << rate;
  }
}

TEST(Timing, PerBankRefreshesOfAllBanksTakeOneIntervalButForRounding) {
  for (const auto& [name, preset] : hbm_preset_names()) {
    const HbmPresetValues v = hbm_preset(preset);
    for (const unsigned sids : {1U, 2U, 4U}) {
      Organisation o = v.organisation;
      o.sids = sids;
      const unsigned banks = o.banks_per_pseudo_channel();
      EXPECT_EQ(banks, sids * 16);
      const unsigned cycle = refi_bank(v.timing, o) * banks;
      EXPECT_LE(cycle, v.timing.refi) << name;
      EXPECT_GT(cycle + banks, v.timing.refi) << name;
    }
  }
  EXPECT_EQ(refi_bank(Timing(), Organisation()), 159U);  // the H100, two SIDs
}

TEST(Timing, ATickIsHalfAClock) {
  const Timing t;
  // 763.7 ps a CK, exactly 4 * 10^12 / 5237500000; half of it.
  EXPECT_EQ(t.tick_num(), 4'000'000'000'000U);
  EXPECT_EQ(t.tick_den(), 10'475'000'000U);
}

}  // namespace
}  // namespace railyard::hbm
