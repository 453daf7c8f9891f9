#include "hw/nic/request_packet.h"

#include <algorithm>

namespace railyard::nic {

namespace {

using net::Opcode;

struct Opcodes {
  Opcode first, middle, last, only;
};

Opcodes opcodes_of(abi::Opcode opcode) {
  switch (opcode) {
    case abi::Opcode::kRdmaWrite:
      return {Opcode::kRcRdmaWriteFirst, Opcode::kRcRdmaWriteMiddle, Opcode::kRcRdmaWriteLast,
              Opcode::kRcRdmaWriteOnly};
    case abi::Opcode::kRdmaWriteImm:
      return {Opcode::kRcRdmaWriteFirst, Opcode::kRcRdmaWriteMiddle,
              Opcode::kRcRdmaWriteLastWithImmediate, Opcode::kRcRdmaWriteOnlyWithImmediate};
    case abi::Opcode::kSendImm:
      return {Opcode::kRcSendFirst, Opcode::kRcSendMiddle, Opcode::kRcSendLastWithImmediate,
              Opcode::kRcSendOnlyWithImmediate};
    default:
      return {Opcode::kRcSendFirst, Opcode::kRcSendMiddle, Opcode::kRcSendLast,
              Opcode::kRcSendOnly};
  }
}

Opcode opcode_of(const SendWqe& wqe, std::uint32_t offset) {
  const Opcodes opcodes = opcodes_of(wqe.opcode);
  if (wqe.packets == 1) return opcodes.only;
  if (offset == 0) return opcodes.first;
  return offset + 1 == wqe.packets ? opcodes.last : opcodes.middle;
}

void set_remote(const SendWqe& wqe, std::uint32_t skipped, net::Frame& frame) {
  frame.reth.virtual_address = wqe.remote_address + skipped;
  frame.reth.rkey = wqe.rkey;
  frame.reth.dma_length = wqe.length - skipped;
}

}  // namespace

std::uint32_t request_payload(const SendWqe& wqe, std::uint32_t offset, std::uint32_t path_mtu) {
  return wqe.is_read() ? 0 : std::min(path_mtu, wqe.length - offset * path_mtu);
}

void make_request(const SendWqe& wqe, std::uint32_t offset, std::uint32_t path_mtu,
                  net::Frame& frame) {
  net::Bth& bth = frame.bth;
  bth.psn = psn::add(wqe.first_psn, offset);
  frame.payload_bytes = request_payload(wqe, offset, path_mtu);
  if (wqe.is_read()) {
    bth.opcode = Opcode::kRcRdmaReadRequest;
    bth.ack_request = true;
    bth.solicited_event = false;
    set_remote(wqe, offset * path_mtu, frame);
    return;
  }
  bth.opcode = opcode_of(wqe, offset);
  const bool last = offset + 1 == wqe.packets;
  bth.ack_request = last || (offset + 1) % kPacketsAnAckRequest == 0;
  // Of a WRITE without immediate data no completion can be solicited.
  const bool consumes = wqe.opcode != abi::Opcode::kRdmaWrite;
  bth.solicited_event = last && consumes && (wqe.flags & abi::wqe_flag::kSolicited) != 0;
  if (net::starts_message(bth.opcode) && net::is_write(bth.opcode)) set_remote(wqe, 0, frame);
  if (net::has_immediate(bth.opcode)) frame.immediate.value = wqe.immediate;
}

}  // namespace railyard::nic
