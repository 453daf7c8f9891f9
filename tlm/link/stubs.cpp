#include "tlm/link/stubs.h"

namespace railyard {

PacketStub::PacketStub(sc_core::sc_module_name name) : sc_module(name) {
  tx.register_nb_transport_bw(this, &PacketStub::line);
  rx.register_nb_transport_fw(this, &PacketStub::receive);
}

tlm::tlm_sync_enum PacketStub::receive(net::Packet& packet, PacketPhase& phase,
                                       sc_core::sc_time& /*delay*/) {
  if (on_packet) {
    on_packet(packet, phase);
  } else if (phase.kind == PacketPhase::Kind::kFrame) {
    received.push_back({Ref<net::Packet>::share(packet), phase});
  }
  return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum PacketStub::line(net::Packet& /*packet*/, PacketPhase& phase,
                                    sc_core::sc_time& /*delay*/) {
  if (on_line) on_line(phase);
  return tlm::TLM_ACCEPTED;
}

PacketProbe::PacketProbe(sc_core::sc_module_name name,
                         std::function<void(const net::Packet&, const PacketPhase&)> observer)
    : sc_module(name), observer_(std::move(observer)) {
  in.register_nb_transport_fw(this, &PacketProbe::forward);
  out.register_nb_transport_bw(this, &PacketProbe::backward);
}

tlm::tlm_sync_enum PacketProbe::forward(net::Packet& packet, PacketPhase& phase,
                                        sc_core::sc_time& delay) {
  observer_(packet, phase);
  return out->nb_transport_fw(packet, phase, delay);
}

tlm::tlm_sync_enum PacketProbe::backward(net::Packet& packet, PacketPhase& phase,
                                         sc_core::sc_time& delay) {
  observer_(packet, phase);
  return in->nb_transport_bw(packet, phase, delay);
}

}  // namespace railyard
