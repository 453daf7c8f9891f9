// pfc_rx: twin and RTL.
#include "rtl/model/pfc_rx.h"
#include "rtl/verilated/pfc_rx.h"
#include "tests/rtl/lockstep.h"
#include "tests/rtl/stimulus.h"

namespace railyard {
namespace {

using rtl::PfcRxIn;
using test::Stimulus;

// Frames once in `gap` cycles, quanta of all sizes, time that jumps as a gated clock's does.
struct Random {
  explicit Random(std::uint64_t seed) : stimulus(seed) { change_registers(); }

  void change_registers() {
    in.quantum = static_cast<std::uint32_t>(stimulus.corner(26));
    in.now = stimulus.corner(rtl::kTimeBits);
    gap = std::uint64_t{1} << stimulus.below(10);
    shortest = stimulus.once_in(2);
    jumps = stimulus.once_in(2);
  }
  const PfcRxIn& next(const rtl::PfcRxOut& last) {
    if (stimulus.once_in(100'000)) change_registers();
    std::uint64_t ahead = 1;
    if (jumps && last.wake_valid && stimulus.once_in(4)) {
      // To its deadline, or to anywhere before it.
      const std::uint64_t sleep = (last.wake - in.now) & rtl::kTimeMask;
      if (sleep != 0 && sleep >> (rtl::kTimeBits - 1) == 0) {
        ahead = stimulus.once_in(2) ? sleep : 1 + stimulus.below(sleep);
      }
    }
    in.now = (in.now + ahead) & rtl::kTimeMask;
    in.clear = stimulus.once_in(gap * 8);
    in.frame_valid = stimulus.once_in(gap);
    if (in.frame_valid) {
      in.enable = static_cast<std::uint8_t>(stimulus.corner(8));
      for (auto& q : in.quanta) {
        q = static_cast<std::uint16_t>(shortest ? stimulus.below(4) : stimulus.corner(16));
      }
    }
    return in;
  }

  Stimulus stimulus;
  PfcRxIn in;
  std::uint64_t gap = 1;
  bool shortest = false;
  bool jumps = false;
};

using Bench = test::Lockstep<rtl::PfcRxModel, rtl::PfcRxRtl>;

TEST(PfcRxLockstep, EveryOutputAndRegisterIsEqualInEveryCycle) {
  Bench bench("pfc_rx");
  Random random(1);
  rtl::PfcRxOut last;
  for (std::uint64_t n = test::lockstep_cycles(); n != 0; --n) {
    if (random.stimulus.once_in(50'000) && !bench.reset()) return;
    if (!bench.step(random.next(last))) return;
    last = bench.last();
  }
}

// A pause of each length at the quanta of each rate, sampled by 1 ns: as long as IEEE 802.3 says,
// to the cycle.
TEST(PfcRxLockstep, APauseIsAsLongAsItsQuanta) {
  for (const double gbps : {10, 25, 40, 50, 100, 200, 400, 800}) {
    const double quantum = 512 / gbps;
    for (const unsigned quanta : {1U, 2U, 3U, 394U, 905U, 65'535U}) {
      Bench bench("pfc_rx");
      PfcRxIn in;
      in.quantum = static_cast<std::uint32_t>(quantum * 65'536 + 0.5);
      in.now = 1000;
      in.frame_valid = true;
      in.enable = 0x10;
      in.quanta[4] = static_cast<std::uint16_t>(quanta);
      ASSERT_TRUE(bench.step(in));
      in.frame_valid = false;
      in.now = 1001;
      ASSERT_TRUE(bench.step(in));
      if (quantum * quanta < 0.5) {
        EXPECT_EQ(bench.last().paused, 0);
        continue;
      }
      EXPECT_EQ(bench.last().paused, 0x10);
      const std::uint64_t end = bench.last().wake;
      EXPECT_NEAR(static_cast<double>(end - 1001), quantum * quanta, 1.0) << gbps << " " << quanta;
      if (end - 1 > in.now) {
        in.now = end - 1;
        ASSERT_TRUE(bench.step(in));
        EXPECT_EQ(bench.last().paused, 0x10);
      }
      in.now = end;
      ASSERT_TRUE(bench.step(in));
      EXPECT_EQ(bench.last().paused, 0);
    }
  }
}

TEST(PfcRxLockstep, AQuantaOfZeroEndsAPauseAndAClearEndsAll) {
  Bench bench("pfc_rx");
  PfcRxIn in;
  in.quantum = 1U << 16;
  const auto step = [&](std::uint8_t enable, std::uint16_t quanta, bool clear = false) {
    ++in.now;
    in.frame_valid = enable != 0;
    in.enable = enable;
    in.quanta.fill(quanta);
    in.clear = clear;
    EXPECT_TRUE(bench.step(in));
  };
  step(0xFF, 1000);
  step(0, 0);
  EXPECT_EQ(bench.last().paused, 0xFF);
  step(0x0F, 0);
  step(0, 0);
  EXPECT_EQ(bench.last().paused, 0xF0);
  step(0x01, 1000);
  step(0, 0, true);  // with a frame in stage 1
  EXPECT_EQ(bench.last().paused, 0);
  step(0, 0);
  EXPECT_EQ(bench.last().paused, 0);
  step(0x01, 1000, true);
  step(0, 0);
  EXPECT_EQ(bench.last().paused, 0);
}

}  // namespace
}  // namespace railyard
