// DMA, contexts and keys before the memory of a host, by ideal PCIe.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "hw/host/host.h"
#include "hw/nic/dma_engine.h"
#include "hw/nic/memory_keys.h"
#include "hw/nic/qp_contexts.h"
#include "tests/hw/nic/memory_bench.h"
#include "tlm/sim/simulation.h"

namespace railyard::nic {
namespace {

constexpr std::uint64_t kContexts = (1ULL << 32) + 0x10'0000;
constexpr std::uint64_t kKeys = (1ULL << 32) + 0x20'0000;
constexpr std::uint32_t kSideQps = 64;
constexpr std::uint32_t kKeyCount = 40;
constexpr std::uint64_t kSideBase = 0x1234'5000;
constexpr std::uint64_t kPageBytes = 4096;

NicConfig tight() {
  NicConfig config;
  config.qp_cache = {16, 4, 4};
  config.key_cache = {8, 4, 4};
  config.translation_cache = {8, 4, 4};
  config.limits.qps = kSideQps;
  config.limits.mkeys = 64;
  config.limits.translation_entries = 4096;
  config.dma.control_reads = 6;
  config.dma.payload_reads = 4;
  return config;
}

struct HostBench : DmaClient, ContextClient, TranslationClient {
  HostBench()
      : config(tight()),
        host("host", simulation.partition(), {}, DataMode::kCarried, {0}),
        function("nic", host.ideal(), {}, {}, host.device_memory()),
        units(units_of()),
        dma(units, function),
        contexts(with_dma()),
        keys(units),
        script(simulation.partition()) {}

  Units units_of() {
    Units shared;
    shared.partition = &simulation.partition();
    shared.name = "nic_units";
    shared.config = &config;
    return shared;
  }
  Units& with_dma() {
    units.dma = &dma;
    return units;
  }
  Time now() { return simulation.partition().now(); }

  void dma_done(std::uint64_t ticket, pcie::Status status, Ref<net::Payload> payload) override {
    EXPECT_EQ(status, pcie::Status::kSuccess);
    ASSERT_TRUE(payload);
    std::vector<std::uint8_t> now_there(payload->size());
    host.memory().read((1ULL << 32) + ticket, now_there.data(), now_there.size());
    EXPECT_TRUE(std::equal(now_there.begin(), now_there.end(), payload->data()));
    ++payloads;
  }
  void context_ready(std::uint32_t slot, std::uint64_t ticket) override {
    EXPECT_EQ(slot, ticket);
    ++contexts_ready;
  }
  void translated(std::uint64_t ticket, const Mapping& mapping) override { check(ticket, mapping); }

  /// Key i's page j is at (i << 24) + (2 * j << 12) on the bus.
  void make_keys() {
    for (std::uint32_t i = 0; i < kKeyCount; ++i) {
      std::vector<std::uint64_t> pages;
      for (std::uint64_t j = 0; j < 40; ++j) pages.push_back((i << 24) + 2 * j * kPageBytes);
      made.push_back(0);
      ASSERT_EQ(keys.create({kSideBase, 40 * kPageBytes, 0, 0, 12}, pages, made.back()),
                abi::CommandStatus::kOk);
    }
  }
  void translate(std::uint64_t key, std::uint64_t page) {
    Mapping mapping;
    const std::uint64_t ticket = key << 8 | page;
    const KeyedRange range{made[key], kSideBase + page * kPageBytes + 16, 4096, 0, 0};
    if (keys.translate(range, now(), 0, *this, ticket, mapping) != kForever) check(ticket, mapping);
  }
  void check(std::uint64_t ticket, const Mapping& mapping) {
    const std::uint64_t first = (ticket >> 8 << 24) + 2 * (ticket & 0xFF) * kPageBytes;
    EXPECT_EQ(mapping.error, KeyError::kNone);
    ASSERT_EQ(mapping.count, 2U);
    EXPECT_EQ(mapping.segments[0].address, first + 16);
    EXPECT_EQ(mapping.segments[0].bytes, 4080U);
    EXPECT_EQ(mapping.segments[1].address, first + 2 * kPageBytes);
    EXPECT_EQ(mapping.segments[1].bytes, 16U);
    ++translations;
  }

