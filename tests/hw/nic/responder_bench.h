// A responder and a receive pipeline over fakes of all that they use.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hw/nic/congestion_notifier.h"
#include "hw/nic/nak.h"
#include "hw/nic/receive_pipeline.h"
#include "hw/nic/responder.h"
#include "tests/hw/nic/responder_fakes.h"
#include "tlm/sim/simulation.h"

namespace railyard::nic::test {

inline NicConfig responder_config() {
  NicConfig config;
  config.clock = kNanosecond;
  config.send.weights = {1};
  config.limits.eqs = 4;
  config.limits.cqs = 16;
  return config;
}

class ResponderBench : public QpControl {
 public:
  static constexpr std::uint32_t kMtu = 256;
  static constexpr std::uint32_t kFirstPsn = 0xFF'FFFE;  // wraps at once
  static constexpr std::uint64_t kRemoteVa = 0x7000'0000;
  static constexpr std::uint32_t kRkey = 0x500;
  static constexpr std::uint32_t kLkey = 0x600;
  static constexpr std::uint64_t kLocalVa = 0x9000'0100;
  static constexpr std::uint64_t kRemoteBus = 0x40000;
  static constexpr std::uint64_t kLocalBus = 0x60000;
  static constexpr std::uint64_t kRemoteBytes = 64 * 1024;
  static constexpr std::uint32_t kLogReceive = 4;

  explicit ResponderBench(const NicConfig& c = responder_config(),
                          CongestionControl* control = nullptr)
      : config(c),
        simulation(SimulationConfig{}),
        partition(simulation.partition(0)),
        later(partition, "bench"),
        dma(partition),
        translation(partition),
        contexts(partition),
        transmit(partition, dma),
        requester(buffer) {
    // A run in which nothing happens is a test's good right.
    sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_,
                                            sc_core::SC_DO_NOTHING);
    units.partition = &partition;
    units.name = "nic";
    units.config = &config;
    units.qps = &qps;
    units.control = this;
    units.dma = &dma;
    units.translation = &translation;
    units.contexts = &contexts;
    units.transmit = &transmit;
    units.receive_buffer = &buffer;
    units.completions = &completions;
    units.requester = &requester;
    units.congestion = control;
    if (control != nullptr) rates = std::make_unique<RateGate>(units);
    units.rates = rates.get();
    responder = std::make_unique<Responder>(units);
    units.responder = responder.get();
    notifier = std::make_unique<CongestionNotifier>(units, blocks);
    pipeline = std::make_unique<ReceivePipeline>(units, *notifier);
    translation.keys[kRkey] = {kRemoteVa, kRemoteBytes, 1, 0xF, kRemoteBus, false};
    translation.keys[kLkey] = {kLocalVa, 64 * 1024, 1, abi::access::kLocalWrite, kLocalBus, false};
  }

  /// After make_qp() of all.
  void start() {
    simulation.seal();
    notifier->start();
    for (auto& qp : qps.qps) responder->ready(*qp);
    run();
  }

  Qp& make_qp(std::uint32_t mtu = kMtu) {
    auto qp = std::make_unique<Qp>();
    const auto slot = static_cast<std::uint32_t>(qps.qps.size());
    qp->slot = slot;
    qp->number = 0x40 + slot;
    qp->state = abi::QpState::kRts;
    qp->pd = 1;
    qp->access = abi::access::kRemoteWrite | abi::access::kRemoteRead;
    qp->path_mtu = mtu;
    qp->remote_qp = 0x80 + slot;
    qp->traffic_class = 3 << 5;
    qp->min_rnr_timer = 12;
    qp->max_dest_reads = 4;
    qp->receive = {0x1000 + 0x1000ULL * slot, kLogReceive, 6, 7};
    qp->doorbell_record = 0x800 + 8ULL * slot;
    net::Frame& h = qp->headers;
    h.ethernet.type = net::EtherType::kIpv4;
    h.ipv4.dscp = 3 << 3;
    h.ipv4.source.value = 0x0A000001;
    h.ipv4.destination.value = 0x0A000002;
    h.udp.source_port = 0xC123;
    h.bth.destination_qp = qp->remote_qp;
    qp->responder.expected_psn = kFirstPsn;
    qps.qps.push_back(std::move(qp));
    psn = kFirstPsn;
    return *qps.qps.back();
  }

  /// Posts a receive WQE of data segments {length, lkey, address}.
  void post(Qp& qp, const std::vector<abi::DataSegment>& segments) {
    std::uint16_t& count = posted[qp.slot];
    std::uint64_t to = qp.receive.entry(count);
    const std::uint64_t end = to + (1ULL << qp.receive.log_stride);
    for (const abi::DataSegment& segment : segments) {
      dma.store(to, segment);
      to += sizeof(segment);
    }
    if (to < end) dma.store(to, abi::DataSegment{0, abi::kInvalidLkey, 0});
    ++count;
    dma.store<abi::Be32>(qp.doorbell_record, count);
  }
  static abi::DataSegment local(std::uint32_t length, std::uint64_t offset = 0) {
    return {length, kLkey, kLocalVa + offset};
  }

