// Classes of NICs: numbers that an architect can start from, each with where it comes from. Vendors
// publish few of them. What is assumed says so; what was chosen so that the model gives somebody's
// measurement is fitted, and says to which.
//
// No published rate or latency is a parameter: a message rate follows from the initiation interval
// of the slowest stage, WQE reads and doorbells; a latency from the sum of the stages, PCIe,
// memory, wires.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tlm/base/rate.h"
#include "tlm/base/time.h"

namespace railyard::nic {

struct NicConfig;

enum class Origin : std::uint8_t { kPublished, kAssumed, kFitted };
const char* name_of(Origin origin);

/// One number of a profile. Those of a host slot (`link.rate`, `pcie*`, `host.*`) are no keys of
/// the NIC: a platform has them.
struct ProfileNumber {
  const char* key;      // as below the group `nic`, of a host slot as in a platform
  std::uint64_t value;  // in `unit`
  const char* unit;     // "ps", "cycles", "B", "Gb/s", ...
  Origin origin;
  const char* source;
};

/// What a NIC of a profile is plugged into.
struct HostSlot {
  Rate rate;  // of the port's link
  unsigned generation = 5;
  unsigned lanes = 16;
  Time link_latency = 80 * kNanosecond;  // of PCIe
  Time request_latency = 130 * kNanosecond;
  Time outbound_latency = 90 * kNanosecond;
  Time reply_latency = 50 * kNanosecond;
  Time memory_latency = 90 * kNanosecond;
  Time invalidate = 60 * kNanosecond;  // of a polled line
};

/// `custom`, which has no numbers: the parameters' own defaults; then the others.
const std::vector<std::string>& nic_profile_names();

/// In the order of the NIC's parameters. std::out_of_range: there is no such profile.
const std::vector<ProfileNumber>& nic_profile(const std::string& name);

/// Of `custom`: 400 Gb/s, generation 5, 16 lanes.
HostSlot host_slot(const std::string& profile);

/// Gives the profile's numbers to all keys but those that `written` holds for.
void apply_profile(NicConfig& config, const std::string& profile,
                   const std::function<bool(const std::string& key)>& written);

/// A number of a profile as it stands in a configuration.
struct UsedNumber {
  ProfileNumber profile;
  std::uint64_t value;  // what the configuration has
};
/// All but those of the host slot.
std::vector<UsedNumber> used_numbers(const NicConfig& config);

}  // namespace railyard::nic
