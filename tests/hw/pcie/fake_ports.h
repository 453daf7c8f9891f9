// A memory and devices as a root complex would offer them, on a lazy scheduler.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "hw/pcie/cpu_port.h"
#include "hw/pcie/memory_port.h"
#include "tlm/base/ring.h"
#include "tlm/sim/lazy_scheduler.h"

namespace railyard::pcie {

/// Answers after a random time, in any order; writes are visible when they are committed.
class FakeMemory : public MemoryPort {
 public:
  FakeMemory(LazyScheduler& steps, std::uint64_t base, std::uint64_t size)
      : storage(size),
        steps_(steps),
        base_(base),
        endpoint_(steps.partition().endpoint("fake_memory")),
        random_(steps.partition().random("fake_memory")) {}

  bool covers(std::uint64_t address, std::uint64_t bytes) const override {
    return address >= base_ && address - base_ + bytes <= storage.size();
  }
  void access(Ref<MemoryAccess> access) override {
    if (access->bytes > 4096 || access->address % 4096 + access->bytes > 4096) ++illegal;
    if (free_.empty()) free_.push_back(&slots_.emplace_back(*this));
    Slot& slot = *free_.back();
    free_.pop_back();
    slot.access = std::move(access);
    steps_.schedule_in(slot.due, static_cast<Time>(1 + random_.below(200 * kNanosecond)));
  }
  void commit(MemoryAccess& access) override {
    std::memcpy(at(access.address), access.payload->data(), access.bytes);
  }
  bool watched(std::uint64_t, std::uint64_t) const override { return false; }
  std::uint32_t debug(bool write, std::uint64_t address, std::uint8_t* data,
                      std::uint32_t bytes) override {
    std::uint8_t* const there = at(address);
    std::memcpy(write ? there : data, write ? data : there, bytes);
    return bytes;
  }

  std::vector<std::uint8_t> storage;
  std::uint64_t illegal = 0;
  std::uint64_t fails_at = ~0ULL;  // accesses to this address fail

 private:
  struct Slot {
    explicit Slot(FakeMemory& m)
        : memory(m), due(Event::of<&Slot::done>(*this, m.endpoint_, Phase::kAct)) {}
    void done() { memory.done(*this); }
    FakeMemory& memory;
    Event due;
    Ref<MemoryAccess> access;
  };
  std::uint8_t* at(std::uint64_t address) { return storage.data() + (address - base_); }
  void done(Slot& slot) {
    const Ref<MemoryAccess> access = std::move(slot.access);
    free_.push_back(&slot);
    access->failed = access->address == fails_at;
    if (!access->write) {
      std::memcpy(access->payload->data() + access->payload_offset, at(access->address),
                  access->bytes);
    }
    access->client->memory_done(*access);
  }

  LazyScheduler& steps_;
  std::uint64_t base_;
  railyard::Endpoint& endpoint_;
  RandomStream random_;
  std::deque<Slot> slots_;
  std::vector<Slot*> free_;
};

/// Registers that hold what is written; what is asked is done in order, with room for a few writes.
class FakeDevices : public CpuPort {
 public:
  FakeDevices(LazyScheduler& steps, std::uint64_t base, std::uint64_t size)
      : storage(size),
        steps_(steps),
        base_(base),
        step_(Event::of<&FakeDevices::step>(*this, steps.partition().endpoint("fake_devices"),
                                            Phase::kAct)),
        random_(steps.partition().random("fake_devices")) {}

  bool is_device(std::uint64_t address) const override {
    return address >= base_ && address - base_ < storage.size();
  }
  bool cpu_write(std::uint64_t address, const std::uint8_t* data, std::uint32_t bytes) override {
    const LazyScheduler::Visit visit(steps_);
    if (bytes == 0 || address % 64 + bytes > 64) ++illegal;
    if (writes_ >= kRoom) {
      ++refused;
      wants_room_ = true;
      return false;
    }
    ++writes_;
    Operation operation{true, address, bytes, 0, {}};
    std::memcpy(operation.data, data, bytes);
    begin(operation);
    return true;
  }
  void cpu_read(std::uint64_t address, std::uint32_t bytes, std::uint64_t ticket) override {
    const LazyScheduler::Visit visit(steps_);
    if (bytes == 0 || address % 8 + bytes > 8) ++illegal;
    begin({false, address, bytes, ticket, {}});
  }
  void config_read(DeviceId, unsigned, std::uint64_t) override { ++illegal; }
  void config_write(DeviceId, unsigned, std::uint32_t, std::uint64_t) override { ++illegal; }
  void set_listener(CpuListener& listener) override { listener_ = &listener; }

  std::vector<std::uint8_t> storage;
  std::uint64_t illegal = 0;
  std::uint64_t refused = 0;
  std::uint64_t writes_done = 0;
  Status answer = Status::kSuccess;

 private:
  static constexpr std::size_t kRoom = 2;
  struct Operation {
    bool write = false;
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    std::uint64_t ticket = 0;
    std::uint8_t data[64] = {};
  };
  void begin(const Operation& operation) {
    operations_.push(operation);
    if (!step_.pending()) next();
  }
  void next() {
    steps_.schedule_in(step_, static_cast<Time>(1 + random_.below(100 * kNanosecond)));
  }
  void step() {
    const Operation operation = operations_.pop();
    if (!operations_.empty()) next();
    std::uint8_t* const there = storage.data() + (operation.address - base_);
    if (operation.write) {
      std::memcpy(there, operation.data, operation.bytes);
      --writes_;
      ++writes_done;
      if (std::exchange(wants_room_, false)) listener_->cpu_room();
      return;
    }
    std::uint64_t value = ~0ULL;
    if (answer == Status::kSuccess) std::memcpy(&value, there, operation.bytes);
    listener_->cpu_read_done(operation.ticket, answer, value);
  }

  LazyScheduler& steps_;
  std::uint64_t base_;
  Event step_;
  RandomStream random_;
  CpuListener* listener_ = nullptr;
  Ring<Operation> operations_;
  std::size_t writes_ = 0;
  bool wants_room_ = false;
};

}  // namespace railyard::pcie
