// dcqcn_np: twin and RTL in the three size classes, and both against the plain rule.
#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rtl/model/dcqcn_np.h"
#include "rtl/verilated/dcqcn_np.h"
#include "tests/rtl/context_lockstep.h"
#include "tests/rtl/stimulus.h"

namespace railyard {
namespace {

using rtl::DcqcnNp;
using rtl::DcqcnNpIn;
using rtl::DcqcnNpOut;
using test::Stimulus;

struct Where {
  template <class Visit>
  static void touched(const rtl::DcqcnNpState& before, Visit visit) {
    if (before.s1_valid || before.s1_scan) visit(before.s1_index);
  }
  // Contexts are of any content until the block has cleared them.
  static unsigned known(const rtl::DcqcnNpState& state, unsigned /*contexts*/) {
    return state.init;
  }
};

template <unsigned kContexts>
struct Bench : test::ContextLockstep<rtl::DcqcnNpModel, rtl::DcqcnNpRtl, Where> {
  Bench() : Bench::ContextLockstep("dcqcn_np", kContexts, kContexts == 16 ? 1 : 10'000) {}
  /// Steps until it takes packets.
  bool start(DcqcnNpIn& in) {
    for (unsigned i = 0; i < kContexts; ++i) {
      ++in.now;
      if (!this->step(in)) return false;
    }
    return this->last().ce_ready;
  }
};

/// Cycles to the time that a quiet block asks to be woken, or 0.
std::uint64_t sleep_of(const DcqcnNpOut& last, std::uint64_t now) {
  if (!last.quiet || !last.wake_valid) return 0;
  const std::uint64_t sleep = (last.wake - now) & rtl::kTimeMask;
  return sleep >> (rtl::kTimeBits - 1) == 0 ? sleep : 0;
}

// Packets in every cycle or rarely, of all contexts or of few; a transmit side that is always ready
// or rarely; time that jumps as a gated clock's does.
struct Random {
  Random(std::uint64_t seed, unsigned size) : stimulus(seed), contexts(size) { change_registers(); }

