#include "hw/pcie/tlm_memory.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/hw/pcie/memory_user.h"
#include "tests/support/allocations.h"
#include "tests/support/foreign/base_protocol_checker.h"
#include "tests/support/foreign/foreign_memory.h"
#include "tlm/base/error.h"
#include "tlm/sim/simulation.h"

namespace railyard::pcie {
namespace {

using sc_core::SC_NS;
using testing::IsEmpty;

constexpr std::uint64_t kWindowBase = 0x4000'0000;
constexpr std::uint64_t kWindowSize = 64 * 4096;

struct MemoryBench {
  MemoryBench(const TlmMemoryConfig& config, const MemoryUserConfig& use,
              const foreign::MemoryConfig& foreign_config)
      : simulation({}),
        steps(simulation.partition(), "host"),
        memory("memory", steps, config),
        checker("checker"),
        target("target", foreign_config),
        user(steps, accesses, memory, use) {
    memory.socket.bind(checker.in);
    checker.out.bind(target.socket);
    simulation.seal();
  }
  void run() {
    user.start();
    simulation.run(kForever / 2);
  }
  void expect_clean(std::uint64_t count) {
    EXPECT_EQ(user.done, count);
    EXPECT_THAT(user.faults, IsEmpty());
    checker.check_end();
    EXPECT_THAT(checker.violations(), IsEmpty());
    EXPECT_EQ(memory.in_flight(), 0U);
    EXPECT_EQ(target.storage(), user.shadow);
    EXPECT_EQ(simulation.partition().packets().payloads.outstanding(), 0U);
  }

