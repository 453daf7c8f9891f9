#include "hw/pcie/tlm_target.h"

#include <gmock/gmock.h>

#include <functional>
#include <vector>

#include "tests/hw/pcie/fake_ports.h"
#include "tests/support/allocations.h"
#include "tests/support/foreign/base_protocol_checker.h"
#include "tests/support/foreign/foreign_initiator.h"
#include "tlm/sim/simulation.h"

namespace railyard::pcie {
namespace {

using foreign::InitiatorConfig;
using testing::IsEmpty;

constexpr std::uint64_t kMemoryBase = 0x10000;
constexpr std::uint64_t kMemorySize = 0x8000;
constexpr std::uint64_t kDeviceBase = 0x10000000;
constexpr std::uint64_t kDeviceSize = 0x1000;
constexpr std::uint64_t kTicket = 0xC0FFEE;

/// A foreign initiator, a checker, the target, and fakes behind it.
struct TargetBench {
  explicit TargetBench(const InitiatorConfig& config, const TlmTargetConfig& target_config = {})
      : simulation({}),
        steps(simulation.partition(), "host"),
        memory(steps, kMemoryBase, kMemorySize),
        devices(steps, kDeviceBase, kDeviceSize),
        initiator("initiator", config),
        checker("checker"),
        target("target", steps, memory, devices, kTicket, target_config) {
    initiator.socket.bind(checker.in);
    checker.out.bind(target.socket);
    devices.set_listener(target);
    simulation.seal();
  }
  void run() { simulation.run(kForever / 2); }
  void expect_clean() {
    EXPECT_TRUE(initiator.finished()) << initiator.completed();
    EXPECT_THAT(initiator.faults(), IsEmpty());
    checker.check_end();
    EXPECT_THAT(checker.violations(), IsEmpty());
    EXPECT_EQ(initiator.payloads_held(), 0U);
    EXPECT_EQ(target.in_flight(), 0U);
    EXPECT_EQ(memory.illegal, 0U);
    EXPECT_EQ(devices.illegal, 0U);
    EXPECT_EQ(simulation.partition().packets().payloads.outstanding(), 0U);
  }