  void change_registers() {
    in.now = stimulus.corner(rtl::kTimeBits);
    in.interval = static_cast<std::uint32_t>(stimulus.once_in(2) ? stimulus.below(1'000)
                                                                 : stimulus.corner(30));
    in.delay =
        static_cast<std::uint32_t>(stimulus.once_in(2) ? stimulus.below(64) : stimulus.corner(20));
    gap = std::uint64_t{1} << stimulus.below(10);
    ready = std::uint64_t{1} << (stimulus.once_in(2) ? 0 : stimulus.below(10));
    hot = stimulus.once_in(2) ? contexts : 1 + static_cast<unsigned>(stimulus.below(4));
    jumps = stimulus.once_in(2);
  }
  std::uint64_t ahead(const DcqcnNpOut& last) {
    if (!jumps || !last.quiet || !stimulus.once_in(4)) return 1;
    if (!last.wake_valid) return 1 + (stimulus.corner(rtl::kTimeBits - 2));
    const std::uint64_t sleep = sleep_of(last, in.now);
    if (sleep == 0) return 1;
    return stimulus.once_in(2) ? sleep : 1 + stimulus.below(sleep);
  }
  const DcqcnNpIn& next(const DcqcnNpOut& last) {
    if (stimulus.once_in(20'000)) change_registers();
    in.now = (in.now + ahead(last)) & rtl::kTimeMask;
    in.ce_valid = stimulus.once_in(gap);
    in.ce_index = static_cast<std::uint16_t>(stimulus.below(hot));
    in.cnp_ready = stimulus.once_in(ready);
    return in;
  }

  Stimulus stimulus;
  unsigned contexts;
  DcqcnNpIn in;
  std::uint64_t gap = 1;
  std::uint64_t ready = 1;
  unsigned hot = 1;
  bool jumps = false;
};

template <unsigned kContexts>
void random_lockstep(std::uint64_t cycles) {
  Bench<kContexts> bench;
  Random random(kContexts, kContexts);
  DcqcnNpOut last;
  for (std::uint64_t n = cycles; n != 0; --n) {
    if (random.stimulus.once_in(100'000) && !bench.reset()) return;
    if (!bench.step(random.next(last))) return;
    last = bench.last();
  }
}

TEST(DcqcnNpLockstep, EveryOutputAndRegisterIsEqualInEveryCycle) {
  random_lockstep<16>(test::lockstep_cycles());
}
TEST(DcqcnNpLockstep, SoItIsWith256Contexts) { random_lockstep<256>(test::lockstep_cycles()); }
TEST(DcqcnNpLockstep, SoItIsWith4096Contexts) { random_lockstep<4096>(test::lockstep_cycles()); }

// The rule, told with times that do not wrap. The transmit side is always ready.
class Plain {
 public:
  Plain(unsigned contexts, std::uint64_t interval, std::uint64_t delay)
      : last_(contexts), interval_(interval), latency_(std::max<std::uint64_t>(delay, 2)) {}

  /// A packet is taken.
  void packet(unsigned index, std::uint64_t now) {
    std::optional<std::uint64_t>& last = last_[index];
    const std::uint64_t judged = now + 1;
    if (last && judged - *last < interval_) return;
    last = judged;
    cnps_.emplace_back(judged + latency_, index);
  }
  /// Whether a CNP is to be sent now, and whose.
  std::optional<unsigned> sent(std::uint64_t now) {
    if (cnps_.empty() || cnps_.front().first != now) return {};
    const unsigned index = cnps_.front().second;
    cnps_.pop_front();
    return index;
  }
  bool idle() const { return cnps_.empty(); }

 private:
  std::vector<std::optional<std::uint64_t>> last_;
  std::deque<std::pair<std::uint64_t, unsigned>> cnps_;
  std::uint64_t interval_;
  std::uint64_t latency_;
};

// Packets of random contexts, one in eight cycles, past the wrap of time, of stamps, and a scan.
template <unsigned kContexts>
void compare_with_plain(std::uint32_t interval, std::uint32_t delay) {
  Bench<kContexts> bench;
  Stimulus stimulus(interval + delay);
  Plain plain(kContexts, interval, delay);
  DcqcnNpIn in;
  in.interval = interval;
  in.delay = delay;
  in.cnp_ready = true;
  std::uint64_t now = (std::uint64_t{1} << rtl::kTimeBits) - 300'000;
  in.now = now;
  ASSERT_TRUE(bench.start(in));
  now += kContexts;
  unsigned cnps = 0;
  for (unsigned n = 0; n < 600'000; ++n) {
    ++now;
    in.now = now & rtl::kTimeMask;
    in.ce_valid = stimulus.once_in(8);
    in.ce_index = static_cast<std::uint16_t>(stimulus.below(kContexts));
    ASSERT_TRUE(bench.step(in));
    if (in.ce_valid && bench.before().ce_ready) plain.packet(in.ce_index, now);
    const std::optional<unsigned> want = plain.sent(now);
    ASSERT_EQ(bench.before().cnp_valid, want.has_value()) << n;
    if (want) {
      ASSERT_EQ(bench.before().cnp_index, *want) << n;
      ++cnps;
    }
  }
  EXPECT_GT(cnps, 100U);
}

// Intervals of ConnectX's default, of the paper and of none; delays of none to 100 us, at 1 ns.
TEST(DcqcnNp, CnpsAreThoseOfThePlainRule) {
  for (const auto& [interval, delay] : {std::pair<std::uint32_t, std::uint32_t>{4'000, 0},
                                        {4'000, 1'000},
                                        {50'000, 100'000},
                                        {50'000, 3},
                                        {100, 1},
                                        {0, 2}}) {
    // A FIFO of 16 holds what becomes due within the delay if few do.
    if (interval >= 4'000 && delay <= 1'000) compare_with_plain<16>(interval, delay);
    compare_with_plain<256>(interval, delay);
    compare_with_plain<4096>(interval, delay);
  }
}

struct Directed {
  Directed() {
    in.interval = 50'000;
    in.cnp_ready = true;
    EXPECT_TRUE(bench.start(in));
  }
  /// A cycle, with a packet of a context or none.
  void step(int index = -1, std::uint64_t ahead = 1) {
    in.now = (in.now + ahead) & rtl::kTimeMask;
    in.ce_valid = index >= 0;
    in.ce_index = static_cast<std::uint16_t>(in.ce_valid ? index : 0);
    EXPECT_TRUE(bench.step(in));
    if (bench.before().cnp_valid && in.cnp_ready) ++sent;
  }
  /// Lets the clock rest whenever it may, up to `end`. Returns the CNPs sent since the last time.
  unsigned rest_until(std::uint64_t end) {
    while (in.now != end) {
      const std::uint64_t left = (end - in.now) & rtl::kTimeMask;
      std::uint64_t ahead = 1;
      if (bench.last().quiet) {
        const std::uint64_t sleep = sleep_of(bench.last(), in.now);
        ahead = !bench.last().wake_valid ? left : std::min(std::max<std::uint64_t>(sleep, 1), left);
      }
      step(-1, ahead);
    }
    return std::exchange(sent, 0);
  }
  DcqcnNpIn in;
  Bench<16> bench;
  unsigned sent = 0;
};

TEST(DcqcnNp, ACnpIsOfferedAsLateAsItsDelaySays) {
  for (const std::uint32_t delay : {0U, 1U, 2U, 3U, 1'000U, 50'000U, 100'000U}) {
    Directed d;
    d.in.delay = delay;
    d.step(5);
    const std::uint64_t taken = d.in.now;
    while (!d.bench.before().cnp_valid && d.in.now < taken + 200'000) d.step();
    EXPECT_EQ(d.in.now - taken, std::max(delay, 2U) + 1) << delay;
    EXPECT_EQ(d.bench.before().cnp_index, 5);
  }
}

// The last packet that makes none, and the first that makes one.
TEST(DcqcnNp, TheIntervalIsMetToTheCycle) {
  for (const unsigned after : {49'999U, 50'000U}) {
    Directed d;
    d.step(3);
    EXPECT_EQ(d.rest_until(d.in.now + after - 1), 1U);
    d.step(3);
    EXPECT_EQ(d.rest_until(d.in.now + 100), after == 50'000 ? 1U : 0U) << after;
  }
}

TEST(DcqcnNp, PacketsInTurnOfOneContextMakeOne) {
  Directed d;
  for (unsigned n = 0; n < 10; ++n) d.step(7);
  EXPECT_EQ(d.rest_until(d.in.now + 1'000), 1U);
}

// A context that is silent for the whole range of its stamp, or of time, looks as if it had just
// had its CNP. Scans have cleared it; then none wakes the block any more.
TEST(DcqcnNp, AStaleStampIsNotAFreshOne) {
  for (const unsigned bits : {DcqcnNp::kStampBits, DcqcnNp::kStampBits + 3}) {
    Directed d;
    d.step(9);
    EXPECT_EQ(d.rest_until(d.in.now + (std::uint64_t{1} << bits) + 10), 1U);
    EXPECT_FALSE(d.bench.last().wake_valid);
    d.step(9);
    EXPECT_EQ(d.rest_until(d.in.now + 100), 1U);
  }
}

// A full FIFO turns packets away; a context whose packet was turned away is as it was.
TEST(DcqcnNp, AFullFifoLosesNoCnp) {
  Directed d;
  d.in.interval = 1'000;
  d.in.cnp_ready = false;
  for (int n = 0; n < 16; ++n) d.step(n);
  d.rest_until(d.in.now + 2'000);
  EXPECT_TRUE(d.bench.last().ce_ready);  // one has moved on to the output
  d.step(0);
  for (int n = 0; n < 100; ++n) {
    EXPECT_FALSE(d.bench.last().ce_ready);
    d.step(1);
  }
  d.in.cnp_ready = true;
  d.step();  // an input that changed wakes the block
  EXPECT_EQ(d.rest_until(d.in.now + 30), 17U);
  d.step(1);
  EXPECT_EQ(d.rest_until(d.in.now + 30), 1U);
  d.step(1);
  EXPECT_EQ(d.rest_until(d.in.now + 30), 0U);
}

TEST(DcqcnNp, ResetForgetsAllAfterACycleAContext) {
  Directed d;
  d.step(4);
  d.rest_until(d.in.now + 100);
  ASSERT_TRUE(d.bench.reset());
  EXPECT_FALSE(d.bench.last().ce_ready);
  for (unsigned n = 0; n < 15; ++n) d.step(4);
  EXPECT_FALSE(d.bench.last().ce_ready);
  d.step(4);
  EXPECT_TRUE(d.bench.last().ce_ready);
  d.step(4);
  EXPECT_EQ(d.rest_until(d.in.now + 100), 1U);
}

}  // namespace
}  // namespace railyard
