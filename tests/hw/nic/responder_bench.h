// A responder, completions and a receive pipeline, and fakes of all that they use: memory, keys,
// contexts, the way to the line. Each fake takes a time of its own and can be held up.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hw/nic/completions.h"
#include "hw/nic/context_store.h"
#include "hw/nic/nak.h"
#include "hw/nic/receive_pipeline.h"
#include "hw/nic/responder.h"
#include "hw/nic/transmit_path.h"
#include "tlm/sim/simulation.h"

namespace railyard::nic::test {

/// Calls things at times, in the order of asking for equal ones.
class Later {
 public:
  Later(Partition& partition, const std::string& name)
      : partition_(partition),
        event_(Event::of<&Later::due>(*this, partition.endpoint(name), Phase::kAct)) {}
  ~Later() { partition_.scheduler().cancel(event_); }
  void at(Time time, std::function<void()> call) {
    calls_.emplace(time, std::move(call));
    partition_.scheduler().schedule(event_, calls_.begin()->first);
  }
  void in(Time delay, std::function<void()> call) { at(partition_.now() + delay, std::move(call)); }

 private:
  void due() {
    while (!calls_.empty() && calls_.begin()->first <= partition_.now()) {
      const std::function<void()> call = std::move(calls_.begin()->second);
      calls_.erase(calls_.begin());
      call();
    }
    if (!calls_.empty()) partition_.scheduler().schedule(event_, calls_.begin()->first);
  }
  Partition& partition_;
  std::multimap<Time, std::function<void()>> calls_;
  Event event_;
};

class FakeDma : public DmaPath {
 public:
  static constexpr std::size_t kMemory = std::size_t{1} << 20;
  explicit FakeDma(Partition& partition) : partition_(partition), later_(partition, "fake.dma") {}

  std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(kMemory);
  Time read_time = 500 * kNanosecond;
  Time write_time = 20 * kNanosecond;
  bool hold_writes = false;          // they are not done until let_go()
  std::uint64_t failing_record = 0;  // reads at this address fail
  std::vector<DmaWrite> writes;      // without their payload
  std::vector<DmaRead> reads;
  std::vector<unsigned> interrupts;
  std::vector<Time> interrupt_times;

  void read(const DmaRead& read, DmaClient& client) override {
    reads.push_back(read);
    later_.in(read_time, [this, read, &client] {
      if (read.address == failing_record) {
        client.dma_done(read.ticket, pcie::Status::kCompleterAbort, {});
        return;
      }
      Ref<net::Payload> bytes = partition_.packets().payloads.acquire();
      bytes->resize(read.bytes);
      std::memcpy(bytes->data(), &memory.at(read.address), read.bytes);
      client.dma_done(read.ticket, pcie::Status::kSuccess, std::move(bytes));
    });
  }
  void write(const DmaWrite& write, DmaClient* client) override {
    if (write.payload) {
      std::memcpy(&memory.at(write.address), write.payload->data() + write.payload_offset,
                  write.bytes);
    }
    writes.push_back(write);
    writes.back().payload = {};
    if (client == nullptr) return;
    const std::uint64_t ticket = write.ticket;
    auto done = [client, ticket] { client->dma_done(ticket, pcie::Status::kSuccess, {}); };
    if (hold_writes) {
      held_.push_back(done);
    } else {
      later_.in(write_time, done);
    }
  }
  bool payload_room(std::uint32_t /*bytes*/) const override { return true; }
  void interrupt(unsigned vector) override {
    interrupts.push_back(vector);
    interrupt_times.push_back(partition_.now());
  }
  void let_go() {
    hold_writes = false;
    for (auto& done : held_) later_.in(0, done);
    held_.clear();
  }
  std::size_t count(DmaUse use) const {
    std::size_t n = 0;
    for (const DmaWrite& write : writes) n += write.use == use ? 1 : 0;
    return n;
  }
  template <class T>
  T load(std::uint64_t address) const {
    T value;
    std::memcpy(&value, &memory.at(address), sizeof(value));
    return value;
  }
  template <class T>
  void store(std::uint64_t address, const T& value) {
    std::memcpy(&memory.at(address), &value, sizeof(value));
  }

