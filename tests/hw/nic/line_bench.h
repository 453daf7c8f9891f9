// A NIC's port on a link: against a stub, or against another port.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hw/nic/mac.h"
#include "tests/hw/nic/fakes.h"
#include "tlm/base/ring.h"
#include "tlm/link/link_checker.h"
#include "tlm/link/stubs.h"
#include "tlm/sim/simulation.h"

namespace railyard::nic::bench {

constexpr Time kByte = 20;                                         // ps at 400 Gb/s
constexpr std::uint32_t kHeaders = 14 + 20 + 8 + 12 + 16 + 4 + 4;  // of a WRITE ONLY, ICRC and FCS
constexpr Time kControlFrame = (8 + 64) * kByte;                   // to its last bit
constexpr Time kControlSlot = (8 + 64 + 12) * kByte;
constexpr Time kQuantum = 64 * kByte;

/// What a WRITE ONLY takes of the line, and to its last bit.
constexpr Time slot_of(std::uint32_t payload) { return (8 + kHeaders + payload + 12) * kByte; }
constexpr Time to_last_bit(std::uint32_t payload) { return (8 + kHeaders + payload) * kByte; }

inline net::Frame frame_of(std::uint8_t priority, std::uint32_t payload,
                           net::Opcode opcode = net::Opcode::kRcRdmaWriteOnly) {
  net::Frame frame;
  frame.ethernet.type = net::EtherType::kIpv4;
  frame.ipv4.dscp = static_cast<std::uint8_t>(priority << 3);
  frame.bth.opcode = opcode;
  frame.payload_bytes = payload;
  return frame;
}

inline net::Frame pfc(std::uint8_t vector, std::uint16_t quanta) {
  std::array<std::uint16_t, 8> all{};
  all.fill(quanta);
  return net::pfc_frame({}, vector, all);
}

inline Ref<net::Packet> packet_of(Partition& partition, const net::Frame& frame) {
  Ref<net::Packet> packet = partition.packets().packets.acquire();
  packet->frame = frame;
  packet->seal();
  return packet;
}

/// A queue a priority, the lowest first.
class FakeSource : public LineSource {
 public:
  void push(Ref<net::Packet> packet) {
    const std::uint8_t p = priority_of(packet->frame);
    queues[p].push(std::move(packet));
  }
  Ref<net::Packet> next_packet(std::uint8_t may_send) override {
    const unsigned ready = waiting() & may_send;
    return ready == 0 ? Ref<net::Packet>() : queues[__builtin_ctz(ready)].pop();
  }
  std::uint8_t waiting() const override {
    unsigned mask = 0;
    for (unsigned p = 0; p < 8; ++p) mask |= (queues[p].empty() ? 0U : 1U) << p;
    return static_cast<std::uint8_t>(mask);
  }
  std::array<Ring<Ref<net::Packet>>, 8> queues;
};

/// What a NIC's port is built into.
struct PortUnits {
  PortUnits(Partition& partition, const std::string& name, const NicConfig& its_config)
      : config(its_config) {
    units.partition = &partition;
    units.name = name;
    units.config = &config;
    units.address.mac = net::MacAddress{{2, 0, 0, 0, 0, 7}};
  }
  NicConfig config;
  Units units;
};

struct Handed {
  Ref<net::Packet> packet;
  Time at = 0;
};

inline LinkConfig link_of(std::uint64_t length) {
  LinkConfig config;
  config.length = metres(length);
  return config;
}

/// A port "<name>.mac" of the NIC `name`, with a source and a receiver that keeps what comes.
struct Port {
  Port(Simulation& simulation, const std::string& name, const NicConfig& config,
       const std::string& peer, const LinkConfig& link)
      : partition(simulation.partition()),
        parts(partition, name, config),
        mac((name + "_mac").c_str(), parts.units, link.rate, peer, blocks),
        end((name + "_link").c_str(), partition, link, Announce::kLastBit) {
    bind_both(mac, end);
    mac.set_source(source);
    mac.set_receiver([this](net::Packet& packet) {
      handed.push_back({Ref<net::Packet>::share(packet), partition.now()});
      if (release_at_once) mac.release(packet);
    });
  }
  void push(const net::Frame& frame) { source.push(packet_of(partition, frame)); }

  Partition& partition;
  Blocks blocks;
  PortUnits parts;
  FakeSource source;
  Mac mac;
  LinkEnd end;
  bool release_at_once = true;
  std::vector<Handed> handed;
};

inline Metric metric_of(const Simulation& simulation, const std::string& name) {
  for (Metric& m : simulation.metrics()) {
    if (m.info.name == name) return m;
  }
  throw std::out_of_range("no metric " + name);
}
inline std::uint64_t whole(const Simulation& simulation, const std::string& name) {
  return metric_of(simulation, name).value.whole;
}
inline double real(const Simulation& simulation, const std::string& name) {
  return metric_of(simulation, name).value.real;
}

/// Keeps what a signal does.
struct Changes : ProbeSink {
  Changes(Simulation& simulation, const std::string& name) {
    for (auto& entry : simulation.partition().probes().probes()) {
      if (entry.info.name == name) entry.point->connect(this, 0);
    }
  }
  void change(std::uint32_t /*id*/, std::uint64_t value, Time now) override {
    all.emplace_back(now, value);
  }
  std::vector<std::pair<Time, std::uint64_t>> all;
};

/// A port of NIC "nic" against a stub, 400 Gb/s, without delay.
struct StubBench {
  explicit StubBench(const NicConfig& config = {}, const LinkConfig& link = link_of(0))
      : port(simulation, "nic", config, "stub", link),
        stub_end("stub_link", simulation.partition(), link, Announce::kLastBit),
        script(simulation.partition(), "script", Phase::kAct) {
    bind_both(stub, stub_end);
    LinkEnd::connect(port.end, stub_end);
    check_link(port.end, stub_end);
    simulation.seal();
  }
  void at(Time time, std::function<void()> what) { script.call(time, std::move(what)); }
  /// From the stub, whose line must be free then.
  void send_at(Time time, const net::Frame& frame) {
    at(time, [this, frame] { stub.send_now(*packet_of(port.partition, frame)); });
  }
  void offer_at(Time time, const net::Frame& frame, unsigned count = 1) {
    at(time, [this, frame, count] {
      for (unsigned i = 0; i < count; ++i) port.push(frame);
      port.mac.wake();
    });
  }
  void release_at(Time time, std::size_t index) {
    at(time, [this, index] { port.mac.release(*port.handed.at(index).packet); });
  }
  void run(Time until = kSecond) { simulation.run(until); }

  /// When PFC frames reached the stub, and what they say: [vector, quanta of priorities].
  std::vector<std::pair<Time, net::MacControl>> pfc_received() const {
    std::vector<std::pair<Time, net::MacControl>> all;
    for (const auto& r : stub.received) {
      if (r.packet->frame.is_pfc()) all.emplace_back(r.phase.last_bit, r.packet->frame.mac_control);
    }
    return all;
  }

  Simulation simulation{{}};
  PacketStub stub{"stub"};
  Port port;
  LinkEnd stub_end;
  fakes::Later script;
};

/// Pauses begin above 5,000 bytes and end at 2,000.
inline NicConfig small_buffer() {
  NicConfig config;
  config.receive.buffer = 20'000;
  config.receive.xoff = 5000;
  config.receive.xon = 2000;
  return config;
}

}  // namespace railyard::nic::bench
