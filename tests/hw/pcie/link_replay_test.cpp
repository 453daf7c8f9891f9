// What a link does about wrong bits: NAK, replay, the replay timer, retraining. Each replay of a
// TLP is traced back to what caused it, over many seeds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tests/hw/pcie/pair_bench.h"
#include "tests/support/fresh_kernel.h"

namespace railyard::pcie::bench {
namespace {

using What = LinkTap::What;

constexpr Time kTimeout = 10 * kMicrosecond;
constexpr Time kRetrain = 33 * kMicrosecond;

PairConfig noisy(std::uint64_t seed, double rate) {
  PairConfig config;
  config.tapped = true;
  config.link.bit_error_rate = rate;
  config.link.replay_timeout = kTimeout;
  config.link.retrain_time = kRetrain;
  config.run.seed = seed;
  return config;
}

struct Causes {
  unsigned by_nak = 0, by_timer = 0, by_retrain = 0, clean = 0;
  unsigned naks_lost = 0, acknowledgements_lost = 0, duplicates = 0;
};

bool good_nak_at(const PairBench& bench, Time at) {
  for (const LinkTap::Entry& e : bench.back.came) {
    if (e.what == What::kNak && e.good && e.at == at) return true;
  }
  return false;
}

// A TLP that had been taken before is acknowledged at once: its acknowledgement was lost.
void expect_duplicates_acknowledged(const PairBench& bench) {
  constexpr Time kPacketOnTheLine = 10 * kNanosecond;
  bool taken = false;
  for (const LinkTap::Entry& e : bench.forth.came) {
    if (e.what != What::kTlp || !e.good) continue;
    const bool duplicate = std::exchange(taken, true);
    if (!duplicate) continue;
    const auto& went = bench.back.went;
    EXPECT_TRUE(std::any_of(went.begin(), went.end(),
                            [&](const LinkTap::Entry& a) {
                              return a.what == What::kAck && a.at >= e.at &&
                                     a.at <= e.at + kPacketOnTheLine;
                            }))
        << "a duplicate at " << e.at;
  }
}

// One write of one TLP: each time that it is sent again follows from a NAK, from the timer, or from
// the link's coming up after the fourth attempt.
void one_write(std::uint64_t seed, double rate, Causes& causes) {
  const support::FreshKernel kernel;
  PairBench bench{noisy(seed, rate)};
  const std::vector<std::uint8_t> bytes(256, 0x5A);
  EXPECT_EQ(bench.run([&] { bench.write(0, bytes); }), RunEnd::kDrained);
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), bench.memory.bytes().begin()));

  Time last = 0;
  unsigned attempts = 0;  // since the link came up
  for (const LinkTap::Entry& e : bench.forth.went) {
    if (e.what == What::kTlp) last = e.at;
    if (e.what != What::kReplay) continue;
    const bool after_training = attempts == 3;
    const Time since = after_training ? e.at - kRetrain : e.at;
    if (after_training) {
      ++causes.by_retrain;
      attempts = 0;
    } else {
      ++attempts;
    }
    if (since == last + kTimeout) {
      if (!after_training) ++causes.by_timer;
    } else {
      EXPECT_TRUE(good_nak_at(bench, since)) << "seed " << seed << " at " << e.at;
      if (!after_training) ++causes.by_nak;
    }
    last = e.at;
  }
  expect_duplicates_acknowledged(bench);
  if (bench.metric("device.replays") == 0) ++causes.clean;
  causes.duplicates += static_cast<unsigned>(bench.metric("root.rx_duplicates"));
  for (const LinkTap::Entry& e : bench.back.came) {
    if (e.good) continue;
    if (e.what == What::kNak) ++causes.naks_lost;
    if (e.what == What::kAck) ++causes.acknowledgements_lost;
  }
  EXPECT_EQ(bench.metric("root.rx_tlps"), 1);
  EXPECT_EQ(bench.metric("root.rx_corrupted"), static_cast<double>(bench.forth.broken()));
  EXPECT_EQ(bench.metric("device.rx_corrupted"), static_cast<double>(bench.back.broken()));
}

TEST(PcieReplay, EveryReplayFollowsFromANakTheTimerOrTheLinksComingUp) {
  Causes causes;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    one_write(seed, seed % 2 == 0 ? 3e-4 : 1e-3, causes);
  }
  EXPECT_GT(causes.clean, 10U);
  EXPECT_GT(causes.by_nak, 50U);
  EXPECT_GT(causes.by_timer, 50U);
  EXPECT_GT(causes.by_retrain, 20U);
  EXPECT_GT(causes.naks_lost, 2U);
  EXPECT_GT(causes.acknowledgements_lost, 2U);
  EXPECT_GT(causes.duplicates, 2U);
}

