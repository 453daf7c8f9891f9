// What a request packet must be, given what came before it (IBTA Vol 1 9.7.4): plain decisions.
#pragma once

#include <cstdint>

#include "hw/nic/qp.h"
#include "tlm/net/frame.h"

namespace railyard::nic {

/// The packet's opcode may follow the one before it, and its payload is as long as it must be. The
/// packet has the expected PSN. READs outstanding are not looked at.
inline bool is_valid_request(const net::Frame& frame, const Qp& qp);

namespace request_check {

inline bool length_is_right(const net::Frame& frame, std::uint32_t mtu) {
  const std::uint32_t bytes = frame.payload_bytes;
  switch (net::opcode_info(frame.bth.opcode).position) {
    case net::Position::kFirst:
    case net::Position::kMiddle:
      return bytes == mtu;
    case net::Position::kLast:
      return bytes != 0 && bytes <= mtu;
    default:
      return bytes <= mtu;
  }
}

/// A WRITE's payload in sum is what its RETH said.
inline bool write_length_is_right(const net::Frame& frame, const ResponderState& state) {
  const bool starts = net::starts_message(frame.bth.opcode);
  const std::uint32_t length = starts ? frame.reth.dma_length : state.length;
  const std::uint32_t left = length - (starts ? 0 : state.offset);
  if (length > abi::kMaxMessage) return false;
  return net::ends_message(frame.bth.opcode) ? left == frame.payload_bytes
                                             : left > frame.payload_bytes;
}

}  // namespace request_check

inline bool is_valid_request(const net::Frame& frame, const Qp& qp) {
  using Message = ResponderState::Message;
  const ResponderState& state = qp.responder;
  const net::Opcode opcode = frame.bth.opcode;
  const bool starts = net::starts_message(opcode);
  if (starts != (state.message == Message::kNone)) return false;
  if (net::operation(opcode) == net::Operation::kRdmaReadRequest) {
    return frame.reth.dma_length <= abi::kMaxMessage && frame.payload_bytes == 0;
  }
  if ((net::extension_headers(opcode) & net::extension::kIeth) != 0) return false;
  if (!request_check::length_is_right(frame, qp.path_mtu)) return false;
  if (net::is_send(opcode)) {
    return (starts || state.message == Message::kSend) &&
           (starts ? 0 : state.offset) <= abi::kMaxMessage - frame.payload_bytes;
  }
  return net::is_write(opcode) && (starts || state.message == Message::kWrite) &&
         request_check::write_length_is_right(frame, state);
}

}  // namespace railyard::nic
