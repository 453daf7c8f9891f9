// The headers of a request packet. Plain C++.
#pragma once

#include "hw/nic/qp.h"
#include "hw/nic/wqe_parser.h"

namespace railyard::nic {

/// A message that is longer has a packet that asks for an acknowledgement this often, besides its
/// last: so its progress is seen before a timer runs out.
constexpr std::uint32_t kPacketsAnAckRequest = 256;

/// Payload bytes of packet `offset` of the message; 0 of a READ request.
std::uint32_t request_payload(const SendWqe& wqe, std::uint32_t offset, std::uint32_t path_mtu);

/// Sets what differs from packet to packet in `frame`, which has the queue pair's headers. A READ
/// request asks for what is from packet `offset` of its responses on.
void make_request(const SendWqe& wqe, std::uint32_t offset, std::uint32_t path_mtu,
                  net::Frame& frame);

}  // namespace railyard::nic
