// A device writes data, then a flag, then raises an interrupt: who sees the flag or the interrupt
// sees the data, but where relaxed ordering was asked for and allowed.
#include <gtest/gtest.h>

#include "tests/hw/host/system_bench.h"

namespace railyard {
namespace {

using support::SystemBench;
using support::SystemConfig;

constexpr std::uint64_t kReadyFlag = support::kMemory + 0x20000;
constexpr unsigned kRounds = 300;
constexpr std::uint32_t kMostBytes = 12'000;

/// Looks at the data at the very time at which the flag is written.
class FlagWatcher : public host::MemoryWatcher {
 public:
  explicit FlagWatcher(std::function<void()> look) : look_(std::move(look)) {}
  void memory_written() override { look_(); }

 private:
  std::function<void()> look_;
};

struct Setting {
  bool relaxed_flag = false;
  bool relaxed_data = false;
  bool allowed = true;  // by the device control register
  bool below_switch = false;
};

/// How often data were not there whole.
struct Early {
  unsigned at_the_flag = 0;       // at the time of its write
  unsigned at_the_poll = 0;       // when the polling core saw it
  unsigned at_the_interrupt = 0;  // when the interrupted core ran
  unsigned flag_missing = 0;      // at the interrupt
};

class Rounds {
 public:
  explicit Rounds(const Setting& setting)
      : setting_(setting),
        bench_(config_of(setting)),
        random_(7, "rounds"),
        data_(support::kMemory + bench_.host.memory().config().size + 0x1000) {}

  Early run() {
    FlagWatcher watcher([this] { early_.at_the_flag += whole() ? 0 : 1; });
    bench_.host.core(1).set_program([this](Core& core) { interrupted(core); });
    bench_.run([this, &watcher](Core& core) {
      bench_.set_vector(core, 0, 0, 40);
      bench_.enable_msix(core, 0);
      {
        const LazyScheduler::Visit visit(bench_.host.memory().lazy());
        bench_.host.memory().watch(watcher, kReadyFlag, 4);
      }
      for (round_ = 1; round_ <= kRounds; ++round_) one(core);
      bench_.host.memory().unwatch(watcher);
    });
    EXPECT_EQ(rounds_interrupted_, kRounds);
    EXPECT_EQ(bench_.errors(), "");
    return early_;
  }

 private:
  static SystemConfig config_of(const Setting& setting) {
    SystemConfig config;
    config.direct = setting.below_switch ? 0 : 1;
    config.below_switch = setting.below_switch ? 2 : 0;
    config.cores = {0, 0};
    config.host.memory.nodes = 2;
    config.host.memory.remote_latency = kMicrosecond;
    config.host.enumeration.relaxed_ordering = setting.allowed;
    return config;
  }

  /// The data of this round are in the remote node's memory, the flag in the root complex' node.
  void one(Core& core) {
    bytes_ = static_cast<std::uint32_t>(1 + random_.below(kMostBytes));
    start_ = data_ + random_.below(4096);
    const auto value = static_cast<std::uint8_t>(round_);
    bench_.device(0).write(start_, std::vector<std::uint8_t>(bytes_, value), setting_.relaxed_data);
    bench_.device(0).write(kReadyFlag, {value, static_cast<std::uint8_t>(round_ >> 8), 0, 0},
                           setting_.relaxed_flag);
    bench_.device(0).endpoint.interrupt(0);
    core.poll(kReadyFlag, 4, [this](std::uint64_t seen) { return seen == round_; });
    if (!whole()) ++early_.at_the_poll;
    while (rounds_interrupted_ < round_) core.spend(100 * kNanosecond);
    core.spend(static_cast<Time>(random_.below(kMicrosecond)));
  }

  void interrupted(Core& core) {
    while (rounds_interrupted_ < kRounds) {
      core.wait_interrupt(40);
      if (!whole()) ++early_.at_the_interrupt;
      if (core.load(kReadyFlag, 4) != round_) ++early_.flag_missing;
      ++rounds_interrupted_;
    }
  }

  bool whole() {
    std::vector<std::uint8_t> seen(bytes_);
    bench_.host.memory().read(start_, seen.data(), bytes_);
    return seen == std::vector<std::uint8_t>(bytes_, static_cast<std::uint8_t>(round_));
  }

  Setting setting_;
  SystemBench bench_;
  RandomStream random_;
  std::uint64_t data_;
  std::uint64_t start_ = 0;
  std::uint32_t bytes_ = 0;
  unsigned round_ = 0;
  unsigned rounds_interrupted_ = 0;
  Early early_;
};

void expect_none(const Early& early) {
  EXPECT_EQ(early.at_the_flag, 0U);
  EXPECT_EQ(early.at_the_poll, 0U);
  EXPECT_EQ(early.at_the_interrupt, 0U);
  EXPECT_EQ(early.flag_missing, 0U);
}

TEST(ProducerConsumer, TheFlagIsNeverSeenBeforeItsData) {
  for (const bool below : {false, true}) {
    Setting setting;
    setting.below_switch = below;
    expect_none(Rounds(setting).run());
  }
}

TEST(ProducerConsumer, DataOfRelaxedOrderStillComeBeforeAStrictFlag) {
  Setting setting;
  setting.relaxed_data = true;
  expect_none(Rounds(setting).run());
}

TEST(ProducerConsumer, ARelaxedFlagIsSeenBeforeItsDataAndTheInterruptIsNot) {
  Setting setting;
  setting.relaxed_flag = true;
  const Early early = Rounds(setting).run();
  EXPECT_EQ(early.at_the_flag, kRounds) << "the data are slower in each round";
  EXPECT_EQ(early.at_the_poll, kRounds);
  EXPECT_EQ(early.at_the_interrupt, 0U);
  EXPECT_EQ(early.flag_missing, 0U);
}

TEST(ProducerConsumer, RelaxedOrderingThatTheHostForbidsIsNone) {
  Setting setting;
  setting.relaxed_flag = setting.relaxed_data = true;
  setting.allowed = false;
  expect_none(Rounds(setting).run());
}

}  // namespace
}  // namespace railyard
