#include "waveforms/trace_ring.h"

#include <gmock/gmock.h>

#include "tests/waveforms/fst_reader.h"
#include "tests/waveforms/process.h"

namespace railyard {
namespace {

using test::bits;
using test::Change;
using test::Waves;
using testing::ElementsAre;

struct Ringed {
  explicit Ringed(TraceRingConfig config) : file(test::scratch("r.fst")), ring(file, config) {
    registry.add(queue, {"queue", ProbeKind::kUnsigned, 16, "", "", {}});
    registry.add(other, {"other", ProbeKind::kUnsigned, 16, "", "", {}});
    registry.seal();
    ring.connect(registry);
  }
  Waves close(Time now) {
    file.close(now);
    return test::read_fst(test::scratch("r.fst"));
  }
  Probe queue, other;
  ProbeRegistry registry;
  TraceFile file;
  TraceRing ring;
};

TEST(TraceRing, HoldsExactlyTheTimeAroundTheTrigger) {
  Ringed r({100, 50});
  r.other.set(7, 10);
  for (Time now = 1; now <= 2000; ++now) {
    r.queue.set(static_cast<std::uint64_t>(now), now);
    if (now == 1000) r.ring.trigger(now);
  }
  const Waves waves = r.close(2000);
  std::vector<Change> expected;
  for (std::uint64_t now = 900; now <= 1050; ++now) expected.push_back({now, bits(now, 16)});
  EXPECT_EQ(waves.changes.at("queue"), expected);
  EXPECT_THAT(waves.changes.at("other"), ElementsAre(Change{900, bits(7, 16)}));
  EXPECT_EQ(waves.end_time, 1050U);
  EXPECT_EQ(r.ring.begin(), 900);
  EXPECT_EQ(r.ring.lost_changes(), 0U);
}

TEST(TraceRing, OldChangesBecomeTheValuesAtTheBegin) {
  Ringed r({100, 50});
  r.queue.set(1, 100);
  r.other.set(2, 850);
  r.queue.set(3, 950);
  r.ring.trigger(1000);
  const Waves waves = r.close(2000);
  EXPECT_THAT(waves.changes.at("queue"),
              ElementsAre(Change{900, bits(1, 16)}, Change{950, bits(3, 16)}));
  EXPECT_THAT(waves.changes.at("other"), ElementsAre(Change{900, bits(2, 16)}));
  EXPECT_EQ(waves.end_time, 1050U);
}

TEST(TraceRing, TheFirstTriggerCounts) {
  Ringed r({10, 10});
  for (Time now = 1; now <= 200; ++now) {
    r.queue.set(static_cast<std::uint64_t>(now), now);
    if (now == 50 || now == 55 || now == 150) r.ring.trigger(now);
  }
  const Waves waves = r.close(200);
  EXPECT_EQ(waves.changes.at("queue").front().time, 40U);
  EXPECT_EQ(waves.changes.at("queue").back().time, 60U);
}

TEST(TraceRing, ATriggerSoonAfterTheStartBeginsAtZero) {
  Ringed r({100, 10});
  r.queue.set(1, 5);
  r.ring.trigger(20);
  const Waves waves = r.close(200);
  EXPECT_THAT(waves.changes.at("queue"),
              ElementsAre(Change{0, bits(0, 16)}, Change{5, bits(1, 16)}));
}

TEST(TraceRing, WithoutATriggerHoldsTheDeclarations) {
  Ringed r({100, 10});
  for (Time now = 1; now <= 200; ++now) r.queue.set(static_cast<std::uint64_t>(now), now);
  const Waves waves = r.close(200);
  EXPECT_FALSE(r.ring.triggered());
  EXPECT_EQ(waves.changes.size(), 2U);
  for (const Change& change : waves.changes.at("queue")) EXPECT_EQ(change.value[0], 'x');
}

TEST(TraceRing, ABoundOnItsMemoryMovesTheBeginAndIsTold) {
  Ringed r({100, 0, 20});
  for (Time now = 1; now <= 1000; ++now) r.queue.set(static_cast<std::uint64_t>(now), now);
  r.ring.trigger(1000);
  EXPECT_TRUE(r.ring.triggered());
  EXPECT_EQ(r.ring.begin(), 980);
  EXPECT_GT(r.ring.lost_changes(), 0U);
  const Waves waves = r.close(1000);
  std::vector<Change> expected;
  for (std::uint64_t now = 980; now <= 1000; ++now) expected.push_back({now, bits(now, 16)});
  EXPECT_EQ(waves.changes.at("queue"), expected);
}

TEST(TraceRing, WhatTheBoundPushedOutLongAgoIsNoLoss) {
  Ringed r({100, 0, 20});
  for (Time now = 1; now <= 50; ++now) r.queue.set(static_cast<std::uint64_t>(now), now);
  r.ring.trigger(1000);
  EXPECT_EQ(r.ring.lost_changes(), 0U);
  EXPECT_EQ(r.ring.begin(), 900);
}

}  // namespace
}  // namespace railyard
