// The timing of an HBM device, in clocks (CK) unless noted. Sources: timing_presets.cpp.
#pragma once

#include <cstdint>

#include "hw/hbm/command.h"
#include "tlm/base/time.h"
#include "tlm/config/parameters.h"

namespace railyard::hbm {

struct Timing {
  // Data rate of a pin in bits a second, and bits a pin a clock: CK = pin_rate / bits_per_clock.
  std::uint64_t pin_rate = 5'237'500'000;
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

  void declare(Parameters& p);

  /// A tick is tick_num()/tick_den() picoseconds.
  std::uint64_t tick_num() const { return 1'000'000'000'000ULL * bits_per_clock; }
  std::uint64_t tick_den() const { return pin_rate * kTicksPerClock; }
};

}  // namespace railyard::hbm