 private:
  Partition& partition_;
  Later later_;
  std::vector<std::function<void()>> held_;
};

/// Keys over pages of 4 KiB that are at `bus`, in order, with nothing or one page between them.
class FakeTranslation : public AddressTranslation {
 public:
  struct Key {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint32_t pd = 1;
    std::uint32_t access = 0xF;
    std::uint64_t bus = 0;
    bool scattered = false;  // every other page of the bus
  };
  explicit FakeTranslation(Partition& partition)
      : partition_(partition), later_(partition, "fake.translation") {}

  std::map<std::uint32_t, Key> keys;
  Time time = 5 * kNanosecond;
  unsigned misses = 0;  // so many of the next must be read first
  Time miss_time = 700 * kNanosecond;
  std::uint64_t asked = 0;

  Time translate(const KeyedRange& range, Time at, unsigned /*cls*/, TranslationClient& client,
                 std::uint64_t ticket, Mapping& mapping) override {
    ++asked;
    EXPECT_GE(at, partition_.now());
    if (misses == 0) {
      mapping = look(range);
      return at + time;
    }
    --misses;
    later_.in(miss_time,
              [this, range, &client, ticket] { client.translated(ticket, look(range)); });
    return kForever;
  }

 private:
  Mapping look(const KeyedRange& range) const {
    Mapping mapping;
    const auto found = keys.find(range.key);
    if (found == keys.end()) {
      mapping.error = KeyError::kNoSuchKey;
      return mapping;
    }
    const Key& key = found->second;
    if (key.pd != range.pd) {
      mapping.error = KeyError::kDomain;
    } else if ((key.access & range.right) != range.right) {
      mapping.error = KeyError::kRight;
    } else if (range.address < key.address ||
               range.address + range.bytes > key.address + key.bytes) {
      mapping.error = KeyError::kBounds;
    } else {
      place(key, range, mapping);
    }
    return mapping;
  }
  static void place(const Key& key, const KeyedRange& range, Mapping& mapping) {
    std::uint64_t offset = range.address - (key.address & ~std::uint64_t{4095});
    std::uint32_t left = range.bytes;
    while (left != 0 && mapping.count < 3) {
      const std::uint64_t page = offset / 4096 * (key.scattered ? 2 : 1);
      const auto n =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(left, 4096 - offset % 4096));
      const BusSegment segment{key.bus + page * 4096 + offset % 4096, n};
      if (mapping.count != 0 && !key.scattered) {
        mapping.segments[mapping.count - 1].bytes += n;
      } else {
        mapping.segments[mapping.count++] = segment;
      }
      offset += n;
      left -= n;
    }
  }
  Partition& partition_;
  Later later_;
};

class FakeContexts : public ContextStore {
 public:
  explicit FakeContexts(Partition& partition) : later_(partition, "fake.contexts") {}
  Time time = 3 * kNanosecond;
  unsigned misses = 0;
  Time want(std::uint32_t slot, Time at, unsigned /*cls*/, ContextClient& client,
            std::uint64_t ticket) override {
    if (misses == 0 && waiting_ == 0) return at + time;
    if (misses != 0) --misses;
    ++waiting_;
    later_.in(600 * kNanosecond, [this, slot, &client, ticket] {
      --waiting_;
      client.context_ready(slot, ticket);
    });
    return kForever;
  }

 private:
  Later later_;
  unsigned waiting_ = 0;
};

/// Packets go to the line a time later, in the order in which they came.
class FakeTransmit : public TransmitPath {
 public:
  struct Job {
    net::Frame frame;
    std::vector<std::uint8_t> payload;
    Time at = 0;
    bool on_line = false;
    bool dropped = false;
    TransmitClient* client = nullptr;
    std::uint64_t ticket = 0;
  };
  FakeTransmit(Partition& partition, FakeDma& dma)
      : partition_(partition), dma_(dma), later_(partition, "fake.transmit") {}

  std::deque<Job> jobs;
  Time line_time = 50 * kNanosecond;
  bool hold = false;          // nothing goes to the line until let_go()
  std::uint32_t rooms = ~0U;  // so many packets with payload are taken
  std::vector<std::size_t> failing;

