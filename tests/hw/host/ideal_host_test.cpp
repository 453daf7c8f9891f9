// A host with ideal PCIe in place of a root complex.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hw/host/host.h"
#include "tests/support/fresh_kernel.h"
#include "tlm/base/error.h"
#include "tlm/sim/simulation.h"

namespace railyard {
namespace {

constexpr std::uint64_t kIdealMemory = 1ULL << 32;
constexpr std::uint64_t kMegabyte = 1ULL << 20;

struct IdealHost : pcie::DeviceRegisters, pcie::DmaListener {
  explicit IdealHost(const host::HostConfig& parameters = {})
      : config(parameters),
        host("host", simulation.partition(), parameters, DataMode::kCarried, {0}) {}

  pcie::IdealFunction& add(const pcie::BarShapes& bars) {
    const std::string name = "dev" + std::to_string(functions.size());
    functions.push_back(std::make_unique<pcie::IdealFunction>(
        name.c_str(), host.ideal(), config.ideal, bars, host.device_memory()));
    functions.back()->set_registers(*this);
    host.place(*functions.back());
    return *functions.back();
  }
  std::uint64_t bar(std::size_t function, unsigned index) const {
    return functions[function]->config_space().bar(index).base;
  }
  void run(std::function<void(Core&)> program) {
    host.core(0).set_program(std::move(program));
    simulation.seal();
    simulation.run(kForever / 2);
  }

  void register_write(unsigned index, std::uint64_t offset, const std::uint8_t* data,
                      std::uint32_t bytes, std::uint8_t /*byte_enables*/) override {
    std::uint64_t value = 0;
    std::memcpy(&value, data, std::min<std::size_t>(bytes, sizeof value));
    written.push_back({index, offset, value, simulation.partition().now()});
  }
  pcie::Status register_read(unsigned /*index*/, std::uint64_t offset, std::uint8_t* data,
                             std::uint32_t bytes) override {
    for (std::uint32_t i = 0; i < bytes; ++i) data[i] = static_cast<std::uint8_t>(offset + i);
    return pcie::Status::kSuccess;
  }
  void dma_done(const pcie::DmaDone& /*done*/) override { ++done; }

  struct Written {
    unsigned bar;
    std::uint64_t offset;
    std::uint64_t value;
    Time at;
  };

