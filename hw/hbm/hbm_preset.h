// Devices that an architect can start from: organisation and timing, each number with where it
// comes from. Makers publish capacities and bandwidths of their products, not the timing of the
// dies; a number that nobody publishes is assumed, and says so.
//
// HBM4 is left out: no public source gives a set of timings.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hw/hbm/organisation.h"
#include "hw/hbm/timing.h"

namespace railyard::hbm {

enum class HbmPreset : std::uint8_t {
  kH100,
  kH200,
  kB200,
  kHbm3At5p2,   // one stack of an H100, of one SID
  kHbm3At6p4,   // one stack
  kHbm3eAt9p2,  // one stack
  kHbm2,        // one stack
};

/// The words of the parameter, as Parameters::choice takes them.
const std::vector<std::pair<std::string, HbmPreset>>& hbm_preset_names();

struct HbmPresetValues {
  Organisation organisation;
  Timing timing;
};
HbmPresetValues hbm_preset(HbmPreset preset);
/// Its timing at another data rate: Timing::at_rate(), and refresh of the same nanoseconds exactly.
Timing preset_timing(HbmPreset preset, PinRate rate);

enum class Origin : std::uint8_t {
  kPublished,  // by the maker, the standard, or a public simulator
  kScaled,     // from a published set at another data rate, see Timing::at_rate()
  kDerived,    // follows from others
  kAssumed,
};
const char* name_of(Origin origin);

/// One number of a preset as text, for READMEs.
struct HbmPresetRow {
  std::string preset;
  std::string key;  // as in the configuration: "organisation.stacks"
  std::string value;
  Origin origin;
  std::string source;
};
std::vector<HbmPresetRow> hbm_preset_rows();

}  // namespace railyard::hbm