  Simulation simulation;
  LazyScheduler steps;
  Pool<MemoryAccess> accesses;
  TlmMemory memory;
  foreign::BaseProtocolChecker checker;
  foreign::ForeignMemory target;
  MemoryUser user;
};

TlmMemoryConfig config_of(TlmStyle style) {
  TlmMemoryConfig config;
  config.base = kWindowBase;
  config.size = kWindowSize;
  config.target_base = 0;
  config.style = style;
  return config;
}

MemoryUserConfig use_of(std::uint64_t count) {
  MemoryUserConfig use;
  use.count = count;
  use.base = kWindowBase;
  return use;
}

foreign::MemoryConfig target_config() {
  foreign::MemoryConfig config;
  config.size = kWindowSize;
  config.jitter = sc_core::sc_time(100, SC_NS);
  config.accept_delay = sc_core::sc_time(2, SC_NS);
  return config;
}

// 10^5 transactions in each of these.

TEST(TlmMemoryTest, ATargetInFourPhasesHoldsWhatWasWritten) {
  TlmMemoryConfig config = config_of(TlmStyle::kApproximatelyTimed);
  config.burst = 512;
  config.response_delay = 3 * kNanosecond;
  MemoryBench bench(config, use_of(40'000), target_config());
  bench.run();
  bench.expect_clean(40'000);
  EXPECT_GT(bench.checker.completed(), 100'000U);
  EXPECT_EQ(bench.memory.most_in_flight(), 16U);
  EXPECT_LE(bench.memory.payloads_made(), 20U);  // used again when the target has let go of them
}

TEST(TlmMemoryTest, ATargetThatTakesShortWaysAndAnswersOutOfOrderHoldsWhatWasWritten) {
  TlmMemoryConfig config = config_of(TlmStyle::kApproximatelyTimed);
  config.write_order = WriteOrder::kTarget;
  foreign::MemoryConfig target = target_config();
  target.out_of_order = true;
  target.capacity = 5;
  target.percent_updated = target.percent_implied = target.percent_completed = 30;
  MemoryBench bench(config, use_of(100'000), target);
  bench.run();
  bench.expect_clean(100'000);
}

TEST(TlmMemoryTest, ATargetThatWaitsHoldsWhatWasWritten) {
  MemoryBench bench(config_of(TlmStyle::kLooselyTimed), use_of(100'000), target_config());
  bench.run();
  bench.expect_clean(100'000);
  EXPECT_EQ(bench.memory.most_in_flight(), 16U);
}

TEST(TlmMemoryTest, ATargetThatAnnotatesItsDelayHoldsWhatWasWritten) {
  TlmMemoryConfig config = config_of(TlmStyle::kLooselyTimed);
  config.burst = 512;
  foreign::MemoryConfig target = target_config();
  target.wait = false;
  MemoryBench bench(config, use_of(40'000), target);
  bench.run();
  bench.expect_clean(40'000);
}

// A target may execute out of order what lies apart; so the next write waits for the last one.
TEST(TlmMemoryTest, WritesAreDoneInTheOrderGiven) {
  foreign::MemoryConfig target = target_config();
  target.out_of_order = true;
  MemoryUserConfig use = use_of(5'000);
  use.written_in_order = true;
  MemoryBench bench(config_of(TlmStyle::kApproximatelyTimed), use, target);
  bench.run();
  bench.expect_clean(5'000);
}

TEST(TlmMemoryTest, LooselyTimedWritesAreDoneInTheOrderGiven) {
  MemoryUserConfig use = use_of(5'000);
  use.written_in_order = true;
  MemoryBench bench(config_of(TlmStyle::kLooselyTimed), use, target_config());
  bench.run();
  bench.expect_clean(5'000);
}

TEST(TlmMemoryTest, ALooseTargetsOrderIsItsOwn) {
  TlmMemoryConfig config = config_of(TlmStyle::kLooselyTimed);
  config.write_order = WriteOrder::kTarget;
  MemoryUserConfig use = use_of(5'000);
  use.written_in_order = true;
  MemoryBench bench(config, use, target_config());
  bench.run();
  EXPECT_GT(bench.user.faults.size(), 100U);  // what the tests above would find
}

TEST(TlmMemoryTest, NotMoreAreUnderWayThanConfigured) {
  TlmMemoryConfig config = config_of(TlmStyle::kApproximatelyTimed);
  config.outstanding = 3;
  MemoryBench bench(config, use_of(2'000), target_config());
  bench.run();
  bench.expect_clean(2'000);
  EXPECT_EQ(bench.memory.most_in_flight(), 3U);
  EXPECT_EQ(bench.checker.most_in_flight(), 3U);
}

/// One access at a time, by hand.
struct OneAccess : MemoryClient {
  explicit OneAccess(MemoryBench& b) : bench(b) {}
  void give(bool write, std::uint64_t address, std::uint32_t bytes) {
    access = bench.accesses.acquire();
    access->write = write;
    access->address = address;
    access->bytes = bytes;
    access->payload = bench.simulation.partition().packets().payloads.acquire();
    access->payload->resize(bytes);
    access->client = this;
    const LazyScheduler::Visit visit(bench.steps);
    bench.memory.access(access);
  }
  void memory_done(MemoryAccess& done) override {
    done_at.push_back(bench.simulation.now());
    sizes.push_back(done.bytes);
  }

  MemoryBench& bench;
  Ref<MemoryAccess> access;
  std::vector<Time> done_at;
  std::vector<std::uint32_t> sizes;  // as they were done
};

TEST(TlmMemoryTest, TimeIsTheTargets) {
  foreign::MemoryConfig target;
  target.size = kWindowSize;
  target.latency = sc_core::sc_time(50, SC_NS);
  target.accept_delay = sc_core::sc_time(2, SC_NS);
  TlmMemoryConfig config = config_of(TlmStyle::kApproximatelyTimed);
  config.burst = 64;
  config.response_delay = 3 * kNanosecond;
  MemoryBench bench(config, use_of(0), target);
  OneAccess one(bench);
  one.give(false, kWindowBase + 32, 128);  // 32, 64 and 32 bytes
  bench.simulation.run(kForever / 2);
  EXPECT_EQ(bench.memory.sent(), 3U);
  // Three times 2 ns until the last is accepted, 50 ns, and 3 ns to take its response. Those of the
  // others were over: 52 to 55, 55 to 58, 58 to 61 ns.
  ASSERT_EQ(one.done_at.size(), 1U);
  EXPECT_EQ(one.done_at[0], 61 * kNanosecond);
}

// A read of no byte flushes the writes before it, however they are sent.
TEST(TlmMemoryTest, AnAccessToNoByteIsDoneWhenTheWritesBeforeItAre) {
  TlmMemoryConfig config = config_of(TlmStyle::kApproximatelyTimed);
  config.write_order = WriteOrder::kTarget;
  MemoryBench bench(config, use_of(0), target_config());
  OneAccess one(bench);
  one.give(true, kWindowBase, 64);
  one.give(true, kWindowBase + 64, 32);
  one.give(false, kWindowBase, 0);
  bench.simulation.run(kForever / 2);
  ASSERT_EQ(one.sizes.size(), 3U);
  EXPECT_EQ(one.sizes.back(), 0U);
  EXPECT_GE(one.done_at.back(), 50 * kNanosecond);
}

/// Steps of the subsystem, and when the kernel came to them.
struct Steps {
  Steps(LazyScheduler& scheduler, const std::string& name)
      : steps(scheduler),
        event(Event::of<&Steps::step>(*this, scheduler.partition().endpoint(name), Phase::kAct)) {}
  void step() { late = steps.partition().now() - steps.now(); }
  LazyScheduler& steps;
  Event event;
  Time late = -1;
};

TEST(TlmMemoryTest, WithAForeignModuleEachStepIsOnTime) {
  Simulation simulation({});
  LazyScheduler steps(simulation.partition(), "host");
  TlmMemory memory("memory", steps, config_of(TlmStyle::kApproximatelyTimed));
  foreign::ForeignMemory target("target", target_config());
  memory.socket.bind(target.socket);
  Steps first(steps, "first");
  Steps last(steps, "last");
  simulation.seal();
  {
    const LazyScheduler::Visit visit(steps);
    steps.schedule(first.event, kNanosecond);
    steps.schedule(last.event, kMicrosecond);
  }
  simulation.run(kForever / 2);
  EXPECT_EQ(first.late, 0);
  EXPECT_EQ(last.late, 0);
}

TEST(TlmMemoryTest, AnErrorOfTheTargetFailsTheAccess) {
  TlmMemoryConfig config = config_of(TlmStyle::kApproximatelyTimed);
  config.size = 2 * kWindowSize;  // more than the target has
  config.burst = 64;
  MemoryBench bench(config, use_of(0), target_config());
  OneAccess one(bench);
  EXPECT_TRUE(bench.memory.covers(kWindowBase + kWindowSize, kWindowSize));
  EXPECT_FALSE(bench.memory.covers(kWindowBase + kWindowSize, kWindowSize + 1));
  EXPECT_FALSE(bench.memory.covers(kWindowBase - 1, 1));
  one.give(true, kWindowBase + kWindowSize - 64, 128);  // its second part
  bench.simulation.run(kForever / 2);
  EXPECT_EQ(one.done_at.size(), 1U);
  EXPECT_TRUE(one.access->failed);
  one.give(true, kWindowBase + kWindowSize - 128, 128);
  bench.simulation.run(kForever / 2);
  EXPECT_EQ(one.done_at.size(), 2U);
  EXPECT_FALSE(one.access->failed);
}

TEST(TlmMemoryTest, DebuggersSeeTheTargetsBytes) {
  MemoryBench bench(config_of(TlmStyle::kApproximatelyTimed), use_of(0), target_config());
  std::uint8_t bytes[4] = {1, 2, 3, 4};
  EXPECT_EQ(bench.memory.debug(true, kWindowBase + 100, bytes, 4), 4U);
  EXPECT_EQ(bench.target.storage()[101], 2);
  bench.target.storage()[101] = 9;
  EXPECT_EQ(bench.memory.debug(false, kWindowBase + 100, bytes, 4), 4U);
  EXPECT_EQ(bytes[1], 9);
}

// The target's queue and the checker's copies allocate: so the target here is as simple as can be,
// and the accesses are one at a time.
struct Immediate : sc_core::sc_module {
  tlm_utils::simple_target_socket<Immediate> socket{"socket"};
  explicit Immediate(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    socket.register_nb_transport_fw(this, &Immediate::nb_transport);
  }
  tlm::tlm_sync_enum nb_transport(tlm::tlm_generic_payload& trans, tlm::tlm_phase&,
                                  sc_core::sc_time& delay) {
    trans.set_response_status(tlm::TLM_OK_RESPONSE);
    delay += sc_core::sc_time(10, SC_NS);
    return tlm::TLM_COMPLETED;
  }
};

TEST(TlmMemoryTest, NothingIsAllocatedAfterWarmUp) {
  Simulation simulation({});
  LazyScheduler steps(simulation.partition(), "host");
  Pool<MemoryAccess> accesses;
  TlmMemoryConfig config = config_of(TlmStyle::kApproximatelyTimed);
  config.burst = 64;
  TlmMemory memory("memory", steps, config);
  Immediate immediate("immediate");
  memory.socket.bind(immediate.socket);
  MemoryUserConfig use = use_of(1'000'000);
  use.percent_elided = 100;  // nothing is read back
  MemoryUser user(steps, accesses, memory, use);
  simulation.seal();
  user.start();
  simulation.run(500 * kMicrosecond);
  ASSERT_GT(user.done, 1'000U);
  const std::uint64_t done = user.done;
  const std::uint64_t before = support::allocations();
  simulation.run(kMillisecond);
  EXPECT_GT(user.done, done + 10'000);
  EXPECT_EQ(support::allocations() - before, 0U);
}

/// A target that accepts and never answers.
struct Silent : sc_core::sc_module {
  tlm_utils::simple_target_socket<Silent> socket{"socket"};
  explicit Silent(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    socket.register_nb_transport_fw(this, &Silent::nb_transport);
  }
  tlm::tlm_sync_enum nb_transport(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) {
    return tlm::TLM_ACCEPTED;
  }
};

TEST(TlmMemoryTest, ATargetThatNeverAnswersIsFound) {
  Simulation simulation({});
  LazyScheduler steps(simulation.partition(), "host");
  Pool<MemoryAccess> accesses;
  TlmMemory memory("memory", steps, config_of(TlmStyle::kApproximatelyTimed));
  Silent silent("silent");
  memory.socket.bind(silent.socket);
  MemoryUser user(steps, accesses, memory, use_of(1));
  simulation.seal();
  user.start();
  try {
    simulation.run(kForever / 2);
    FAIL() << "not found";
  } catch (const sc_core::sc_report& report) {
    EXPECT_THAT(report.get_msg(), testing::HasSubstr("memory"));
    EXPECT_THAT(report.get_msg(), testing::HasSubstr("an answer of its target"));
  }
}

}  // namespace
}  // namespace railyard::pcie
