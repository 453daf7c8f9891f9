// Fakes of what a NIC's receiving side uses: memory, keys, contexts, the way to the line. Each
// takes a time of its own and can be held up.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hw/nic/address_translation.h"
#include "hw/nic/completion_sink.h"
#include "hw/nic/context_store.h"
#include "hw/nic/dma_path.h"
#include "hw/nic/receive_path.h"
#include "hw/nic/transmit_path.h"
#include "hw/nic/units.h"
#include "tlm/sim/partition.h"

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

}  // namespace railyard::nic::test
