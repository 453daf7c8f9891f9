// A requester with all that it uses faked: memory, keys, contexts, the way to the line, CQEs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "hw/nic/requester.h"
#include "tlm/sim/simulation.h"

namespace railyard::nic::support {

/// Calls functions at times, in order.
class Later {
 public:
  explicit Later(Partition& partition)
      : partition_(partition),
        event_(Event::of<&Later::fire>(*this, partition.endpoint("bench.later"), Phase::kArrival)) {
  }
  void at(Time time, std::function<void()> action) {
    actions_.emplace(time, std::move(action));
    if (!firing_) plan();
  }
  void in(Time delay, std::function<void()> action) {
    at(partition_.now() + delay, std::move(action));
  }

 private:
  void plan() {
    if (!actions_.empty() && actions_.begin()->first != event_.time()) {
      partition_.scheduler().schedule(event_, actions_.begin()->first);
    }
  }
  void fire() {
    firing_ = true;
    while (!actions_.empty() && actions_.begin()->first <= partition_.now()) {
      const auto action = std::move(actions_.begin()->second);
      actions_.erase(actions_.begin());
      action();
    }
    firing_ = false;
    plan();
  }
  Partition& partition_;
  Event event_;
  std::multimap<Time, std::function<void()>> actions_;
  bool firing_ = false;
};

/// Memory on the bus, and DMA to it: reads take `latency`, writes none.
struct FakeDma : DmaPath {
  FakeDma(Partition& of, Later& when) : partition(of), later(when), memory(1U << 20) {}
  void read(const DmaRead& r, DmaClient& client) override {
    reads.push_back(r);
    later.in(latency + (jitter ? jitter() : 0), [this, r, &client] {
      if (r.address >= bad_from) {
        client.dma_done(r.ticket, pcie::Status::kUnsupportedRequest, {});
        return;
      }
      Ref<net::Payload> bytes = partition.packets().payloads.acquire();
      bytes->resize(r.bytes);
      std::memcpy(bytes->data(), &memory[r.address], r.bytes);
      client.dma_done(r.ticket, pcie::Status::kSuccess, std::move(bytes));
    });
  }
  void write(const DmaWrite& w, DmaClient* /*client*/) override {
    writes.push_back(w);
    if (w.payload) {
      std::memcpy(&memory[w.address], w.payload->data() + w.payload_offset, w.bytes);
    }
    writes.back().payload = {};
  }
  bool payload_room(std::uint32_t /*bytes*/) const override { return true; }
  void interrupt(unsigned /*vector*/) override {}

  Partition& partition;
  Later& later;
  std::vector<std::uint8_t> memory;
  std::vector<DmaRead> reads;
  std::vector<DmaWrite> writes;
  Time latency = 500 * kNanosecond;
  std::function<Time()> jitter;
  std::uint64_t bad_from = ~std::uint64_t{0};
};

/// Key k covers [base, base + bytes) and maps it to the bus at `bus`, cut at pages if asked.
struct FakeKeys : AddressTranslation {
  struct Key {
    std::uint64_t base = 0, bytes = 0, bus = 0;
    std::uint32_t pd = 1, access = abi::access::kLocalWrite;
  };
  FakeKeys(Partition& of, Later& when) : partition(of), later(when) {}
  Mapping map(const KeyedRange& r) const {
    Mapping m;
    const auto found = keys.find(r.key);
    if (found == keys.end()) {
      m.error = KeyError::kNoSuchKey;
      return m;
    }
    const Key& key = found->second;
    if (key.pd != r.pd) m.error = KeyError::kDomain;
    if ((key.access & r.right) != r.right) m.error = KeyError::kRight;
    if (r.address < key.base || r.address + r.bytes > key.base + key.bytes) {
      m.error = KeyError::kBounds;
    }
    if (m.error != KeyError::kNone) return m;
    std::uint64_t at = r.address - key.base + key.bus;
    std::uint64_t left = r.bytes;
    while (left != 0 && m.count < 3) {
      const std::uint64_t step = cut ? std::min(left, 4096 - at % 4096) : left;
      m.segments[m.count++] = {at, static_cast<std::uint32_t>(step)};
      at += step;
      left -= step;
    }
    return m;
  }
  Time translate(const KeyedRange& range, Time at, unsigned /*cls*/, TranslationClient& client,
                 std::uint64_t ticket, Mapping& mapping) override {
    asked.push_back(range);
    if (miss == 0) {
      mapping = map(range);
      return at + kNanosecond;
    }
    last = std::max(last, at + miss);
    later.at(last, [this, range, &client, ticket] { client.translated(ticket, map(range)); });
    return kForever;
  }
  Partition& partition;
  Later& later;
  std::map<std::uint32_t, Key> keys;
  std::vector<KeyedRange> asked;
  bool cut = false;
  Time miss = 0;
  Time last = 0;
};

struct FakeContexts : ContextStore {
  explicit FakeContexts(Later& when) : later(when) {}
  Time want(std::uint32_t slot, Time at, unsigned /*cls*/, ContextClient& client,
            std::uint64_t ticket) override {
    ++wanted;
    if (miss == 0) return at + latency;
    later.at(at + miss, [slot, &client, ticket] { client.context_ready(slot, ticket); });
    return kForever;
  }
  Later& later;
  Time latency = kNanosecond;
  Time miss = 0;
  std::uint64_t wanted = 0;
};

/// Sends in the order of taking, a byte in `byte` time. Payload is read when it leaves.
struct FakeTransmit : TransmitPath {
  struct Sent {
    net::Frame frame;
    std::vector<std::uint8_t> payload;
    Time taken = 0;  // job.at
    Time sent = 0;
    unsigned cls = 0;
    std::uint32_t segments = 0;
  };
  FakeTransmit(Partition& of, Later& when, FakeDma& memory)
      : partition(of), later(when), dma(memory) {}
  bool room(std::uint8_t priority, std::uint32_t /*bytes*/) const override {
    const std::uint32_t all = std::accumulate(waiting.begin(), waiting.end(), 0U);
    const bool has = all < limit && (paused >> priority & 1U) == 0;
    if (!has) refused[priority] = true;
    return has;
  }
  void add_room_client(RoomClient& client) override { room_client = &client; }
  void take(const TransmitJob& job) override {
    const std::uint64_t id = next++;
    Job& j = jobs[id];
    j.client = job.client;
    j.ticket = job.ticket;
    j.priority = job.priority;
    j.sent = {*job.headers, {}, job.at, 0, job.cls, job.count};
    for (std::uint32_t i = 0; i < job.count; ++i) {
      const std::uint8_t* from = &dma.memory[job.segments[i].address];
      j.sent.payload.insert(j.sent.payload.end(), from, from + job.segments[i].bytes);
    }
    if (job.inlined) {
      j.sent.payload.assign(job.inlined->data(), job.inlined->data() + job.inlined->size());
    }
    j.line = byte * net::line_bytes(net::frame_bytes(*job.headers));
    ++waiting[job.priority];
    later.at(std::max(job.at, partition.now()), [this, id] { arrive(id); });
  }
  void drop(TransmitClient& client, std::uint64_t ticket) override {
    for (auto& [id, job] : jobs) {
      if (job.client == &client && job.ticket == ticket) job.dropped = true;
    }
  }
  void resume(std::uint8_t priorities) {
    paused = static_cast<std::uint8_t>(paused & ~priorities);
    for (std::uint8_t p = 0; p < 8; ++p) tell(p);
  }

