// Random work of a whole host, checked against a copy of what all memory must hold: devices, direct
// and below switches, move data to and from host memory and each other's memory, raise interrupts;
// cores read and write registers meanwhile.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/hw/host/system_bench.h"

namespace railyard::support {

struct RandomSystemConfig {
  SystemConfig system;
  unsigned transfers = 10'000;  // of all devices
  unsigned in_flight = 12;      // of each
  std::uint64_t seed = 1;
  /// Only large transfers to and from host memory, which nobody watches: steps may be late.
  bool host_memory_only = false;
};

/// What must not depend on how the run was simulated.
struct RandomSystemResult {
  std::map<std::string, double> metrics;
  std::vector<Time> done;      // of each device's transfers, in the order in which they were
  std::vector<Time> accesses;  // of each core's register accesses
  std::uint64_t kernel_events = 0;
};

class RandomSystem {
 public:
  static constexpr std::uint64_t kMemory = 1ULL << 32;
  static constexpr std::uint32_t kSlotBytes = 1U << 13;
  static constexpr unsigned kSlots = 16;  // of a device, in each memory
  static constexpr std::uint32_t kShareBytes = kSlotBytes * kSlots;

  static SystemConfig system() {
    SystemConfig config;
    config.direct = 2;
    config.below_switch = 2;
    config.below_second = 1;
    config.device_memory = 1U << 20;
    config.cores = {0, 1};
    config.host.memory.nodes = 2;
    config.host.root.posted_writes = 4;
    for (pcie::CreditConfig* credits :
         {&config.endpoint.credits, &config.host.root.credits, &config.pcie_switch.credits}) {
      credits->posted_headers = 6;
      credits->posted_data = 40;
      credits->non_posted_headers = 4;
      credits->non_posted_data = 4;
    }
    config.pcie_switch.credits.completion_headers = 6;
    config.pcie_switch.credits.completion_data = 48;
    config.endpoint.dma.tags = 32;
    config.link.receive_stall.probability = 0.05;
    config.link.receive_stall.longest = 200 * kNanosecond;
    return config;
  }

  explicit RandomSystem(const RandomSystemConfig& config)
      : config_(config), bench_(config.system), random_(config.seed, "system") {
    const std::size_t devices = bench_.devices.size();
    left_ = config.transfers;
    for (std::size_t i = 0; i < devices; ++i) {
      // Host memory of both nodes, and the memory of each other device.
      for (std::size_t j = 0; j < devices + 2; ++j) shares_.emplace_back(kShareBytes);
      slots_.emplace_back((devices + 2) * kSlots);
      bench_.device(i).on_done = [this, i](const TestDevice::Done& done) { finish(i, done); };
    }
    open_.resize(devices);
    for (unsigned core = 1; core < bench_.host.cores(); ++core) {
      bench_.host.core(core).set_program([this, core](Core& self) {
        while (!started_) self.spend(kMicrosecond);
        access_registers(self, core);
      });
    }
  }

  RandomSystemResult run() {
    bench_.run([this](Core& core) {
      for (std::size_t i = 0; i < bench_.devices.size(); ++i) {
        const auto vector = static_cast<unsigned>(i);
        bench_.set_vector(core, i, vector, 100 + vector);
        bench_.enable_msix(core, i);
      }
      bench_.host.hierarchy().scheduler().catch_up();
      started_ = true;
      for (std::size_t i = 0; i < bench_.devices.size(); ++i) {
        for (unsigned k = 0; k < config_.in_flight; ++k) begin(i);
      }
      access_registers(core, 0);
    });
    check_memory();
    check_registers();
    for (std::size_t i = 0; i < bench_.devices.size(); ++i) {
      EXPECT_EQ(bench_.host.interrupts().count(static_cast<std::uint32_t>(100 + i)), raised_[i]);
    }
    EXPECT_EQ(bench_.errors(), "");
    return result();
  }

 private:
  struct Slot {
    unsigned reads = 0;  // under way
  };
  struct Open {
    std::size_t share = 0;
    std::size_t slot = 0;
    std::uint32_t offset = 0;  // in the share
    std::uint32_t bytes = 0;
    bool write = false;
    std::vector<std::uint8_t> expected;
  };

  std::size_t shares() const { return bench_.devices.size() + 2; }
  std::vector<std::uint8_t>& share(std::size_t device, std::size_t where) {
    return shares_[device * shares() + where];
  }
  /// Shares 0 and 1 are in the memory of the two nodes, share j + 2 in that of device j.
  std::uint64_t address(std::size_t device, std::size_t where) {
    const std::uint64_t mine = device * kShareBytes;
    if (where >= 2) return bench_.bar(where - 2, 4) + mine;
    return kMemory + where * bench_.host.memory().config().size + mine;
  }

  std::uint32_t random_bytes(std::uint32_t most) {
    switch (random_.below(4)) {
      case 0:
        return static_cast<std::uint32_t>(1 + random_.below(8));
      case 1:
        return std::min<std::uint32_t>(most, static_cast<std::uint32_t>(64 << random_.below(6)));
      default:
        return static_cast<std::uint32_t>(1 + random_.below(most));
    }
  }

