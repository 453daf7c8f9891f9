// Stand-ins for the units behind a NIC's registers and commands: they write down what they are
// told.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "hw/nic/device_parts.h"
#include "hw/nic/dma_path.h"
#include "hw/nic/units.h"
#include "tlm/base/ring.h"

namespace railyard::nic::device_test {

struct RecordedSides : QueuePairSides {
  struct Doorbell {
    std::uint32_t number;
    std::uint16_t posted;
    Time at;
  };
  struct BlueField {
    std::uint32_t number;
    std::vector<std::uint8_t> wqe;
    Time at;
  };
  void doorbell(std::uint32_t number, std::uint16_t posted, Time at) override {
    doorbells.push_back({number, posted, at});
  }
  void blue_field(std::uint32_t number, const std::uint8_t* wqe, std::uint32_t bytes,
                  Time at) override {
    blue_fields.push_back({number, {wqe, wqe + bytes}, at});
  }
  void ready_to_receive(Qp& qp) override { note("rtr", qp); }
  void ready_to_send(Qp& qp) override { note("rts", qp); }
  void flush(Qp& qp) override { note("flush", qp); }
  void reset(Qp& qp) override { note("reset", qp); }

  void note(const std::string& what, const Qp& qp) {
    calls.push_back(what + " " + std::to_string(qp.number));
  }
  std::vector<Doorbell> doorbells;
  std::vector<BlueField> blue_fields;
  std::vector<std::string> calls;
};

struct RecordedKeys : KeyTable {
  static constexpr std::uint64_t kBytes = 10'000;  // no whole pages

  std::uint64_t memory_bytes() const override { return kBytes; }
  void set_memory(std::uint64_t address) override { memory = address; }
  abi::CommandStatus create(const KeyShape& shape, const std::vector<std::uint64_t>& pages,
                            std::uint32_t& key) override {
    if (keys.size() == limit) return abi::CommandStatus::kNoResources;
    key = next++ << 8 | 0x5A;
    keys[key] = {shape, pages};
    return abi::CommandStatus::kOk;
  }
  abi::CommandStatus destroy(std::uint32_t key) override {
    return keys.erase(key) == 1 ? abi::CommandStatus::kOk : abi::CommandStatus::kBadResource;
  }
  bool uses_pd(std::uint32_t pd) const override {
    return std::any_of(keys.begin(), keys.end(),
                       [pd](const auto& key) { return key.second.shape.pd == pd; });
  }

  struct Key {
    KeyShape shape;
    std::vector<std::uint64_t> pages;
  };
  std::map<std::uint32_t, Key> keys;
  std::size_t limit = 100;
  std::uint32_t next = 0;
  std::uint64_t memory = 0;
};

struct RecordedQueues : QueueTable {
  struct Arm {
    std::uint32_t number;
    std::uint32_t word;
    bool arm;
    Time at;
  };
  explicit RecordedQueues(Partition& of) : partition(of) {}

  void create_eq(std::uint32_t number, const EqShape& shape) override { eqs[number] = shape; }
  void destroy_eq(std::uint32_t number) override { eqs.erase(number); }
  void create_cq(std::uint32_t number, const CqShape& shape) override { cqs[number] = shape; }
  void modify_cq(std::uint32_t number, Time moderation, std::uint32_t count) override {
    cqs.at(number).moderation = moderation;
    cqs.at(number).moderation_count = count;
  }
  void destroy_cq(std::uint32_t number) override { cqs.erase(number); }
  void arm_cq(std::uint32_t number, std::uint32_t word) override {
    cq_arms.push_back({number, word, true, partition.now()});
  }
  void consume_eq(std::uint32_t number, std::uint32_t consumer, bool arm) override {
    eq_arms.push_back({number, consumer, arm, partition.now()});
  }

  Partition& partition;
  std::map<std::uint32_t, EqShape> eqs;
  std::map<std::uint32_t, CqShape> cqs;
  std::vector<Arm> cq_arms, eq_arms;
};

struct RecordedContexts : ContextTable {
  void set_memory(std::uint64_t address) override { memory = address; }
  void create(std::uint32_t slot) override { slots.insert(slot); }
  void destroy(std::uint32_t slot) override { slots.erase(slot); }
  std::set<std::uint32_t> slots;
  std::uint64_t memory = 0;
};

struct RecordedEvents : CompletionSink {
  void complete(const Completion& /*completion*/, Time /*at*/) override {}
  void event(abi::EventType type, std::uint32_t qp) override { events.emplace_back(type, qp); }
  std::vector<std::pair<abi::EventType, std::uint32_t>> events;
};

/// All four, and how the registers see them.
struct RecordedParts {
  explicit RecordedParts(Partition& partition) : queues(partition) {}
  DeviceParts parts() { return {sides, keys, queues, contexts}; }

