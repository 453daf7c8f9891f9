// Ends for sockets that a bench or a platform leaves open, and a probe to put between two.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "tlm/link/packet_protocol.h"

namespace railyard {

/// A port that takes what comes, keeps what it is asked to keep, and sends what a test tells it to.
class PacketStub : public sc_core::sc_module {
 public:
  struct Received {
    Ref<net::Packet> packet;
    PacketPhase phase;
  };

  PacketInitiatorSocket<PacketStub> tx{"tx"};
  PacketTargetSocket<PacketStub> rx{"rx"};

  explicit PacketStub(sc_core::sc_module_name name);

  /// Puts a packet on the line now.
  void send_now(net::Packet& packet) { send(tx, packet, 0, 0); }

  /// Called for each packet; by default packets are kept in `received`.
  std::function<void(net::Packet&, const PacketPhase&)> on_packet;
  /// Called for what the line tells.
  std::function<void(const PacketPhase&)> on_line;
  std::vector<Received> received;

 private:
  tlm::tlm_sync_enum receive(net::Packet& packet, PacketPhase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum line(net::Packet& packet, PacketPhase& phase, sc_core::sc_time& delay);
};

/// Sits between an initiator and a target and shows every call to an observer before it goes on.
class PacketProbe : public sc_core::sc_module {
 public:
  PacketTargetSocket<PacketProbe> in{"in"};
  PacketInitiatorSocket<PacketProbe> out{"out"};

  PacketProbe(sc_core::sc_module_name name,
              std::function<void(const net::Packet&, const PacketPhase&)> observer);

 private:
  tlm::tlm_sync_enum forward(net::Packet& packet, PacketPhase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum backward(net::Packet& packet, PacketPhase& phase, sc_core::sc_time& delay);

  std::function<void(const net::Packet&, const PacketPhase&)> observer_;
};

}  // namespace railyard
