// What a program sees of memory and of time.
#include "hw/host/core.h"

#include <gmock/gmock.h>

#include "tests/hw/host/core_bench.h"
#include "tests/support/stacks.h"

namespace railyard::host {
namespace {

using support::Asker;
using support::CoreBench;
using support::kNs;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(HostCore, ComputesForTheTimeThatItIsTold) {
  CoreBench bench;
  std::vector<Time> times;
  bench.core([&](Core& core) {
    times.push_back(core.now());
    core.spend(1234);
    times.push_back(core.now());
    core.spend(0);
    times.push_back(core.now());
  });
  EXPECT_EQ(bench.run(), RunEnd::kDrained);
  EXPECT_THAT(times, ElementsAre(0, 1234, 1234));
  EXPECT_TRUE(bench.cores[0]->finished());
}

TEST(HostCore, ALoadFromMemoryTakesTheMemorysLatencyAndReadsWhatIsThereThen) {
  CoreBench bench;
  bench.dma(50 * kNs, 0x1003, 0xAB);
  bench.core([&](Core& core) {
    EXPECT_EQ(core.load(0x1000, 8), 0xAB00'0000U);
    EXPECT_EQ(core.now(), 90 * kNs);
    EXPECT_EQ(core.load(0x1003, 1), 0xABU);
  });
  bench.run();
}

TEST(HostCore, ALoadFromAnotherNodeTakesTheRemoteLatencyMore) {
  HostMemoryConfig memory;
  memory.nodes = 2;
  CoreBench bench({}, memory);
  Time local = 0;
  Time remote = 0;
  bench.core(
      [&](Core& core) {
        core.load(memory.size, 8);
        local = core.now();
        core.load(0, 8);
        remote = core.now() - local;
      },
      1);
  bench.run();
  EXPECT_EQ(local, 90 * kNs);
  EXPECT_EQ(remote, 190 * kNs);
}

TEST(HostCore, ALoadWaitsForTheMemorysBandwidth) {
  CoreBench bench;
  Asker device(bench);
  bench.at(0, [&] { device.ask(true, 0x4000, 4096); });
  Time took = 0;
  bench.core([&](Core& core) {
    core.spend(1 * kNs);
    core.load(0, 8);
    took = core.now();
  });
  bench.run();
  EXPECT_EQ(took, 4096 * 5 + 90 * kNs);
}

TEST(HostCore, AStoreToMemoryCostsACacheAccessAndIsLittleEndian) {
  CoreBench bench;
  bench.core([&](Core& core) {
    core.store(0x1004, 0x1122334455667788, 4);
    EXPECT_EQ(core.now(), 2 * kNs);
    EXPECT_EQ(core.load(0x1000, 8), 0x55667788'00000000U);
    EXPECT_EQ(core.load(0x1004, 1), 0x88U);
    core.store(0x1005, 0xFF, 1);
    EXPECT_EQ(core.load(0x1004, 4), 0x5566FF88U);
  });
  bench.run();
}

TEST(HostCore, CopiesAnyNumberOfBytesAtTheCoresRate) {
  CoreBench bench;  // 10 GB/s: 100 ps a byte
  std::vector<std::uint8_t> out(10'001);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint8_t>(i * 7);
  std::vector<std::uint8_t> in(out.size());
  bench.core([&](Core& core) {
    core.write(4000, out.data(), out.size());
    EXPECT_EQ(core.now(), 10'001 * 100);
    core.read(4000, in.data(), in.size());
    EXPECT_EQ(core.now(), 2 * 10'001 * 100);
    const Time before = core.now();
    core.read(4000, in.data(), 1);
    EXPECT_EQ(core.now() - before, 90 * kNs);
    core.write(4000, in.data(), 1);
    EXPECT_EQ(core.now() - before, 92 * kNs);
    core.read(4000, nullptr, 0);
  });
  bench.run();
  EXPECT_EQ(in, out);
}

TEST(HostCore, WhereNobodyIsReadsAsAllOnesAndTheErrorLogSaysSo) {
  CoreBench bench;
  bench.core([&](Core& core) {
    EXPECT_EQ(core.load(0x9000'0000, 8), ~std::uint64_t{0});
    EXPECT_EQ(core.load(0x9000'0000, 2), 0xFFFFU);
    EXPECT_EQ(core.now(), 180 * kNs);
    core.store(0x9000'0000, 1, 4);
    std::uint8_t bytes[3] = {};
    core.write(0x3FFF'FFFF, bytes, 3);
    core.read(0x3FFF'FFFF, bytes, 3);
    EXPECT_THAT(bytes, ElementsAre(0xFF, 0xFF, 0xFF));
  });
  bench.run();
  ASSERT_EQ(bench.errors.count(), 5U);
  EXPECT_EQ(bench.errors.entries()[0].time, 90 * kNs);
  EXPECT_EQ(bench.errors.entries()[0].who, "core0");
  EXPECT_THAT(bench.errors.entries()[0].what, HasSubstr("load of 8 B at 0x90000000"));
  EXPECT_THAT(bench.errors.entries()[2].what, HasSubstr("store of 4 B"));
}

void expect_refused(const std::function<void(Core&)>& program, const std::string& why) {
  CoreBench bench;
  bench.core(program);
  try {
    bench.run();
    ADD_FAILURE() << "ran";
  } catch (const sc_core::sc_report& report) {
    EXPECT_THAT(report.get_msg(), HasSubstr(why));
    EXPECT_THAT(report.get_msg(), HasSubstr("core0"));
  }
}

TEST(HostCore, ALoadOverAnEightByteBoundaryIsRefused) {
  if (!support::kThrowsAcrossStacks) GTEST_SKIP() << "AddressSanitizer";
  expect_refused([](Core& core) { core.load(0x1005, 4); }, "a load of 4 B at 0x1005");
}
TEST(HostCore, AStoreOfNoByteIsRefused) {
  if (!support::kThrowsAcrossStacks) GTEST_SKIP() << "AddressSanitizer";
  expect_refused([](Core& core) { core.store(0x1000, 1, 0); }, "a store of 0 B");
}
TEST(HostCore, PollingADeviceIsRefused) {
  if (!support::kThrowsAcrossStacks) GTEST_SKIP() << "AddressSanitizer";
  expect_refused(
      [](Core& core) { core.poll(CoreBench::kDevice, 4, [](std::uint64_t) { return true; }); },
      "only memory is polled");
}
TEST(HostCore, StoringPartsOfConfigurationDwordsIsRefused) {
  if (!support::kThrowsAcrossStacks) GTEST_SKIP() << "AddressSanitizer";
  expect_refused([](Core& core) { core.store(0xE000'0004, 6, 2); }, "whole dwords");
}

TEST(HostCore, WhatAProgramThrowsLeavesRunWhole) {
  if (!support::kThrowsAcrossStacks) GTEST_SKIP() << "AddressSanitizer";
  struct Special : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  CoreBench bench;
  bench.core([](Core& core) {
    core.spend(5);
    throw Special("as it was");
  });
  EXPECT_THROW(bench.run(), Special);
}

TEST(HostCore, ANodeThatIsNotThereIsRefused) {
  CoreBench bench;
  EXPECT_THROW(bench.core([](Core&) {}, 1), std::out_of_range);
}

}  // namespace
}  // namespace railyard::host
