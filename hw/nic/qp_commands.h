// Commands on queue pairs: making them, moving them through their states, asking after them. Also
// how the NIC itself moves one to the error state.
//
//   RESET -> INIT -> RTR -> RTS (-> RTS); any -> ERROR; any -> RESET
#pragma once

#include <cstdint>

#include "hw/nic/command_call.h"
#include "hw/nic/device_parts.h"
#include "hw/nic/qp_table.h"
#include "hw/nic/units.h"

namespace railyard::nic {

class QpCommands : public QpControl {
 public:
  QpCommands(Units& units, Objects& objects, const DeviceParts& parts);

  Verdict create(CommandCall& call);
  Verdict destroy(CommandCall& call);
  /// RST2INIT, INIT2RTR, RTR2RTS or RTS2RTS.
  Verdict modify(abi::Command command, CommandCall& call);
  Verdict to_error(CommandCall& call);
  Verdict to_reset(CommandCall& call);
  Verdict query(CommandCall& call);

  void fail(Qp& qp, abi::EventType type) override;

 private:
  Verdict check_create(const abi::CreateQpInput& in) const;
  Qp* named(const CommandCall& call);
  void flush(Qp& qp);

  Units& units_;
  Objects& objects_;
  DeviceParts parts_;
};

}  // namespace railyard::nic
