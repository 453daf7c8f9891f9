// Ten million requests, each command checked.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/hw/hbm/random_memory.h"

namespace railyard::hbm::bench {
namespace {

/// What differs from run to run: the seed's bits, so that each meets each.
HbmConfig config_of(std::uint64_t seed) {
  HbmConfig config;
  config.organisation.stacks = 1;
  config.organisation.channels = 1U << seed % 3;
  config.organisation.sids = 1U << seed / 3 % 3;
  ControllerConfig& c = config.controller;
  c.scheduling = seed % 5 == 4 ? Scheduling::kFcfs : Scheduling::kFrFcfs;
  c.page.policy = static_cast<PagePolicy>(seed % 3);
  c.refresh.mode = seed % 2 == 0 ? RefreshMode::kAllBank : RefreshMode::kPerBank;
  c.refresh.postpone = seed % 4 == 0 ? 4 : 0;
  c.refresh.staggered = seed / 2 % 2 == 0;
  c.forward = false;
  return config;
}

TEST(HbmControllerLong, TenMillionRequestsKeepEveryConstraintAndAreDoneOnce) {
  std::uint64_t pieces = 0;
  std::uint64_t commands = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    RandomTraffic traffic;
    traffic.seed = seed;
    traffic.accesses = 1'000'000;
    traffic.under_way = 256;
    traffic.writes_of_ten = static_cast<unsigned>(seed % 5 * 2);
    traffic.pauses_of_thousand = seed % 3 == 0 ? 5 : 0;
    traffic.pattern = static_cast<Pattern>(seed % 4);
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomMemory memory(config_of(seed), traffic);
    memory.run();
    pieces += memory.pieces();
    commands += memory.commands();
  }
  EXPECT_EQ(pieces, 10'000'000U);
  EXPECT_GT(commands, 15'000'000U);
}

}  // namespace
}  // namespace railyard::hbm::bench
