// Latencies of the whole way with the shipped parameters, and what they are made of.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/hw/host/system_bench.h"

namespace railyard {
namespace {

using support::SystemBench;
using support::SystemConfig;

constexpr std::uint64_t kIova = 0x7000'0000;
constexpr std::uint64_t kPage = 4096;

/// The DMA reads that `ask` begins, one after another; of device 0.
struct Reads {
  std::vector<Time> took;
  double mean = 0;
  double sum_of_stages = 0;
  double translation = 0;
};

/// Reads of 64 B, each begun when the one before it was done. Skip ordered sets would make equal
/// ones differ by what is left of a set on the line.
Reads read_each(SystemConfig config, const std::vector<std::uint64_t>& addresses,
                const std::function<void(SystemBench&)>& prepare = {}) {
  config.link.skip_interval = 0;
  SystemBench bench{config};
  Reads reads;
  bench.run([&](Core& core) {
    if (prepare) prepare(bench);
    for (const std::uint64_t address : addresses) {
      core.spend(support::kQuiet);
      const Time start = core.now();
      bench.device(0).read(address, 64);
      core.spend(support::kQuiet);
      reads.took.push_back(bench.device(0).done.back().at - start);
      EXPECT_EQ(bench.device(0).done.back().status, pcie::Status::kSuccess);
    }
  });
  EXPECT_EQ(bench.device(0).done.size(), addresses.size());
  reads.mean = bench.metric("dev0.dma.request_latency_ns_mean");
  for (const char* stage :
       {"tag", "transmit", "line", "switch", "root", "translation", "memory", "device"}) {
    reads.sum_of_stages += bench.metric(std::string("dev0.dma.read_stage.") + stage + "_ns");
  }
  reads.translation = bench.metric("dev0.dma.read_stage.translation_ns");
  EXPECT_EQ(bench.errors(), "");
  return reads;
}

void expect_whole(const Reads& reads) {
  EXPECT_GT(reads.mean, 0);
  EXPECT_LT(std::abs(reads.sum_of_stages / reads.mean - 1), 1e-9)
      << reads.sum_of_stages << " of " << reads.mean;
}

SystemConfig translated() {
  SystemConfig config;
  config.host.root.iommu.enabled = true;
  return config;
}

/// Maps `pages` pages from kIova on to memory, for device 0.
std::function<void(SystemBench&)> mapped(unsigned pages) {
  return [pages](SystemBench& bench) {
    EXPECT_EQ(bench.host.root().iommu().map(bench.device(0).endpoint.id(), kIova, support::kMemory,
                                            pages * kPage, true),
              pcie::MapStatus::kDone);
  };
}

TEST(Latency, OfADmaReadIsInThePublishedRange) {
  const Reads reads = read_each({}, {support::kMemory + 0x1000});
  EXPECT_GE(reads.took[0], 400 * kNanosecond);
  EXPECT_LE(reads.took[0], 900 * kNanosecond);
  expect_whole(reads);
  EXPECT_DOUBLE_EQ(reads.mean * kNanosecond, static_cast<double>(reads.took[0]));
}

TEST(Latency, OfADmaReadBelowASwitchIsMoreByItsCrossings) {
  SystemConfig config;
  config.direct = 0;
  config.below_switch = 2;
  const Reads below = read_each(config, {support::kMemory + 0x1000});
  const Reads direct = read_each({}, {support::kMemory + 0x1000});
  EXPECT_LE(below.took[0], 900 * kNanosecond);
  expect_whole(below);
  // A request with a 64-bit address and a completion of 64 B cross a link and a switch more.
  const Time lines = config.link.rate().time_of(24) + config.link.rate().time_of(84);
  const Time more = 2 * (config.link.latency + config.pcie_switch.latency) + lines;
  EXPECT_NEAR(static_cast<double>(below.took[0] - direct.took[0]), static_cast<double>(more), 4);
}

TEST(Latency, OfRemoteMemoryIsMoreByExactlyThat) {
  SystemConfig config;
  config.host.memory.nodes = 2;
  const std::uint64_t remote = support::kMemory + config.host.memory.size;
  const Reads reads = read_each(config, {support::kMemory, remote, support::kMemory, remote});
  EXPECT_EQ(reads.took[1] - reads.took[0], config.host.memory.remote_latency);
  EXPECT_EQ(reads.took[3] - reads.took[2], config.host.memory.remote_latency);
  expect_whole(reads);
  // At the other node it is the other way round.
  config.host.root_node = 1;
  const Reads swapped = read_each(config, {support::kMemory, remote});
  EXPECT_EQ(swapped.took[0] - swapped.took[1], config.host.memory.remote_latency);
}

TEST(Latency, AMissOfTheIommuAddsAWalkAndAHitNothing) {
  const Reads direct = read_each({}, {support::kMemory});
  const Reads reads = read_each(translated(), {kIova, kIova + 64, kIova + kPage}, mapped(2));
  const Time walk = pcie::IommuConfig{}.miss_latency;
  EXPECT_EQ(walk, 330 * kNanosecond);
  // An address below 4 GiB has a header of 4 B less.
  const Time shorter = pcie::LinkConfig{}.rate().time_of(4);
  EXPECT_NEAR(static_cast<double>(reads.took[1]), static_cast<double>(direct.took[0] - shorter), 1);
  EXPECT_EQ(reads.took[0] - reads.took[1], walk);
  EXPECT_EQ(reads.took[2] - reads.took[1], walk);
  expect_whole(reads);
  EXPECT_DOUBLE_EQ(reads.translation, 220) << "two walks of three reads, and no time beside";
}

/// Reads that begin at one time; when each is done.
std::vector<Time> read_together(const SystemConfig& config, unsigned pages,
                                const std::vector<std::uint64_t>& addresses, double& walks) {
  SystemBench bench{config};
  Time start = 0;
  bench.run([&](Core& core) {
    mapped(pages)(bench);
    core.spend(support::kQuiet);
    start = core.now();
    for (const std::uint64_t address : addresses) bench.device(0).read(address, 64);
  });
  std::vector<Time> took(addresses.size());
  for (const auto& done : bench.device(0).done) took[done.ticket] = done.at - start;
  walks = bench.metric("host.root.iommu.walks");
  return took;
}

TEST(Latency, MissesOfAPageShareAWalkAndWalkersAreBounded) {
  const Time walk = pcie::IommuConfig{}.miss_latency;
  double walks = 0;
  auto took = read_together(translated(), 2, {kIova, kIova + 64, kIova + 128}, walks);
  EXPECT_EQ(walks, 1);
  EXPECT_LT(took[2] - took[0], 10 * kNanosecond);
  took = read_together(translated(), 2, {kIova, kIova + kPage}, walks);
  EXPECT_EQ(walks, 2);
  EXPECT_LT(took[1] - took[0], 10 * kNanosecond) << "side by side";
  SystemConfig one = translated();
  one.host.root.iommu.walkers = 1;
  took = read_together(one, 2, {kIova, kIova + kPage}, walks);
  EXPECT_EQ(walks, 2);
  EXPECT_GE(took[1] - took[0], walk - 2 * kNanosecond) << "one after the other";
  EXPECT_LE(took[1] - took[0], walk + 10 * kNanosecond);
}

TEST(Latency, WritesKeepTheirOrderThroughTheIommu) {
  SystemConfig config = translated();
  config.host.root.iommu.miss_latency = 10 * kMicrosecond;
  SystemBench bench{config};
  std::uint64_t seen = 0;
  Time start = 0;
  Time read_done = 0;
  bench.run([&](Core& core) {
    mapped(3)(bench);
    bench.device(0).write(kIova + kPage, {7});  // the flag's page is known from now on
    core.spend(2 * support::kQuiet);
    start = core.now();
    bench.device(0).write(kIova, {1, 2, 3, 4});
    bench.device(0).write(kIova + kPage, {9});
    bench.device(0).read(kIova + kPage, 4);
    bench.device(0).on_done = [&](const auto& done) {
      if (!done.bytes.empty()) read_done = done.at;
    };
    core.poll(support::kMemory + kPage, 1, [](std::uint64_t value) { return value == 9; });
    seen = core.load(support::kMemory, 4);
  });
  EXPECT_EQ(seen, 0x04030201U) << "the flag came before its data";
  EXPECT_GT(read_done - start, config.host.root.iommu.miss_latency) << "a read passed a write";
  EXPECT_EQ(bench.device(0).done.back().bytes[0], 9);
}

TEST(Latency, ARelaxedReadPassesNoWriteThatWaitsForTheIommu) {
  SystemConfig config = translated();
  config.host.root.iommu.miss_latency = 10 * kMicrosecond;
  SystemBench bench{config};
  bench.run([&](Core& core) {
    mapped(2)(bench);
    bench.device(0).read(kIova + kPage, 4);
    core.spend(2 * support::kQuiet);
    bench.device(0).write(kIova, {1, 2, 3, 4});
    pcie::DmaRequest request;
    request.address = kIova + kPage;
    request.bytes = 4;
    request.relaxed = true;
    const Time start = core.now();
    bench.device(0).give(std::move(request));
    core.spend(2 * support::kQuiet);
    EXPECT_GT(bench.device(0).done.back().at - start, config.host.root.iommu.miss_latency);
  });
  EXPECT_EQ(bench.device(0).done.size(), 3U);
}

TEST(Latency, WhatTheIommuDoesNotAllowIsAnUnsupportedRequestThatNamesTheDevice) {
  SystemBench bench{translated()};
  pcie::Status unmapped{};
  std::uint64_t after = 0;
  bench.run([&](Core& core) {
    const pcie::DeviceId id = bench.device(0).endpoint.id();
    EXPECT_EQ(bench.host.root().iommu().map(id, kIova, support::kMemory, kPage, false),
              pcie::MapStatus::kDone);
    bench.device(0).read(kIova, 4);
    bench.device(0).write(kIova, {1, 2, 3, 4});
    const std::uint64_t ticket = bench.device(0).read(kIova + kPage, 64);
    core.spend(support::kQuiet);
    unmapped = bench.device(0).done_of(ticket).status;
    after = core.load(support::kMemory, 4);
  });
  EXPECT_EQ(unmapped, pcie::Status::kUnsupportedRequest);
  EXPECT_EQ(after, 0U);
  EXPECT_EQ(bench.metric("host.root.iommu.faults"), 2);
  EXPECT_TRUE(bench.reported({"host.root.port0", "a write of 4 B at 0x70000000",
                              "the IOMMU's mapping is read-only", "from dev0 (01:00.0)"}))
      << bench.errors();
  EXPECT_TRUE(bench.reported({"host.root.port0", "a read of 64 B at 0x70001000",
                              "the IOMMU has no mapping", "from dev0 (01:00.0)"}))
      << bench.errors();
}

/// A core's store to a register until it is there, and its load of one.
struct Accesses {
  Time doorbell = 0;
  Time read = 0;
};

Accesses accesses(bool below_a_switch) {
  SystemConfig config;
  config.direct = below_a_switch ? 0 : 1;
  config.below_switch = below_a_switch ? 2 : 0;
  config.link.skip_interval = 0;
  SystemBench bench{config};
  Accesses took;
  bench.run([&](Core& core) {
    core.spend(support::kQuiet);
    Time start = core.now();
    core.store(bench.bar(0, 0) + 8, 1, 4);
    core.spend(support::kQuiet);
    took.doorbell = bench.device(0).writes.at(0).at - start;
    start = core.now();
    core.load(bench.bar(0, 0) + 8, 4);
    took.read = core.now() - start;
  });
  return took;
}

TEST(Latency, OfADoorbellAndOfARegisterReadAreInThePublishedRanges) {
  const Accesses direct = accesses(false);
  EXPECT_GE(direct.doorbell, 200 * kNanosecond);
  EXPECT_LE(direct.doorbell, 400 * kNanosecond);
  EXPECT_GE(direct.read, 700 * kNanosecond);
  EXPECT_LE(direct.read, 1200 * kNanosecond);
  const SystemConfig config;
  EXPECT_NEAR(static_cast<double>(direct.doorbell),
              static_cast<double>(config.host.core.mmio_store + config.host.root.outbound_latency +
                                  config.link.latency + config.link.rate().time_of(28) +
                                  config.endpoint.register_write_latency),
              2);
  // A switch is crossed once, or there and back: requests of 28 B and 24 B, a completion of 24 B.
  const Accesses below = accesses(true);
  const Time crossing = config.link.latency + config.pcie_switch.latency;
  EXPECT_NEAR(static_cast<double>(below.doorbell - direct.doorbell),
              static_cast<double>(crossing + config.link.rate().time_of(28)), 4);
  EXPECT_NEAR(static_cast<double>(below.read - direct.read),
              static_cast<double>(2 * crossing + 2 * config.link.rate().time_of(24)), 4);
}

}  // namespace
}  // namespace railyard
