// A tester port against a stub, or two tester ports, on a 400 Gb/s link, with its checker on.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hw/tester/port.h"
#include "tlm/link/link_checker.h"
#include "tlm/link/stubs.h"
#include "tlm/sim/simulation.h"

namespace railyard::support {

constexpr Time kByte = 20;                        // ps at 400 Gb/s
constexpr Time kFrame = (8 + 4174 + 12) * kByte;  // a 4 KiB write ONLY, RETH included
constexpr Time kFrameToLastBit = (8 + 4174) * kByte;
constexpr Time kControlFrame = (8 + 64) * kByte;  // to its last bit
constexpr Time kQuantum = 512 * kByte / 8;

inline LinkConfig link_of(Length length) {
  LinkConfig config;
  config.length = length;
  return config;
}

/// Messages of one packet each.
inline FlowConfig flow_of(std::uint32_t index, std::uint64_t packets) {
  FlowConfig flow;
  flow.index = index;
  flow.source = {{{2, 0, 0, 0, 0, 1}}, net::Ipv4Address{1}};
  flow.destination = {{{2, 0, 0, 0, 0, 2}}, net::Ipv4Address{2}};
  flow.source_qp = 0x100 + 2 * index;
  flow.destination_qp = flow.source_qp + 1;
  flow.messages = packets;
  flow.message_size = 4096;
  return flow;
}

inline net::Frame pfc(std::uint8_t vector, std::uint16_t quanta) {
  std::array<std::uint16_t, 8> all{};
  all.fill(quanta);
  return net::pfc_frame({}, vector, all);
}

/// Keeps what a signal of the first partition does.
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

/// Calls a function at a time.
class At {
 public:
  At(Partition& partition, const std::string& name, std::function<void()> action)
      : action_(std::move(action)),
        event_(Event::of<&At::fire>(*this, partition.endpoint(name), Phase::kAct)) {}
  Event& event() { return event_; }

 private:
  void fire() { action_(); }
  std::function<void()> action_;
  Event event_;
};

struct PortBench {
  explicit PortBench(const TesterConfig& config = {}, Length length = Length{0})
      : port("port", simulation.partition(), config, flow_of(0, 1).source, Rate::gbps(400), "stub"),
        port_end("port_link", simulation.partition(), link_of(length), Announce::kLastBit),
        stub_end("stub_link", simulation.partition(), link_of(length), Announce::kLastBit) {
    bind_both(port, port_end);
    bind_both(stub, stub_end);
    LinkEnd::connect(port_end, stub_end);
    check_link(port_end, stub_end);
  }

  void run(Time until = kSecond) {
    if (!sealed) simulation.seal();
    sealed = true;
    simulation.run(until);
  }
  /// Sends a packet from the stub at that time, when its line must be free.
  void send_at(Time at, Ref<net::Packet> packet) {
    if (!sealed) simulation.seal();
    sealed = true;
    to_send.push_back(std::move(packet));
    sends.emplace_back(new Event(Event::of<&PortBench::send_next>(*this, sender, Phase::kAct)));
    simulation.partition().scheduler().schedule(*sends.back(), at);
  }
  void send_at(Time at, const net::Frame& frame) { send_at(at, packet(frame)); }

  Ref<net::Packet> packet(const net::Frame& frame) {
    Ref<net::Packet> made = pool().packets.acquire();
    made->frame = frame;
    made->seal();
    return made;
  }
  net::PacketPool& pool() { return simulation.partition().packets(); }

  /// Frames that the stub received, and when their last bits came.
  std::vector<Time> last_bits() const {
    std::vector<Time> times;
    for (const auto& r : stub.received) times.push_back(r.phase.last_bit);
    return times;
  }

  Simulation simulation{{}};
  PacketStub stub{"stub"};
  TesterPort port;
  LinkEnd port_end;
  LinkEnd stub_end;

 private:
  void send_next() { stub.send_now(*to_send.at(sent++)); }

  bool sealed = false;
  Endpoint sender;
  std::vector<std::unique_ptr<Event>> sends;
  std::vector<Ref<net::Packet>> to_send;
  std::size_t sent = 0;
};

struct TwoPorts {
  explicit TwoPorts(const TesterConfig& a_config = {}, const TesterConfig& b_config = {},
                    const SimulationConfig& run = {}, Length length = metres(3))
      : simulation(run),
        a("a", simulation.partition(0), a_config, flow_of(0, 1).source, Rate::gbps(400), "b"),
        b("b", simulation.partition(1), b_config, flow_of(0, 1).destination, Rate::gbps(400), "a"),
        a_end("a_link", simulation.partition(0), link_of(length), Announce::kLastBit),
        b_end("b_link", simulation.partition(1), link_of(length), Announce::kLastBit) {
    bind_both(a, a_end);
    bind_both(b, b_end);
    LinkEnd::connect(a_end, b_end);
    check_link(a_end, b_end);
  }

  void connect(const FlowConfig& flow) {
    a.send_flow(flow);
    b.expect_flow(flow);
  }

  Simulation simulation;
  TesterPort a, b;
  LinkEnd a_end, b_end;
};

}  // namespace railyard::support
