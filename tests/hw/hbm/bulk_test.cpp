// A bulk is its pieces, given at one time: the same commands at the same ticks, the same end, and
// far fewer events of the kernel. And nothing depends on when a channel takes its steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "hw/hbm/command_checker.h"
#include "hw/hbm/controller.h"
#include "tests/support/fresh_kernel.h"
#include "tlm/sim/random.h"
#include "tlm/sim/simulation.h"

namespace railyard::hbm {
namespace {

/// Commands as they were sent, by channel: those of different channels come in any order.
class Record : public CommandListener {
 public:
  using Entry = std::vector<std::uint64_t>;
  void command(const CommandRecord& r) override {
    of[r.channel].push_back({static_cast<std::uint64_t>(r.tick),
                             static_cast<std::uint64_t>(r.command), r.pseudo_channel, r.bank, r.row,
                             r.column});
  }
  std::map<unsigned, std::vector<Entry>> of;
};

/// Some accesses at given times, and when they ended.
class Script : public Client {
 public:
  struct Step {
    Time at;
    bool write;
    std::uint64_t address;
    std::uint32_t bytes;
  };

  Script(const HbmConfig& config, bool watched)
      : simulation_(SimulationConfig{}),
        partition_(simulation_.partition()),
        controller_("memory", partition_, config),
        checker_(partition_.add_checker<CommandChecker>("memory", config.organisation,
                                                        config.timing, config.controller.refresh)),
        next_(Event::of<&Script::give>(*this, partition_.endpoint("script"), Phase::kArrival)) {
    controller_.add_listener(record);
    controller_.add_listener(checker_);
    checker_.set_catch_up([this] { controller_.catch_up(); });
    simulation_.seal();
    if (watched) {
      for (auto& entry : partition_.probes().probes()) entry.point->connect(&sink_, 0);
    }
  }

  void run(std::vector<Step> steps) {
    steps_ = std::move(steps);
    ends.assign(steps_.size(), 0);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      Access& access = accesses_.emplace_back();
      access.client = this;
      access.ticket = i;
    }
    partition_.scheduler().schedule(next_, steps_.front().at);
    simulation_.run(kForever);
    controller_.catch_up();
    events = simulation_.kernel_events();
  }

  void access_done(Access& access) override { ends[access.ticket] = partition_.now(); }

  Record record;
  std::vector<Time> ends;
  std::uint64_t events = 0;

 private:
  struct Sink : ProbeSink {
    void change(std::uint32_t, std::uint64_t, Time) override {}
  };

  void give() {
    while (given_ < steps_.size() && steps_[given_].at <= partition_.now()) {
      const Step& step = steps_[given_];
      Access& access = accesses_[given_++];
      access.write = step.write;
      access.address = step.address;
      access.bytes = step.bytes;
      controller_.access(access);
    }
    if (given_ < steps_.size()) partition_.scheduler().schedule(next_, steps_[given_].at);
  }

  support::FreshKernel kernel_;
  Simulation simulation_;
  Partition& partition_;
  Controller controller_;
  CommandChecker& checker_;
  Event next_;
  Sink sink_;
  std::vector<Step> steps_;
  std::deque<Access> accesses_;
  std::size_t given_ = 0;
};

HbmConfig one_channel() {
  HbmConfig config;
  config.organisation.stacks = 1;
  config.organisation.channels = 1;
  return config;
}

std::vector<Script::Step> in_pieces(const std::vector<Script::Step>& steps) {
  std::vector<Script::Step> pieces;
  for (const Script::Step& step : steps) {
    for (std::uint32_t at = 0; at < step.bytes; at += 32) {
      pieces.push_back({step.at, step.write, step.address + at, 32});
    }
  }
  return pieces;
}

/// Bulks among random single accesses.
std::vector<Script::Step> contended(std::uint64_t seed, std::uint64_t bulks) {
  RandomStream random(seed, "script");
  std::vector<Script::Step> steps;
  Time at = 0;
  for (std::uint64_t i = 0; i < bulks * 100; ++i) {
    at += static_cast<Time>(random.below(12'000));
    const bool bulk = i % 100 == 50;
    const auto bytes = static_cast<std::uint32_t>(bulk ? 32 * (2 + random.below(500)) : 32);
    steps.push_back({at, random.below(3) == 0, random.below(1U << 24) * 32, bytes});
  }
  return steps;
}

TEST(HbmBulk, AloneIsItsPiecesWithATwentiethOfTheEvents) {
  for (const bool write : {false, true}) {
    HbmConfig config = one_channel();
    config.controller.write_response = WriteResponse::kWritten;
    const std::vector<Script::Step> steps = {{0, write, 0x10000, 65'536}};
    Script bulk(config, false);
    bulk.run(steps);
    Script pieces(config, false);
    pieces.run(in_pieces(steps));
    EXPECT_EQ(bulk.record.of, pieces.record.of);
    EXPECT_EQ(bulk.ends[0], *std::max_element(pieces.ends.begin(), pieces.ends.end()));
    EXPECT_GE(pieces.events, 20 * bulk.events) << bulk.events;
  }
}

TEST(HbmBulk, AmongOthersIsItsPieces) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    HbmConfig config = one_channel();
    config.organisation.channels = 2;
    config.controller.write_response =
        seed % 2 == 0 ? WriteResponse::kWritten : WriteResponse::kAccepted;
    const std::vector<Script::Step> steps = contended(seed, 20);
    Script bulk(config, false);
    bulk.run(steps);
    Script pieces(config, false);
    pieces.run(in_pieces(steps));
    EXPECT_EQ(bulk.record.of, pieces.record.of) << seed;
    std::size_t piece = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      Time end = 0;
      for (std::uint32_t at = 0; at < steps[i].bytes; at += 32) {
        end = std::max(end, pieces.ends[piece++]);
      }
      EXPECT_EQ(bulk.ends[i], end) << seed << ", access " << i;
    }
  }
}

TEST(HbmLateSteps, ChangeNothingThatOneSees) {
  for (std::uint64_t seed = 11; seed <= 16; ++seed) {
    HbmConfig config = one_channel();
    config.controller.page.policy = seed % 3 == 0   ? PagePolicy::kOpen
                                    : seed % 3 == 1 ? PagePolicy::kClosed
                                                    : PagePolicy::kAdaptive;
    config.controller.refresh.mode = seed % 2 == 0 ? RefreshMode::kAllBank : RefreshMode::kPerBank;
    const std::vector<Script::Step> steps = contended(seed, 10);
    Script late(config, false);
    late.run(steps);
    Script on_time(config, true);
    on_time.run(steps);
    EXPECT_EQ(late.ends, on_time.ends) << seed;
    EXPECT_LT(late.events, on_time.events) << seed;
    // Who looks sees refreshes until the last end; who does not, until he catches up.
    EXPECT_EQ(late.record.of, on_time.record.of) << seed;
  }
}

TEST(HbmChannels, WithoutWorkCostNoEvent) {
  HbmConfig config;  // 160 pseudo-channels
  Script one(config, false);
  one.run({{0, false, 0, 32}, {kMillisecond, false, 0, 32}});
  EXPECT_LE(one.events, 8U);
  const std::size_t refreshes = one.record.of[79].size();
  EXPECT_NEAR(static_cast<double>(refreshes), 1e6 / 3900 * 4, 5);
}

}  // namespace
}  // namespace railyard::hbm
