// The constraints between commands, as a table: the one place that says what they are. The
// scheduler's engine (ready_times) and the checker of its commands are both made from it.
//
// From JEDEC's terms to rows: a constraint counted from the end of a write's data has the write's
// latency and burst in its distance; auto-precharge counts as a precharge at the command + tRTP (or
// write latency + burst + tWR), and not before tRAS, which tRC covers.
// Assumed, as public sources do not say: tFAW and tRRD_S hold over the SIDs of a pseudo-channel, a
// per-bank refresh counts as an activate for tRRD and not for tFAW; PREA waits for the refreshes of
// its SID.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/hbm/command.h"
#include "hw/hbm/organisation.h"
#include "hw/hbm/timing.h"

namespace railyard::hbm {

/// Which commands a constraint is between, as both go to one channel.
enum class Scope : std::uint8_t {
  kBank,           // the same bank
  kGroup,          // the same bank group (of one SID), the same bank among them
  kSid,            // the same SID, any bank of it
  kOtherSids,      // another SID of the pseudo-channel
  kPseudoChannel,  // the same pseudo-channel, any SID
  kChannel,        // both pseudo-channels: the command buses
};

/// `after` comes at least `distance` ticks after `before`; both in a scope.
struct Constraint {
  Command before;
  Command after;
  Scope scope;
  Tick distance;
  const char* name;  // "tRCDRD"
};

/// No more than `count` commands of a kind in any `window` ticks: the one after comes at least
/// `window` after the first of them.
struct Window {
  Command command;
  Scope scope;
  unsigned count;
  Tick window;
  const char* name;
};

struct ConstraintTable {
  std::vector<Constraint> constraints;
  std::vector<Window> windows;
};

ConstraintTable constraint_table(const Timing& timing);

}  // namespace railyard::hbm
