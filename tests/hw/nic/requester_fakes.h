// What a requester uses, faked: memory, keys, contexts, the way to the line, CQEs.
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

namespace railyard::nic::requester_test {

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
      return at + latency;
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
  Time latency = kNanosecond;  // of the stage, which takes any number at once
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

}  // namespace railyard::nic::requester_test
