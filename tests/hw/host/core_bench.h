// Cores before a root complex that the test plays.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hw/host/core.h"
#include "tests/hw/host/host_bench.h"
#include "tlm/base/ring.h"

namespace railyard::support {

/// Answers reads after `latency` from `registers` (all ones, unsupported request, where there is
/// none) and keeps writes; takes as many as there is `room` for.
class FakeCpuPort : public pcie::CpuPort {
 public:
  struct Write {
    Time at;
    Address address;
    std::vector<std::uint8_t> bytes;
  };

  FakeCpuPort(Partition& partition, const host::AddressMap& map)
      : partition_(partition),
        map_(map),
        answer_(Event::of<&FakeCpuPort::answer>(*this, partition.endpoint("fake_port"),
                                                Phase::kArrival)) {}

  bool is_device(Address address) const override { return map_.is_mmio(address); }
  bool cpu_write(Address address, const std::uint8_t* data, std::uint32_t bytes) override {
    if (room == 0) {
      ++refused;
      return false;
    }
    --room;
    writes.push_back({partition_.now(), address, {data, data + bytes}});
    return true;
  }
  void cpu_read(Address address, std::uint32_t bytes, std::uint64_t ticket) override {
    reads.emplace_back(address, bytes);
    const auto found = registers.find(address);
    if (found == registers.end()) {
      queue({ticket, pcie::Status::kUnsupportedRequest, ~std::uint64_t{0}, 0});
    } else {
      queue({ticket, pcie::Status::kSuccess, found->second, 0});
    }
  }
  void config_read(pcie::DeviceId id, unsigned offset, std::uint64_t ticket) override {
    const auto found = config.find({id.value, offset});
    if (found == config.end()) {
      queue({ticket, pcie::Status::kUnsupportedRequest, ~std::uint64_t{0}, 0});
    } else {
      queue({ticket, pcie::Status::kSuccess, found->second, 0});
    }
  }
  void config_write(pcie::DeviceId id, unsigned offset, std::uint32_t value,
                    std::uint64_t ticket) override {
    config[{id.value, offset}] = value;
    queue({ticket, pcie::Status::kSuccess, 0, 0});
  }
  void set_listener(pcie::CpuListener& listener) override { listener_ = &listener; }
  pcie::CpuListener& listener() { return *listener_; }

  std::uint64_t room = ~std::uint64_t{0};
  std::uint64_t refused = 0;
  Time latency = 800 * kNanosecond;
  std::vector<Write> writes;
  std::vector<std::pair<Address, std::uint32_t>> reads;
  std::map<Address, std::uint64_t> registers;
  std::map<std::pair<std::uint16_t, unsigned>, std::uint32_t> config;

 private:
  struct Answer {
    std::uint64_t ticket;
    pcie::Status status;
    std::uint64_t value;
    Time at;
  };
  void queue(Answer one) {
    one.at = partition_.now() + latency;
    if (!answer_.pending()) partition_.scheduler().schedule(answer_, one.at);
    answers_.push(one);
  }
  void answer() {
    while (!answers_.empty() && answers_.front().at <= partition_.now()) {
      const Answer one = answers_.pop();
      listener_->cpu_read_done(one.ticket, one.status, one.value);
    }
    if (!answers_.empty()) partition_.scheduler().schedule(answer_, answers_.front().at);
  }

  Partition& partition_;
  const host::AddressMap& map_;
  Event answer_;
  Ring<Answer> answers_;
  pcie::CpuListener* listener_ = nullptr;
};

struct CoreBench : MemoryBench {
  static constexpr Address kDevice = 0xC000'0000;

  explicit CoreBench(const host::CoreConfig& c = {}, const host::HostMemoryConfig& m = {})
      : MemoryBench(m), core_config(c), map({}, {{"memory", m.base, m.total()}}) {}

  host::HostCore& core(std::function<void(Core&)> program, unsigned node = 0) {
    return core("core" + std::to_string(cores.size()), std::move(program), node);
  }
  host::HostCore& core(const std::string& name, std::function<void(Core&)> program,
                       unsigned node = 0) {
    cores.push_back(
        std::make_unique<host::HostCore>(name.c_str(), core_config, surroundings, node));
    cores.back()->set_program(std::move(program));
    return *cores.back();
  }
  /// Before run(): a device writes a byte at `time`.
  void dma(Time time, Address address, std::uint8_t value) {
    at(time, [this, address, value] { memory.write(address, &value, 1); });
  }
  void interrupt(Time time, std::uint32_t vector) {
    at(time, [this, vector] { interrupts.interrupt(vector); });
  }

  host::CoreConfig core_config;
  host::AddressMap map;
  FakeCpuPort port{partition(), map};
  host::CpuPortShare share{"root", partition(), port};
  host::InterruptController interrupts{"interrupts", lazy};
  host::ErrorLog errors{partition().statistics(), "host"};
  host::CoreSurroundings surroundings{memory, map, share, interrupts, errors};
  std::vector<std::unique_ptr<host::HostCore>> cores;
};

constexpr auto kNs = kNanosecond;

}  // namespace railyard::support