  NicConfig config;
  Simulation simulation{{}};
  host::Host host;
  pcie::IdealFunction function;
  Units units;
  DmaEngine dma;
  QpContexts contexts;
  MemoryKeys keys;
  Script script;
  std::vector<std::uint32_t> made;
  std::uint64_t payloads = 0;
  std::uint64_t contexts_ready = 0;
  std::uint64_t translations = 0;
};

TEST(NicMemorySide, WorksInTheMemoryOfAHostBesideALoadOfPayload) {
  HostBench bench;
  RandomStream random(2, "load");
  std::vector<std::uint8_t> bytes(0x10000);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.next());
  bench.host.memory().write(1ULL << 32, bytes.data(), bytes.size());
  bench.script.at(0, [&] {
    bench.contexts.set_memory(kContexts);
    for (std::uint32_t slot = 0; slot < kSideQps; ++slot) bench.contexts.create(slot);
    bench.keys.set_memory(kKeys);
    bench.make_keys();
  });
  std::uint64_t at_once = 0;
  constexpr int kSteps = 4000;
  for (int i = 0; i < kSteps; ++i) {
    bench.script.at(Time{i} * 200 * kNanosecond, [&] {
      const auto slot = static_cast<std::uint32_t>(random.below(kSideQps));
      if (bench.contexts.want(slot, bench.now(), 0, bench, slot) != kForever) ++at_once;
      bench.translate(random.below(kKeyCount), random.below(39));
      const std::uint64_t address = random.below(0x8000);
      bench.dma.read({DmaUse::kPayload, (1ULL << 32) + address, 5000, address}, bench);
      DmaWrite write;
      write.address = (1ULL << 32) + 0x40'0000 + random.below(1U << 20);
      write.bytes = 4096;
      write.payload = bench.simulation.partition().packets().payloads.acquire();
      write.payload->resize(4096);
      bench.dma.write(write, nullptr);
    });
  }
  bench.simulation.seal();
  bench.script.begin();
  bench.simulation.run(kForever / 2);  // a context that is not the one written would stop it
  EXPECT_EQ(bench.payloads, static_cast<std::uint64_t>(kSteps));
  EXPECT_EQ(bench.translations, static_cast<std::uint64_t>(kSteps));
  EXPECT_EQ(bench.contexts_ready + at_once, static_cast<std::uint64_t>(kSteps));
  EXPECT_GT(at_once, 100U);
  EXPECT_GT(bench.contexts_ready, 2000U);
  EXPECT_EQ(bench.host.hierarchy().error_count(), 0U);
}

TEST(NicMemorySide, AMissTakesWhatIdealPcieAndMemoryTake) {
  HostBench bench;
  const Time t = 100 * kMicrosecond;
  Time ready = 0;
  struct Client : ContextClient {
    explicit Client(std::function<void()> told) : tell(std::move(told)) {}
    void context_ready(std::uint32_t, std::uint64_t) override { tell(); }
    std::function<void()> tell;
  } client([&] { ready = bench.now(); });
  bench.script.at(0, [&] {
    bench.contexts.set_memory(kContexts);
    for (std::uint32_t slot = 0; slot < kSideQps; ++slot) bench.contexts.create(slot);
  });
  bench.script.at(t, [&] { bench.contexts.want(0, t, 0, client, 0); });
  bench.simulation.seal();
  bench.script.begin();
  bench.simulation.run(kForever / 2);
  const host::HostConfig host;
  const pcie::IdealConfig& ideal = host.ideal;
  const Time expected = 2 * ideal.latency + ideal.read_latency + host.memory.latency +
                        ideal.bandwidth.time_of(256) + bench.config.clock;
  // Lanes and memory keep remainders.
  EXPECT_NEAR(static_cast<double>(ready - t), static_cast<double>(expected), 2'000.0);
  EXPECT_GT(ready, t);
}

}  // namespace
}  // namespace railyard::nic