  bool room(std::uint8_t /*priority*/, std::uint32_t /*bytes*/) const override {
    return rooms != 0;
  }
  void add_room_client(RoomClient& client) override { room_clients.push_back(&client); }
  void take(const TransmitJob& job) override {
    EXPECT_GE(job.at, partition_.now());
    Job& taken = jobs.emplace_back();
    taken.frame = *job.headers;
    taken.at = job.at;
    taken.client = job.client;
    taken.ticket = job.ticket;
    std::uint32_t bytes = 0;
    for (std::uint32_t i = 0; i < job.count; ++i) {
      const BusSegment& segment = job.segments[i];
      taken.payload.insert(taken.payload.end(), &dma_.memory.at(segment.address),
                           &dma_.memory.at(segment.address) + segment.bytes);
      bytes += segment.bytes;
    }
    EXPECT_EQ(bytes, job.headers->payload_bytes);
    if (net::is_read_response(job.headers->bth.opcode) && rooms != ~0U) --rooms;
    if (hold) return;
    put_on_line(jobs.size() - 1);
  }
  void drop(TransmitClient& client, std::uint64_t ticket) override {
    for (Job& job : jobs) {
      if (job.client == &client && job.ticket == ticket && !job.on_line) job.dropped = true;
    }
  }
  void let_go() {
    hold = false;
    for (std::size_t i = 0; i < jobs.size(); ++i) put_on_line(i);
  }
  void give_room(std::uint32_t packets) {
    rooms = packets;
    for (RoomClient* client : room_clients) client->transmit_room(3);
  }
  /// The payload of job `index` could not be read.
  void fail(std::size_t index) {
    jobs.at(index).dropped = true;
    jobs.at(index).client->read_failed(jobs.at(index).ticket);
  }
  std::vector<RoomClient*> room_clients;

 private:
  void put_on_line(std::size_t index) {
    later_.at(std::max(partition_.now(), jobs[index].at) + line_time, [this, index] {
      Job& job = jobs[index];
      if (job.dropped || job.on_line) return;
      job.on_line = true;
      const Ref<net::Packet> packet = partition_.packets().packets.acquire();
      packet->frame = job.frame;
      job.client->sent(job.ticket, *packet);
    });
  }
  Partition& partition_;
  FakeDma& dma_;
  Later later_;
};

class FakeCompletions : public CompletionSink {
 public:
  std::vector<Completion> completions;
  std::vector<abi::EventType> events;
  void complete(const Completion& completion, Time /*at*/) override {
    completions.push_back(completion);
  }
  void event(abi::EventType type, std::uint32_t /*qp*/) override { events.push_back(type); }
};

class FakeBuffer : public ReceiveBuffer {
 public:
  std::map<std::uint64_t, unsigned> releases;  // by packet
  std::uint64_t given = 0;
  void release(const net::Packet& packet) override {
    EXPECT_EQ(++releases[packet.id], 1U) << "packet " << packet.id << " released again";
  }
  std::uint64_t held() const { return given - releases.size(); }
};

class FakeRequester : public PacketConsumer {
 public:
  explicit FakeRequester(ReceiveBuffer& buffer) : buffer_(buffer) {}
  std::vector<net::Frame> taken;
  void take(ReceivedPacket packet) override {
    taken.push_back(packet.packet->frame);
    buffer_.release(*packet.packet);
  }

 private:
  ReceiveBuffer& buffer_;
};

class FakeQps : public QpLookup {
 public:
  std::vector<std::unique_ptr<Qp>> qps;  // by slot
  Qp* find(std::uint32_t number) override {
    for (auto& qp : qps) {
      if (qp && qp->number == number) return qp.get();
    }
    return nullptr;
  }
  Qp& in_slot(std::uint32_t slot) override { return *qps.at(slot); }
};

inline NicConfig bench_config() {
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

  explicit ResponderBench(const NicConfig& c = bench_config())
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
    responder = std::make_unique<Responder>(units);
    units.responder = responder.get();
    pipeline = std::make_unique<ReceivePipeline>(units);
    translation.keys[kRkey] = {kRemoteVa, kRemoteBytes, 1, 0xF, kRemoteBus, false};
    translation.keys[kLkey] = {kLocalVa, 64 * 1024, 1, abi::access::kLocalWrite, kLocalBus, false};
  }

  /// After make_qp() of all.
  void start() {
    simulation.seal();
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
  std::unique_ptr<Responder> responder;
  std::unique_ptr<ReceivePipeline> pipeline;
  std::map<std::uint32_t, std::uint16_t> posted;
  std::vector<abi::EventType> failures;
  std::uint32_t psn = kFirstPsn;
  std::uint64_t ids = 0;
};

}  // namespace railyard::nic::test