  net::Frame request(const Qp& qp, net::Opcode opcode, std::uint32_t bytes) {
    net::Frame f = qp.headers;
    std::swap(f.ipv4.source, f.ipv4.destination);
    f.bth.opcode = opcode;
    f.bth.destination_qp = qp.number;
    f.bth.psn = psn;
    f.bth.ack_request = net::ends_message(opcode);
    f.payload_bytes = bytes;
    f.reth = {kRemoteVa, kRkey, bytes};
    return f;
  }
  /// The byte at `i` of the payload of PSN `psn`.
  static std::uint8_t byte_of(std::uint32_t psn, std::uint32_t i) {
    return static_cast<std::uint8_t>(psn * 7 + i * 13 + 1);
  }
  Ref<net::Packet> packet_of(const net::Frame& frame) {
    Ref<net::Packet> packet = partition.packets().packets.acquire();
    packet->id = ++ids;
    packet->frame = frame;
    if (frame.payload_bytes != 0 && config.payload_carried) {
      packet->payload = partition.packets().payloads.acquire();
      packet->payload->resize(frame.payload_bytes);
      for (std::uint32_t i = 0; i < frame.payload_bytes; ++i) {
        packet->payload->data()[i] = byte_of(frame.bth.psn, i);
      }
    }
    packet->seal();
    return packet;
  }
  /// Comes now.
  void arrive(const net::Frame& frame) {
    const Ref<net::Packet> packet = packet_of(frame);
    ++buffer.given;
    pipeline->take(*packet);
  }
  /// Comes now, with the next PSN.
  void send(const Qp& qp, net::Opcode opcode, std::uint32_t bytes,
            const std::function<void(net::Frame&)>& change = {}) {
    net::Frame f = request(qp, opcode, bytes);
    if (change) change(f);
    psn = psn::add(psn, net::operation(opcode) == net::Operation::kRdmaReadRequest
                            ? packets_of(f.reth.dma_length, qp.path_mtu)
                            : 1);
    arrive(f);
  }
  void read(const Qp& qp, std::uint32_t bytes, std::uint64_t offset = 0) {
    send(qp, net::Opcode::kRcRdmaReadRequest, 0, [&](net::Frame& f) {
      f.reth = {kRemoteVa + offset, kRkey, bytes};
    });
  }
  void run(Time time = 20 * kMicrosecond) { simulation.run(simulation.now() + time); }

  void fail(Qp& qp, abi::EventType type) override {
    if (qp.state == abi::QpState::kError) return;
    qp.state = abi::QpState::kError;
    failures.push_back(type);
    responder->flush(qp);
  }

  std::uint64_t metric(const std::string& name) const {
    for (const Metric& m : simulation.metrics()) {
      if (m.info.name == "nic." + name) return m.value.whole;
    }
    ADD_FAILURE() << "no metric " << name;
    return 0;
  }
  /// "opcode:psn:syndrome:msn" of what was given to the transmit path and not taken back.
  std::vector<std::string> answers() const {
    std::vector<std::string> all;
    for (const FakeTransmit::Job& job : transmit.jobs) {
      if (job.dropped) continue;
      const net::Frame& f = job.frame;
      std::string text = f.bth.opcode == net::Opcode::kRcAcknowledge ? "ACK" : "?";
      switch (f.bth.opcode) {
        case net::Opcode::kRcRdmaReadResponseFirst:
          text = "FIRST";
          break;
        case net::Opcode::kRcRdmaReadResponseMiddle:
          text = "MIDDLE";
          break;
        case net::Opcode::kRcRdmaReadResponseLast:
          text = "LAST";
          break;
        case net::Opcode::kRcRdmaReadResponseOnly:
          text = "ONLY";
          break;
        default:
          break;
      }
      const std::uint32_t n = psn::add(f.bth.psn, psn::kMask + 1 - kFirstPsn);
      text += " " + std::to_string(n);
      if (f.has_extension(net::extension::kAeth)) {
        char aeth[32];
        std::snprintf(aeth, sizeof(aeth), " %02x %u", f.aeth.syndrome, f.aeth.msn);
        text += aeth;
      }
      all.push_back(text);
    }
    return all;
  }
  void expect_empty() {
    EXPECT_EQ(buffer.held(), 0U);
    EXPECT_EQ(partition.packets().packets.outstanding(), 0U);
  }
  void expect_bytes(std::uint64_t bus, std::uint32_t psn_of, std::uint32_t from,
                    std::uint32_t bytes) const {
    for (std::uint32_t i = 0; i < bytes; ++i) {
      ASSERT_EQ(dma.memory[bus + i], byte_of(psn_of, from + i)) << "byte " << i;
    }
  }

  NicConfig config;
  Simulation simulation;
  Partition& partition;
  Later later;
  FakeDma dma;
  FakeTranslation translation;
  FakeContexts contexts;
  FakeTransmit transmit;
  FakeCompletions completions;
  FakeBuffer buffer;
  FakeRequester requester;
  FakeQps qps;
  Units units;
  Blocks blocks;
  std::unique_ptr<RateGate> rates;
  std::unique_ptr<Responder> responder;
  std::unique_ptr<CongestionNotifier> notifier;
  std::unique_ptr<ReceivePipeline> pipeline;
  std::map<std::uint32_t, std::uint16_t> posted;
  std::vector<abi::EventType> failures;
  std::uint32_t psn = kFirstPsn;
  std::uint64_t ids = 0;
};

}  // namespace railyard::nic::test
