// Arithmetic of rtl/dcqcn/dcqcn_rp.sv, bit by bit: what stages 1 to 11 make of an event. Names and
// roundings are those of the RTL, and told there.
#pragma once

#include <array>
#include <cstdint>

#include "rtl/model/cycles.h"

namespace railyard::rtl {

/// Addresses of a class's registers. The decay table follows from kDcqcnDecayTable on: (1-g)^i at
/// i, (1-g)^(128 i) at 128 + i, for i of 0 .. 127.
enum class DcqcnRegister : std::uint16_t {
  kAlphaPeriod,  // cycles
  kAlphaRecip,   // floor(2^32 / period)
  kRatePeriod,   // cycles
  kRateRecip,
  kMonitorPeriod,  // cycles
  kMonitorRecip,
  kByteReset,     // bytes
  kRules,         // DcqcnRules
  kAiRate,        // Mb/s
  kHaiRate,       // Mb/s
  kMaxRate,       // UQ20.12 Mb/s
  kMinRate,       // UQ20.12 Mb/s
  kFirstRate,     // UQ20.12 Mb/s; zero: the first CNP cuts as any
  kMostCut,       // UQ1.25: 1 - min_dec_fac
  kGain,          // UQ1.24: g
  kGainRatio,     // UQ1.24: g / (1 - g)
  kInitialAlpha,  // UQ1.24
  kCount
};
constexpr std::uint16_t kDcqcnDecayTable = 256;
constexpr std::size_t kDcqcnRegisters = static_cast<std::size_t>(DcqcnRegister::kCount);

/// Bits of DcqcnRegister::kRules.
namespace dcqcn_rules {
constexpr std::uint32_t kHardware = 1U << 0;
constexpr std::uint32_t kAlphaFirst = 1U << 1;
constexpr std::uint32_t kClamp = 1U << 2;
constexpr std::uint32_t kClampAti = 1U << 3;
constexpr std::uint32_t kFewerHalvings = 1U << 4;
constexpr unsigned kThresholdShift = 5;  // five bits
constexpr unsigned kGdShift = 10;        // four bits
}  // namespace dcqcn_rules

struct DcqcnClass {
  std::array<std::uint32_t, kDcqcnRegisters> registers{};
  std::array<std::uint32_t, 256> decay{};

  std::uint32_t at(DcqcnRegister r) const { return registers[static_cast<std::size_t>(r)]; }
  bool rule(std::uint32_t bit) const { return (at(DcqcnRegister::kRules) & bit) != 0; }
};

/// A QP's state as it lies in the memories.
struct DcqcnContext {
  std::uint8_t traffic_class = 0;
  std::uint8_t flags = 0;  // {seen, alpha flag, cut flag, raised by bytes, raised by time}
  std::uint16_t time_stage = 0;
  std::uint16_t byte_stage = 0;
  std::uint32_t bytes = 0;
  std::uint64_t alpha_at = 0;
  std::uint64_t rate_at = 0;
  std::uint64_t monitor_at = 0;
  std::uint32_t alpha = 0;   // UQ1.24
  std::uint64_t target = 0;  // UQ22.12 Mb/s
  std::uint32_t rate = 0;    // UQ20.12 Mb/s

  bool operator==(const DcqcnContext& o) const {
    return traffic_class == o.traffic_class && flags == o.flags && time_stage == o.time_stage &&
           byte_stage == o.byte_stage && bytes == o.bytes && alpha_at == o.alpha_at &&
           rate_at == o.rate_at && monitor_at == o.monitor_at && alpha == o.alpha &&
           target == o.target && rate == o.rate;
  }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("class", self.traffic_class, 3);
    visit("flags", self.flags, 5);
    visit("time_stage", self.time_stage, 10);
    visit("byte_stage", self.byte_stage, 10);
    visit("bytes_mem", self.bytes, 32);
    visit("alpha_at_mem", self.alpha_at, kTimeBits);
    visit("rate_at_mem", self.rate_at, kTimeBits);
    visit("monitor_at_mem", self.monitor_at, kTimeBits);
    visit("alpha_mem", self.alpha, 25);
    visit("target_mem", self.target, 34);
    visit("rate_mem", self.rate, 32);
  }
};

struct DcqcnEvent {
  std::uint64_t now = 0;
  std::uint32_t qp = 0;
  std::uint32_t bytes = 0;
  std::uint8_t open_class = 0;
  bool open = false;
  bool cnp = false;  // otherwise, if not open, bytes were sent
};

/// Increases by one side of a cut.
struct DcqcnPhases {
  std::uint32_t recover = 0;
  std::uint32_t add = 0;
  std::uint32_t grow = 0;
  std::uint32_t from = 0;
  std::uint32_t hyper = 0;
  std::uint32_t steady = 0;
  bool byte_event = false;
  bool byte_add = false;
  std::uint32_t byte_hyper = 0;
};

/// What stage 1 leaves to the later ones.
struct DcqcnWork {
  std::uint32_t decay_cut = 0;
  std::uint32_t decay = 0;
  bool flagged = false;
  bool update = false;
  bool cut = false;
  bool first = false;
  bool clamp = false;
  DcqcnPhases early;
  DcqcnPhases late;
};

/// Stage 1: the class, flags, stages, bytes and times of `c`.
DcqcnWork dcqcn_timers(const DcqcnEvent& event, const DcqcnClass& k, DcqcnContext& c);
/// Stages 2 to 6: alpha of `c`; the share of R_C that a cut takes, UQ1.25.
std::uint32_t dcqcn_alpha(const DcqcnEvent& event, const DcqcnWork& work, const DcqcnClass& k,
                          DcqcnContext& c);
/// Stage 7: the rates of `c`.
void dcqcn_rate(const DcqcnEvent& event, const DcqcnWork& work, std::uint32_t factor,
                const DcqcnClass& k, DcqcnContext& c);
/// Stages 8 to 11: cycles a byte, UQ16.24. `factor` is of 1 Mb/s, UQ16.8.
std::uint64_t dcqcn_interval(std::uint32_t rate, std::uint32_t factor);

}  // namespace railyard::rtl