  struct Job {
    Sent sent;
    TransmitClient* client = nullptr;
    std::uint64_t ticket = 0;
    std::uint8_t priority = 0;
    Time line = 0;
    bool dropped = false;
  };
  void arrive(std::uint64_t id) {
    line_free = std::max(line_free, partition.now());
    const Time begin = line_free;
    line_free += jobs[id].line;
    later.at(begin, [this, id] { leave(id); });
  }
  void leave(std::uint64_t id) {
    Job job = std::move(jobs[id]);
    jobs.erase(id);
    --waiting[job.priority];
    if (!job.dropped && fail_next > 0 && --fail_next == 0) {
      job.client->read_failed(job.ticket);
    } else if (!job.dropped) {
      job.sent.sent = partition.now();
      Ref<net::Packet> packet = partition.packets().packets.acquire();
      packet->frame = job.sent.frame;
      packet->seal();
      sent.push_back(job.sent);
      job.client->sent(job.ticket, *packet);
      if (peer) peer(job.sent);
    }
    for (std::uint8_t p = 0; p < 8; ++p) tell(p);
  }
  void tell(std::uint8_t priority) {
    if (!refused[priority] || !room(priority, 0)) return;
    refused[priority] = false;
    room_client->transmit_room(priority);
  }

  Partition& partition;
  Later& later;
  FakeDma& dma;
  std::map<std::uint64_t, Job> jobs;
  std::uint64_t next = 0;
  std::vector<Sent> sent;
  std::function<void(const Sent&)> peer;
  RoomClient* room_client = nullptr;
  std::uint32_t limit = ~0U;
  std::array<std::uint32_t, 8> waiting{};
  mutable std::array<bool, 8> refused{};
  std::uint8_t paused = 0;
  Time byte = 20;  // 400 Gb/s
  Time line_free = 0;
  int fail_next = 0;  // the payload of the n-th packet from now on cannot be read
};

struct FakeCompletions : CompletionSink {
  explicit FakeCompletions(Partition& of) : partition(of) {}
  void complete(const Completion& completion, Time at) override {
    EXPECT_GE(at, partition.now());
    all.push_back(completion);
    times.push_back(at);
  }
  void event(abi::EventType /*type*/, std::uint32_t /*qp*/) override {}
  Partition& partition;
  std::vector<Completion> all;
  std::vector<Time> times;
};

struct FakeQps : QpLookup {
  Qp* find(std::uint32_t number) override {
    for (auto& qp : all) {
      if (qp->number == number) return qp.get();
    }
    return nullptr;
  }
  Qp& in_slot(std::uint32_t slot) override { return *all[slot]; }
  std::vector<std::unique_ptr<Qp>> all;
};

struct FakeBuffer : ReceiveBuffer {
  void release(const net::Packet& /*packet*/) override { ++released; }
  std::uint64_t released = 0;
};

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

inline NicConfig bench_config() {
  NicConfig config;
  config.limits.qps = 64;
  return config;
}

struct RequesterBench : QpControl {
  static constexpr std::uint32_t kKey = 0x500;
  static constexpr std::uint64_t kData = 0x8'0000;  // on the bus, of kKey's virtual 0x10'0000
  static constexpr std::uint64_t kVirtual = 0x10'0000;
  static constexpr std::uint64_t kDataBytes = 0x8'0000;

  explicit RequesterBench(const NicConfig& with = bench_config(), CongestionControl* cc = nullptr)
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
    units.congestion = cc;
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
  std::unique_ptr<Requester> requester;
  std::vector<abi::EventType> failures;
  std::vector<std::uint16_t> posted;
  std::uint64_t ring_end = 0x1000;
  std::uint64_t answers = 0;
  bool sealed = false;
};

}  // namespace railyard::nic::support
