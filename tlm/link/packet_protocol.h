// Packets over standard TLM-2.0 sockets. A packet is announced once, with the time of its first and
// of its last bit; the transmitter is told when its line is free again. Backpressure is each
// protocol's own, never this interface's.
#pragma once

#include <cstdint>

#include <systemc>
#include <tlm>
#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "tlm/base/time.h"
#include "tlm/net/packet.h"

namespace railyard {

/// The phase of a call. Forward path (nb_transport_fw): a packet, or a wish of the device to its
/// line. Backward path (nb_transport_bw): what the line tells its transmitter.
struct PacketPhase {
  enum class Kind : std::uint8_t {
    kFrame,         // fw: `first_bit` and `last_bit` as the receiver of the call sees them
    kRetrain,       // fw: the link goes down now for the time `lasts`
    kTransmitDone,  // bw: the line is free for the next frame
    kLinkDown,      // bw: what is sent from now on is lost
    kLinkUp,        // bw
  };
  Kind kind = Kind::kFrame;
  Time first_bit = 0;
  Time last_bit = 0;
  Time lasts = 0;
};

/// Protocol types for the standard sockets. The `delay` argument is unused: zero.
struct PacketProtocol {
  using tlm_payload_type = net::Packet;
  using tlm_phase_type = PacketPhase;
};

constexpr unsigned kPacketBusWidth = 64;  // of no meaning to packets; sockets are typed by it

/// A device's or a link's side that sends packets.
template <class Module>
using PacketInitiatorSocket =
    tlm_utils::simple_initiator_socket<Module, kPacketBusWidth, PacketProtocol>;

/// The side that receives packets.
template <class Module>
using PacketTargetSocket =
    tlm_utils::passthrough_target_socket<Module, kPacketBusWidth, PacketProtocol>;

/// Sends `packet` forward; its receiver takes a reference of its own if it keeps it.
template <class Socket>
void send(Socket& socket, net::Packet& packet, Time first_bit, Time last_bit) {
  PacketPhase phase{PacketPhase::Kind::kFrame, first_bit, last_bit, 0};
  sc_core::sc_time delay;
  socket->nb_transport_fw(packet, phase, delay);
}

/// Takes the link behind an initiator socket down now, at both ends, for `lasts`.
template <class Socket>
void retrain(Socket& socket, Time lasts) {
  net::Packet none;
  PacketPhase phase{PacketPhase::Kind::kRetrain, 0, 0, lasts};
  sc_core::sc_time delay;
  socket->nb_transport_fw(none, phase, delay);
}

/// Tells the transmitter behind a target socket of its line.
template <class Socket>
void tell(Socket& socket, net::Packet& packet, PacketPhase::Kind kind) {
  PacketPhase phase{kind, 0, 0, 0};
  sc_core::sc_time delay;
  socket->nb_transport_bw(packet, phase, delay);
}

/// Joins two ends that each have `tx` (initiator) and `rx` (target): a device's port and a link's
/// end, or two ports back to back in a test bench.
template <class A, class B>
void bind_both(A& a, B& b) {
  a.tx.bind(b.rx);
  b.tx.bind(a.rx);
}

}  // namespace railyard
