// Two stubs on a link, with its checker on.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "tlm/link/link_checker.h"
#include "tlm/link/stubs.h"
#include "tlm/sim/simulation.h"

namespace railyard::support {

class LinkBench {
 public:
  explicit LinkBench(const LinkConfig& config, SimulationConfig run = {},
                     Announce announce = Announce::kLastBit)
      : simulation(run),
        left("left"),
        right("right"),
        left_end("left_link", simulation.partition(0), config, announce),
        right_end("right_link", simulation.partition(1), config, announce) {
    bind_both(left, left_end);
    bind_both(right, right_end);
    LinkEnd::connect(left_end, right_end);
    check_link(left_end, right_end);
    // Sends as fast as the line takes them, once started.
    left.on_line = [this](const PacketPhase& phase) {
      if (phase.kind == PacketPhase::Kind::kTransmitDone) send_next();
    };
    simulation.seal();
  }

  /// `count` opaque frames of `payload_bytes` from left to right, back to back from time 0.
  void run(std::uint64_t count, std::uint32_t payload_bytes, Time until = kForever / 2) {
    left_to_send = count;
    payload = payload_bytes;
    start();
    end = simulation.run(until);
  }

  void send_next() {
    if (left_to_send == 0) return;
    --left_to_send;
    const Ref<net::Packet> packet = simulation.partition(0).packets().packets.acquire();
    packet->id = sent++;
    packet->frame.ethernet.type = static_cast<net::EtherType>(0x88B5);  // for experiments
    packet->frame.payload_bytes = payload;
    packet->seal();
    left.send_now(*packet);
  }

  Simulation simulation;
  PacketStub left, right;
  LinkEnd left_end, right_end;
  std::uint64_t left_to_send = 0;
  std::uint64_t sent = 0;
  std::uint32_t payload = 0;
  RunEnd end = RunEnd::kDrained;

 private:
  void start() {
    first.reset(new Event(Event::of<&LinkBench::send_next>(*this, endpoint, Phase::kAct)));
    simulation.partition(0).scheduler().schedule(*first, simulation.now());
  }
  Endpoint endpoint;
  std::unique_ptr<Event> first;
};

inline std::uint64_t metric(const Simulation& simulation, const std::string& name) {
  for (const Metric& m : simulation.metrics()) {
    if (m.info.name == name) return m.value.whole;
  }
  throw std::out_of_range("no metric " + name);
}

}  // namespace railyard::support
