// PCIe without packets: whom functions and cores reach, and what fails.
#include <gmock/gmock.h>

#include "tests/hw/pcie/ideal_bench.h"
#include "tests/support/fresh_kernel.h"
#include "tests/tlm/config/trees.h"
#include "tlm/base/error.h"

namespace railyard::pcie::bench {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(IdealPcie, AnAddressThatNobodyHasFailsAReadAndLosesAWriteAndBothAreReported) {
  IdealBench bench;
  bench.run([&] {
    bench.give(bench.write_of(kNobody, pattern(64, 1)));
    bench.give(bench.read_of(kNobody, 64));
    bench.give(bench.write_of(0x2000, pattern(64, 1)));
    bench.give(bench.read_of(kDeviceMemory + (1U << 20) - 4096, 8192));  // half of it is there
  });
  EXPECT_EQ(bench.done[0].status, Status::kSuccess);
  EXPECT_EQ(bench.done[1].status, Status::kUnsupportedRequest);
  EXPECT_EQ(bench.done[1].at, 2 * kLatency + kReadLatency);
  EXPECT_EQ(bench.done[3].status, Status::kUnsupportedRequest);
  EXPECT_TRUE(bench.done[3].bytes.empty());
  EXPECT_EQ(bench.commits.size(), 1U);
  ASSERT_EQ(bench.hierarchy.error_count(), 3U);
  EXPECT_EQ(bench.hierarchy.errors()[0].what,
            "unsupported request: a write of 64 B at 0x70000000 (nobody) was lost");
  EXPECT_EQ(bench.hierarchy.errors()[1].what,
            "unsupported request for a read of 64 B at 0x70000000 (nobody)");
}

TEST(IdealPcie, PeersReachEachOthersMemoryOverBothWays) {
  IdealBench bench;
  const auto data = pattern(4096, 5);
  bench.run([&] {
    bench.give(bench.write_of(kDeviceMemory + 0x3000, data));
    bench.give(bench.read_of(kDeviceMemory + 0x3000, 4096, true));
  });
  EXPECT_EQ(bench.done[1].bytes, data);
  EXPECT_EQ(bench.device_byte(0x3001), data[1]);
  // The bytes pass the second lane as they come; the read follows them.
  const Time written = lane_time(4096) + 2 * kLatency + 4096 * kDeviceByte + kMemoryLatency;
  EXPECT_EQ(bench.done[1].at, written + lane_time(4096) + 2 * kLatency);
  EXPECT_EQ(bench.hierarchy.who(kDeviceMemory + 5), "b BAR 2");
}

TEST(IdealPcie, AFunctionReachesItsOwnMemoryAndRegistersByAddress) {
  IdealBench bench;
  const auto data = pattern(64, 5);
  bench.run([&] {
    bench.give(bench.b, bench.write_of(kDeviceMemory, data));
    bench.give(bench.b, bench.read_of(kDeviceMemory, 64, true));
    bench.give(bench.b, bench.write_of(kRegisters, {7}));
    bench.give(bench.b, bench.read_of(kRegisters, 1, true));
  });
  EXPECT_EQ(bench.done[1].bytes, data);
  EXPECT_THAT(bench.done[3].bytes, ElementsAre(7));
}

TEST(IdealPcie, AFlagIsNotSeenBeforeDataThatWentToAPeer) {
  IdealBench bench;
  std::uint8_t seen = 0;
  const auto log_commit = bench.memory.on_commit;
  bench.memory.on_commit = [&](const MemoryAccess& access) {
    log_commit(access);
    seen = bench.device_byte(0);
  };
  bench.run([&] {
    bench.give(bench.write_of(kDeviceMemory, {77}));
    bench.give(bench.write_of(0x1000, {1}));
  });
  EXPECT_EQ(seen, 77);
}

TEST(IdealPcie, APeersDoorbellRingsBehindTheDataBeforeIt) {
  IdealBench bench;
  bench.memory.slow = [](const MemoryAccess&) { return true; };
  bench.run([&] {
    bench.give(bench.write_of(0x1000, pattern(64, 1)));
    bench.give(bench.write_of(kRegisters + 8, {9, 0, 0, 0}));
  });
  EXPECT_THAT(
      bench.events,
      ElementsAre(Pair(lane_time(64) + kLatency + kMemoryLatency + kMicrosecond, "write 8 9")));
}

TEST(IdealPcie, CoresReachRegistersInOrderAndInTime) {
  IdealBench bench;
  bench.run([&] {
    const std::uint64_t one = 1;
    EXPECT_TRUE(bench.pcie.is_device(kRegisters + 4095));
    EXPECT_TRUE(bench.pcie.is_device(kNobody));
    EXPECT_FALSE(bench.pcie.is_device(0x1000));
    bench.pcie.cpu_write(kRegisters + 16, reinterpret_cast<const std::uint8_t*>(&one), 8);
    bench.pcie.cpu_read(kRegisters + 16, 8, 5);
    bench.pcie.cpu_read(kNobody, 4, 6);
    bench.pcie.config_read(DeviceId::of(1, 0), 0, 7);
  });
  const Time written = lane_time(8) + kLatency;
  const Time read = written + 350 * kNanosecond;
  const std::string ones = std::to_string(~std::uint64_t{0});
  EXPECT_THAT(bench.events,
              ElementsAre(Pair(written, "write 16 1"), Pair(2 * kLatency, "core read 6 1 " + ones),
                          Pair(2 * kLatency, "core read 7 1 " + ones), Pair(read, "read 16"),
                          Pair(read + lane_time(8) + kLatency, "core read 5 0 1")));
  EXPECT_EQ(bench.hierarchy.error_count(), 1U);
}

TEST(IdealPcie, CoresReachAFunctionsMemory) {
  IdealBench bench;
  bench.run([&] {
    const std::uint8_t line[64] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    bench.pcie.cpu_write(kDeviceMemory + 64, line, 64);
    bench.pcie.cpu_read(kDeviceMemory + 65, 2, 1);
  });
  ASSERT_EQ(bench.events.size(), 1U);
  EXPECT_EQ(bench.events[0].second, "core read 1 0 " + std::to_string(2 + 3 * 256));
  EXPECT_EQ(bench.events[0].first,
            lane_time(64) + kLatency + 64 * kDeviceByte + kMemoryLatency + lane_time(2) + kLatency);
}

TEST(IdealPcie, ACoresReadIsAnsweredBehindWhatTheDeviceWroteBefore) {
  IdealBench bench;
  bench.memory.slow = [](const MemoryAccess&) { return true; };
  bench.run([&] {
    bench.give(bench.b, bench.write_of(0x1000, pattern(4096, 1)));
    bench.pcie.cpu_read(kRegisters, 4, 1);
  });
  ASSERT_EQ(bench.events.size(), 2U);
  EXPECT_EQ(bench.events[1].first, lane_time(4096) + kLatency + kMemoryLatency + kMicrosecond);
}

TEST(IdealPcie, WhatRegistersRefuseFailsTheReader) {
  for (const Status status : {Status::kCompleterAbort, Status::kTimeout}) {
    const support::FreshKernel kernel;
    IdealBench bench;
    bench.answer = status;
    bench.run([&] {
      bench.give(bench.read_of(kRegisters, 4));
      bench.pcie.cpu_read(kRegisters, 4, 1);
    });
    EXPECT_EQ(bench.done[0].status, status);
    EXPECT_EQ(bench.events.back().second, "core read 1 " +
                                              std::to_string(static_cast<unsigned>(status)) + " " +
                                              std::to_string(~std::uint64_t{0}));
    EXPECT_EQ(bench.hierarchy.error_count(), 2U);
  }
}

TEST(IdealPcie, ALongReadOfRegistersAndAWriteWithoutDataAreReported) {
  IdealBench bench;
  bench.run([&] {
    bench.give(bench.read_of(kRegisters, 16));
    bench.give(IdealBench::elided(true, kRegisters, 16));
  });
  EXPECT_EQ(bench.done[0].status, Status::kCompleterAbort);
  EXPECT_TRUE(bench.events.empty());
  EXPECT_EQ(bench.hierarchy.error_count(), 3U);  // the abort by both ends
}

TEST(IdealPcie, ABarThatOverlapsOrDoesNotFitIsRefused) {
  const support::FreshKernel kernel;
  Simulation simulation{{}};
  Hierarchy hierarchy("pcie", simulation.partition());
  PlainMemory memory(hierarchy, 4096, 1);
  struct : InterruptSink {
    void interrupt(std::uint32_t) override {}
  } sink;
  IdealPcie pcie("root", hierarchy, {}, sink);
  IdealFunction f("f", pcie, {}, IdealBench::bars(), memory);
  f.place(0, 0x8000);
  EXPECT_THROW(f.place(2, 0x10), ConfigError);
  EXPECT_THROW(f.place(2, 0), ConfigError);  // the other lies in it
  EXPECT_THROW(f.place(1, 0x1000), ConfigError);
}

TEST(IdealPcie, AReportedHostErrorIsACompleterAbort) {
  IdealBench bench;
  bench.memory.slow = [](const MemoryAccess& access) {
    const_cast<MemoryAccess&>(access).failed = access.address == 0x1000;
    return false;
  };
  bench.run([&] {
    bench.give(bench.read_of(0x1000, 64));
    bench.give(bench.write_of(0x1000, pattern(64, 1)));
    bench.give(bench.write_of(0x2000, pattern(64, 1)));
  });
  EXPECT_EQ(bench.done[0].status, Status::kCompleterAbort);
  EXPECT_EQ(bench.commits.size(), 1U);
  EXPECT_EQ(bench.hierarchy.error_count(), 2U);
}

// A core that begins to wait while a write is under way is told in time, lazy or not.
TEST(IdealPcie, AWatchThatBeginsDuringAWriteIsToldInTime) {
  const support::FreshKernel kernel;
  Simulation simulation{{}};
  Partition& p = simulation.partition();
  Hierarchy hierarchy("pcie", p);
  host::HostMemoryConfig config = IdealBench::device_memory_config();
  host::HostMemory memory("memory", hierarchy.scheduler(), config, DataMode::kCarried);
  hierarchy.set_memory(memory, false);
  memory.on_watch_added(
      [&](std::uint64_t address, std::uint64_t bytes) { hierarchy.watch_added(address, bytes); });
  struct Host : InterruptSink, DmaListener, host::MemoryWatcher {
    void interrupt(std::uint32_t) override {}
    void dma_done(const DmaDone&) override {}
    void memory_written() override { told.push_back(partition->now()); }
    Partition* partition = nullptr;
    std::vector<Time> told;
  } host;
  host.partition = &p;
  IdealPcie pcie("root", hierarchy, {}, host);
  IdealFunction f("f", pcie, {}, {}, memory);
  struct Act {
    void give() {
      // The watched page lies in the midst of a long write.
      f.dma(IdealBench::elided(true, 0x1000, 64 * 4096), host);
    }
    void watch() {
      const LazyScheduler::Visit visit(hierarchy.scheduler());
      memory.watch(host, 0x3000, 8);
    }
    IdealFunction& f;
    Hierarchy& hierarchy;
    host::HostMemory& memory;
    Host& host;
  } act{f, hierarchy, memory, host};
  Event give = Event::of<&Act::give>(act, p.endpoint("give"), Phase::kAct);
  Event watch = Event::of<&Act::watch>(act, p.endpoint("watch"), Phase::kAct);
  simulation.seal();
  p.scheduler().schedule(give, 0);
  p.scheduler().schedule(watch, 200 * kNanosecond);
  simulation.run(kForever / 2);
  EXPECT_THAT(host.told, ElementsAre(lane_time(3 * 4096) + kLatency + kMemoryLatency));
  EXPECT_FALSE(hierarchy.scheduler().eager());
}

// Foreign memory, which executes what it is given at once and has nothing to commit.
class AtOnceMemory : public MemoryPort {
 public:
  AtOnceMemory(Hierarchy& hierarchy, std::vector<std::uint64_t>& order)
      : bytes(1U << 16),
        order_(order),
        slow_(hierarchy, "at_once.slow", kMicrosecond, [this](auto access) { finish(*access); }),
        fast_(hierarchy, "at_once.fast", kNanosecond, [this](auto access) { finish(*access); }) {}
  bool covers(std::uint64_t address, std::uint64_t count) const override {
    return address + count <= bytes.size();
  }
  void access(Ref<MemoryAccess> access) override {
    (access->address == 0x1000 && access->write ? slow_ : fast_).push(std::move(access));
  }
  void commit(MemoryAccess&) override {}
  bool watched(std::uint64_t, std::uint64_t) const override { return false; }
  bool commits_at_once() const override { return true; }
  std::vector<std::uint8_t> bytes;

