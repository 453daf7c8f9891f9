// From a foreign initiator through both adapters to a foreign memory, a checker on each side.
#include <gmock/gmock.h>

#include "hw/pcie/tlm_memory.h"
#include "hw/pcie/tlm_target.h"
#include "tests/hw/pcie/fake_ports.h"
#include "tests/support/foreign/base_protocol_checker.h"
#include "tests/support/foreign/foreign_initiator.h"
#include "tests/support/foreign/foreign_memory.h"
#include "tlm/sim/simulation.h"

namespace railyard::pcie {
namespace {

using testing::IsEmpty;

constexpr std::uint64_t kBase = 0x1'0000'0000;
constexpr std::uint64_t kSize = 0x10000;

struct Border {
  Border(const foreign::InitiatorConfig& initiator_config, const TlmMemoryConfig& config,
         const foreign::MemoryConfig& memory_config)
      : simulation({}),
        steps(simulation.partition(), "host"),
        devices(steps, 0x1000, 0x1000),
        initiator("initiator", initiator_config),
        front("front"),
        memory("memory", steps, config),
        target("target", steps, memory, devices, 0, {}),
        back("back"),
        foreign_memory("foreign_memory", memory_config) {
    initiator.socket.bind(front.in);
    front.out.bind(target.socket);
    memory.socket.bind(back.in);
    back.out.bind(foreign_memory.socket);
    simulation.seal();
  }
  void run_and_check() {
    EXPECT_EQ(simulation.run(kForever / 2), RunEnd::kDrained);
    EXPECT_TRUE(initiator.finished());
    EXPECT_THAT(initiator.faults(), IsEmpty());
    front.check_end();
    back.check_end();
    EXPECT_THAT(front.violations(), IsEmpty());
    EXPECT_THAT(back.violations(), IsEmpty());
    EXPECT_EQ(foreign_memory.storage(), initiator.shadow());
    EXPECT_TRUE(initiator.verify());
    EXPECT_EQ(initiator.payloads_held(), 0U);
    EXPECT_EQ(steps.pending(), 0U);
  }

  Simulation simulation;
  LazyScheduler steps;
  FakeDevices devices;
  foreign::ForeignInitiator initiator;
  foreign::BaseProtocolChecker front;
  TlmMemory memory;
  TlmTarget target;
  foreign::BaseProtocolChecker back;
  foreign::ForeignMemory foreign_memory;
};

foreign::InitiatorConfig initiator_config(bool blocking) {
  foreign::InitiatorConfig config;
  config.blocking = blocking;
  config.count = 100'000;
  config.base = kBase;
  config.size = kSize;
  config.longest = 256;
  config.percent_outside = 1;
  config.streaming_refused = true;
  return config;
}

TlmMemoryConfig memory_config(TlmStyle style) {
  TlmMemoryConfig config;
  config.base = kBase;
  config.size = kSize;
  config.target_base = 0;
  config.style = style;
  config.burst = 64;
  return config;
}

foreign::MemoryConfig foreign_config() {
  foreign::MemoryConfig config;
  config.size = kSize;
  config.jitter = sc_core::sc_time(30, sc_core::SC_NS);
  config.out_of_order = true;
  config.percent_updated = config.percent_implied = config.percent_completed = 10;
  return config;
}

TEST(TlmBorderTest, NonBlockingToNonBlocking) {
  Border(initiator_config(false), memory_config(TlmStyle::kApproximatelyTimed), foreign_config())
      .run_and_check();
}

TEST(TlmBorderTest, BlockingToNonBlocking) {
  Border(initiator_config(true), memory_config(TlmStyle::kApproximatelyTimed), foreign_config())
      .run_and_check();
}

TEST(TlmBorderTest, NonBlockingToBlocking) {
  Border(initiator_config(false), memory_config(TlmStyle::kLooselyTimed), foreign_config())
      .run_and_check();
}

TEST(TlmBorderTest, BlockingToBlocking) {
  foreign::MemoryConfig annotates = foreign_config();
  annotates.wait = false;
  Border(initiator_config(true), memory_config(TlmStyle::kLooselyTimed), annotates).run_and_check();
}

}  // namespace
}  // namespace railyard::pcie
