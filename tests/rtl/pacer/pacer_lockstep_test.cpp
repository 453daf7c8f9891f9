// pacer: twin and RTL in the three size classes, and how well it paces.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "rtl/model/pacer.h"
#include "rtl/verilated/pacer.h"
#include "tests/rtl/context_lockstep.h"
#include "tests/rtl/stimulus.h"

namespace railyard {
namespace {

using rtl::Pacer;
using rtl::PacerIn;
using rtl::PacerOut;
using test::Stimulus;

struct Where {
  template <class Visit>
  static void touched(const rtl::PacerState& before, Visit visit) {
    if (before.s2_valid || before.s2_scan) visit(before.s2_index);
  }
  // Contexts are of any content until the block has cleared them.
  static unsigned known(const rtl::PacerState& state, unsigned /*contexts*/) { return state.init; }
};

template <unsigned kContexts>
struct Bench : test::ContextLockstep<rtl::PacerModel, rtl::PacerRtl, Where> {
  Bench() : Bench::ContextLockstep("pacer", kContexts, kContexts == 16 ? 1 : 10'000) {}
};

// Packets in every cycle or rarely, of all contexts or of few, allowed or not; time that jumps as a
// gated clock's does.
struct Random {
  Random(std::uint64_t seed, unsigned size) : stimulus(seed), contexts(size) { change_registers(); }

