// Engines and clockings, register by register.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <utility>

#include "platforms/common/fabric/tester_fabric.h"
#include "tests/platforms/common/fabric/fabric_support.h"
#include "tests/support/fresh_kernel.h"

namespace railyard {
namespace {

using Registers = std::vector<std::uint64_t>;
/// By block and cycle.
using Log = std::map<std::pair<std::string, std::uint64_t>, Registers>;

// Switches that pause and are paused.
const char* const kEventful = R"(
link: {rate: 100Gbps, length: 10m}
topology: {kind: leaf_spine, leaves: 2, spines: 1, hosts_per_switch: 3}
switch: {buffer: 2MiB, clock: 2ns}
tester: {drain_rate: 60Gbps, receive_buffer: 256KiB}
traffic: {pattern: all_to_all, messages: 2, message_size: 64KiB}
)";

// A storm, found, and over when the receiver goes on. The slow clock keeps the cycles few.
const char* const kStorm = R"(
link: {rate: 100Gbps, length: 10m}
topology: {kind: star, hosts: 3}
switch:
  clock: 100ns
  buffer: 2MiB
  watchdog: {enabled: true, detection: 100us, restoration: 100us, poll: 100us}
tester: {receive_buffer: 256KiB}
traffic: {pattern: incast, senders: 2, messages: 100, message_size: 64KiB}
stuck: [{port: h2, at: 10us, lasts: 400us}]
)";

// Queues on the slope and above it, of two curves, at enqueue and at dequeue.
const char* const kMarks = R"(
link: {rate: 100Gbps, length: 10m}
topology: {kind: leaf_spine, leaves: 2, spines: 1, hosts_per_switch: 3}
switch:
  buffer: 2MiB
  clock: 2ns
  ecn: {kmin: 10KB, kmax: 100KB, pmax: 0.5}
  ecn_classes: [{traffic_class: 3, kmin: 20KB, kmax: 60KB, point: enqueue}]
traffic:
  pattern: list
  messages: 2
  message_size: 64KiB
  flows:
    - {source: h0, destination: h3, priority: 3}
    - {source: h1, destination: h3, priority: 4}
    - {source: h2, destination: h3, priority: 3}
    - {source: h4, destination: h3, priority: 4}
)";

// Two flows a sender, marks, CNPs and cuts. The clock of 4 ns is slow beside packets of 54 ns.
const char* const kControlled = R"(
link: {rate: 100Gbps, length: 10m}
topology: {kind: star, hosts: 4}
switch: {buffer: 8MiB, clock: 100ns, pfc: {enabled: false}, ecn: {kmin: 5KB, kmax: 200KB, pmax: 0.1}}
nic: {path_mtu: 512}
tester: {cnp: {delay: 1us}}
traffic:
  pattern: list
  messages: 1
  message_size: 100KB
  flows:
    - {source: h0, destination: h3}
    - {source: h0, destination: h3, priority: 4}
    - {source: h1, destination: h3}
    - {source: h2, destination: h3}
)";

const char* const kDcqcn = ", algorithm: dcqcn, parameters: hardware, clock: 4ns";

Log log_of(const char* text, const char* keys, Time until, const char* engine,
           const char* clocking) {
  const support::FreshKernel kernel;
  BuiltFabric built(std::string(text) + "congestion: {engine: " + engine +
                    ", clocking: " + clocking + keys + "}\n");
  Log log;
  built.fabric.blocks()->watch(
      [&](const std::string& block, std::uint64_t cycle, const std::vector<rtl::Field>& fields) {
        Registers& registers = log[{block, cycle}];
        for (const rtl::Field& field : fields) registers.push_back(field.value);
      });
  built.simulation.run(until);
  built.simulation.conclude();
  return log;
}

/// Of blocks of a kind.
std::size_t cycles_of(const std::string& kind, const Log& log) {
  return static_cast<std::size_t>(std::count_if(log.begin(), log.end(), [&](const auto& entry) {
    return entry.first.first.find('.' + kind) != std::string::npos;
  }));
}

/// Every cycle of `few` is one of `all`, and all registers are equal in it.
void expect_within(const Log& few, const Log& all) {
  for (const auto& [key, registers] : few) {
    const auto found = all.find(key);
    ASSERT_NE(found, all.end()) << key.first << " in cycle " << key.second;
    ASSERT_EQ(registers, found->second) << key.first << " in cycle " << key.second;
  }
}

struct Scene {
  const char* name;
  const char* text;
  const char* keys;  // more of `congestion`
  Time until;
  const char* block;  // of which kind some are at work
};

void PrintTo(const Scene& scene, std::ostream* out) { *out << scene.name; }

class Engines : public testing::TestWithParam<Scene> {
 protected:
  Log run(const char* engine, const char* clocking) const {
    return log_of(GetParam().text, GetParam().keys, GetParam().until, engine, clocking);
  }
};

TEST_P(Engines, HaveEqualRegistersInEveryCycleThatBothExecute) {
  const Log gated = run("rtl", "gated");
  EXPECT_EQ(gated, run("model", "gated"));
  EXPECT_GT(gated.size(), 100U);
  EXPECT_GT(cycles_of(GetParam().block, gated), 5U);
  const Log free_running = run("rtl", "free_running");
  expect_within(gated, free_running);
  EXPECT_GT(free_running.size(), 10 * gated.size());
  EXPECT_EQ(free_running, run("model", "free_running"));
}

// In a cycle that a gated clock skips, a free-running one changes nothing.
TEST_P(Engines, AGatedClockSkipsNoCycleThatChangesARegister) {
  const Log gated = run("model", "gated");
  std::string block;
  Registers before;
  for (const auto& [key, registers] : run("model", "free_running")) {
    if (key.first == block && registers != before) {
      ASSERT_EQ(gated.count(key), 1U) << block << " in cycle " << key.second;
    }
    block = key.first;
    before = registers;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, Engines,
    testing::Values(Scene{"pauses", kEventful, "", 60 * kMicrosecond, "pfc_gen"},
                    Scene{"storm", kStorm, "", 900 * kMicrosecond, "pfc_watchdog"},
                    Scene{"marks", kMarks, "", 60 * kMicrosecond, "ecn_marker"},
                    Scene{"dcqcn", kControlled, kDcqcn, 100 * kMicrosecond, "dcqcn_rp"}),
    [](const auto& scene) { return scene.param.name; });

}  // namespace
}  // namespace railyard
