// Random traffic over controllers drawn at random: all commands are right, all accesses are done
// once, and in bounded time.
#include <gtest/gtest.h>

#include <cstdint>
#include <exception>
#include <iterator>
#include <string>

#include "tests/hw/hbm/command_tools.h"
#include "tests/hw/hbm/random_memory.h"

namespace railyard::hbm::bench {
namespace {

template <class T, std::size_t N>
T one_of(RandomStream& random, const T (&values)[N]) {
  return values[random.below(N)];
}

HbmConfig random_config(RandomStream& random) {
  HbmConfig config;
  Organisation& o = config.organisation;
  o.stacks = 1;
  o.channels = 1 + static_cast<unsigned>(random.below(2));
  o.pseudo_channels = 1 + static_cast<unsigned>(random.below(2));
  o.sids = one_of(random, {1U, 2U, 4U});
  o.groups = one_of(random, {1U, 2U, 4U});
  o.banks = one_of(random, {2U, 4U});
  o.rows = one_of(random, {64U, 1024U, 16384U});
  if (random.below(3) == 0) config.timing = distinct_timing();
  ControllerConfig& c = config.controller;
  c.scheduling = one_of(random, {Scheduling::kFrFcfs, Scheduling::kFrFcfs, Scheduling::kFcfs});
  c.age_limit = one_of<Time>(random, {0, 200 * kNanosecond, 2 * kMicrosecond});
  c.read_queue = one_of(random, {2U, 8U, 64U});
  c.write_queue = one_of(random, {2U, 8U, 64U});
  c.drain.high = 1 + static_cast<unsigned>(random.below(c.write_queue));
  c.drain.low = static_cast<unsigned>(random.below(c.drain.high));
  c.drain.idle = one_of<Time>(random, {0, 20 * kNanosecond, kMicrosecond});
  c.page.policy = one_of(random, {PagePolicy::kOpen, PagePolicy::kClosed, PagePolicy::kAdaptive});
  c.refresh.mode = one_of(random, {RefreshMode::kOff, RefreshMode::kAllBank, RefreshMode::kAllBank,
                                   RefreshMode::kPerBank, RefreshMode::kPerBank});
  c.refresh.postpone = static_cast<unsigned>(random.below(2) * random.below(9));
  c.refresh.staggered = random.below(2) == 0;
  c.ecc.mode =
      one_of(random, {EccMode::kNone, EccMode::kOnDie, EccMode::kSideband, EccMode::kInline});
  c.ecc.lines = one_of(random, {1U, 8U, 32U});
  c.write_response = one_of(random, {WriteResponse::kAccepted, WriteResponse::kWritten});
  c.forward = random.below(2) == 0;
  c.front_latency = one_of<Time>(random, {0, 7 * kNanosecond});
  c.back_latency = one_of<Time>(random, {0, 11 * kNanosecond});
  return config;
}

RandomTraffic random_traffic(RandomStream& random, std::uint64_t seed) {
  RandomTraffic traffic;
  traffic.seed = seed;
  traffic.pattern =
      one_of(random, {Pattern::kRandom, Pattern::kSequential, Pattern::kStrided, Pattern::kAll});
  traffic.under_way = one_of(random, {1U, 16U, 400U});
  traffic.writes_of_ten = static_cast<unsigned>(random.below(11));
  traffic.bulks_of_ten = one_of(random, {0U, 0U, 1U, 8U});
  traffic.pauses_of_thousand = one_of(random, {0U, 10U, 300U});
  traffic.region = one_of<std::uint64_t>(random, {4096, 1U << 20, ~std::uint64_t{0}});
  traffic.stride = one_of<std::uint64_t>(random, {64, 1024, 65536 + 32, 1U << 20});
  traffic.accesses = traffic.bulks_of_ten > 1 ? 1'000 : 8'000;
  return traffic;
}

/// What a failure needs to be found again without the draw.
std::string text(const HbmConfig& config, const RandomTraffic& traffic) {
  const Organisation& o = config.organisation;
  const ControllerConfig& c = config.controller;
  std::string text;
  const auto add = [&](const char* name, auto value) {
    text += std::string(" ") + name + "=" + std::to_string(static_cast<std::int64_t>(value));
  };
  add("channels", o.channels), add("pcs", o.pseudo_channels), add("sids", o.sids);
  add("groups", o.groups), add("banks", o.banks), add("rows", o.rows);
  add("burst", config.timing.burst), add("scheduling", c.scheduling), add("age", c.age_limit);
  add("read_queue", c.read_queue), add("write_queue", c.write_queue), add("high", c.drain.high);
  add("low", c.drain.low), add("idle", c.drain.idle), add("page", c.page.policy);
  add("refresh", c.refresh.mode), add("postpone", c.refresh.postpone);
  add("staggered", c.refresh.staggered), add("ecc", c.ecc.mode), add("lines", c.ecc.lines);
  add("response", c.write_response), add("forward", c.forward), add("front", c.front_latency);
  add("back", c.back_latency), add("pattern", traffic.pattern);
  add("under_way", traffic.under_way), add("writes", traffic.writes_of_ten);
  add("bulks", traffic.bulks_of_ten), add("pauses", traffic.pauses_of_thousand);
  add("region", traffic.region), add("stride", traffic.stride);
  return text;
}

void run_random(std::uint64_t seed) {
  RandomStream random(seed, "configuration");
  const HbmConfig config = random_config(random);
  const RandomTraffic traffic = random_traffic(random, seed);
  SCOPED_TRACE("seed " + std::to_string(seed) + ":" + text(config, traffic));
  try {
    RandomMemory memory(config, traffic);
    memory.run();
  } catch (const std::exception& e) {
    ADD_FAILURE() << e.what();
  }
}

TEST(HbmControllerRandom, AllCommandsAreRightAndAllAccessesAreDoneOnce) {
  for (std::uint64_t seed = 1; seed <= 64; ++seed) run_random(seed);
}

// Each of these has found a fault: of bulks that end sooner than was thought, of writes that are
// left, of refreshes too near an activate, of banks whose requests grew old.
TEST(HbmControllerRandom, AlsoWhereTheyOnceWereNot) {
  for (const std::uint64_t seed : {65U, 92U, 118U, 120U, 131U, 139U, 1001U, 1012U, 1022U, 1123U,
                                   1167U, 1246U, 1274U, 1281U, 1284U, 1324U, 1339U, 1362U}) {
    run_random(seed);
  }
}

}  // namespace
}  // namespace railyard::hbm::bench
