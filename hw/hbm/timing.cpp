#include "hw/hbm/timing.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <string>

#include "tlm/base/error.h"

namespace railyard {

hbm::PinRate ScalarType<hbm::PinRate>::parse(const std::string& text) {
  const Rate rate = parse_rate(text);
  if (rate.denominator() != 1) {
    throw ConfigError("", quoted(text) + " is no whole number of bits a second",
                      "write fewer digits, such as 6.4Gbps");
  }
  return rate.numerator();
}

std::string ScalarType<hbm::PinRate>::format(hbm::PinRate value) {
  return format_rate(Rate::bits_per_second(value));
}

}  // namespace railyard

namespace railyard::hbm {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr PinRate kSlowest = 100'000'000;
constexpr PinRate kFastest = 32'000'000'000;
constexpr unsigned kMost = 1000;  // CK
constexpr Time kLongColumn = 2'500 * kPicosecond;
constexpr unsigned kLeastLongColumn = 4;  // CK
constexpr unsigned kQuadRate = 4;         // bits a clock of HBM3 and HBM3e

unsigned narrow(Wide n) {
  return static_cast<unsigned>(std::min<Wide>(n, std::numeric_limits<unsigned>::max()));
}

unsigned scaled(const TimingField& field, unsigned n, PinRate from, PinRate to) {
  const Wide product = Wide{n} * to.value;
  switch (field.scaling) {
    case Scaling::kClocks:
      return n;
    case Scaling::kPeriod:
      return std::max(1U, narrow(product / from.value));
    case Scaling::kTime:
      if (n <= field.floor) return n;
      return std::max(field.floor, narrow((product + from.value - 1) / from.value));
  }
  return n;
}

/// Of keys that contradict each other, the one to point at: the first that was written.
std::string culprit(const std::string& prefix, const Bound& bound,
                    std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (bound.has(prefix + key)) return prefix + key;
  }
  return prefix + *keys.begin();
}

std::string number(unsigned n) { return std::to_string(n); }

}  // namespace

const std::vector<TimingField>& timing_fields() {
  using T = Timing;
  constexpr Scaling kTime = Scaling::kTime;
  constexpr Scaling kClocks = Scaling::kClocks;
  static const std::vector<TimingField> kFields = {
      {"bits_per_clock", &T::bits_per_clock, kClocks, 0, 1, 16,
       "Bits of a pin in a clock: 2 of HBM2, 4 of HBM3"},
      {"burst", &T::burst, kClocks, 0, 1, 64, "CK that an access is on the data bus (nBL)"},
      {"cl", &T::cl, kTime, 0, 1, kMost, "CK from a read to its data (tCL)"},
      {"wl", &T::wl, kTime, 0, 1, kMost, "CK from a write to its data (tWL)"},
      {"rcd_read", &T::rcd_read, kTime, 0, 1, kMost, "CK from an ACT to a read (tRCDRD)"},
      {"rcd_write", &T::rcd_write, kTime, 0, 1, kMost, "CK from an ACT to a write (tRCDWR)"},
      {"rp", &T::rp, kTime, 0, 1, kMost, "CK from a precharge to an ACT or refresh (tRP)"},
      {"ras", &T::ras, kTime, 0, 1, kMost, "CK from an ACT to a precharge (tRAS)"},
      {"rc", &T::rc, kTime, 0, 1, kMost,
       "CK from an ACT to the next of its bank (tRC); at least ras + rp"},
      {"ccd_s", &T::ccd_s, kTime, 2, 1, kMost,
       "CK between reads, or writes, to different bank groups (tCCD_S)"},
      {"ccd_l", &T::ccd_l, kTime, 0, 1, kMost, "CK between those to one bank group (tCCD_L)"},
      {"ccd_r", &T::ccd_r, kTime, 0, 1, kMost,
       "CK between those to different SIDs of a pseudo-channel (tCCD_R)"},
      {"rrd_s", &T::rrd_s, kTime, 4, 1, kMost,
       "CK between ACTs to different bank groups or SIDs (tRRD_S)"},
      {"rrd_l", &T::rrd_l, kTime, 0, 1, kMost, "CK between ACTs to one bank group (tRRD_L)"},
      {"faw", &T::faw, kTime, 0, 1, kMost,
       "CK in which a pseudo-channel takes at most four ACTs, all SIDs together (tFAW)"},
      {"wtr_s", &T::wtr_s, kTime, 0, 1, kMost,
       "CK from the end of a write's data to a read of another bank group (tWTR_S)"},
      {"wtr_l", &T::wtr_l, kTime, 0, 1, kMost, "The same, of one bank group (tWTR_L)"},
      {"wr", &T::wr, kTime, 0, 1, kMost,
       "CK from the end of a write's data to its bank's precharge (tWR)"},
      {"rtp", &T::rtp, kTime, 0, 1, kMost, "CK from a read to its bank's precharge (tRTP)"},
      {"rtw", &T::rtw, kTime, 0, 1, kMost,
       "CK from a read to a write (tRTW); at least cl + burst - wl"},
      {"rfc_all", &T::rfc_all, kTime, 0, 1, 10 * kMost, "CK of an all-bank refresh (tRFCab)"},
      {"rfc_bank", &T::rfc_bank, kTime, 0, 1, 10 * kMost, "CK of a per-bank refresh (tRFCpb)"},
      {"refi", &T::refi, Scaling::kPeriod, 0, 1, 100 * kMost,
       "CK from an all-bank refresh of a SID to the next (tREFI); per-bank refreshes come each "
       "refi / banks of the pseudo-channel, all SIDs counted, rounded down"},
      {"rrefd", &T::rrefd, kTime, 0, 1, kMost,
       "CK from a per-bank refresh to an ACT or the next refresh elsewhere, and between refreshes "
       "of different SIDs (tRREFD)"},
      {"ppd", &T::ppd, kTime, 2, 1, kMost, "CK between precharges of a pseudo-channel (tPPD)"},
      {"activate_slots", &T::activate_slots, kClocks, 0, 1, 16,
       "Half clocks that an ACT is on the row command bus"},
      {"other_row_slots", &T::other_row_slots, kClocks, 0, 1, 16,
       "Half clocks that a precharge or refresh is on it"}};
  return kFields;
}

