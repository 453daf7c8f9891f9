#include "hw/hbm/hbm_config.h"

#include <string>

#include "hw/hbm/inline_ecc.h"

namespace railyard::hbm {
namespace {

constexpr const char* kOrganisation = "organisation.";
constexpr const char* kTiming = "timing.";

/// The last eighth of the rows holds codes, so it must be the last eighth of the addresses.
void check_inline_ecc(const HbmConfig& config, const Bound& bound) {
  const Organisation& o = config.organisation;
  if (o.rows % 8 != 0) {
    bound.fail("organisation.rows", std::to_string(o.rows) + " rows have no eighth for ecc: inline",
               "write a multiple of 8");
  }
  // Seven eighths of 2^n rows end at a multiple of 2^(n-3), of three quarters of 2^n at 2^(n-5).
  const unsigned needed = (o.rows & (o.rows - 1)) == 0 ? 3 : 5;
  if (row_bits_on_top(o, config.map) >= needed) return;
  bound.fail("map.row",
             "data would be mapped to the last rows, which hold codes with ecc.mode: inline",
             "begin row with the " + std::to_string(needed) +
                 " highest bits of the address, or write another ecc.mode");
}

}  // namespace

HbmConfig HbmConfig::of(HbmPreset preset) {
  HbmConfig config;
  config.preset = preset;
  const HbmPresetValues values = hbm_preset(preset);
  config.organisation = values.organisation;
  config.timing = values.timing;
  return config;
}

void HbmConfig::declare(Parameters& p) {
  p.choice("preset", preset, hbm_preset_names())
      .doc(
          "Device whose numbers the keys of organisation and timing that are not written have; "
          "what "
          "stands here as their defaults is the h100's. h100: 5 stacks at 5.2375 Gb/s, 80 GiB. "
          "h200: 6 at 6.25 Gb/s, 144 GiB (sold as 141 GB). b200: 8 at 7.8125 Gb/s, 192 GiB; both "
          "assume dies of 24 Gb, two SIDs, and the h100's nanoseconds. hbm3_5p2, hbm3_6p4, "
          "hbm3e_9p2 and hbm2 are one stack of one SID; hbm3_6p4 has published timings, hbm3e_9p2 "
          "the h100's nanoseconds, hbm2 the public set at 2 Gb/s");
  p.group("organisation", organisation).doc("How the device is divided");
  p.group("timing", timing).doc("What its commands take, in clocks (CK) unless noted");
  p.group("map", map).doc("From addresses to places; without a key the default map");
  controller.declare(p);
  p.check([this](const Bound& bound) {
    apply_preset(bound);
    check(bound);
  });
}

std::uint64_t HbmConfig::capacity() const {
  const std::uint64_t all = organisation.capacity();
  if (controller.ecc.mode != EccMode::kInline) return all;
  return all / InlineEcc::kCovered * (InlineEcc::kCovered - 1);
}

void HbmConfig::apply_preset(const Bound& bound) {
  const Organisation whole = hbm_preset(preset).organisation;
  for (const OrganisationField& field : organisation_fields()) {
    if (bound.has(std::string(kOrganisation) + field.key)) continue;
    organisation.*field.member = whole.*field.member;
  }
  const bool own_rate = bound.has("timing.pin_rate");
  const Timing set = own_rate ? preset_timing(preset, timing.pin_rate) : hbm_preset(preset).timing;
  timing.pin_rate = set.pin_rate;
  for (const TimingField& field : timing_fields()) {
    if (bound.has(std::string(kTiming) + field.key)) continue;
    timing.*field.member = set.*field.member;
  }
}

void HbmConfig::check(const Bound& bound) const {
  const Organisation& o = organisation;
  o.check(kOrganisation, bound);
  timing.check(kTiming, bound);
  AddressMap::check(
      o, map,
      [&bound](const std::string& field, const std::string& problem, const std::string& remedy) {
        bound.fail("map." + field, problem, remedy);
      });
  if (o.access_bytes * 8 != o.pins * timing.burst * timing.bits_per_clock) {
    bound.fail(bound.has("timing.burst") ? "timing.burst" : "organisation.access_bytes",
               std::to_string(timing.burst) + " CK of " + std::to_string(timing.bits_per_clock) +
                   " bits on " + std::to_string(o.pins) + " pins do not carry an access of " +
                   std::to_string(o.access_bytes) + " B",
               "write access_bytes of pins * burst * bits_per_clock / 8");
  }
  if (controller.ecc.mode == EccMode::kInline) check_inline_ecc(*this, bound);
  if (controller.refresh.mode == RefreshMode::kPerBank && refi_bank(timing, o) < timing.rrefd) {
    bound.fail("timing.refi",
               "per-bank refreshes are due each " + std::to_string(refi_bank(timing, o)) +
                   " CK and may come each rrefd = " + std::to_string(timing.rrefd) + " CK",
               "write refi of at least rrefd * banks of a pseudo-channel");
  }
}

}  // namespace railyard::hbm