  void change_registers() {
    in.now = stimulus.corner(rtl::kTimeBits);
    in.burst = static_cast<std::uint32_t>(stimulus.once_in(2) ? stimulus.below(1'000)
                                                              : stimulus.corner(29));
    gap = std::uint64_t{1} << stimulus.below(10);
    hot = stimulus.once_in(2) ? contexts : 1 + static_cast<unsigned>(stimulus.below(4));
    jumps = stimulus.once_in(2);
    slow = stimulus.once_in(2);
  }
  std::uint64_t ahead(const PacerOut& last) {
    if (!jumps || !last.quiet || !stimulus.once_in(4)) return 1;
    if (!last.wake_valid) return 1 + stimulus.corner(rtl::kTimeBits - 2);
    const std::uint64_t sleep = (last.wake - in.now) & rtl::kTimeMask;
    return stimulus.once_in(2) ? sleep : 1 + stimulus.below(sleep);
  }
  const PacerIn& next(const PacerOut& last) {
    if (stimulus.once_in(20'000)) change_registers();
    in.now = (in.now + ahead(last)) & rtl::kTimeMask;
    in.tx_valid = stimulus.once_in(gap);
    in.tx_open = stimulus.once_in(16);
    in.tx_index = static_cast<std::uint16_t>(stimulus.below(hot));
    in.tx_bytes = static_cast<std::uint16_t>(stimulus.corner(16));
    in.tx_interval = slow ? stimulus.corner(Pacer::kIntervalBits) : stimulus.corner(24);
    return in;
  }

  Stimulus stimulus;
  unsigned contexts;
  PacerIn in;
  std::uint64_t gap = 1;
  unsigned hot = 1;
  bool jumps = false;
  bool slow = false;
};

template <unsigned kContexts>
void random_lockstep(std::uint64_t cycles) {
  Bench<kContexts> bench;
  Random random(kContexts, kContexts);
  PacerOut last;
  for (std::uint64_t n = cycles; n != 0; --n) {
    if (random.stimulus.once_in(100'000) && !bench.reset()) return;
    if (!bench.step(random.next(last))) return;
    last = bench.last();
  }
}

TEST(PacerLockstep, EveryOutputAndRegisterIsEqualInEveryCycle) {
  random_lockstep<16>(test::lockstep_cycles());
}
TEST(PacerLockstep, SoItIsWith256Contexts) { random_lockstep<256>(test::lockstep_cycles()); }
TEST(PacerLockstep, SoItIsWith4096Contexts) { random_lockstep<4096>(test::lockstep_cycles()); }

/// Cycles a byte at a clock of 1 ns, rounded up so that no rate is exceeded.
std::uint64_t interval_of(double gbps) {
  return static_cast<std::uint64_t>(std::ceil(8.0 / gbps * (1U << Pacer::kFracBits)));
}

// One QP that sends whenever it may; `Block` is the twin or a bench of both.
template <class Block>
class Sender {
 public:
  explicit Sender(Block& block) : block_(block) {
    in.now = std::uint64_t{1} << 40;  // neither an end nor the past of a run wraps
    while (!settled().tx_ready) tick();
  }

  PacerIn in;

  /// Sends a packet now, and returns when the next may be sent: not before the answer is there.
  std::uint64_t send(std::uint16_t bytes) {
    in.tx_valid = true;
    in.tx_bytes = bytes;
    while (!settled().tx_ready) tick();
    sent_at = in.now;
    tick();
    in.tx_valid = false;
    while (!settled().next_valid) tick();
    return settled().next_at;
  }
  /// Lets the clock rest up to then, but for the cycles in which the block wants it.
  void rest_until(std::uint64_t end) {
    while (static_cast<std::int64_t>(end - in.now) > 0) {
      const PacerOut out = settled();
      const std::uint64_t wake = out.wake_valid ? std::min(out.wake, end) : end;
      tick(out.quiet ? std::max<std::uint64_t>(wake - in.now, 1) : 1);
    }
  }
  std::uint64_t sent_at = 0;

 private:
  PacerOut settled() { return block_.settle(in); }
  void tick(std::uint64_t ahead = 1) {
    block_.clock(in);
    in.now += ahead;
  }

  Block& block_;
};

// From 1 Mb/s to 800 Gb/s at a clock of 1 ns, 10^6 packets each: the whole takes as long as the
// rate says, to 0.1 %, and no packet of it leaves before the ones before it have had their time.
TEST(Pacer, TheRateIsRightToAThousandthOverAMillionPackets) {
  constexpr unsigned kPackets = 1'000'000;
  for (const double gbps :
       {0.001, 0.01, 0.1, 1.0, 10.0, 25.0, 40.0, 100.0, 200.0, 400.0, 799.0, 800.0}) {
    rtl::PacerModel model;
    Sender<rtl::PacerModel> sender(model);
    sender.in.tx_interval = interval_of(gbps);
    Stimulus stimulus(1);
    std::uint64_t start = 0;
    double exact = 0;  // cycles that the packets before this one take
    double worst = 0;  // cycles by which one left before its time
    for (unsigned n = 0; n < kPackets; ++n) {
      const auto bytes = static_cast<std::uint16_t>(1'024 + stimulus.below(3'073));
      const std::uint64_t next = sender.send(bytes);
      if (n == 0) start = sender.sent_at;
      worst = std::max(worst, exact - static_cast<double>(sender.sent_at - start));
      exact += bytes * 8.0 / gbps;
      sender.rest_until(next);
    }
    const double took = static_cast<double>(sender.in.now - start);
    EXPECT_LT(std::abs(took / exact - 1), 1e-5) << gbps << " Gb/s";
    EXPECT_LT(worst, 1e-3) << gbps << " Gb/s";
    RecordProperty("error_in_1e9_at_" + std::to_string(gbps),
                   std::to_string(1e9 * (took / exact - 1)));
  }
}

// The same through the RTL, whose answers are the twin's in each cycle.
TEST(Pacer, TheRtlPacesAsTheTwin) {
  for (const double gbps : {0.001, 1.0, 40.0, 800.0}) {
    RtlContext context;
    rtl::PacerRtl block(context.get(), "pacer");
    rtl::PacerModel model;
    Sender<rtl::PacerRtl> real(block);
    Sender<rtl::PacerModel> twin(model);
    real.in.tx_interval = twin.in.tx_interval = interval_of(gbps);
    for (unsigned n = 0; n < 20'000; ++n) {
      const std::uint64_t next = real.send(1'106);
      ASSERT_EQ(next, twin.send(1'106)) << gbps;
      real.rest_until(next);
      twin.rest_until(next);
      ASSERT_EQ(real.in.now, twin.in.now);
    }
  }
}

// A QP that waits under a slow rate owes the rest of its bytes at another; a new one owes nothing.
TEST(Pacer, AnOpeningForgetsWhatWasBefore) {
  constexpr std::uint16_t kBytes = 4'178;
  rtl::PacerModel model;
  Sender<rtl::PacerModel> sender(model);
  sender.in.burst = 1'000;
  sender.in.tx_interval = interval_of(0.001);
  const std::uint64_t slow = sender.send(kBytes);
  EXPECT_GE(slow - sender.sent_at, 33'000'000U);
  sender.rest_until(sender.in.now + 300'000);
  sender.in.tx_open = true;
  sender.in.tx_interval = interval_of(100);
  EXPECT_EQ(sender.send(kBytes) - sender.sent_at, 335U);  // 334.24
  EXPECT_EQ(sender.send(0), sender.sent_at);
  sender.in.tx_open = false;
  EXPECT_LE(sender.send(kBytes) - sender.sent_at, 335U);
}

// Of a sender that sends late, or not for long: from any packet to any later one no more leaves
// than the rate and the burst allow.
TEST(Pacer, NoMoreThanTheBurstIsCaughtUp) {
  for (const std::uint32_t burst : {0U, 1U, 100U, 50'000U, Pacer::kMostBurst}) {
    rtl::PacerModel model;
    Sender<rtl::PacerModel> sender(model);
    Stimulus stimulus(burst);
    sender.in.burst = burst;
    sender.in.tx_interval = interval_of(100);
    const double a_byte = static_cast<double>(sender.in.tx_interval) / (1U << Pacer::kFracBits);
    double owed = 0;  // the largest sum of cycles from an earlier packet to this, less their time
    std::uint64_t last = 0;
    double most = 0;
    for (unsigned n = 0; n < 200'000; ++n) {
      const auto bytes = static_cast<std::uint16_t>(64 + stimulus.below(9'000));
      const std::uint64_t next = sender.send(bytes);
      if (n != 0) owed -= static_cast<double>(sender.sent_at - last);
      most = std::max(most, owed);
      owed = std::max(owed, 0.0) + bytes * a_byte;
      last = sender.sent_at;
      sender.rest_until(next + (stimulus.once_in(8) ? stimulus.below(2'000) : 0));
      if (stimulus.once_in(20'000)) sender.rest_until(sender.in.now + stimulus.corner(34));
    }
    // Late is counted from the whole cycle, so up to one more is caught up.
    EXPECT_LT(most, burst + 1.001) << burst;
    if (burst == 100) {
      EXPECT_GT(most, 99.0);
    }
  }
}

TEST(Pacer, AFractionIsCarried) {
  rtl::PacerModel model;
  Sender<rtl::PacerModel> sender(model);
  sender.in.tx_interval = (std::uint64_t{1} << Pacer::kFracBits) * 5 / 2;  // 2.5 cycles a byte
  std::vector<std::uint64_t> gaps;
  for (unsigned n = 0; n < 4; ++n) {
    const std::uint64_t next = sender.send(5);
    gaps.push_back(next - sender.sent_at);
    sender.rest_until(next);
  }
  EXPECT_EQ(gaps, (std::vector<std::uint64_t>{13, 12, 13, 12}));
}

// A context that rests for the whole range of its stamp looks as if it were ahead.
TEST(Pacer, AnOldTimeIsNotANewOne) {
  for (const unsigned bits : {Pacer::kStampBits - 1, Pacer::kStampBits, Pacer::kStampBits + 3}) {
    Bench<16> bench;
    PacerIn in;
    in.tx_bytes = 1'000;
    in.tx_interval = interval_of(1);
    const auto step = [&](std::uint64_t ahead) {
      in.now += ahead;
      ASSERT_TRUE(bench.step(in));
    };
    for (unsigned i = 0; i < 17; ++i) step(1);
    in.tx_valid = true;
    step(1);
    in.tx_valid = false;
    const std::uint64_t end = in.now + (std::uint64_t{1} << bits) - 100;
    while (in.now < end) {
      const PacerOut& out = bench.last();
      const std::uint64_t wake = out.wake_valid ? std::min(out.wake, end) : end;
      step(out.quiet ? wake - in.now : 1);
    }
    EXPECT_FALSE(bench.last().wake_valid);
    in.tx_valid = true;
    const std::uint64_t sent = in.now + 1;
    step(1);
    in.tx_valid = false;
    while (!bench.last().next_valid) step(1);
    EXPECT_EQ(bench.last().next_at, sent + 8'000) << bits;
  }
}

// Packets of one context in cycles in turn, as an owner with a deep queue sends what it may.
TEST(Pacer, PacketsInTurnOfOneContextAllCount) {
  Bench<16> bench;
  PacerIn in;
  in.tx_bytes = 10;
  in.tx_interval = std::uint64_t{1} << Pacer::kFracBits;
  for (unsigned i = 0; i < 17; ++i) {
    ++in.now;
    ASSERT_TRUE(bench.step(in));
  }
  const std::uint64_t first = in.now + 1;
  for (unsigned n = 0; n < 22; ++n) {
    ++in.now;
    in.tx_valid = n < 20;
    ASSERT_TRUE(bench.step(in));
    if (n < 2) continue;
    EXPECT_TRUE(bench.last().next_valid);
    EXPECT_EQ(bench.last().next_at, first + std::uint64_t{n - 1} * 10);
  }
}

}  // namespace
}  // namespace railyard
