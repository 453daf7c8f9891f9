#include "hw/hbm/constraint_table.h"

#include <initializer_list>
#include <utility>

namespace railyard::hbm {
namespace {

using Commands = std::initializer_list<Command>;

constexpr Commands kReads = {Command::kRead, Command::kReadAuto};
constexpr Commands kWrites = {Command::kWrite, Command::kWriteAuto};
constexpr Commands kColumns = {Command::kRead, Command::kReadAuto, Command::kWrite,
                               Command::kWriteAuto};
constexpr Commands kPrecharges = {Command::kPrecharge, Command::kPrechargeAll};
constexpr Commands kRefreshes = {Command::kRefreshAll, Command::kRefreshBank};
constexpr Commands kActivates = {Command::kActivate};
constexpr Commands kOtherRow = {Command::kPrecharge, Command::kPrechargeAll, Command::kRefreshAll,
                                Command::kRefreshBank};
constexpr Commands kRow = {Command::kActivate, Command::kPrecharge, Command::kPrechargeAll,
                           Command::kRefreshAll, Command::kRefreshBank};

class Table {
 public:
  void add(const char* name, Commands before, Commands after, Scope scope, unsigned clocks) {
    add_ticks(name, before, after, scope, clocks * kTicksPerClock);
  }
  void add_ticks(const char* name, Commands before, Commands after, Scope scope, Tick distance) {
    for (const Command b : before) {
      for (const Command a : after) table.constraints.push_back({b, a, scope, distance, name});
    }
  }
  ConstraintTable table;
};

void add_bank_cycle(Table& t, const Timing& n) {
  t.add("tRCDRD", kActivates, kReads, Scope::kBank, n.rcd_read);
  t.add("tRCDWR", kActivates, kWrites, Scope::kBank, n.rcd_write);
  t.add("tRAS", kActivates, {Command::kPrecharge}, Scope::kBank, n.ras);
  t.add("tRAS", kActivates, {Command::kPrechargeAll}, Scope::kSid, n.ras);
  t.add("tRC", kActivates, {Command::kActivate, Command::kRefreshBank}, Scope::kBank, n.rc);
  t.add("tRC", kActivates, {Command::kRefreshAll}, Scope::kSid, n.rc);
  t.add("tRTP", {Command::kRead}, {Command::kPrecharge}, Scope::kBank, n.rtp);
  t.add("tRTP", kReads, {Command::kPrechargeAll}, Scope::kSid, n.rtp);
  const unsigned written = n.wl + n.burst + n.wr;
  t.add("tWR", {Command::kWrite}, {Command::kPrecharge}, Scope::kBank, written);
  t.add("tWR", kWrites, {Command::kPrechargeAll}, Scope::kSid, written);
  t.add("tRTP+tRP", {Command::kReadAuto}, {Command::kActivate, Command::kRefreshBank}, Scope::kBank,
        n.rtp + n.rp);
  t.add("tRTP+tRP", {Command::kReadAuto}, {Command::kRefreshAll}, Scope::kSid, n.rtp + n.rp);
  t.add("tWR+tRP", {Command::kWriteAuto}, {Command::kActivate, Command::kRefreshBank}, Scope::kBank,
        written + n.rp);
  t.add("tWR+tRP", {Command::kWriteAuto}, {Command::kRefreshAll}, Scope::kSid, written + n.rp);
  t.add("tRP", {Command::kPrecharge}, {Command::kActivate, Command::kRefreshBank}, Scope::kBank,
        n.rp);
  t.add("tRP", {Command::kPrecharge}, {Command::kRefreshAll}, Scope::kSid, n.rp);
  t.add("tRP", {Command::kPrechargeAll},
        {Command::kActivate, Command::kRefreshBank, Command::kRefreshAll}, Scope::kSid, n.rp);
}

void add_activates(Table& t, const Timing& n) {
  t.add("tRRD_S", kActivates, kActivates, Scope::kPseudoChannel, n.rrd_s);
  t.add("tRRD_L", kActivates, kActivates, Scope::kGroup, n.rrd_l);
  t.add("tRRD_S", kActivates, {Command::kRefreshBank}, Scope::kSid, n.rrd_s);
  t.add("tRRD_L", kActivates, {Command::kRefreshBank}, Scope::kGroup, n.rrd_l);
  t.add("tPPD", kPrecharges, kPrecharges, Scope::kPseudoChannel, n.ppd);
  t.table.windows.push_back(
      {Command::kActivate, Scope::kPseudoChannel, 4, Tick{n.faw} * kTicksPerClock, "tFAW"});
}

void add_columns(Table& t, const Timing& n) {
  for (const Commands same : {kReads, kWrites}) {
    t.add("nBL", same, same, Scope::kPseudoChannel, n.burst);
    t.add("tCCD_S", same, same, Scope::kSid, n.ccd_s);
    t.add("tCCD_L", same, same, Scope::kGroup, n.ccd_l);
    t.add("tCCD_R", same, same, Scope::kOtherSids, n.ccd_r);
  }
  t.add("tRTW", kReads, kWrites, Scope::kPseudoChannel, n.rtw);
  t.add("tWTR_S", kWrites, kReads, Scope::kPseudoChannel, n.wl + n.burst + n.wtr_s);
  t.add("tWTR_L", kWrites, kReads, Scope::kGroup, n.wl + n.burst + n.wtr_l);
}

void add_refreshes(Table& t, const Timing& n) {
  t.add("tRFCab", {Command::kRefreshAll},
        {Command::kActivate, Command::kPrechargeAll, Command::kRefreshAll, Command::kRefreshBank},
        Scope::kSid, n.rfc_all);
  t.add("tRFCpb", {Command::kRefreshBank}, {Command::kActivate, Command::kRefreshBank},
        Scope::kBank, n.rfc_bank);
  t.add("tRFCpb", {Command::kRefreshBank}, {Command::kPrechargeAll, Command::kRefreshAll},
        Scope::kSid, n.rfc_bank);
  t.add("tRREFD", {Command::kRefreshBank}, {Command::kActivate, Command::kRefreshBank}, Scope::kSid,
        n.rrefd);
  t.add("tRREFD", kRefreshes, kRefreshes, Scope::kOtherSids, n.rrefd);
}

void add_buses(Table& t, const Timing& n) {
  t.add("column bus", kColumns, kColumns, Scope::kChannel, 1);
  t.add_ticks("row bus", kActivates, kRow, Scope::kChannel, n.activate_slots);
  t.add_ticks("row bus", kOtherRow, kRow, Scope::kChannel, n.other_row_slots);
}

}  // namespace

ConstraintTable constraint_table(const Timing& timing) {
  Table t;
  add_bank_cycle(t, timing);
  add_activates(t, timing);
  add_columns(t, timing);
  add_refreshes(t, timing);
  add_buses(t, timing);
  return std::move(t.table);
}

}  // namespace railyard::hbm
