// Random work of a whole host: right, and the same however it is simulated.
#include "tests/hw/host/random_system.h"

#include <cstdio>

namespace railyard {
namespace {

using support::RandomSystem;
using support::RandomSystemConfig;
using support::RandomSystemResult;

RandomSystemResult run(const RandomSystemConfig& config) { return RandomSystem(config).run(); }

RandomSystemConfig plain(unsigned transfers) {
  RandomSystemConfig config;
  config.system = RandomSystem::system();
  config.transfers = transfers;
  return config;
}

TEST(RandomSystem, LazyAndEagerRunsAreEqualInAllTheyMeasure) {
  RandomSystemConfig config = plain(10'000);
  const RandomSystemResult lazy = run(config);
  config.system.eager = true;
  const RandomSystemResult eager = run(config);
  expect_same(lazy, eager);
  EXPECT_LT(lazy.kernel_events, eager.kernel_events);
  EXPECT_GT(lazy.metrics.at("switch0.peer_to_peer"), 100);
  EXPECT_GT(lazy.metrics.at("host.root.peer_to_peer"), 100);
  std::printf("kernel events: lazy %llu, eager %llu\n",
              static_cast<unsigned long long>(lazy.kernel_events),
              static_cast<unsigned long long>(eager.kernel_events));
}

TEST(RandomSystem, TwoRunsAreEqual) {
  const RandomSystemResult first = run(plain(2'000));
  const RandomSystemResult second = run(plain(2'000));
  expect_same(first, second);
  EXPECT_EQ(first.kernel_events, second.kernel_events);
  RandomSystemConfig other = plain(2'000);
  other.seed = 2;
  EXPECT_NE(run(other).done, first.done);
}

TEST(RandomSystem, BitErrorsLoseNothing) {
  RandomSystemConfig config = plain(4'000);
  config.system.link.bit_error_rate = 1e-6;
  const RandomSystemResult result = run(config);
  EXPECT_GT(result.metrics.at("dev0.port.replays"), 0);
}

TEST(RandomSystem, AccessControlRedirectsAndNothingIsLost) {
  RandomSystemConfig config = plain(4'000);
  config.system.host.enumeration.acs_redirect = true;
  const RandomSystemResult lazy = run(config);
  config.system.eager = true;
  expect_same(lazy, run(config));
  EXPECT_EQ(lazy.metrics.at("switch0.peer_to_peer"), 0);
  EXPECT_GT(lazy.metrics.at("switch0.redirected"), 100);
}

}  // namespace
}  // namespace railyard
