// A bulk is its pieces, given at one time: the same commands at the same ticks, the same end, and
// far fewer events of the kernel. And nothing depends on when a channel takes its steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/hw/hbm/script.h"
#include "tlm/sim/random.h"

namespace railyard::hbm::bench {
namespace {

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
}  // namespace railyard::hbm::bench
