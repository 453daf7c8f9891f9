#include "hw/hbm/hbm_preset.h"

#include <initializer_list>
#include <stdexcept>

namespace railyard::hbm {
namespace {

constexpr const char* kSet =
    "HBM3 set at 5.2375 Gb/s, on which three public controllers agree; no data sheet is public";
constexpr const char* kSet64 = "HBM3 set at 6.4 Gb/s, as public simulators use it";
constexpr const char* kDramsim = "DRAMsim3, configs/HBM2_8Gb_x128.ini";
constexpr const char* kHbm3Standard = "JESD238: 16 channels x 2 pseudo-channels of 32 DQ, BL8";
constexpr const char* kHbm2Standard = "JESD235: 8 channels x 2 pseudo-channels of 64 DQ, BL4";
constexpr const char* kProduct = "the product's capacity and bandwidth";
constexpr const char* kGuess = "no publication known";

/// What nobody scales by clocks: refresh is published in nanoseconds.
struct RefreshTimes {
  Time all;
  Time bank;
  Time interval;
  Time other;  // tRREFD
};

constexpr RefreshTimes kHbm3Refresh = {350 * kNanosecond, 200 * kNanosecond, 3900 * kNanosecond,
                                       8 * kNanosecond};

/// Exceptions to what a preset's keys have in common.
struct Exception {
  const char* key;
  Origin origin;
  const char* source;
};

struct Preset {
  const char* name;
  HbmPreset preset;
  HbmPresetValues values;
  RefreshTimes refresh;
  Exception organisation;  // of all keys of the group but the exceptions
  Exception timing;
  std::vector<Exception> exceptions;
};

void set_refresh(Timing& t, const RefreshTimes& times) {
  t.rfc_all = t.clocks_at_least(times.all);
  t.rfc_bank = t.clocks_at_least(times.bank);
  t.refi = t.clocks_at_most(times.interval);
  t.rrefd = t.clocks_at_least(times.other);
}

Timing hbm3_at(std::uint64_t rate) {
  Timing t = Timing().at_rate(rate);
  set_refresh(t, kHbm3Refresh);
  return t;
}

/// Timing's and Organisation's defaults are the H100's.
Preset h100() {
  Preset p{};
  p.name = "h100";
  p.preset = HbmPreset::kH100;
  p.refresh = kHbm3Refresh;
  p.organisation = {"", Origin::kPublished, kHbm3Standard};
  p.timing = {"", Origin::kPublished, kSet};
  p.exceptions = {
      {"organisation.stacks", Origin::kPublished, "H100 SXM: 80 GB, five stacks"},
      {"organisation.sids", Origin::kDerived, "80 GB are 512 MiB a pseudo-channel, two of 256 MiB"},
      {"organisation.rows", Origin::kDerived, "256 MiB a SID of 16 banks with pages of 1 KiB"},
      {"timing.pin_rate", Origin::kDerived, "H100 SXM: 3352 GB/s of 5120 pins"},
      {"timing.activate_slots", Origin::kPublished, "JESD238: an ACT takes 1.5 CK"},
      {"timing.other_row_slots", Origin::kPublished, "JESD238: a half CK"}};
  return p;
}

/// Of a later product or a single stack: the set at another rate.
Preset scaled(const char* name, HbmPreset preset, std::uint64_t rate, Origin rate_origin,
              const char* rate_source) {
  Preset p = h100();
  p.name = name;
  p.preset = preset;
  p.values.timing = hbm3_at(rate);
  p.timing = {"", Origin::kScaled, kSet};
  p.exceptions = {{"timing.pin_rate", rate_origin, rate_source}};
  return p;
}

/// Dies of 24 Gb: a channel's banks have three quarters of the rows of the next power of two.
void set_24_gigabit(Preset& p, unsigned stacks, const char* product) {
  p.values.organisation.stacks = stacks;
  p.values.organisation.rows = 24'576;
  p.exceptions.push_back({"organisation.stacks", Origin::kPublished, product});
  p.exceptions.push_back({"organisation.sids", Origin::kAssumed, "as the H100"});
  p.exceptions.push_back({"organisation.rows", Origin::kAssumed,
                          "24 GiB a stack, eight dies of 24 Gb, make the product's capacity"});
}

Preset h200() {
  Preset p = scaled("h200", HbmPreset::kH200, 6'250'000'000, Origin::kDerived,
                    "H200: 4.8 TB/s of 6144 pins");
  set_24_gigabit(p, 6, "H200: 141 GB of 144 GiB are for sale, six stacks");
  return p;
}

Preset b200() {
  Preset p = scaled("b200", HbmPreset::kB200, 7'812'500'000, Origin::kDerived,
                    "B200: 8 TB/s of 8192 pins, 7.81 Gb/s");
  set_24_gigabit(p, 8, "B200: 192 GB, eight stacks");
  return p;
}

void set_one_stack(Preset& p) {
  p.values.organisation.stacks = 1;
  p.values.organisation.sids = 1;
  p.exceptions.push_back({"organisation.stacks", Origin::kAssumed, "one is enough to study"});
  p.exceptions.push_back({"organisation.sids", Origin::kAssumed, "a stack of four dies"});
  p.exceptions.push_back({"organisation.rows", Origin::kAssumed, "as the H100"});
}

Preset hbm3_5p2() {
  Preset p = h100();
  p.name = "hbm3_5p2";
  p.preset = HbmPreset::kHbm3At5p2;
  p.exceptions = {{"timing.pin_rate", Origin::kDerived, "as the H100"}};
  set_one_stack(p);
  return p;
}

/// The published set, not the one that scaling gives: its clocks are a little fewer. What it does
/// not have is scaled.
Preset hbm3_6p4() {
  Preset p = scaled("hbm3_6p4", HbmPreset::kHbm3At6p4, 6'400'000'000, Origin::kPublished,
                    "JESD238: the fastest grade of HBM3");
  set_one_stack(p);
  struct Value {
    const char* key;
    unsigned Timing::*member;
    unsigned value;
  };
  for (const Value& v : std::initializer_list<Value>{{"timing.cl", &Timing::cl, 20},
                                                     {"timing.wl", &Timing::wl, 10},
                                                     {"timing.rcd_read", &Timing::rcd_read, 31},
                                                     {"timing.rcd_write", &Timing::rcd_write, 15},
                                                     {"timing.rp", &Timing::rp, 26},
                                                     {"timing.ras", &Timing::ras, 45},
                                                     {"timing.rc", &Timing::rc, 72},
                                                     {"timing.rrd_s", &Timing::rrd_s, 4},
                                                     {"timing.rrd_l", &Timing::rrd_l, 5},
                                                     {"timing.faw", &Timing::faw, 24},
                                                     {"timing.wtr_s", &Timing::wtr_s, 7},
                                                     {"timing.wtr_l", &Timing::wtr_l, 10},
                                                     {"timing.wr", &Timing::wr, 33},
                                                     {"timing.rtp", &Timing::rtp, 9},
                                                     {"timing.rtw", &Timing::rtw, 20}}) {
    p.values.timing.*v.member = v.value;
    p.exceptions.push_back({v.key, Origin::kPublished, kSet64});
  }
  return p;
}

Preset hbm3e_9p2() {
  Preset p = scaled("hbm3e_9p2", HbmPreset::kHbm3eAt9p2, 9'200'000'000, Origin::kPublished,
                    "makers' briefs of HBM3e: 9.2 Gb/s a pin");
  set_one_stack(p);
  return p;
}

Preset hbm2() {
  Preset p{};
  p.name = "hbm2";
  p.preset = HbmPreset::kHbm2;
  p.organisation = {"", Origin::kPublished, kHbm2Standard};
  p.timing = {"", Origin::kPublished, kDramsim};
  Organisation& o = p.values.organisation;
  o.stacks = 1;
  o.channels = 8;
  o.sids = 1;
  o.rows = 32'768;  // DRAMsim3
  o.pins = 64;
  Timing& t = p.values.timing;
  t.pin_rate = 2'000'000'000;  // DRAMsim3: tCK 1 ns
  t.bits_per_clock = 2;
  t.cl = 14;  // this and all without a comment: DRAMsim3
  t.wl = 4;
  t.rcd_read = t.rcd_write = 14;
  t.rp = 14;
  t.ras = 34;
  t.rc = 48;  // derived: tRAS + tRP
  t.ccd_s = 1;
  t.ccd_l = 2;
  t.ccd_r = 3;  // assumed; without effect in one SID
  t.rrd_s = 4;
  t.rrd_l = 6;
  t.faw = 30;
  t.wtr_s = 6;
  t.wtr_l = 8;
  t.wr = 16;
  t.rtp = 4;
  t.rtw = 14;            // derived: tCL + burst + 2 - tWL
  t.rfc_bank = 149;      // assumed: in proportion to HBM3's 200 of 350 ns
  t.rrefd = 8;           // assumed: HBM3's nanoseconds
  t.ppd = 1;             // assumed
  t.activate_slots = 4;  // JESD235: two CK
  t.other_row_slots = 2;
  p.refresh = {260 * kNanosecond, 149 * kNanosecond, 3900 * kNanosecond, 8 * kNanosecond};
  set_refresh(t, p.refresh);
  p.exceptions = {{"organisation.stacks", Origin::kAssumed, "one is enough to study"},
                  {"organisation.sids", Origin::kPublished, kDramsim},
                  {"organisation.rows", Origin::kPublished, kDramsim},
                  {"timing.pin_rate", Origin::kPublished, "DRAMsim3: tCK 1 ns; 256 GB/s a stack"},
                  {"timing.rc", Origin::kDerived, "tRAS + tRP"},
                  {"timing.ccd_r", Origin::kAssumed, "without effect in one SID"},
                  {"timing.rtw", Origin::kDerived, "tCL + burst + 2 - tWL"},
                  {"timing.rfc_bank", Origin::kAssumed, "in proportion to HBM3's 200 of 350 ns"},
                  {"timing.rrefd", Origin::kAssumed, "HBM3's nanoseconds"},
                  {"timing.ppd", Origin::kAssumed, kGuess},
                  {"timing.activate_slots", Origin::kPublished, "JESD235: an ACT takes two CK"},
                  {"timing.other_row_slots", Origin::kPublished, "JESD235: one CK"}};
  return p;
}

const std::vector<Preset>& presets() {
  static const std::vector<Preset> kPresets = {h100(),     h200(),      b200(), hbm3_5p2(),
                                               hbm3_6p4(), hbm3e_9p2(), hbm2()};
  return kPresets;
}

const Preset& find(HbmPreset preset) {
  for (const Preset& p : presets()) {
    if (p.preset == preset) return p;
  }
  throw std::out_of_range("there is no such HBM preset");
}

HbmPresetRow row(const Preset& p, const std::string& key, const std::string& value,
                 const Exception& common) {
  for (const Exception& e : p.exceptions) {
    if (key == e.key) return {p.name, key, value, e.origin, e.source};
  }
  return {p.name, key, value, common.origin, common.source};
}

}  // namespace

const char* name_of(Origin origin) {
  switch (origin) {
    case Origin::kPublished:
      return "published";
    case Origin::kScaled:
      return "scaled";
    case Origin::kDerived:
      return "derived";
    case Origin::kAssumed:
      return "assumed";
  }
  return "";
}

const std::vector<std::pair<std::string, HbmPreset>>& hbm_preset_names() {
  static const std::vector<std::pair<std::string, HbmPreset>> kNames = [] {
    std::vector<std::pair<std::string, HbmPreset>> names;
    for (const Preset& p : presets()) names.emplace_back(p.name, p.preset);
    return names;
  }();
  return kNames;
}

HbmPresetValues hbm_preset(HbmPreset preset) { return find(preset).values; }

Timing preset_timing(HbmPreset preset, PinRate rate) {
  const Preset& p = find(preset);
  if (rate == p.values.timing.pin_rate) return p.values.timing;
  Timing t = p.values.timing.at_rate(rate);
  set_refresh(t, p.refresh);
  return t;
}

std::vector<HbmPresetRow> hbm_preset_rows() {
  std::vector<HbmPresetRow> rows;
  for (const Preset& p : presets()) {
    for (const OrganisationField& f : organisation_fields()) {
      rows.push_back(row(p, std::string("organisation.") + f.key,
                         std::to_string(p.values.organisation.*f.member), p.organisation));
    }
    rows.push_back(
        row(p, "timing.pin_rate", ScalarType<PinRate>::format(p.values.timing.pin_rate), p.timing));
    for (const TimingField& f : timing_fields()) {
      rows.push_back(row(p, std::string("timing.") + f.key,
                         std::to_string(p.values.timing.*f.member), p.timing));
    }
  }
  return rows;
}

}  // namespace railyard::hbm
