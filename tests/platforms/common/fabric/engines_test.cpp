// Engines and clockings, register by register.
#include <map>
#include <utility>

#include "platforms/common/fabric/tester_fabric.h"
#include "tests/platforms/common/fabric/fabric_support.h"
#include "tests/support/fresh_kernel.h"

namespace railyard {
namespace {

using Registers = std::vector<std::uint64_t>;
/// By block and cycle.
using Log = std::map<std::pair<std::string, std::uint64_t>, Registers>;

// Switches that pause and are paused, and a link that goes down under a pause.
const char* const kEventful = R"(
link: {rate: 100Gbps, length: 10m}
topology: {kind: leaf_spine, leaves: 2, spines: 1, hosts_per_switch: 3}
switch: {buffer: 2MiB, clock: 2ns}
tester: {drain_rate: 60Gbps, receive_buffer: 256KiB}
traffic: {pattern: all_to_all, messages: 2, message_size: 64KiB}
)";

Log log_of(const char* engine, const char* clocking) {
  const support::FreshKernel kernel;
  BuiltFabric built(std::string(kEventful) + "congestion: {engine: " + engine +
                    ", clocking: " + clocking + "}\n");
  Log log;
  built.fabric.blocks()->watch(
      [&](const std::string& block, std::uint64_t cycle, const std::vector<rtl::Field>& fields) {
        Registers& registers = log[{block, cycle}];
        for (const rtl::Field& field : fields) registers.push_back(field.value);
      });
  built.simulation.run(60 * kMicrosecond);
  return log;
}

/// Every cycle of `few` is one of `all`, and all registers are equal in it.
void expect_within(const Log& few, const Log& all) {
  for (const auto& [key, registers] : few) {
    const auto found = all.find(key);
    ASSERT_NE(found, all.end()) << key.first << " in cycle " << key.second;
    ASSERT_EQ(registers, found->second) << key.first << " in cycle " << key.second;
  }
}

TEST(Engines, HaveEqualRegistersInEveryCycleThatBothExecute) {
  const Log gated = log_of("rtl", "gated");
  EXPECT_EQ(gated, log_of("model", "gated"));
  EXPECT_GT(gated.size(), 100U);
  const Log free_running = log_of("rtl", "free_running");
  expect_within(gated, free_running);
  EXPECT_GT(free_running.size(), 10 * gated.size());
  EXPECT_EQ(free_running, log_of("model", "free_running"));
}

// In a cycle that a gated clock skips, a free-running one changes nothing.
TEST(Engines, AGatedClockSkipsNoCycleThatChangesARegister) {
  const Log gated = log_of("model", "gated");
  std::string block;
  Registers before;
  for (const auto& [key, registers] : log_of("model", "free_running")) {
    if (key.first != block) before = registers;
    block = key.first;
    if (registers != before) {
      ASSERT_EQ(gated.count(key), 1U) << block << " in cycle " << key.second;
    }
    before = registers;
  }
}

}  // namespace
}  // namespace railyard
