// A switch with a station at each port: what block tests are made of.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hw/congestion/timed_pause_receiver.h"
#include "hw/eth_switch/switch_port.h"
#include "tlm/link/link_checker.h"
#include "tlm/link/stubs.h"
#include "tlm/sim/simulation.h"

namespace railyard::bench {

/// Sends what is queued as fast as the line and the pauses of its priority let it; keeps what
/// arrives.
class Station : private PauseListener {
 public:
  struct Arrival {
    net::Frame frame;
    std::uint64_t id;
    Time first_bit, last_bit;
    bool bad_fcs;
  };

  Station(const std::string& name, Partition& p, const LinkConfig& config,
          std::uint64_t response_quanta, Announce announce)
      : partition(p),
        stub(name.c_str()),
        link((name + "_link").c_str(), p, config, announce),
        pauses(p, name, config.rate, response_quanta, *this),
        start_(Event::of<&Station::send_next>(*this, p.endpoint(name + ".start"), Phase::kAct)) {
    bind_both(stub, link);
    stub.on_line = [this](const PacketPhase& phase) {
      if (phase.kind == PacketPhase::Kind::kTransmitDone) sending_ = false;
      if (phase.kind == PacketPhase::Kind::kLinkDown) pauses.forget();
      send_next();
    };
    stub.on_packet = [this](net::Packet& packet, const PacketPhase& phase) { take(packet, phase); };
  }

  /// A frame to `to` of `bytes` with FCS (at least 64), to be sent not before `at`.
  net::Frame frame_to(unsigned to, std::uint32_t bytes, unsigned priority) const {
    net::Frame frame;
    frame.ethernet.type = net::EtherType::kIpv4;
    frame.ipv4.destination = {0x0A000000U + to};
    frame.ipv4.dscp = static_cast<std::uint8_t>(priority * 8);
    frame.ipv4.ecn = net::Ecn::kEct0;
    frame.ipv4.protocol = 253;  // for experiments (RFC 3692)
    frame.payload_bytes = bytes - net::kFcsBytes - net::header_bytes(frame);
    return frame;
  }
  void queue(const net::Frame& frame, Time at = 0) {
    queue_.push_back({frame, at});
    partition.open_work();
  }
  void start() { send_next(); }
  void send_pfc(std::uint8_t vector, std::uint16_t quanta) {
    std::array<std::uint16_t, 8> all{};
    all.fill(quanta);
    control_.push_back(net::pfc_frame({}, vector, all));
    send_next();
  }

  Partition& partition;
  PacketStub stub;
  LinkEnd link;
  TimedPauseReceiver pauses;
  std::vector<Arrival> arrived;
  std::vector<std::pair<Time, net::Frame>> control;  // PFC frames that came
  std::function<void(const Arrival&)> on_arrival;
  bool keeps = true;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;

 private:
  struct Waiting {
    net::Frame frame;
    Time at;
  };

  void pause_changed(std::uint8_t /*paused*/, std::uint8_t /*changed*/) override { send_next(); }

  void send_next() {
    if (sending_ || !link.up()) return;
    if (!control_.empty()) {
      put(control_.front());
      control_.pop_front();
      return;
    }
    const Time now = partition.now();
    for (auto it = queue_.begin(); it != queue_.end(); ++it) {
      if (it->at > now) {
        if (it->at < start_.time()) partition.scheduler().schedule(start_, it->at);
        return;
      }
      if ((pauses.paused() >> (it->frame.ipv4.dscp / 8) & 1U) != 0) continue;
      const net::Frame frame = it->frame;
      queue_.erase(it);
      partition.close_work();
      put(frame);
      return;
    }
  }
  void put(const net::Frame& frame) {
    Ref<net::Packet> packet = partition.packets().packets.acquire();
    packet->frame = frame;
    packet->id = sent++;
    packet->created = partition.now();
    packet->seal();
    sending_ = true;
    stub.send_now(*packet);
  }
  void take(net::Packet& packet, const PacketPhase& phase) {
    if (packet.frame.is_mac_control()) {
      control.emplace_back(phase.last_bit, packet.frame);
      pauses.receive(packet.frame);
      return;
    }
    ++received;
    const Arrival arrival{packet.frame, packet.id, phase.first_bit, phase.last_bit, packet.bad_fcs};
    if (keeps) arrived.push_back(arrival);
    if (on_arrival) on_arrival(arrival);
  }

  std::deque<Waiting> queue_;
  std::deque<net::Frame> control_;
  Event start_;
  bool sending_ = false;
};

/// What a frame takes from stage to stage.
inline Time pipeline_of(const SwitchConfig& config) {
  const PipelineConfig& p = config.pipeline;
  return config.clock *
         static_cast<Time>(p.mac.latency + p.parser.latency + p.ingress.latency + p.buffer.latency +
                           p.scheduler.latency + p.egress.latency);
}

inline LinkConfig link_of(std::uint64_t gbps, std::uint64_t length_m) {
  LinkConfig link;
  link.rate = Rate::gbps(gbps);
  link.length = metres(length_m);
  return link;
}

struct SwitchBench {
  /// Links by port; all stations obey PFC after `response_quanta`.
  SwitchBench(const SwitchConfig& config, const std::vector<LinkConfig>& links,
              std::uint64_t response_quanta = 0, SimulationConfig run = {},
              SwitchStages stages = {})
      : simulation(run), partition(simulation.partition()) {
    std::vector<std::optional<SwitchLine>> lines;
    for (std::size_t i = 0; i < links.size(); ++i) {
      lines.push_back(SwitchLine{links[i], "h" + std::to_string(i)});
    }
    device = std::make_unique<EthSwitch>("sw", partition, config, lines, std::move(stages));
    for (std::size_t i = 0; i < links.size(); ++i) {
      const std::string name = "h" + std::to_string(i);
      stations.push_back(std::make_unique<Station>(name, partition, links[i], response_quanta,
                                                   Announce::kLastBit));
      ends.push_back(std::make_unique<LinkEnd>(("sw_link" + std::to_string(i)).c_str(), partition,
                                               links[i], device->announce()));
      bind_both(device->port(static_cast<PortId>(i)), *ends[i]);
      LinkEnd::connect(*ends[i], stations[i]->link);
      check_link(*ends[i], stations[i]->link);
      const auto port = static_cast<PortId>(i);
      device->forwarding().add_route(net::Ipv4Address{0x0A000000U + static_cast<std::uint32_t>(i)},
                                     device->forwarding().add_group({port}));
    }
    simulation.seal();
  }

  RunEnd run(Time until = kForever / 2) {
    for (auto& station : stations) station->start();
    return simulation.run(until);
  }
  Station& station(std::size_t i) { return *stations[i]; }
  double metric(const std::string& name) const {
    for (const Metric& m : simulation.metrics()) {
      if (m.info.name == name) return m.value.real;
    }
    throw std::out_of_range("no metric " + name);
  }

  Simulation simulation;
  Partition& partition;
  std::unique_ptr<EthSwitch> device;
  std::vector<std::unique_ptr<Station>> stations;
  std::vector<std::unique_ptr<LinkEnd>> ends;
};

}  // namespace railyard::bench