  Simulation simulation;
  LazyScheduler steps;
  FakeMemory memory;
  FakeDevices devices;
  foreign::ForeignInitiator initiator;
  foreign::BaseProtocolChecker checker;
  TlmTarget target;
};

InitiatorConfig to_memory(std::uint64_t count) {
  InitiatorConfig config;
  config.count = count;
  config.base = kMemoryBase;
  config.size = kMemorySize;
  config.longest = 300;
  config.percent_outside = 2;
  config.streaming_refused = true;
  return config;
}

InitiatorConfig to_devices(std::uint64_t count) {
  InitiatorConfig config;
  config.count = count;
  config.base = kDeviceBase;
  config.size = kDeviceSize;
  config.longest = 200;
  config.percent_outside = 2;
  config.streaming_refused = true;
  config.one_run_of_enables = true;
  return config;
}

TEST(TlmTargetTest, MemoryHoldsWhatANonBlockingInitiatorWrote) {
  TargetBench bench(to_memory(100'000));
  bench.run();
  bench.expect_clean();
  EXPECT_EQ(bench.memory.storage, bench.initiator.shadow());
  EXPECT_TRUE(bench.initiator.verify());
  EXPECT_EQ(bench.initiator.most_outstanding(), 8U);
}

TEST(TlmTargetTest, MemoryHoldsWhatABlockingInitiatorWrote) {
  InitiatorConfig config = to_memory(100'000);
  config.blocking = true;
  TargetBench bench(config);
  bench.run();
  bench.expect_clean();
  EXPECT_EQ(bench.memory.storage, bench.initiator.shadow());
}

TEST(TlmTargetTest, LongTransactionsGoInPiecesOfAPage) {
  InitiatorConfig config = to_memory(2'000);
  config.longest = 20'000;
  TargetBench bench(config);
  bench.run();
  bench.expect_clean();
  EXPECT_EQ(bench.memory.storage, bench.initiator.shadow());
}

// Few addresses, many transactions: a read must see what was written before it, and no more.
TEST(TlmTargetTest, TransactionsThatOverlapGoInOrder) {
  InitiatorConfig config = to_memory(20'000);
  config.size = 64;
  config.longest = 16;
  config.outstanding = 16;
  config.percent_outside = 0;
  TargetBench bench(config);
  bench.run();
  bench.expect_clean();
}

TEST(TlmTargetTest, DevicesHoldWhatANonBlockingInitiatorWrote) {
  TargetBench bench(to_devices(100'000));
  bench.run();
  bench.expect_clean();
  EXPECT_EQ(bench.devices.storage, bench.initiator.shadow());
  EXPECT_GT(bench.devices.refused, 1'000U);  // writes waited for room
}

TEST(TlmTargetTest, DevicesHoldWhatABlockingInitiatorWrote) {
  InitiatorConfig config = to_devices(100'000);
  config.blocking = true;
  TargetBench bench(config);
  bench.run();
  bench.expect_clean();
  EXPECT_EQ(bench.devices.storage, bench.initiator.shadow());
}

TEST(TlmTargetTest, NoMoreRequestsAreAcceptedThanConfigured) {
  InitiatorConfig config = to_memory(5'000);
  config.outstanding = 32;
  config.gap = sc_core::SC_ZERO_TIME;
  TlmTargetConfig target;
  target.requests = 3;
  TargetBench bench(config, target);
  bench.run();
  bench.expect_clean();
  EXPECT_EQ(bench.target.most_accepted(), 3U);
}

/// One b_transport at a time, written by a test.
struct Script : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Script> socket{"socket"};
  explicit Script(sc_core::sc_module_name name, std::function<void(Script&)> steps)
      : sc_core::sc_module(name) {
    sc_core::sc_spawn([this, steps] { steps(*this); }, "steps");
  }
  tlm::tlm_response_status send(tlm::tlm_command command, std::uint64_t address, unsigned bytes) {
    trans.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    trans.set_command(command);
    trans.set_address(address);
    trans.set_data_ptr(data.data());
    trans.set_data_length(bytes);
    trans.set_streaming_width(width == 0 ? bytes : width);
    trans.set_byte_enable_ptr(enables.empty() ? nullptr : enables.data());
    trans.set_byte_enable_length(static_cast<unsigned>(enables.size()));
    sc_core::sc_time delay;
    socket->b_transport(trans, delay);
    sc_core::wait(delay);
    return trans.get_response_status();
  }
  tlm::tlm_generic_payload trans;
  std::vector<unsigned char> data = std::vector<unsigned char>(8192, 0x5A);
  std::vector<unsigned char> enables;
  unsigned width = 0;
};

struct ScriptBench {
  explicit ScriptBench(std::function<void(ScriptBench&, Script&)> script)
      : simulation({}),
        steps(simulation.partition(), "host"),
        memory(steps, kMemoryBase, kMemorySize),
        devices(steps, kDeviceBase, kDeviceSize),
        initiator("initiator", [this, script](Script& s) { script(*this, s), ended = true; }),
        target("target", steps, memory, devices, kTicket, {}) {
    initiator.socket.bind(target.socket);
    devices.set_listener(target);
    simulation.seal();
    simulation.run(kForever / 2);
    EXPECT_TRUE(ended);
  }
  Simulation simulation;
  LazyScheduler steps;
  FakeMemory memory;
  FakeDevices devices;
  bool ended = false;
  Script initiator;
  TlmTarget target;
};

TEST(TlmTargetTest, ErrorsAreTheStandardsResponses) {
  const ScriptBench bench([](ScriptBench& b, Script& s) {
    EXPECT_EQ(s.send(tlm::TLM_READ_COMMAND, 0, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    // The end of memory, of devices.
    EXPECT_EQ(s.send(tlm::TLM_READ_COMMAND, kMemoryBase + kMemorySize - 3, 4),
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(s.send(tlm::TLM_WRITE_COMMAND, kDeviceBase + kDeviceSize - 3, 4),
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(s.send(static_cast<tlm::tlm_command>(3), kMemoryBase, 4),
              tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(s.send(tlm::TLM_IGNORE_COMMAND, 0, 4), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(s.send(tlm::TLM_READ_COMMAND, ~0ULL - 1, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(s.send(tlm::TLM_READ_COMMAND, kMemoryBase, 0), tlm::TLM_GENERIC_ERROR_RESPONSE);
    s.width = 2;
    EXPECT_EQ(s.send(tlm::TLM_WRITE_COMMAND, kMemoryBase, 4), tlm::TLM_BURST_ERROR_RESPONSE);
    s.width = 0;
    s.enables = {0xFF, 0, 0xFF, 0};
    EXPECT_EQ(s.send(tlm::TLM_WRITE_COMMAND, kMemoryBase, 4), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(s.send(tlm::TLM_WRITE_COMMAND, kDeviceBase, 4), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    s.enables.clear();
    b.memory.fails_at = kMemoryBase + 0x1000;  // the second page's
    EXPECT_EQ(s.send(tlm::TLM_READ_COMMAND, kMemoryBase + 0xFFF, 2),
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(s.send(tlm::TLM_READ_COMMAND, kDeviceBase, 4), tlm::TLM_OK_RESPONSE);
    b.devices.answer = Status::kCompleterAbort;
    EXPECT_EQ(s.send(tlm::TLM_READ_COMMAND, kDeviceBase, 4), tlm::TLM_GENERIC_ERROR_RESPONSE);
    b.devices.answer = Status::kUnsupportedRequest;
    EXPECT_EQ(s.send(tlm::TLM_READ_COMMAND, kDeviceBase, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
  EXPECT_EQ(bench.memory.storage[0], 0x5A);
  EXPECT_EQ(bench.memory.storage[1], 0);
}

// A posted write is answered when it is accepted, long before it is there.
TEST(TlmTargetTest, ADevicesWriteIsAnsweredWhenItIsAccepted) {
  const ScriptBench bench([](ScriptBench& b, Script& s) {
    EXPECT_EQ(s.send(tlm::TLM_WRITE_COMMAND, kDeviceBase, 64), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.devices.writes_done, 0U);
  });
  EXPECT_EQ(bench.devices.writes_done, 1U);
}

// Four blocks of transactions by the script: what the first needs, the others use again.
TEST(TlmTargetTest, NothingIsAllocatedAfterWarmUp) {
  std::vector<std::uint64_t> counts;
  const ScriptBench bench([&](ScriptBench&, Script& s) {
    s.enables = {0xFF, 0xFF, 0, 0xFF};
    for (int block = 0; block < 4; ++block) {
      const std::uint64_t before = support::allocations();
      for (unsigned i = 0; i < 500; ++i) {
        s.send(i % 2 == 0 ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, kMemoryBase + i, 4);
      }
      counts.push_back(support::allocations() - before);
    }
  });
  ASSERT_EQ(counts.size(), 4U);
  EXPECT_EQ(counts[3], 0U);
}

}  // namespace
}  // namespace railyard::pcie
