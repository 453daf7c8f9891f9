#include "hw/eth_switch/switch_profile.h"

#include "tlm/base/format.h"

namespace railyard {

namespace {

constexpr const char* kAssumed = "assumed";
constexpr const char* kOurs = "the parameter's default";
constexpr const char* kMeasured =
    "assumed; the sum is the average latency of SONiC's measurement, 930 ns";
constexpr const char* kTomahawk3 =
    "Broadcom Tomahawk 3 (BCM56980): The Linley Group, newsletter of 26 December 2017";
constexpr const char* kTomahawk4 =
    "Broadcom Tomahawk 4 (BCM56990): The Linley Group, newsletter of 17 December 2019";
constexpr const char* kTomahawk5 =
    "Broadcom Tomahawk 5 (BCM78900): TechInsights, Tomahawk 5 Switches At 51.2Tbps";
constexpr const char* kBuffer3 =
    "Broadcom Tomahawk 3, NVIDIA Spectrum-3: as commonly published, by no data sheet";
constexpr const char* kBuffer4 = "Broadcom Tomahawk 4: as commonly published, by no data sheet";
constexpr const char* kBuffer5 =
    "Broadcom Tomahawk 5: as commonly published, by no data sheet; 160 MB of others of its class";
constexpr const char* kDeep = "assumed: 64 ports of a chassis like Arista's 7800R3";
constexpr const char* kJericho2 =
    "8 GB of HBM a Broadcom Jericho2 (people.ucsc.edu/~warner/Bufs/7280R3.html), and 12 ports: 64 "
    "ports have 48 GB, of which `buffer` takes 16";

constexpr std::uint64_t kMegabyte = 1'000'000;

/// What all profiles have alike.
SwitchProfileValues common() {
  SwitchProfileValues v;
  v.cell = {192, kAssumed};
  v.clock = {kNanosecond, kAssumed};
  v.mac = {160, kMeasured};
  v.parser = {60, kMeasured};
  v.ingress = {310, kMeasured};
  v.buffer_manager = {150, kMeasured};
  v.scheduler = {60, kMeasured};
  v.egress = {190, kMeasured};
  v.slices = {1, kAssumed};
  v.per_ingress = {false, kAssumed};
  v.credit_round_trip = {0, "one chip: no fabric"};
  v.transit = {0, "one chip: no fabric"};
  return v;
}

SwitchProfileValues deep_buffer() {
  SwitchProfileValues v = common();
  v.ports = {64, kDeep};
  v.rate = {Rate::gbps(400), kDeep};
  v.buffer = {16'000 * kMegabyte, kJericho2};
  v.slices = {8, "assumed: line cards"};
  v.per_ingress = {true, "virtual output queues: Arista 7800R3 Platform Architecture"};
  v.credit_round_trip = {2 * kMicrosecond, kAssumed};
  v.transit = {kMicrosecond, kAssumed};
  return v;
}

template <class T>
std::string text(const T& value) {
  return std::to_string(value);
}
std::string text(bool value) { return value ? "per_ingress" : "fifo"; }
std::string text(const Rate& value) { return format_rate(value); }
std::string text(const Bytes& value) { return format_bytes(value); }
std::string text(const Time& value) { return format_time(value); }

}  // namespace

std::uint64_t SwitchProfileValues::cycles() const {
  return std::uint64_t{mac.value} + parser.value + ingress.value + buffer_manager.value +
         scheduler.value + egress.value;
}

Time SwitchProfileValues::store_and_forward() const {
  return clock.value * static_cast<Time>(cycles()) + credit_round_trip.value + transit.value;
}

const std::vector<std::pair<std::string, SwitchProfile>>& switch_profile_names() {
  static const std::vector<std::pair<std::string, SwitchProfile>> kNames = {
      {"custom", SwitchProfile::kCustom},
      {"12.8t", SwitchProfile::k12T},
      {"25.6t", SwitchProfile::k25T},
      {"51.2t", SwitchProfile::k51T},
      {"25.6t_voq", SwitchProfile::k25TVoq}};
  return kNames;
}

SwitchProfileValues switch_profile(SwitchProfile profile) {
  SwitchProfileValues v = common();
  switch (profile) {
    case SwitchProfile::kCustom:
      v.ports = {32, kAssumed};
      v.rate = {Rate::gbps(400), kOurs};
      v.buffer = {kibibytes(32'768), kOurs};
      break;
    case SwitchProfile::k12T:
      v.ports = {32, kTomahawk3};
      v.rate = {Rate::gbps(400), kTomahawk3};
      v.buffer = {64 * kMegabyte, kBuffer3};
      break;
    case SwitchProfile::k25T:
      v.ports = {64, kTomahawk4};
      v.rate = {Rate::gbps(400), kTomahawk4};
      v.buffer = {113 * kMegabyte, kBuffer4};
      break;
    case SwitchProfile::k51T:
      v.ports = {64, kTomahawk5};
      v.rate = {Rate::gbps(800), kTomahawk5};
      v.buffer = {165 * kMegabyte, kBuffer5};
      break;
    case SwitchProfile::k25TVoq:
      return deep_buffer();
  }
  return v;
}

std::vector<SwitchProfileRow> switch_profile_rows() {
  std::vector<SwitchProfileRow> rows;
  for (const auto& [name, profile] : switch_profile_names()) {
    const SwitchProfileValues v = switch_profile(profile);
    const auto add = [&rows, &name = name](const char* quantity, const auto& sourced,
                                           const char* unit = "") {
      rows.push_back({name, quantity, text(sourced.value) + unit, sourced.source});
    };
    add("ports", v.ports);
    add("rate", v.rate);
    add("buffer", v.buffer);
    add("cell", v.cell, "B");
    add("clock", v.clock);
    add("mac", v.mac, " cycles");
    add("parser", v.parser, " cycles");
    add("ingress", v.ingress, " cycles");
    add("buffer manager", v.buffer_manager, " cycles");
    add("scheduler", v.scheduler, " cycles");
    add("egress", v.egress, " cycles");
    add("slices", v.slices);
    add("arbitration", v.per_ingress);
    add("credit round trip", v.credit_round_trip);
    add("fabric transit", v.transit);
  }
  return rows;
}

}  // namespace railyard