 private:
  void finish(MemoryAccess& access) {
    std::uint8_t* const there = bytes.data() + access.address;
    std::uint8_t* const here = access.payload->data() + access.payload_offset;
    std::memcpy(access.write ? there : here, access.write ? here : there, access.bytes);
    if (access.write) order_.push_back(access.address);
    access.client->memory_done(access);
  }
  std::vector<std::uint64_t>& order_;
  DelayLine<Ref<MemoryAccess>> slow_, fast_;
};

TEST(IdealPcie, MemoryThatShowsWritesAsTheyComeGetsThemAndReadsBehindThemInTurn) {
  IdealBench bench;
  std::vector<std::uint64_t> order;
  AtOnceMemory foreign(bench.hierarchy, order);
  bench.b.put_memory(2, foreign);
  bench.run([&] {
    bench.give(bench.write_of(kDeviceMemory + 0x1000, {1}));
    bench.give(bench.write_of(kDeviceMemory + 0x2000, {2}));
    bench.give(bench.read_of(kDeviceMemory + 0x2000, 1, true));
    DmaRequest relaxed = bench.write_of(kDeviceMemory + 0x3000, {3});
    relaxed.relaxed = true;
    bench.give(std::move(relaxed));
  });
  EXPECT_THAT(order, ElementsAre(0x3000, 0x1000, 0x2000));
  EXPECT_THAT(bench.done[2].bytes, ElementsAre(2));
}

TEST(IdealConfig, IsBoundFromItsKeysAndRefusesWhatIsOutOfRange) {
  IdealConfig config;
  bind_config(dump_config(config), config);
  EXPECT_EQ(config.bandwidth.bits_per_second(), 460.8e9);
  bind_config(map({{"latency", text("1us")}, {"bandwidth", text("100Gbps")}}), config);
  EXPECT_EQ(config.latency, kMicrosecond);
  EXPECT_EQ(config.bandwidth, Rate::gbps(100));
  EXPECT_THROW(bind_config(map({{"latency", text("0ns")}}), config), ConfigError);
}

}  // namespace
}  // namespace railyard::pcie::bench
