#include "hw/congestion/pause_timers.h"

#include <gtest/gtest.h>

#include "tests/hw/congestion/pfc_of.h"

namespace railyard {
namespace {

TEST(PauseTimers, AQuantumIs512BitTimes) {
  // 65535 quanta: 100G 335.5 us, 400G 83.88 us, 800G 41.94 us
  for (const auto& [gbps, ns] :
       {std::pair(100, 335'539'200), std::pair(400, 83'884'800), std::pair(800, 41'942'400)}) {
    PauseTimers timers(Rate::gbps(static_cast<std::uint64_t>(gbps)));
    timers.receive(test::pfc_of(1 << 3, 0xFFFF), 1000);
    EXPECT_EQ(timers.until(3), 1000 + ns);
    EXPECT_TRUE(timers.paused(3, 1000 + ns - 1));
    EXPECT_FALSE(timers.paused(3, 1000 + ns));
  }
}

TEST(PauseTimers, OnlyEnabledPrioritiesChange) {
  PauseTimers timers(Rate::gbps(400));
  timers.receive(test::pfc_of(0b00001001, 100), 0);
  for (unsigned p = 0; p < 8; ++p) EXPECT_EQ(timers.paused(p, 1), p == 0 || p == 3) << p;
}

TEST(PauseTimers, ZeroQuantaEndAPauseAndALaterFrameReplacesIt) {
  PauseTimers timers(Rate::gbps(400));
  timers.receive(test::pfc_of(0xFF, 1000), 0);
  timers.receive(test::pfc_of(1 << 2, 0), 100);
  EXPECT_FALSE(timers.paused(2, 100));
  EXPECT_TRUE(timers.paused(3, 100));
  timers.receive(test::pfc_of(1 << 3, 1), 200);  // shorter than what is left
  EXPECT_EQ(timers.until(3), 200 + 1280);
}

TEST(PauseTimers, PauseIsForAllPriorities) {
  PauseTimers timers(Rate::gbps(100));
  timers.receive(net::pause_frame({}, 2), 0);
  for (unsigned p = 0; p < 8; ++p) EXPECT_EQ(timers.until(p), 2 * 5120);
}

}  // namespace
}  // namespace railyard