  RecordedSides sides;
  RecordedKeys keys;
  RecordedQueues queues;
  RecordedContexts contexts;
  RecordedEvents events;
};

/// The way to memory over a PCIe function, without bounds.
class FunctionDma : public DmaPath, private pcie::DmaListener {
 public:
  explicit FunctionDma(pcie::Function& function) : function_(function) {}

  void read(const DmaRead& read, DmaClient& client) override {
    pcie::DmaRequest request;
    request.address = read.address;
    request.bytes = read.bytes;
    request.ticket = keep(client, read.ticket);
    function_.dma(std::move(request), *this);
  }
  void write(const DmaWrite& write, DmaClient* client) override {
    pcie::DmaRequest request;
    request.write = true;
    request.address = write.address;
    request.bytes = write.bytes;
    request.payload = write.payload;
    request.payload_offset = write.payload_offset;
    request.ticket = client != nullptr ? keep(*client, write.ticket) : kNobody;
    function_.dma(std::move(request), *this);
  }
  bool payload_room(std::uint32_t /*bytes*/) const override { return true; }
  void interrupt(unsigned vector) override { function_.interrupt(vector); }

 private:
  struct Asked {
    DmaClient* client;
    std::uint64_t ticket;
  };
  static constexpr std::uint64_t kNobody = ~std::uint64_t{0};

  std::uint64_t keep(DmaClient& client, std::uint64_t ticket) {
    asked_.push_back({&client, ticket});
    return asked_.size() - 1;
  }
  void dma_done(const pcie::DmaDone& done) override {
    if (done.ticket == kNobody) return;
    const Asked asked = asked_[done.ticket];
    asked.client->dma_done(asked.ticket, done.status, done.payload);
  }

  pcie::Function& function_;
  std::vector<Asked> asked_;
};

/// A memory behind nothing: each access takes `kLatency`, and they are done in order.
class FixedDma : public DmaPath {
 public:
  static constexpr std::uint64_t kBase = 0x10'0000;
  static constexpr std::uint64_t kBytes = 0x10'0000;
  static constexpr Time kLatency = 400 * kNanosecond;

  explicit FixedDma(Partition& partition)
      : partition_(partition),
        memory(kBytes),
        event_(Event::of<&FixedDma::fire>(*this, partition.endpoint("memory"), Phase::kAct)) {}

  void read(const DmaRead& read, DmaClient& client) override {
    pending_.push({read, &client, partition_.now() + kLatency});
    if (!event_.pending()) partition_.scheduler().schedule(event_, partition_.now() + kLatency);
  }
  void write(const DmaWrite& write, DmaClient* /*client*/) override {
    writes.push_back({write.address, write.bytes, partition_.now()});
    if (!covers(write.address, write.bytes)) return;
    std::memcpy(at(write.address), write.payload->data(), write.bytes);
  }
  bool payload_room(std::uint32_t /*bytes*/) const override { return true; }
  void interrupt(unsigned /*vector*/) override {}

  std::uint8_t* at(std::uint64_t address) { return &memory[address - kBase]; }
  static bool covers(std::uint64_t address, std::uint64_t bytes) {
    return address >= kBase && address - kBase <= kBytes - bytes;
  }

  struct Written {
    std::uint64_t address;
    std::uint32_t bytes;
    Time when;
  };
  std::vector<Written> writes;

 private:
  struct Pending {
    DmaRead read;
    DmaClient* client = nullptr;
    Time at = 0;
  };

  void fire() {
    const Pending done = pending_.pop();
    if (!pending_.empty()) partition_.scheduler().schedule(event_, pending_.front().at);
    if (!covers(done.read.address, done.read.bytes)) {
      return done.client->dma_done(done.read.ticket, pcie::Status::kUnsupportedRequest, {});
    }
    Ref<net::Payload> payload = partition_.packets().payloads.acquire();
    payload->resize(done.read.bytes);
    std::memcpy(payload->data(), at(done.read.address), done.read.bytes);
    done.client->dma_done(done.read.ticket, pcie::Status::kSuccess, payload);
  }

  Partition& partition_;
  std::vector<std::uint8_t> memory;
  Ring<Pending> pending_;
  Event event_;
};

}  // namespace railyard::nic::device_test