// The line is silent for as long as the link trains. What was on the way then arrives broken.
TEST(PcieReplay, WhatIsOnTheWayWhenTheLinkGoesDownIsLost) {
  unsigned trained = 0, broken = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const support::FreshKernel kernel;
    PairBench bench{noisy(seed, 4e-4)};
    bench.keeps = false;
    bench.run([&] {
      for (std::uint64_t i = 0; i < 64; ++i) {
        bench.write_elided(i * 4096, 1024);
        bench.read(i * 4096, 1024, true);
      }
    });
    const auto& went = bench.forth.went;
    for (std::size_t i = 1; i < went.size(); ++i) {
      const Time up = went[i].at;
      const bool silent = up - went[i - 1].at >= kRetrain;
      if (!silent || (went[i].what != What::kAck && went[i].what != What::kReplay)) continue;
      ++trained;
      for (const LinkTap* tap : {&bench.forth, &bench.back}) {
        for (const LinkTap::Entry& e : tap->came) {
          if (e.at <= up - kRetrain || e.at >= up) continue;
          EXPECT_FALSE(e.good) << "seed " << seed << " at " << e.at;
          ++broken;
        }
      }
    }
  }
  EXPECT_GT(trained, 10U);
  EXPECT_GT(broken, 5U);
}

// A receiver that misses one sends a single NAK however many follow it, and discards them.
TEST(PcieReplay, ALostTlpIsAskedForOnceAndAllAfterItAreSentAgain) {
  unsigned checked = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const support::FreshKernel kernel;
    PairBench bench{noisy(seed, 2e-6)};
    bench.keeps = false;
    bench.run([&] {
      for (std::uint64_t i = 0; i < 32; ++i)
        bench.write(i * 4096, std::vector<std::uint8_t>(256, 3));
    });
    const std::uint64_t broken = bench.forth.broken();
    if (broken != 1 || bench.back.broken() != 0) continue;
    ++checked;
    EXPECT_EQ(bench.metric("root.tx_naks"), 1) << seed;
    EXPECT_EQ(bench.metric("device.replays"), 1) << seed;
    EXPECT_EQ(bench.metric("root.rx_duplicates"), 0) << seed;
    EXPECT_EQ(bench.metric("root.rx_tlps"), 32) << seed;
    EXPECT_GE(bench.metric("device.replayed_tlps"), 1) << seed;
    EXPECT_LE(bench.last_done, kTimeout) << seed;
  }
  EXPECT_GT(checked, 3U);
}

// So many packets are hit as the rate of wrong bits says, within four deviations.
TEST(PcieReplay, TheErrorRateHitsAsManyPacketsAsItShould) {
  constexpr double kRate = 2e-5;
  PairBench bench{noisy(7, kRate)};
  bench.keeps = false;
  std::uint64_t given = 0;
  bench.on_done = [&](const DmaDone&) {
    if (given++ < 4000) bench.write(given % 64 * 4096, std::vector<std::uint8_t>(300, 3));
  };
  bench.run([&] {
    for (std::uint64_t i = 0; i < 16; ++i) bench.read(i * 4096, 512);
  });
  for (const LinkTap* tap : {&bench.forth, &bench.back}) {
    double expected = 0, variance = 0;
    for (const LinkTap::Entry& e : tap->went) {
      const double p = 1 - std::pow(1 - kRate, e.wire_bytes * 8);
      expected += p;
      variance += p * (1 - p);
    }
    EXPECT_EQ(tap->went.size(), tap->came.size());
    EXPECT_GT(expected, 2);
    EXPECT_NEAR(static_cast<double>(tap->broken()), expected, 4 * std::sqrt(variance));
  }
  EXPECT_EQ(bench.metric("root.rx_corrupted"), static_cast<double>(bench.forth.broken()));
  EXPECT_EQ(bench.metric("device.rx_corrupted"), static_cast<double>(bench.back.broken()));
}

// While it is full nothing is sent; what is acknowledged makes room.
TEST(PcieReplay, AFullReplayBufferHoldsTheLine) {
  PairConfig config;
  config.link.replay_buffer = kibibytes(5);
  config.link.ack_delay = kMicrosecond;
  config.tapped = true;
  PairBench bench{config};
  bench.keeps = false;
  bench.run([&] { bench.write_elided(0, 65536); });
  // 18 TLPs of 276 B, and the first acknowledgement a microsecond after the first of them came.
  unsigned before = 0;
  Time first_ack = 0;
  for (const LinkTap::Entry& e : bench.back.came) {
    if (e.what == What::kAck && first_ack == 0) first_ack = e.at;
  }
  for (const LinkTap::Entry& e : bench.forth.went) {
    if (e.at < first_ack) ++before;
  }
  EXPECT_EQ(before, 5120U / 276);
  EXPECT_GT(bench.metric("device.time.acknowledge_ns"), 10'000);
}

}  // namespace
}  // namespace railyard::pcie::bench