  void begin(std::size_t device) {
    if (left_ == 0) return;
    --left_;
    Open open;
    do {
      open.share = random_.below(config_.host_memory_only ? 2 : shares());
    } while (open.share == device + 2);
    const std::size_t slot = random_.below(kSlots);
    open.slot = open.share * kSlots + slot;
    const std::uint32_t latest = config_.host_memory_only ? 1024 : kSlotBytes - 1;
    const auto within = static_cast<std::uint32_t>(random_.below(latest));
    open.offset = static_cast<std::uint32_t>(slot) * kSlotBytes + within;
    open.bytes = config_.host_memory_only
                     ? kSlotBytes - within - static_cast<std::uint32_t>(random_.below(1024))
                     : std::min(random_bytes(kSlotBytes - within), kSlotBytes - within);
    // A write may pass a read that was asked for before it.
    open.write = slots_[device][open.slot].reads == 0 && random_.below(2) == 0;
    const std::uint64_t at = address(device, open.share) + open.offset;
    std::vector<std::uint8_t>& copy = share(device, open.share);
    const auto from = copy.begin() + open.offset;
    const bool write = open.write;
    const std::uint32_t bytes = open.bytes;
    if (write) {
      for (std::uint32_t i = 0; i < bytes; ++i) from[i] = static_cast<std::uint8_t>(random_.next());
    } else {
      open.expected.assign(from, from + bytes);
      ++slots_[device][open.slot].reads;
    }
    // A write may be done as soon as it is given.
    open_[device].emplace(bench_.device(device).next_ticket(), std::move(open));
    if (write) {
      bench_.device(device).write(at, {from, from + bytes});
    } else {
      bench_.device(device).read(at, bytes, false, true);
    }
    if (random_.below(config_.host_memory_only ? 500 : 8) == 0) {
      ++raised_[device];
      bench_.device(device).endpoint.interrupt(static_cast<unsigned>(device));
    }
  }

  void finish(std::size_t device, const TestDevice::Done& done) {
    const auto found = open_[device].find(done.ticket);
    ASSERT_NE(found, open_[device].end());
    const Open open = std::move(found->second);
    open_[device].erase(found);
    EXPECT_EQ(done.status, pcie::Status::kSuccess);
    done_.push_back(done.at);
    if (!open.write) {
      EXPECT_EQ(done.bytes, open.expected) << "device " << device << " share " << open.share;
      --slots_[device][open.slot].reads;
    }
    begin(device);
  }

  /// Stores carry the number of the store; loads get what a TestDevice's registers hold.
  void access_registers(Core& core, unsigned number) {
    RandomStream random(config_.seed, "core" + std::to_string(number));
    while (left_ > 0) {
      if (config_.host_memory_only) {
        core.spend(50 * kMicrosecond);
        continue;
      }
      const std::size_t device = random.below(bench_.devices.size());
      const std::uint64_t base = bench_.bar(device, 0);
      if (random.below(3) == 0) {
        const std::uint64_t offset = 8 * random.below(100);
        std::uint64_t expected = 0;
        for (unsigned i = 0; i < 8; ++i) {
          expected |= std::uint64_t{static_cast<std::uint8_t>(offset + i)} << 8 * i;
        }
        EXPECT_EQ(core.load(base + offset, 8), expected);
      } else {
        core.store(base + 8 * number, ++stored_[{device, number}], 4);
      }
      accesses_.push_back(core.now());
      core.spend(static_cast<Time>(random.below(500 * kNanosecond)));
    }
  }

  void check_memory() {
    for (std::size_t i = 0; i < bench_.devices.size(); ++i) {
      for (std::size_t j = 0; j < shares(); ++j) {
        std::vector<std::uint8_t> there(kShareBytes);
        if (j < 2) {
          bench_.host.memory().read(address(i, j), there.data(), kShareBytes);
        } else {
          const auto from = bench_.memories[j - 2]->bytes().begin() +
                            static_cast<std::ptrdiff_t>(i * kShareBytes);
          there.assign(from, from + kShareBytes);
        }
        EXPECT_TRUE(there == share(i, j)) << "device " << i << " share " << j;
      }
    }
  }

  void check_registers() {
    std::map<std::pair<std::size_t, unsigned>, std::uint32_t> seen;
    for (std::size_t i = 0; i < bench_.devices.size(); ++i) {
      for (const TestDevice::Write& write : bench_.device(i).writes) {
        std::uint32_t value = 0;
        std::memcpy(&value, write.bytes.data(), sizeof value);
        const auto number = static_cast<unsigned>(write.offset / 8);
        EXPECT_EQ(value, (++seen[{i, number}])) << "stores of a core keep their order";
      }
    }
    EXPECT_EQ(seen, stored_);
  }

  RandomSystemResult result() {
    RandomSystemResult result;
    for (const Metric& metric : bench_.simulation.metrics()) {
      result.metrics[metric.info.name] = metric.value.real;
    }
    result.done = done_;
    result.accesses = accesses_;
    result.kernel_events = bench_.simulation.kernel_events();
    EXPECT_EQ(done_.size(), config_.transfers);
    return result;
  }

  RandomSystemConfig config_;
  SystemBench bench_;
  RandomStream random_;
  bool started_ = false;
  unsigned left_ = 0;
  std::vector<std::vector<std::uint8_t>> shares_;
  std::vector<std::vector<Slot>> slots_;
  std::vector<std::map<std::uint64_t, Open>> open_;
  std::map<std::size_t, std::uint64_t> raised_;
  std::map<std::pair<std::size_t, unsigned>, std::uint32_t> stored_;
  std::vector<Time> done_;
  std::vector<Time> accesses_;
};

inline void expect_same(const RandomSystemResult& a, const RandomSystemResult& b) {
  EXPECT_EQ(a.done, b.done);
  EXPECT_EQ(a.accesses, b.accesses);
  ASSERT_EQ(a.metrics.size(), b.metrics.size());
  for (const auto& [name, value] : a.metrics) EXPECT_EQ(value, b.metrics.at(name)) << name;
}

}  // namespace railyard::support
