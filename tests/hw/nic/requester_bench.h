// A requester among fakes, its queue pairs, and what a test does to them.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/hw/nic/requester_fakes.h"

namespace railyard::nic::requester_test {

/// What a WQE says; bytes() lays it out.
struct WqeText {
  abi::Opcode opcode = abi::Opcode::kRdmaWrite;
  std::uint8_t flags = abi::wqe_flag::kCqUpdate;
  std::uint32_t immediate = 0;
  std::uint64_t remote = 0x7000'0000;
  std::uint32_t rkey = 0x99;
  std::vector<SendWqe::Data> data;
  std::vector<std::uint8_t> inlined;
  bool is_inline = false;
  // To be wrong on purpose.
  int ds_more = 0;
  int index_more = 0;
  int qpn_more = 0;

  std::vector<std::uint8_t> bytes(std::uint16_t index, std::uint32_t qpn) const {
    std::vector<std::uint8_t> out;
    const auto put = [&out](const auto& image) {
      const auto* from = reinterpret_cast<const std::uint8_t*>(&image);
      out.insert(out.end(), from, from + sizeof(image));
    };
    put(abi::ControlSegment{});
    if (opcode == abi::Opcode::kRdmaWrite || opcode == abi::Opcode::kRdmaWriteImm ||
        opcode == abi::Opcode::kRdmaRead) {
      put(abi::RemoteAddressSegment{remote, rkey, 0U});
    }
    for (const SendWqe::Data& d : data) put(abi::DataSegment{d.bytes, d.key, d.address});
    if (is_inline) {
      put(abi::InlineHeader{static_cast<std::uint32_t>(inlined.size()) | abi::kInlineFlag});
      out.insert(out.end(), inlined.begin(), inlined.end());
    }
    out.resize((out.size() + 15) / 16 * 16);
    abi::ControlSegment control;
    const auto told = static_cast<std::uint16_t>(index + index_more);
    control.index_opcode =
        static_cast<std::uint32_t>(told) << 8 | static_cast<std::uint8_t>(opcode);
    control.qpn_ds = static_cast<std::uint32_t>(qpn + qpn_more) << 8 |
                     static_cast<std::uint32_t>(static_cast<int>(out.size() / 16) + ds_more);
    control.flags = flags;
    control.immediate = immediate;
    std::memcpy(out.data(), &control, sizeof(control));
    return out;
  }
};

inline NicConfig requester_config() {
  NicConfig config;
  config.limits.qps = 64;
  return config;
}

struct RequesterBench : QpControl {
  static constexpr std::uint32_t kKey = 0x500;
  static constexpr std::uint64_t kData = 0x8'0000;  // on the bus, of kKey's virtual 0x10'0000
  static constexpr std::uint64_t kVirtual = 0x10'0000;
  static constexpr std::uint64_t kDataBytes = 0x8'0000;

  /// Makes congestion control, or gives null; when the simulation is there.
  using MakeControl = std::function<CongestionControl*(Simulation&)>;

  explicit RequesterBench(const NicConfig& with = requester_config(),
                          CongestionControl* cc = nullptr)
      : RequesterBench(with, [cc](Simulation&) { return cc; }) {}
  RequesterBench(const NicConfig& with, const MakeControl& make_control)
      : config(with),
        later(simulation.partition()),
        dma(partition(), later),
        keys(partition(), later),
        contexts(later),
        transmit(partition(), later, dma),
        completions(partition()) {
    units.partition = &partition();
    units.name = "nic";
    units.config = &config;
    units.qps = &qps;
    units.control = this;
    units.dma = &dma;
    units.translation = &keys;
    units.contexts = &contexts;
    units.transmit = &transmit;
    units.receive_buffer = &buffer;
    units.completions = &completions;
    units.congestion = make_control(simulation);
    if (units.congestion != nullptr) rates = std::make_unique<RateGate>(units);
    units.rates = rates.get();
    requester = std::make_unique<Requester>(units);
    units.requester = requester.get();
    keys.keys[kKey] = {kVirtual, kDataBytes, kData, 1, abi::access::kLocalWrite};
    for (std::size_t i = 0; i < kDataBytes; ++i) {
      dma.memory[kData + i] = static_cast<std::uint8_t>(i * 7 + i / 256);
    }
  }

  Partition& partition() { return simulation.partition(); }
  Time now() { return partition().now(); }

