// Enumeration over links and switches, in simulated time, and what the host then does with MSI-X.
#include <gtest/gtest.h>

#include "tests/hw/host/system_bench.h"

namespace railyard {
namespace {

namespace cfg = pcie::config;
using pcie::DeviceId;
using support::SystemBench;
using support::SystemConfig;
using support::TestDevice;

constexpr std::uint64_t kPendingBits = 0x4000;  // of BAR 2

SystemConfig tree() {
  SystemConfig config;
  config.direct = 2;
  config.below_switch = 2;
  config.below_second = 3;
  return config;
}

TEST(TimedEnumeration, FindsAndReachesDevicesBelowSwitchesOfSwitches) {
  SystemBench bench{tree()};
  Time took = 0;
  bench.run([&](Core& core) {
    took = core.now();
    for (unsigned i = 0; i < 7; ++i) {
      core.store(bench.bar(i, 0) + 8 * i, 0x100 + i, 4);
      EXPECT_EQ(core.load(bench.bar(i, 0) + 8 * i + 1, 1), 8 * i + 1);
    }
    // And from one to another, the longest way.
    bench.device(6).write(bench.bar(0, 0) + 128, {1});
    bench.device(2).write(bench.bar(5, 0) + 128, {1});
    core.spend(support::kQuiet);
  });
  // 3 root ports, 2 upstream ports, 3 and 3 downstream ports, 7 endpoints.
  EXPECT_EQ(bench.found.all().size(), 18U);
  for (unsigned i = 0; i < 7; ++i) {
    const host::FoundFunction* found =
        bench.found.find(TestDevice::kVendor, TestDevice::kDevice, i);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->id, bench.device(i).endpoint.id());
    EXPECT_EQ(found->bar(0)->base, bench.bar(i, 0));
    ASSERT_GE(bench.device(i).writes.size(), 1U) << i;
    EXPECT_EQ(bench.device(i).writes[0].offset, 8 * i);
  }
  EXPECT_EQ(bench.device(0).writes.at(1).offset, 128U);
  EXPECT_EQ(bench.device(5).writes.at(1).offset, 128U);
  EXPECT_EQ(bench.errors(), "");
  EXPECT_GT(took, 100 * kMicrosecond) << "configuration accesses take time";
}

TEST(TimedEnumeration, FunctionsThatAreNotThereReadAllOnesAndAreNoError) {
  SystemBench bench{tree()};
  bench.run([&](Core& core) {
    const DeviceId direct = bench.device(0).endpoint.id();
    const DeviceId deep = bench.device(6).endpoint.id();
    const DeviceId port = DeviceId::of(deep.bus() - 1, 2);  // a downstream port
    for (const DeviceId id :
         {DeviceId::of(0, 0), DeviceId::of(0, 9), DeviceId::of(0, 1, 1),
          DeviceId::of(direct.bus(), 0, 1), DeviceId::of(direct.bus(), 1),
          DeviceId::of(deep.bus(), 0, 7), DeviceId::of(deep.bus(), 3),
          DeviceId::of(deep.bus() - 3, 9), DeviceId::of(port.bus(), 0, 1), DeviceId::of(0xF0, 0)}) {
      EXPECT_EQ(core.load(bench.config_address(id, cfg::kVendorId), 4), 0xFFFFFFFFU)
          << pcie::format_id(id);
      core.store(bench.config_address(id, cfg::kCommand), 0, 4);
    }
    EXPECT_EQ(bench.device(0).endpoint.id(), direct) << "asked by another number";
    EXPECT_EQ(bench.device(6).endpoint.id(), deep);
    EXPECT_EQ(core.load(bench.bar(6, 0), 1), 0U) << "and its command register was not written";
  });
  EXPECT_EQ(bench.errors(), "");
  EXPECT_EQ(bench.host.errors().count(), 0U);
}

TEST(TimedEnumeration, AMaskedVectorIsPendingUntilItIsUnmasked) {
  SystemConfig config;
  config.direct = 2;
  SystemBench bench{config};
  bench.run([&](Core& core) {
    bench.set_vector(core, 1, 2, 50);
    bench.enable_msix(core, 1);
    const std::uint64_t control = bench.bar(1, 2) + 16 * 2 + 12;
    core.store(control, 1, 4);
    EXPECT_EQ(core.load(control, 4), 1U);
    bench.device(1).endpoint.interrupt(2);
    bench.device(1).endpoint.interrupt(2);
    core.spend(support::kQuiet);
    EXPECT_EQ(bench.host.interrupts().count(50), 0U);
    EXPECT_EQ(core.load(bench.bar(1, 2) + kPendingBits, 4), 1U << 2);
    EXPECT_EQ(core.load(bench.bar(0, 2) + kPendingBits, 4), 0U) << "the other device's";
    core.store(control, 0, 4);
    core.wait_interrupt(50);
    EXPECT_EQ(core.load(bench.bar(1, 2) + kPendingBits, 4), 0U);
    core.spend(support::kQuiet);
    EXPECT_EQ(bench.host.interrupts().count(50), 1U) << "what was raised twice is one";
  });
  EXPECT_EQ(bench.errors(), "");
}

TEST(TimedEnumeration, TheFunctionMaskHoldsAllVectors) {
  SystemBench bench{SystemConfig{}};
  bench.run([&](Core& core) {
    const DeviceId id = bench.device(0).endpoint.id();
    const Address control = bench.config_address(id, cfg::kMsixCapability, 0);
    for (unsigned vector = 0; vector < 3; ++vector) {
      bench.set_vector(core, 0, vector, 60 + vector);
    }
    // Before MSI-X is enabled they are pending as well.
    bench.device(0).endpoint.interrupt(0);
    core.spend(support::kQuiet);
    EXPECT_EQ(bench.host.interrupts().count(60), 0U);
    core.store(control, cfg::kMsixEnable | cfg::kMsixFunctionMask, 4);
    bench.device(0).endpoint.interrupt(1);
    core.spend(support::kQuiet);
    EXPECT_EQ(core.load(bench.bar(0, 2) + kPendingBits, 4), 3U);
    EXPECT_EQ(bench.host.interrupts().count(60) + bench.host.interrupts().count(61), 0U);
    core.store(control, cfg::kMsixEnable, 4);
    core.wait_interrupt(60);
    core.wait_interrupt(61);
    bench.device(0).endpoint.interrupt(2);
    core.wait_interrupt(62);
    EXPECT_EQ(core.load(bench.bar(0, 2) + kPendingBits, 4), 0U);
  });
  EXPECT_EQ(bench.metric("host.root.interrupts"), 3);
}

TEST(TimedEnumeration, EachCoreTakesTheInterruptsOfItsDevice) {
  SystemConfig config;
  config.direct = 1;
  config.below_switch = 1;
  config.cores = {0, 0};
  SystemBench bench{config};
  constexpr unsigned kTimes = 20;
  unsigned taken[2] = {0, 0};
  const auto take = [&](Core& core, unsigned which) {
    while (taken[which] < kTimes) {
      core.wait_interrupt(70 + which);
      ++taken[which];
      // The next one is asked for by a doorbell.
      core.store(bench.bar(which, 0), taken[which], 4);
    }
  };
  bench.host.core(1).set_program([&](Core& core) { take(core, 1); });
  for (unsigned i = 0; i < 2; ++i) {
    bench.device(i).on_write = [&bench, i](const TestDevice::Write& write) {
      if (write.bytes[0] < kTimes) bench.device(i).endpoint.interrupt(i);
    };
  }
  bench.run([&](Core& core) {
    for (unsigned i = 0; i < 2; ++i) {
      bench.set_vector(core, i, i, 70 + i);
      bench.enable_msix(core, i);
      core.store(bench.bar(i, 0), 0, 4);
    }
    take(core, 0);
  });
  EXPECT_EQ(taken[0], kTimes);
  EXPECT_EQ(taken[1], kTimes);
  EXPECT_EQ(bench.host.interrupts().count(70), kTimes);
  EXPECT_EQ(bench.host.interrupts().count(71), kTimes);
  EXPECT_EQ(bench.errors(), "");
}

}  // namespace
}  // namespace railyard
