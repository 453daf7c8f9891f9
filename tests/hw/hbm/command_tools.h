// Commands as tests write them, and timings that hide no constraint behind another.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "hw/hbm/command.h"
#include "hw/hbm/organisation.h"
#include "hw/hbm/timing.h"

namespace railyard::hbm::bench {

/// Two channels of two pseudo-channels, each of two SIDs of four groups of four banks.
inline Organisation small_organisation() {
  Organisation organisation;
  organisation.stacks = 1;
  organisation.channels = 2;
  return organisation;
}

struct NamedTiming {
  std::string name;
  Timing timing;
};
inline void PrintTo(const NamedTiming& timing, std::ostream* out) { *out << timing.name; }

/// Every parameter differs from every other, and none follows from others.
inline Timing distinct_timing() {
  Timing t;
  t.burst = 3;
  t.cl = 20;
  t.wl = 11;
  t.rcd_read = 31;
  t.rcd_write = 17;
  t.rp = 23;
  t.ras = 41;
  t.rc = 71;
  t.ccd_s = 4;
  t.ccd_l = 7;
  t.ccd_r = 6;
  t.rrd_s = 5;
  t.rrd_l = 8;
  t.faw = 43;
  t.wtr_s = 10;
  t.wtr_l = 14;
  t.wr = 37;
  t.rtp = 13;
  t.rtw = 29;
  t.rfc_all = 501;
  t.rfc_bank = 277;
  t.rrefd = 15;
  t.ppd = 9;
  t.activate_slots = 5;
  t.other_row_slots = 3;
  return t;
}

/// The default one, one of distinct values, and one whose burst is longer than tCCD.
inline std::vector<NamedTiming> timings() {
  Timing long_burst = distinct_timing();
  long_burst.burst = 12;
  return {{"Default", Timing{}}, {"Distinct", distinct_timing()}, {"LongBurst", long_burst}};
}

constexpr Command kAllCommands[] = {
    Command::kActivate,  Command::kPrecharge,  Command::kPrechargeAll,
    Command::kRead,      Command::kReadAuto,   Command::kWrite,
    Command::kWriteAuto, Command::kRefreshAll, Command::kRefreshBank};

constexpr bool is_of_sid(Command c) {
  return c == Command::kPrechargeAll || c == Command::kRefreshAll;
}
/// Commands that come at whole clocks alone.
constexpr bool is_aligned(Command c) { return c == Command::kActivate || is_column(c); }
inline Tick aligned(Command c, Tick tick) { return is_aligned(c) ? tick + (tick & 1) : tick; }

/// Where a command goes.
struct Spot {
  std::uint16_t channel = 0;
  std::uint16_t pseudo_channel = 0;
  std::uint8_t bank = 0;
};

constexpr std::uint32_t kRow = 7;

/// A command to a bank or, of those that are for a SID, to the bank's SID.
inline CommandRecord at(Tick tick, Command command, Spot spot, std::uint32_t row = kRow) {
  CommandRecord record;
  record.tick = tick;
  record.command = command;
  record.channel = spot.channel;
  record.pseudo_channel = spot.pseudo_channel;
  record.bank = spot.bank;
  if (is_of_sid(command)) {
    const Organisation organisation = small_organisation();
    record.bank =
        static_cast<std::uint8_t>(organisation.first_bank_of_sid(organisation.sid_of(spot.bank)));
  }
  if (is_aligned(command)) record.row = row;
  if (is_column(command)) record.column = 3;
  return record;
}

}  // namespace railyard::hbm::bench
