// Random work of a whole host, for long: run with --long.
#include "tests/hw/host/random_system.h"

namespace railyard {
namespace {

using support::RandomSystem;
using support::RandomSystemConfig;

RandomSystemConfig config_of(std::uint64_t seed) {
  RandomSystemConfig config;
  config.system = RandomSystem::system();
  config.transfers = 100'000;
  config.seed = seed;
  return config;
}

TEST(RandomSystemLong, LazyAndEagerRunsAreEqualInAllTheyMeasure) {
  for (const std::uint64_t seed : {11, 12}) {
    RandomSystemConfig config = config_of(seed);
    config.system.host.enumeration.acs_redirect = seed == 12;
    const auto lazy = RandomSystem(config).run();
    config.system.eager = true;
    expect_same(lazy, RandomSystem(config).run());
  }
}

TEST(RandomSystemLong, BitErrorsLoseNothing) {
  RandomSystemConfig config = config_of(13);
  config.system.link.bit_error_rate = 1e-6;
  EXPECT_GT(RandomSystem(config).run().metrics.at("dev0.port.replays"), 10);
}

}  // namespace
}  // namespace railyard
