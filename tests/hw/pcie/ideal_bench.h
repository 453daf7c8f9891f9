// Two functions of ideal PCIe before one memory: `a` asks, `b` has registers and memory.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hw/host/memory.h"
#include "hw/pcie/ideal.h"
#include "tests/hw/pcie/pair_bench.h"

namespace railyard::pcie::bench {

constexpr std::uint64_t kRegisters = 0x4000'0000;        // BAR 0 of b
constexpr std::uint64_t kDeviceMemory = 0x80'0000'0000;  // BAR 2 of b
constexpr std::uint64_t kNobody = 0x7000'0000;           // in a window, in no BAR
constexpr Time kLatency = 150 * kNanosecond;             // the defaults of IdealConfig
constexpr Time kReadLatency = 50 * kNanosecond;
constexpr Time kMemoryLatency = 100 * kNanosecond;
constexpr Time kDeviceByte = 5;  // the device memory's bandwidth: 200 GB/s

/// Time of so many bytes at the default bandwidth: 625/36 ps a byte, to the nearest.
constexpr Time lane_time(std::uint64_t bytes) {
  return static_cast<Time>((bytes * 625 * 2 + 36) / 72);
}

inline std::vector<std::uint8_t> pattern(std::size_t bytes, unsigned seed) {
  std::vector<std::uint8_t> all(bytes);
  for (std::size_t i = 0; i < bytes; ++i) all[i] = static_cast<std::uint8_t>(i * 7 + seed);
  return all;
}

class IdealBench : public DmaListener,
                   public CpuListener,
                   public InterruptSink,
                   public DeviceRegisters {
 public:
  explicit IdealBench(bool eager = false)
      : simulation(SimulationConfig{}),
        hierarchy("pcie", simulation.partition()),
        memory(hierarchy, 1U << 24, kMemoryLatency),
        device_memory("vram", hierarchy.scheduler(), device_memory_config(), DataMode::kCarried),
        pcie("root", hierarchy, {}, *this, {{kNobody, 1U << 20}}),
        a("a", pcie, {}, {}, memory),
        b("b", pcie, {}, bars(), memory),
        start_(Event::of<&IdealBench::begin>(*this, simulation.partition().endpoint("start"),
                                             Phase::kAct)) {
    hierarchy.set_memory(memory, false);
    pcie.set_listener(*this);
    b.set_registers(*this);
    b.put_memory(2, device_memory);
    b.place(0, kRegisters);
    b.place(2, kDeviceMemory);
    memory.on_commit = [this](const MemoryAccess& access) {
      commits.emplace_back(hierarchy.now(), access.address);
    };
    if (eager) hierarchy.scheduler().set_eager();
  }

  static BarShapes bars() {
    BarShapes shapes{};
    shapes[0] = {4096, false, false};
    shapes[2] = {1U << 20, true, true};
    return shapes;
  }
  static host::HostMemoryConfig device_memory_config() {
    host::HostMemoryConfig config;
    config.nodes = 1;
    config.base = 0;
    config.size = 1U << 20;
    config.latency = kMemoryLatency;
    config.bandwidth = Rate::gbps(1600);
    return config;
  }

  RunEnd run(std::function<void()> action) {
    simulation.seal();
    action_ = std::move(action);
    simulation.partition().scheduler().schedule(start_, 0);
    return simulation.run(kForever / 2);
  }

  DmaRequest write_of(std::uint64_t address, const std::vector<std::uint8_t>& bytes) {
    DmaRequest request;
    request.write = true;
    request.address = address;
    request.bytes = static_cast<std::uint32_t>(bytes.size());
    request.payload = hierarchy.payloads().acquire();
    request.payload->resize(bytes.size());
    if (!bytes.empty()) std::memcpy(request.payload->data(), bytes.data(), bytes.size());
    return request;
  }
  static DmaRequest elided(bool write, std::uint64_t address, std::uint32_t bytes) {
    DmaRequest request;
    request.write = write;
    request.elided = !write;
    request.address = address;
    request.bytes = bytes;
    return request;
  }
  static DmaRequest read_of(std::uint64_t address, std::uint32_t bytes, bool fenced = false) {
    DmaRequest request;
    request.fenced = fenced;
    request.address = address;
    request.bytes = bytes;
    return request;
  }
  std::uint64_t give(DmaRequest request) { return give(a, std::move(request)); }
  std::uint64_t give(IdealFunction& function, DmaRequest request) {
    const std::uint64_t ticket = request.ticket = tickets_++;
    simulation.partition().open_work();
    function.dma(std::move(request), *this);
    return ticket;
  }

  struct Done {
    Time at = 0;
    Status status = Status::kSuccess;
    std::vector<std::uint8_t> bytes;
  };
  void dma_done(const DmaDone& finished) override {
    simulation.partition().close_work();
    last_done = simulation.partition().now();
    if (keeps) {
      Done& entry = done[finished.ticket];
      entry = {last_done, finished.status, {}};
      if (finished.payload) {
        const std::uint8_t* data = finished.payload->data();
        entry.bytes.assign(data, data + finished.payload->size());
      }
    }
    if (on_done) on_done(finished);
  }
  void cpu_read_done(std::uint64_t ticket, Status status, std::uint64_t value) override {
    log("core read " + std::to_string(ticket) + " " +
        std::to_string(static_cast<unsigned>(status)) + " " + std::to_string(value));
  }
  void cpu_room() override {}
  void interrupt(std::uint32_t data) override { log("interrupt " + std::to_string(data)); }
  void register_write(unsigned bar, std::uint64_t offset, const std::uint8_t* data,
                      std::uint32_t bytes, std::uint8_t byte_enables) override {
    EXPECT_EQ(byte_enables, 0xFF);
    EXPECT_EQ(bar, 0U);
    std::memcpy(registers + offset, data, bytes);
    log("write " + std::to_string(offset) + " " + std::to_string(data[0]));
  }
  Status register_read(unsigned bar, std::uint64_t offset, std::uint8_t* data,
                       std::uint32_t bytes) override {
    EXPECT_EQ(bar, 0U);
    std::memcpy(data, registers + offset, bytes);
    log("read " + std::to_string(offset));
    return answer;
  }
  void log(const std::string& what) {
    if (keeps) events.emplace_back(simulation.partition().now(), what);
  }
  std::uint8_t device_byte(std::uint64_t offset) const {
    std::uint8_t byte = 0;
    device_memory.read(offset, &byte, 1);
    return byte;
  }

 private:
  void begin() { action_(); }
  std::function<void()> action_;
  std::uint64_t tickets_ = 0;

 public:
  Simulation simulation;
  Hierarchy hierarchy;
  PlainMemory memory;
  host::HostMemory device_memory;
  IdealPcie pcie;
  IdealFunction a, b;
  std::map<std::uint64_t, Done> done;
  std::vector<std::pair<Time, std::string>> events;
  std::vector<std::pair<Time, std::uint64_t>> commits;  // of the host's memory
  std::function<void(const DmaDone&)> on_done;
  std::uint8_t registers[4096] = {};
  Status answer = Status::kSuccess;
  Time last_done = 0;
  bool keeps = true;

 private:
  Event start_;
};

}  // namespace railyard::pcie::bench
