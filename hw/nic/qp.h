// A queue pair as the NIC knows it: what software set, and the state of its two sides.
#pragma once

#include <array>
#include <cstdint>

#include "hw/nic/nic_abi.h"
#include "hw/nic/requester_state.h"
#include "hw/nic/responder_state.h"
#include "tlm/net/frame.h"

namespace railyard::nic {

/// PSNs count modulo 2^24; the window is half of that (IBTA Vol 1 9.7.1).
namespace psn {
constexpr std::uint32_t kMask = 0xFF'FFFF;
constexpr std::uint32_t add(std::uint32_t psn, std::uint32_t n) { return (psn + n) & kMask; }
/// How far `a` lies behind `b`, from -2^23 to 2^23 - 1.
constexpr std::int32_t distance(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>((a - b) << 8) >> 8;
}
}  // namespace psn

/// A work queue in host memory, contiguous on the bus.
struct WorkQueue {
  std::uint64_t address = 0;
  std::uint32_t log_entries = 0;
  std::uint32_t log_stride = 6;  // bytes
  std::uint32_t cq = 0;

  std::uint32_t mask() const { return (1U << log_entries) - 1; }
  std::uint64_t entry(std::uint32_t index) const {
    return address + (static_cast<std::uint64_t>(index & mask()) << log_stride);
  }
};

struct Qp {
  std::uint32_t number = 0;
  std::uint32_t slot = 0;  // in the table; of congestion control
  abi::QpState state = abi::QpState::kReset;
  std::uint32_t pd = 0;
  std::uint32_t uar = 0;
  bool signal_all = false;
  WorkQueue send;
  WorkQueue receive;
  std::uint64_t doorbell_record = 0;

  // From the transitions.
  std::uint32_t access = 0;  // abi::access of what the peer may do
  std::uint32_t path_mtu = 1024;
  std::uint32_t remote_qp = 0;
  std::uint8_t traffic_class = 0;  // of IP
  std::uint8_t timeout = 0;        // 4.096 us * 2^timeout; 0: never
  std::uint8_t retry_count = 7;
  std::uint8_t rnr_retry = 7;      // 7: for ever
  std::uint8_t min_rnr_timer = 0;  // code
  std::uint8_t max_reads = 1;
  std::uint8_t max_dest_reads = 1;
  /// All that is the same in every packet to the peer; opcode, PSN and what follows are set a
  /// packet. ECT(0) if congestion is controlled, or notified.
  net::Frame headers;
  abi::ModifyQpInput attributes;  // as they were set, for QUERY_QP

  std::uint8_t priority() const { return traffic_class >> 5; }  // DSCP >> 3

  RequesterState requester;
  ResponderState responder;

  bool sends() const { return state == abi::QpState::kRts || state == abi::QpState::kSqd; }
  bool receives() const { return state == abi::QpState::kRtr || sends(); }
};

}  // namespace railyard::nic