void Timing::declare(Parameters& p) {
  p.add("pin_rate", pin_rate)
      .accept(
          "is out of range",
          ScalarType<PinRate>::format(kSlowest) + " to " + ScalarType<PinRate>::format(kFastest),
          [](PinRate rate) { return rate >= kSlowest && rate <= kFastest; })
      .doc(
          "Data rate of a pin; CK is bits_per_clock / pin_rate. At another rate than the preset's "
          "the keys here that are not written keep their nanoseconds");
  for (const TimingField& field : timing_fields()) {
    p.add(field.key, this->*field.member).range(field.min, field.max).doc(field.doc);
  }
}

void Timing::check(const std::string& prefix, const Bound& bound) const {
  const auto at = [&](std::initializer_list<const char*> keys) {
    return culprit(prefix, bound, keys);
  };
  const auto ordered = [&](const char* small, unsigned less, const char* large, unsigned more) {
    if (less <= more) return;
    bound.fail(at({large, small}),
               std::string(large) + " of " + number(more) + " CK is below " + small + " of " +
                   number(less) + " CK",
               std::string("write ") + large + " of at least " + small);
  };
  ordered("ccd_s", ccd_s, "ccd_l", ccd_l);
  ordered("rrd_s", rrd_s, "rrd_l", rrd_l);
  ordered("wtr_s", wtr_s, "wtr_l", wtr_l);
  ordered("rrd_s", rrd_s, "faw", faw);
  ordered("rfc_bank", rfc_bank, "rfc_all", rfc_all);
  if (cl + burst < wl) {
    bound.fail(at({"wl", "cl", "burst"}),
               "the write latency of " + number(wl) + " CK is beyond the end of a read's data, " +
                   number(cl + burst) + " CK after the read",
               "write wl of at most cl + burst");
  }
  if (rtw < cl + burst - wl) {
    bound.fail(at({"rtw", "cl", "burst", "wl"}),
               "a write " + number(rtw) + " CK after a read would meet its data on the bus",
               "write rtw of at least cl + burst - wl = " + number(cl + burst - wl));
  }
  if (ras + rp > rc) {
    bound.fail(at({"rc", "ras", "rp"}),
               "ras + rp = " + number(ras + rp) + " CK is more than rc of " + number(rc) + " CK",
               "write rc of at least ras + rp");
  }
  const unsigned taken = rp + rfc_all + rcd_read;
  if (refi <= taken) {
    bound.fail(at({"refi", "rfc_all"}),
               "precharge, refresh and ACT take " + number(taken) + " CK of every " + number(refi) +
                   ": nothing is left for accesses",
               "write refi above rp + rfc_all + rcd_read");
  }
}

Timing Timing::at_rate(PinRate rate) const {
  Timing t = *this;
  t.pin_rate = rate;
  for (const TimingField& field : timing_fields()) {
    t.*field.member = scaled(field, this->*field.member, pin_rate, rate);
  }
  if (bits_per_clock == kQuadRate) {
    t.ccd_l = std::max(kLeastLongColumn, t.clocks_at_least(kLongColumn));
  }
  t.rc = std::max(t.rc, t.ras + t.rp);  // two roundings up can come to more than one
  return t;
}

// CK is bits_per_clock * 10^12 / pin_rate picoseconds.
unsigned Timing::clocks_at_least(Time time) const {
  const Wide den = Wide{bits_per_clock} * kSecond;
  return narrow((static_cast<Wide>(time) * pin_rate.value + den - 1) / den);
}

unsigned Timing::clocks_at_most(Time time) const {
  const Wide den = Wide{bits_per_clock} * kSecond;
  return narrow(static_cast<Wide>(time) * pin_rate.value / den);
}

unsigned refi_bank(const Timing& timing, const Organisation& organisation) {
  return timing.refi / organisation.banks_per_pseudo_channel();
}

}  // namespace railyard::hbm
