// Random work of a whole host: right, and the same however it is simulated.
#include "tests/hw/host/random_system.h"

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
  EXPECT_GT(lazy.metrics.at("switch0.peer_to_peer"), 100);
  EXPECT_GT(lazy.metrics.at("host.root.peer_to_peer"), 100);
}

/// Large transfers of host memory alone, one at a time of each of two devices.
RandomSystemConfig unwatched(double stalls) {
  RandomSystemConfig config = plain(3'000);
  config.host_memory_only = true;
  config.in_flight = 1;
  config.system.direct = 1;
  config.system.below_switch = 1;
  config.system.below_second = 0;
  config.system.link.receive_stall.probability = stalls;
  return config;
}

/// Returns the kernel's events of the eager run for each of the lazy one.
double expect_equal(RandomSystemConfig config) {
  const RandomSystemResult lazy = run(config);
  config.system.eager = true;
  const RandomSystemResult eager = run(config);
  expect_same(lazy, eager);
  return static_cast<double>(eager.kernel_events) / static_cast<double>(lazy.kernel_events);
}

// In the run above somebody watches something at nearly all times. Here steps are late for most of
// the run.
TEST(RandomSystem, TransfersThatNobodyWatchesAreEqualToo) {
  EXPECT_GT(expect_equal(unwatched(0)), 2);
}

// What stalled in a receiver comes out of it at once, not at the line's rate, by which
// Requester::earliest() bounds a read: so such links have each step on time.
TEST(RandomSystem, TransfersThatNobodyWatchesAreEqualAlsoBehindStalls) {
  EXPECT_GE(expect_equal(unwatched(0.05)), 1);
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