  /// A queue pair in RTS, its ring of `log` basic blocks.
  Qp& add_qp(std::uint8_t priority = 0, std::uint32_t log = 6) {
    auto qp = std::make_unique<Qp>();
    qp->slot = static_cast<std::uint32_t>(qps.all.size());
    qp->number = 0x40 + qp->slot;
    qp->state = abi::QpState::kRts;
    qp->pd = 1;
    qp->send.log_entries = log;
    qp->send.address = ring_end;
    qp->send.cq = 3;
    ring_end += std::uint64_t{64} << log;
    qp->traffic_class = static_cast<std::uint8_t>(priority << 5);
    qp->remote_qp = 0x123;
    qp->path_mtu = 1024;
    qp->max_reads = 16;
    qp->requester.next_psn = 100;
    qp->headers.ethernet.type = net::EtherType::kIpv4;
    qp->headers.bth.destination_qp = 0x123;
    qps.all.push_back(std::move(qp));
    posted.push_back(0);
    return *qps.all.back();
  }

  /// Writes a WQE into the ring; the doorbell is rung by ring().
  void put(Qp& qp, const WqeText& text) {
    std::uint16_t& index = posted[qp.slot];
    const std::vector<std::uint8_t> bytes = text.bytes(index, qp.number);
    for (std::size_t i = 0; i < bytes.size(); i += 64) {
      const std::size_t n = std::min<std::size_t>(64, bytes.size() - i);
      std::memcpy(&dma.memory[qp.send.entry(index)], &bytes[i], n);
      ++index;
    }
  }
  void ring(Qp& qp) {
    seal();
    requester->doorbell(qp.number, posted[qp.slot], now());
  }
  void post(Qp& qp, const WqeText& text) {
    put(qp, text);
    ring(qp);
  }
  WqeText message(abi::Opcode opcode, std::uint32_t bytes, std::uint64_t offset = 0) const {
    WqeText text;
    text.opcode = opcode;
    if (bytes != 0) text.data.push_back({kVirtual + offset, bytes, kKey});
    return text;
  }

  void answer(Qp& qp, net::Opcode opcode, std::uint32_t psn, std::uint8_t syndrome,
              std::vector<std::uint8_t> payload = {}) {
    Ref<net::Packet> packet = partition().packets().packets.acquire();
    packet->frame = qp.headers;
    packet->frame.bth.opcode = opcode;
    packet->frame.bth.psn = psn & psn::kMask;
    packet->frame.aeth.syndrome = syndrome;
    packet->frame.payload_bytes = static_cast<std::uint32_t>(payload.size());
    if (!payload.empty()) {
      packet->payload = partition().packets().payloads.acquire();
      packet->payload->resize(payload.size());
      std::memcpy(packet->payload->data(), payload.data(), payload.size());
    }
    ++answers;
    requester->take({std::move(packet), &qp, now()});
  }
  void ack(Qp& qp, std::uint32_t psn, std::uint8_t syndrome = 0x1F) {
    answer(qp, net::Opcode::kRcAcknowledge, psn, syndrome);
  }
  void respond(Qp& qp, std::uint32_t psn, std::uint32_t bytes, std::uint8_t fill = 0xAB) {
    answer(qp, net::Opcode::kRcRdmaReadResponseOnly, psn, 0,
           std::vector<std::uint8_t>(bytes, fill));
  }

  void fail(Qp& qp, abi::EventType type) override {
    failures.push_back(type);
    qp.state = abi::QpState::kError;
    requester->flush(qp);
  }

  void seal() {
    if (!sealed) simulation.seal();
    sealed = true;
  }
  /// Runs for so long; work may be left. The marker keeps a run alive that waits for the test.
  void run(Time duration) {
    seal();
    const Time until = now() + duration;
    later.at(until, [] {});
    later.at(until + 1, [] {});
    simulation.run(until);
  }
  std::uint64_t metric(const std::string& name) const {
    for (const Metric& m : simulation.metrics()) {
      if (m.info.name == "nic." + name) return m.value.whole;
    }
    ADD_FAILURE() << "no metric " << name;
    return 0;
  }
  double time_of(const std::string& name) const {
    for (const Metric& m : simulation.metrics()) {
      if (m.info.name == "nic." + name) return m.value.real;
    }
    ADD_FAILURE() << "no metric " << name;
    return 0;
  }
  std::vector<std::uint32_t> psns() const {
    std::vector<std::uint32_t> all;
    for (const auto& s : transmit.sent) all.push_back(s.frame.bth.psn);
    return all;
  }

  Simulation simulation{{}};
  NicConfig config;
  Later later;
  FakeDma dma;
  FakeKeys keys;
  FakeContexts contexts;
  FakeTransmit transmit;
  FakeCompletions completions;
  FakeQps qps;
  FakeBuffer buffer;
  Units units;
  std::unique_ptr<RateGate> rates;
  std::unique_ptr<Requester> requester;
  std::vector<abi::EventType> failures;
  std::vector<std::uint16_t> posted;
  std::uint64_t ring_end = 0x1000;
  std::uint64_t answers = 0;
  bool sealed = false;
};

}  // namespace railyard::nic::requester_test
