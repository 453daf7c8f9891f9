// dcqcn_rp: twin and RTL, at each size class.
#include <algorithm>
#include <array>

#include "rtl/model/dcqcn_rp.h"
#include "rtl/model/dcqcn_setup.h"
#include "rtl/verilated/dcqcn_rp.h"
#include "tests/rtl/context_lockstep.h"
#include "tests/rtl/stimulus.h"

namespace railyard {
namespace {

using rtl::DcqcnRpIn;
using test::Stimulus;

struct Where {
  // The stages that write: 1, 5 and 7.
  template <class Visit>
  static void touched(const rtl::DcqcnRpState& before, Visit visit) {
    for (const unsigned stage : {1U, 5U, 7U}) {
      if ((before.valid >> (stage - 1) & 1U) != 0) visit(before.qps[stage - 1]);
    }
  }
  static unsigned known(const rtl::DcqcnRpState& /*state*/, unsigned contexts) { return contexts; }
};

struct Bench : test::ContextLockstep<rtl::DcqcnRpModel, rtl::DcqcnRpRtl, Where> {
  Bench(unsigned qps, std::uint64_t all_every)
      : Bench::ContextLockstep("dcqcn_rp", qps, all_every) {}

  bool step(const DcqcnRpIn& in) {
    const bool equal = Bench::ContextLockstep::step(in);
    if (last().valid) ++answers;
    return equal;
  }
  std::uint64_t answers = 0;
};

// Any parameters that the registers take, small and large.
rtl::DcqcnSetup any_setup(Stimulus& s) {
  const auto period = [&] {
    return static_cast<std::uint32_t>(
        2 + (s.once_in(2) ? s.below(100) : s.corner(static_cast<unsigned>(1 + s.below(30)))));
  };
  rtl::DcqcnSetup k;
  k.time_reset = period();
  k.alpha_period = period();
  k.rate_reduce_monitor = period();
  k.byte_reset = static_cast<std::uint32_t>(s.once_in(2) ? s.below(20'000) : s.corner(32));
  k.threshold = static_cast<unsigned>(1 + s.below(s.once_in(4) ? 31 : 5));
  k.ai_rate = static_cast<std::uint32_t>(s.once_in(2) ? s.below(100) : s.corner(16));
  k.hai_rate = static_cast<std::uint32_t>(s.once_in(2) ? s.below(1000) : s.corner(16));
  k.min_rate = static_cast<double>(s.below(2000));
  k.max_rate = k.min_rate + static_cast<double>(s.below(1'000'000));
  k.first_cnp_rate = s.once_in(2) ? 0 : static_cast<double>(s.below(1'000'000));
  k.min_dec_fac = s.once_in(2) ? 0 : static_cast<double>(s.below(101)) / 100;
  k.g = static_cast<double>(1 + s.below(512)) / 1024;
  k.initial_alpha = static_cast<double>(s.below(1025)) / 1024;
  k.gd = static_cast<unsigned>(s.once_in(2) ? 11 : s.below(16));
  k.clamp_target = s.once_in(2);
  k.clamp_target_ati = s.once_in(2);
  k.fewer_halvings = s.once_in(2);
  k.alpha_first = s.once_in(2);
  k.hardware_rules = s.once_in(2);
  return k;
}

// Events of few QPs (so that they meet in the stages) or of all; bytes in every cycle or now and
// then; time by one or in leaps, up to those that no counter holds.
class Random {
 public:
  Random(Bench& bench, std::uint64_t seed) : stimulus(seed), bench_(bench) {}

  bool configure_all() {
    in_.now = stimulus.corner(rtl::kTimeBits);
    for (std::uint8_t k = 0; k < rtl::DcqcnRp::kClasses; ++k) {
      if (!configure(k)) return false;
    }
    change_traffic();
    for (unsigned qp = 0; qp < bench_.contexts(); ++qp) {
      if (!open(qp)) return false;
    }
    return idle();
  }
  bool step() {
    if (stimulus.once_in(20'000) && !bench_.reset()) return false;
    if (stimulus.once_in(20'000)) {
      if (!idle() || !configure(static_cast<std::uint8_t>(stimulus.below(8)))) return false;
    }
    if (stimulus.once_in(1000)) change_traffic();
    advance();
    in_.tx_valid = stimulus.once_in(tx_gap_);
    in_.tx_open = stimulus.once_in(opens_);
    in_.tx_class = stimulus.bits<std::uint8_t>(3);
    in_.tx_qp = qp();
    in_.tx_bytes = static_cast<std::uint32_t>(stimulus.once_in(2) ? stimulus.below(4096)
                                                                  : stimulus.corner(24));
    in_.cnp_valid = stimulus.once_in(cnp_gap_);
    in_.cnp_qp = qp();
    return bench_.step(in_);
  }
  Stimulus stimulus;

 private:
  std::uint32_t qp() { return first_ + static_cast<std::uint32_t>(stimulus.below(many_)); }
  void change_traffic() {
    tx_gap_ = std::uint64_t{1} << stimulus.below(6);
    cnp_gap_ = std::uint64_t{1} << stimulus.below(12);
    opens_ = std::uint64_t{100} << stimulus.below(8);
    many_ = std::min<std::uint64_t>(bench_.contexts(), std::uint64_t{1} << stimulus.below(13));
    first_ = static_cast<std::uint32_t>(stimulus.below(bench_.contexts() - many_ + 1));
    leap_ = static_cast<unsigned>(1 + stimulus.below(20));
    in_.pace_factor = static_cast<std::uint32_t>(stimulus.corner(24));
  }
  void advance() {
    std::uint64_t ahead = 1;
    // A gated clock stands while the block is quiet.
    if (bench_.last().quiet && stimulus.once_in(2)) ahead = 1 + stimulus.below(1ULL << leap_);
    if (bench_.last().quiet && stimulus.once_in(5000)) ahead = 1 + stimulus.corner(47);
    in_.now = (in_.now + ahead) & rtl::kTimeMask;
  }
  bool quiet_step() {
    in_.now = (in_.now + 1) & rtl::kTimeMask;
    return bench_.step(in_);
  }
  bool idle() {
    in_.tx_valid = false;
    in_.cnp_valid = false;
    do {
      if (!quiet_step()) return false;
    } while (!bench_.last().quiet);
    return true;
  }
  bool configure(std::uint8_t k) {
    in_.cfg_class = k;
    in_.cfg_valid = true;
    in_.tx_valid = false;
    in_.cnp_valid = false;
    for (const rtl::DcqcnWrite& w : rtl::dcqcn_writes(any_setup(stimulus))) {
      in_.cfg_addr = w.addr;
      in_.cfg_data = w.data;
      if (!quiet_step()) return false;
    }
    // There is no such register.
    in_.cfg_addr = static_cast<std::uint16_t>(rtl::kDcqcnRegisters + stimulus.below(200));
    in_.cfg_data = stimulus.bits<std::uint32_t>(32);
    if (!quiet_step()) return false;
    in_.cfg_valid = false;
    return true;
  }
  bool open(unsigned qp) {
    in_.tx_valid = true;
    in_.tx_open = true;
    in_.tx_class = stimulus.bits<std::uint8_t>(3);
    in_.tx_qp = qp;
    return quiet_step();
  }

  Bench& bench_;
  DcqcnRpIn in_;
  std::uint64_t tx_gap_ = 1;
  std::uint64_t cnp_gap_ = 1;
  std::uint64_t opens_ = 1;
  std::uint64_t many_ = 1;
  std::uint32_t first_ = 0;
  unsigned leap_ = 1;
};

void run(unsigned qps, std::uint64_t all_every, std::uint64_t cycles) {
  Bench bench(qps, all_every);
  Random random(bench, 1);
  if (!random.configure_all()) return;
  for (std::uint64_t n = cycles; n != 0; --n) {
    if (!random.step()) return;
  }
  EXPECT_TRUE(bench.all());
  EXPECT_GT(bench.answers, cycles / 20);  // it was not idle
}

TEST(DcqcnRpLockstep, EveryOutputAndRegisterIsEqualInEveryCycle) {
  run(16, 1, test::lockstep_cycles());
}
TEST(DcqcnRpLockstep, At256QpsWhatIsTouchedIsEqualInEveryCycle) {
  run(256, 10'000, test::lockstep_cycles());
}
TEST(DcqcnRpLockstep, At4096QpsWhatIsTouchedIsEqualInEveryCycle) {
  run(4096, 10'000, test::lockstep_cycles());
}

// One QP or two of the paper's parameters, of 100 Gb/s.
struct Directed {
  Directed() {
    in.cfg_valid = true;
    for (const rtl::DcqcnWrite& w : rtl::dcqcn_writes({})) {
      in.cfg_addr = w.addr;
      in.cfg_data = w.data;
      step();
    }
    in.cfg_valid = false;
    for (const std::uint32_t qp : {3U, 4U}) {
      in.tx_valid = true;
      in.tx_open = true;
      in.tx_qp = qp;
      step();
    }
    in.tx_valid = false;
    in.tx_open = false;
    drain();
    answers = {};
  }
  void step() {
    ++in.now;
    EXPECT_TRUE(bench.step(in));
    if (bench.last().valid) ++answers[bench.last().qp];
  }
  void drain() {
    do step();
    while (!bench.last().quiet);
  }
  DcqcnRpIn in;
  Bench bench{16, 1};
  std::array<unsigned, 16> answers{};
};

TEST(DcqcnRpLockstep, CnpsOfOneQpInARowEachSeeTheOneBefore) {
  Directed d;
  d.in.cnp_valid = true;
  d.in.cnp_qp = 3;
  for (int n = 0; n < 6; ++n) d.step();
  d.in.cnp_valid = false;
  d.drain();
  EXPECT_EQ(d.answers[3], 6U);
  EXPECT_EQ(d.bench.rtl().context(3).rate, 100'000U * 4096 / 64);
  EXPECT_EQ(d.bench.rtl().context(3).alpha, 1U << 24);
}

TEST(DcqcnRpLockstep, BytesOfOneQpInEveryCycleAreAllCounted) {
  Directed d;
  d.in.cnp_valid = true;
  d.in.cnp_qp = 3;
  d.step();
  d.in.cnp_valid = false;
  d.step();
  d.in.tx_valid = true;
  d.in.tx_qp = 3;
  d.in.tx_bytes = 1'000'001;
  for (int n = 0; n < 45; ++n) d.step();
  d.in.tx_valid = false;
  d.drain();
  EXPECT_EQ(d.answers[3], 46U);
  EXPECT_EQ(d.bench.rtl().context(3).byte_stage, 4U);
  EXPECT_EQ(d.bench.rtl().context(3).bytes, 5'000'045U);
}

// Bytes in every cycle and as many CNPs as it takes: one event a cycle, in turns, and none is lost.
TEST(DcqcnRpLockstep, UnderFullLoadNoCnpIsLostAndTheStagesStayFull) {
  Directed d;
  d.in.tx_valid = true;
  d.in.cnp_valid = true;
  d.in.tx_qp = 4;
  d.in.cnp_qp = 3;
  unsigned taken = 0;
  for (int n = 0; n < 1000; ++n) {
    taken += d.bench.last().cnp_ready ? 1 : 0;
    d.step();
    if (n >= 12) {
      EXPECT_TRUE(d.bench.last().valid);
    }
  }
  d.in.tx_valid = false;
  d.in.cnp_valid = false;
  d.drain();
  EXPECT_EQ(d.answers[3], taken);
  EXPECT_NEAR(taken, 500, 5);
  EXPECT_EQ(d.answers[3] + d.answers[4], 1004U);  // four waited at the end
}

// The same events; in one of two the clock rests from each answer to the next event.
TEST(DcqcnRpLockstep, AClockThatRestsWhileQuietChangesNothing) {
  Directed runs;
  Directed rests;
  for (unsigned n = 0; n < 200; ++n) {
    const std::uint64_t gap = 20 + n * 97 % 2000;
    for (Directed* d : {&runs, &rests}) {
      const std::uint64_t end = d->in.now + gap;
      d->in.tx_valid = n % 5 != 0;
      d->in.cnp_valid = !d->in.tx_valid;
      d->in.tx_qp = d->in.cnp_qp = 3 + n / 50 % 2;
      d->in.tx_bytes = 900'000;
      d->step();
      d->in.tx_valid = d->in.cnp_valid = false;
      if (d == &runs) {
        while (d->in.now != end) d->step();
      } else {
        d->drain();
        d->in.now = end;
      }
    }
    for (const unsigned qp : {3U, 4U}) {
      ASSERT_EQ(runs.bench.rtl().context(qp), rests.bench.rtl().context(qp));
    }
  }
  EXPECT_EQ(runs.answers, rests.answers);
}

TEST(DcqcnRpLockstep, AnAnswerStandsTwelveCyclesAfterItsEvent) {
  Directed d;
  d.in.tx_valid = true;
  d.in.tx_qp = 3;
  d.step();
  d.in.tx_valid = false;
  unsigned cycles = 1;
  for (; !d.bench.last().valid && cycles < 100; ++cycles) d.step();
  EXPECT_EQ(cycles, rtl::DcqcnRp::kLatency);
  EXPECT_EQ(d.bench.last().rate, 100'000U * 4096);
}

}  // namespace
}  // namespace railyard
