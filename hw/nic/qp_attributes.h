// What MODIFY_QP may set in which transition, what each field may be, and the headers of packets
// that follow from it.
#pragma once

#include <cstdint>

#include "hw/nic/command_call.h"
#include "hw/nic/nic_config.h"
#include "hw/nic/qp.h"

namespace railyard::nic {

/// A transition: from one state to another, with the fields (abi::qp_field) that it needs, and
/// those that it takes beside them (IBTA Vol 1 table 96; Linux ib_modify_qp_is_ok).
struct Transition {
  abi::Command command;
  abi::QpState from;
  abi::QpState to;
  std::uint32_t required;
  std::uint32_t optional;
};
/// Of kRstToInit, kInitToRtr, kRtrToRts, kRtsToRts.
const Transition& transition_of(abi::Command command);

/// The number of the first field at fault of those that the call sets, as syndromes count them, or
/// of `fields`; 0: none.
std::uint32_t fault_of(const abi::ModifyQpInput& in, const Transition& transition,
                       const NicConfig& config, const NicAddress& own);

/// Takes the fields that the call sets into `qp.attributes` and the members that follow from them.
void set_attributes(Qp& qp, const abi::ModifyQpInput& in);

/// The headers to the peer. `ect`: its packets may be marked for congestion.
void make_headers(Qp& qp, const NicAddress& own, bool ect);

}  // namespace railyard::nic
