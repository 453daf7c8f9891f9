// The timing of an HBM device, in clocks (CK) unless noted. Sources: hbm_preset.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/hbm/command.h"
#include "hw/hbm/organisation.h"
#include "hw/hbm/pin_rate.h"
#include "tlm/base/time.h"
#include "tlm/config/parameters.h"

namespace railyard::hbm {

struct Timing {
  // Data rate of a pin in bits a second, and bits a pin a clock: CK = pin_rate / bits_per_clock.
  PinRate pin_rate = 5'237'500'000;
  unsigned bits_per_clock = 4;

  unsigned burst = 2;  // nBL: an access on the data bus
  unsigned cl = 17;    // read latency
  unsigned wl = 9;     // write latency
  unsigned rcd_read = 26;
  unsigned rcd_write = 13;
  unsigned rp = 22;
  unsigned ras = 37;
  unsigned rc = 59;
  unsigned ccd_s = 2;  // another bank group
  unsigned ccd_l = 4;  // the same
  unsigned ccd_r = 3;  // another SID of the pseudo-channel
  unsigned rrd_s = 4;
  unsigned rrd_l = 5;
  unsigned faw = 20;   // of one pseudo-channel, its SIDs together
  unsigned wtr_s = 6;  // from the end of a write's data
  unsigned wtr_l = 9;
  unsigned wr = 28;
  unsigned rtp = 8;
  unsigned rtw = 17;  // command to command
  unsigned rfc_all = 459;
  unsigned rfc_bank = 262;
  unsigned refi = 5106;
  unsigned rrefd = 11;
  unsigned ppd = 2;
  // Of the row command bus, in half clocks.
  unsigned activate_slots = 3;
  unsigned other_row_slots = 1;

  /// The keys. What holds between them is check()'s, which whoever fills in a preset calls then.
  void declare(Parameters& p);
  /// Fails at "<prefix><key>" if keys contradict each other.
  void check(const std::string& prefix, const Bound& bound) const;

  /// The same device at another data rate: nanoseconds stay, so clocks n become the least number
  /// that lasts as long; tREFI, the greatest that does not last longer. What is a number of clocks
  /// by itself stays: bursts, slots, and tCCD_S, tRRD_S, tPPD where they are at their floor (2, 4,
  /// 2 CK). tCCD_L is the greater of 4 CK and 2.5 ns, but for devices of two bits a clock.
  Timing at_rate(PinRate rate) const;

  /// A tick is tick_num()/tick_den() picoseconds.
  std::uint64_t tick_num() const { return 1'000'000'000'000ULL * bits_per_clock; }
  std::uint64_t tick_den() const { return pin_rate * kTicksPerClock; }
  /// The least number of clocks that lasts `time`; the greatest that does not last longer.
  unsigned clocks_at_least(Time time) const;
  unsigned clocks_at_most(Time time) const;
};

/// tREFIpb in CK: from a REFpb to the next of a pseudo-channel, such that all its banks, of all
/// SIDs, have had one in tREFI.
unsigned refi_bank(const Timing& timing, const Organisation& organisation);

/// How at_rate() treats a key.
enum class Scaling : std::uint8_t {
  kTime,    // at least as long
  kPeriod,  // at most as long
  kClocks,  // the same number
};

/// A key of Timing but pin_rate.
struct TimingField {
  const char* key;
  unsigned Timing::*member;
  Scaling scaling;
  unsigned floor;  // kTime: a value at or below it stays, one above does not fall below it
  unsigned min;
  unsigned max;
  const char* doc;
};
const std::vector<TimingField>& timing_fields();

}  // namespace railyard::hbm
