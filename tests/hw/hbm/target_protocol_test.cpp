// Foreign initiators drive the device through the base-protocol checker.
#include "tests/hw/hbm/device_bench.h"

namespace railyard::hbm {
namespace {

using foreign::InitiatorConfig;

constexpr std::uint64_t kProtocolBase = 0x4'0000'0000;
constexpr std::uint64_t kSize = 4ULL << 20;  // small_config()'s capacity

HbmDeviceConfig device_config() {
  HbmDeviceConfig config;
  config.base = kProtocolBase;
  return config;
}

/// Around the device's end: what is outside of the initiator's range is outside of the device.
InitiatorConfig initiator_config(bool blocking, std::uint64_t count) {
  InitiatorConfig config;
  config.blocking = blocking;
  config.count = count;
  config.size = 1U << 16;
  config.base = kProtocolBase + kSize - config.size;
  config.longest = 300;
  config.percent_outside = 2;
  return config;
}

TEST(TargetProtocolTest, ANonBlockingInitiatorReadsWhatItWrote) {
  ForeignBench bench({initiator_config(false, 50'000)}, small_config(), device_config());
  ASSERT_EQ(bench.hbm->capacity(), kSize);
  bench.run_and_check();
  EXPECT_EQ(bench.initiators[0]->most_outstanding(), 8U);
}

TEST(TargetProtocolTest, ABlockingInitiatorOfManyThreadsReadsWhatItWrote) {
  InitiatorConfig config = initiator_config(true, 50'000);
  config.outstanding = 32;
  ForeignBench bench({config}, small_config(), device_config());
  bench.run_and_check();
  EXPECT_EQ(bench.initiators[0]->most_outstanding(), 32U);
}

// No gaps, no time to take a response, few addresses: requests and responses follow each other
// within one time.
TEST(TargetProtocolTest, ManyOutstandingAtFewAddressesGoInOrder) {
  InitiatorConfig config = initiator_config(false, 50'000);
  config.outstanding = 200;
  config.gap = config.annotation = config.accept_delay = sc_core::SC_ZERO_TIME;
  config.size = 256;
  config.base = kProtocolBase + kSize - config.size;
  config.longest = 64;
  config.percent_streaming = 0;
  ForeignBench bench({config}, tiny_queues(true, WriteResponse::kAccepted), device_config());
  bench.run_and_check();
  EXPECT_EQ(bench.initiators[0]->most_outstanding(), 200U);
}

TEST(TargetProtocolTest, LongTransactionsReachAllChannels) {
  InitiatorConfig config = initiator_config(false, 1'000);
  config.longest = 20'000;
  ForeignBench bench({config}, small_config(), device_config());
  bench.run_and_check();
}

TEST(TargetProtocolTest, TwoSocketsAtOnce) {
  InitiatorConfig low = initiator_config(false, 30'000);
  low.base = kProtocolBase;
  low.percent_outside = 0;
  low.seed = 2;
  InitiatorConfig high = initiator_config(true, 30'000);
  ForeignBench bench({low, high}, small_config(), device_config());
  bench.run_and_check();
}

TEST(TargetProtocolTest, NoMoreRequestsAreAcceptedThanConfigured) {
  InitiatorConfig config = initiator_config(false, 5'000);
  config.outstanding = 32;
  config.gap = sc_core::SC_ZERO_TIME;
  HbmDeviceConfig device = device_config();
  device.target.requests = 3;
  ForeignBench bench({config}, small_config(), device);
  bench.run_and_check();
  EXPECT_EQ(bench.hbm->port(0).most_accepted(), 3U);
}

TEST(TargetProtocolTest, AcceptanceThatTakesTime) {
  HbmDeviceConfig device = device_config();
  device.target.accept_delay = 7 * kNanosecond;
  ForeignBench bench({initiator_config(false, 20'000)}, small_config(), device);
  bench.run_and_check();
}

TEST(TargetProtocolTest, DirectMemoryAccessSeesTheSameBytes) {
  InitiatorConfig config = initiator_config(true, 20'000);
  config.direct = true;
  config.size = SparseMemory::kPageBytes;
  config.base = kProtocolBase + kSize - config.size;
  HbmDeviceConfig device = device_config();
  device.target.dmi = true;
  ForeignBench bench({config}, small_config(), device);
  bench.run_and_check();
  EXPECT_GT(bench.initiators[0]->direct_accesses(), 5'000U);
}

}  // namespace
}  // namespace railyard::hbm
