// Stand-ins for the units of a NIC: a test of one unit gives it these for the others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "hw/nic/address_translation.h"
#include "hw/nic/completion_sink.h"
#include "hw/nic/context_store.h"
#include "hw/nic/dma_path.h"
#include "hw/nic/transmit_path.h"
#include "tlm/sim/partition.h"

namespace railyard::nic::fakes {

/// Calls that are due later, of one time in the order of asking.
class Later {
 public:
  Later(Partition& partition, const std::string& name, Phase phase = Phase::kArrival)
      : partition_(partition),
        event_(Event::of<&Later::fire>(*this, partition.endpoint(name), phase)) {}

  void call(Time at, std::function<void()> what) {
    const auto behind = std::upper_bound(calls_.begin(), calls_.end(), at,
                                         [](Time time, const Call& c) { return time < c.at; });
    calls_.insert(behind, {at, std::move(what)});
    partition_.scheduler().schedule(event_, calls_.front().at);
  }

 private:
  struct Call {
    Time at;
    std::function<void()> what;
  };

  void fire() {
    while (!calls_.empty() && calls_.front().at <= partition_.now()) {
      const Call call = std::move(calls_.front());
      calls_.erase(calls_.begin());
      call.what();
    }
    if (!calls_.empty()) partition_.scheduler().schedule(event_, calls_.front().at);
  }

  Partition& partition_;
  Event event_;
  std::vector<Call> calls_;
};

/// Memory from address 0 on, which answers each read after `latency`, or after what `latency_of`
/// says, or, while `hold` is set, when the test says `answer()`.
class FakeDma : public DmaPath {
 public:
  FakeDma(Partition& partition, const std::string& name, std::size_t bytes)
      : memory(bytes), partition_(partition), later_(partition, name) {
    for (std::size_t i = 0; i < bytes; ++i) memory[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  }

  std::vector<std::uint8_t> memory;
  Time latency = 500 * kNanosecond;
  std::function<Time(const DmaRead&)> latency_of;
  bool hold = false;
  bool carried = true;                // payload's bytes
  std::uint64_t bad_address = ~0ULL;  // reads that touch it, and beyond memory, fail
  std::uint64_t payload_limit = ~0ULL;

  std::vector<DmaRead> reads;
  std::vector<DmaWrite> writes;  // done at once; their bytes are in memory
  std::vector<unsigned> interrupts;
  std::vector<Time> read_times;

  void read(const DmaRead& read, DmaClient& client) override {
    reads.push_back(read);
    read_times.push_back(partition_.now());
    clients_.push_back(&client);
    if (read.use == DmaUse::kPayload) payload_outstanding_ += read.bytes;
    if (hold) return;
    const std::size_t index = reads.size() - 1;
    const Time after = latency_of ? latency_of(read) : latency;
    later_.call(partition_.now() + after, [this, index] { answer(index); });
  }
  void write(const DmaWrite& write, DmaClient* client) override {
    writes.push_back(write);
    if (write.payload && write.address + write.bytes <= memory.size()) {
      std::copy_n(write.payload->data() + write.payload_offset, write.bytes,
                  memory.data() + write.address);
    }
    const std::uint64_t ticket = write.ticket;
    if (client == nullptr) return;
    later_.call(partition_.now() + 1, [client, ticket] {
      client->dma_done(ticket, pcie::Status::kSuccess, Ref<net::Payload>());
    });
  }
  bool payload_room(std::uint32_t bytes) const override {
    return payload_outstanding_ + bytes <= payload_limit;
  }
  void interrupt(unsigned vector) override { interrupts.push_back(vector); }

  /// Answers the read that was asked for as number `index`, now: not within the call that asked.
  void answer(std::size_t index) {
    const DmaRead read = reads[index];
    if (read.use == DmaUse::kPayload) payload_outstanding_ -= read.bytes;
    const bool touches_bad = read.address <= bad_address && bad_address < read.address + read.bytes;
    if (touches_bad || read.address + read.bytes > memory.size()) {
      clients_[index]->dma_done(read.ticket, pcie::Status::kUnsupportedRequest,
                                Ref<net::Payload>());
      return;
    }
    Ref<net::Payload> payload;
    if (carried || read.use != DmaUse::kPayload) {
      payload = partition_.packets().payloads.acquire();
      payload->resize(read.bytes);
      std::copy_n(memory.data() + read.address, read.bytes, payload->data());
    }
    clients_[index]->dma_done(read.ticket, pcie::Status::kSuccess, std::move(payload));
  }
  std::uint64_t payload_outstanding() const { return payload_outstanding_; }
  /// So many reads are kept without asking the heap.
  void reserve(std::size_t count) {
    reads.reserve(count);
    read_times.reserve(count);
    clients_.reserve(count);
  }

 private:
  Partition& partition_;
  Later later_;
  std::vector<DmaClient*> clients_;
  std::uint64_t payload_outstanding_ = 0;
};

/// The bus address is the virtual one; pages do not split.
class FakeTranslation : public AddressTranslation {
 public:
  FakeTranslation(Partition& partition, const std::string& name) : later_(partition, name) {}

