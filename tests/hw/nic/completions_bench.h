// Completion and event queues over memory that is a byte vector.
#pragma once

#include <gmock/gmock.h>

#include "hw/nic/completions.h"
#include "tests/hw/nic/responder_bench.h"

namespace railyard::nic {

using test::FakeDma;
using test::responder_config;
using testing::ElementsAre;
using testing::IsEmpty;

inline constexpr std::uint32_t kCq = 5;
inline constexpr std::uint64_t kCqAddress = 0x10000;
inline constexpr std::uint64_t kRecord = 0x400;
inline constexpr std::uint64_t kEqAddress = 0x20000;
inline constexpr std::uint64_t kEq0Address = 0x30000;
inline constexpr std::uint32_t kLog = 2;
inline constexpr std::uint32_t kArmNext = 0;

struct NicCompletions : testing::Test {
  NicConfig config = responder_config();
  Simulation simulation{SimulationConfig{}};
  Partition& partition = simulation.partition(0);
  test::Later later{partition, "bench"};
  FakeDma dma{partition};
  Units units = [this] {
    Units u;
    u.partition = &partition;
    u.name = "nic";
    u.config = &config;
    u.dma = &dma;
    return u;
  }();
  Completions completions{units};
  int overruns = 0;

  void SetUp() override {
    simulation.seal();
    completions.set_overrun([this] { ++overruns; });
    for (std::uint64_t i = 0; i < 4; ++i) {
      dma.store(kCqAddress + 64 * i, abi::Cqe());
      dma.store(kEqAddress + 64 * i, abi::Eqe());
      dma.store(kEq0Address + 64 * i, abi::Eqe());
    }
    completions.create_eq(0, {kEq0Address, kLog, 8, 0, 0});
    make_eq(0, 0);
    make_cq(0, 0);
  }
  void make_eq(Time moderation, std::uint32_t count) {
    completions.create_eq(1, {kEqAddress, kLog, 9, moderation, count});
    completions.consume_eq(1, 0, true);
  }
  void make_cq(Time moderation, std::uint32_t count) {
    completions.create_cq(kCq, {kCqAddress, kRecord, kLog, 1, moderation, count});
  }
  void complete(bool solicited = false, abi::CqeOpcode opcode = abi::CqeOpcode::kResponderSend) {
    Completion c;
    c.cq = kCq;
    c.qp = 0x123456;
    c.opcode = opcode;
    c.syndrome = opcode == abi::CqeOpcode::kResponderError ? abi::Syndrome::kLocalLength
                                                           : abi::Syndrome::kNone;
    c.wqe_counter = ++counter;
    c.byte_count = 1000;
    c.immediate = 0xA0B0C0D0;
    c.solicited = solicited;
    completions.complete(c, partition.now());
  }
  void run(Time time = 5 * kMicrosecond) { simulation.run(simulation.now() + time); }
  void complete_and_run(bool solicited = false) {
    complete(solicited);
    run();
  }
  abi::Cqe cqe(std::uint32_t index) const { return dma.load<abi::Cqe>(kCqAddress + 64 * index); }
  abi::Eqe eqe(std::uint32_t index) const { return dma.load<abi::Eqe>(kEqAddress + 64 * index); }
  std::size_t events() const {
    std::size_t n = 0;
    for (const DmaWrite& w : dma.writes) n += w.address >= kEqAddress && w.address < kEq0Address;
    return n;
  }
  /// Consumes all events, and arms the EQ again.
  void consume_events() { completions.consume_eq(1, static_cast<std::uint32_t>(events()), true); }
  std::uint64_t metric(const std::string& name) const {
    for (const Metric& m : simulation.metrics()) {
      if (m.info.name == "nic." + name) return m.value.whole;
    }
    ADD_FAILURE() << name;
    return 0;
  }
  std::uint16_t counter = 0;
};

}  // namespace railyard::nic