  support::FreshKernel kernel;
  host::HostConfig config;
  Simulation simulation{{}};
  host::Host host;
  std::vector<std::unique_ptr<pcie::IdealFunction>> functions;
  std::vector<Written> written;
  int done = 0;
};

pcie::BarShapes shapes(std::uint64_t registers, std::uint64_t memory) {
  pcie::BarShapes bars{};
  bars[0] = {registers, false, false};
  bars[2] = {memory, true, true};
  return bars;
}

TEST(IdealHost, PlacesEachBarInItsWindowAtAMultipleOfItsSize) {
  IdealHost bench;
  const std::uint64_t low = bench.host.map().mmio32().base;
  const std::uint64_t high = bench.host.map().mmio64().base;
  bench.add(shapes(4096, kMegabyte));
  bench.add(shapes(kMegabyte, 16 * kMegabyte));
  // 64 bits alone do not do: it is not prefetchable.
  pcie::BarShapes bars = shapes(4096, 4096);
  bars[2].prefetchable = false;
  bench.add(bars);
  EXPECT_EQ(bench.bar(0, 0), low);
  EXPECT_EQ(bench.bar(1, 0), low + kMegabyte);
  EXPECT_EQ(bench.bar(2, 0), low + 2 * kMegabyte);
  EXPECT_EQ(bench.bar(2, 2), low + 2 * kMegabyte + 4096);
  EXPECT_EQ(bench.bar(0, 2), high);
  EXPECT_EQ(bench.bar(1, 2), high + 16 * kMegabyte);
}

TEST(IdealHost, AWindowThatIsExhaustedIsRefused) {
  host::HostConfig config;
  config.map.mmio32_size = 2 * kMegabyte;
  IdealHost bench{config};
  bench.add(shapes(kMegabyte, kMegabyte));
  bench.add(shapes(kMegabyte, kMegabyte));
  try {
    bench.add(shapes(4096, kMegabyte));
    FAIL() << "it was placed";
  } catch (const ConfigError& error) {
    EXPECT_NE(error.problem().find("BAR 0 of dev2"), std::string::npos) << error.problem();
    EXPECT_NE(error.problem().find("32-bit MMIO window"), std::string::npos) << error.problem();
  }
}

TEST(IdealHost, ACoreReachesRegistersInTheConfiguredTime) {
  IdealHost bench;
  bench.add(shapes(4096, kMegabyte));
  bench.add(shapes(4096, kMegabyte));
  Time stored = 0;
  Time before = 0;
  Time after = 0;
  std::uint64_t read = 0;
  bench.run([&](Core& core) {
    core.spend(kMicrosecond);
    stored = core.now();
    core.store(bench.bar(1, 0) + 0x20, 0x1122334455667788, 8);
    core.spend(kMicrosecond);
    before = core.now();
    read = core.load(bench.bar(0, 0) + 0x10, 8);
    after = core.now();
  });
  const pcie::IdealConfig& ideal = bench.config.ideal;
  ASSERT_EQ(bench.written.size(), 1U);
  EXPECT_EQ(bench.written[0].bar, 0U);
  EXPECT_EQ(bench.written[0].offset, 0x20U);
  EXPECT_EQ(bench.written[0].value, 0x1122334455667788U);
  const Time eight = ideal.bandwidth.time_of(8);
  // Lanes keep a remainder: to the nearest picosecond.
  const Time rang = bench.config.core.mmio_store + ideal.latency + eight;
  EXPECT_LE(std::abs(bench.written[0].at - stored - rang), 1);
  EXPECT_EQ(read, 0x1716151413121110U);
  const Time waited = 2 * ideal.latency + ideal.register_read_latency + eight;
  EXPECT_LE(std::abs(after - before - waited), 1);
  EXPECT_EQ(bench.host.hierarchy().error_count(), 0U);
}

TEST(IdealHost, WhatNobodyHasInAWindowReadsAsAllOnes) {
  IdealHost bench;
  bench.add(shapes(4096, kMegabyte));
  std::vector<std::uint64_t> read;
  bench.run([&](Core& core) {
    for (const host::AddressRange& window :
         {bench.host.map().mmio32(), bench.host.map().mmio64()}) {
      read.push_back(core.load(window.end() - 8, 8));
    }
  });
  EXPECT_EQ(read, std::vector<std::uint64_t>(2, ~std::uint64_t{0}));
  EXPECT_EQ(bench.host.hierarchy().error_count(), 2U);
}

TEST(IdealHost, ADeviceWritesMemoryAndInterruptsBehindIt) {
  IdealHost bench;
  pcie::IdealFunction& device = bench.add(shapes(4096, kMegabyte));
  device.set_interrupts(40);
  std::uint64_t polled = 0;
  std::uint64_t interrupted = 0;
  bench.run([&](Core& core) {
    pcie::DmaRequest request;
    request.write = true;
    request.address = kIdealMemory + 0x1000;
    request.bytes = 9000;
    request.payload = bench.host.hierarchy().payloads().acquire();
    request.payload->resize(request.bytes);
    std::memset(request.payload->data(), 0x5A, request.bytes);
    device.dma(request, bench);
    device.interrupt(2);
    core.poll(kIdealMemory + 0x1000 + 8992, 8, [](std::uint64_t value) { return value != 0; });
    polled = core.load(kIdealMemory + 0x1000, 8);
    core.wait_interrupt(42);
    interrupted = core.load(kIdealMemory + 0x1000 + 8992, 8);
  });
  EXPECT_EQ(polled, 0x5A5A5A5A5A5A5A5AU);
  EXPECT_EQ(interrupted, 0x5A5A5A5A5A5A5A5AU);
  EXPECT_EQ(bench.done, 1);
}

TEST(IdealHost, HasNoConfigurationSpaceToFindAnythingIn) {
  IdealHost bench;
  bench.add(shapes(4096, kMegabyte));
  host::DeviceTree found;
  bench.run([&](Core& core) { found = bench.host.enumerate(core); });
  EXPECT_TRUE(found.functions.empty());
}

}  // namespace
}  // namespace railyard