  Time latency = 0;       // of a hit
  Time miss_latency = 0;  // not 0: all miss, and are answered so much later
  std::function<KeyError(const KeyedRange&)> check;
  std::vector<KeyedRange> asked;

  Time translate(const KeyedRange& range, Time at, unsigned /*cls*/, TranslationClient& client,
                 std::uint64_t ticket, Mapping& mapping) override {
    asked.push_back(range);
    const Mapping answer = map(range);
    if (miss_latency == 0) {
      mapping = answer;
      return at + latency;
    }
    later_.call(at + miss_latency,
                [&client, ticket, answer] { client.translated(ticket, answer); });
    return kForever;
  }

 private:
  Mapping map(const KeyedRange& range) const {
    Mapping mapping;
    if (check) mapping.error = check(range);
    if (mapping.error != KeyError::kNone || range.bytes == 0) return mapping;
    mapping.count = 1;
    mapping.segments[0] = {range.address, range.bytes};
    return mapping;
  }

  Later later_;
};

class FakeContexts : public ContextStore {
 public:
  FakeContexts(Partition& partition, const std::string& name) : later_(partition, name) {}

  Time latency = 0;       // of a hit
  Time miss_latency = 0;  // not 0: all miss
  std::vector<std::uint32_t> wanted;

  Time want(std::uint32_t slot, Time at, unsigned /*cls*/, ContextClient& client,
            std::uint64_t ticket) override {
    wanted.push_back(slot);
    if (miss_latency == 0) return at + latency;
    later_.call(at + miss_latency, [&client, slot, ticket] { client.context_ready(slot, ticket); });
    return kForever;
  }

 private:
  Later later_;
};

class FakeCompletions : public CompletionSink {
 public:
  struct Event {
    abi::EventType type;
    std::uint32_t qp;
  };
  std::vector<std::pair<Completion, Time>> completions;
  std::vector<Event> events;

  void complete(const Completion& completion, Time at) override {
    completions.emplace_back(completion, at);
  }
  void event(abi::EventType type, std::uint32_t qp) override { events.push_back({type, qp}); }
};

/// Keeps what it is given; the test says when it is sent.
class FakeTransmit : public TransmitPath {
 public:
  struct Taken {
    TransmitJob job;
    net::Frame headers;
    std::vector<BusSegment> segments;
  };
  std::vector<Taken> taken;
  std::vector<std::pair<TransmitClient*, std::uint64_t>> dropped;
  bool has_room = true;

  bool room(std::uint8_t /*priority*/, std::uint32_t /*payload_bytes*/) const override {
    return has_room;
  }
  void add_room_client(RoomClient& client) override { room_clients_.push_back(&client); }
  void take(const TransmitJob& job) override {
    Taken taken_now{job, *job.headers, {}};
    if (job.count != 0) taken_now.segments.assign(job.segments, job.segments + job.count);
    taken_now.job.headers = nullptr;
    taken_now.job.segments = nullptr;
    taken.push_back(std::move(taken_now));
  }
  void drop(TransmitClient& client, std::uint64_t ticket) override {
    dropped.emplace_back(&client, ticket);
  }

  void give_room(std::uint8_t priority) {
    has_room = true;
    for (RoomClient* client : room_clients_) client->transmit_room(priority);
  }
  /// The packet of taken[index], as its client is told of it.
  Ref<net::Packet> send(Partition& partition, std::size_t index) {
    Ref<net::Packet> packet = partition.packets().packets.acquire();
    packet->frame = taken[index].headers;
    packet->payload = taken[index].job.inlined;
    packet->seal();
    TransmitClient* client = taken[index].job.client;
    if (client != nullptr) client->sent(taken[index].job.ticket, *packet);
    return packet;
  }

 private:
  std::vector<RoomClient*> room_clients_;
};

}  // namespace railyard::nic::fakes
