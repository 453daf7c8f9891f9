// Two sides of a queue pair behind one rate.
#include "hw/nic/rate_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/hw/nic/fake_control.h"
#include "tests/hw/nic/fakes.h"
#include "tlm/sim/simulation.h"

namespace railyard::nic {
namespace {

using testing::ElementsAre;

constexpr Time kGap = 100 * kNanosecond;
constexpr auto kRequests = RateGate::kRequests;
constexpr auto kResponses = RateGate::kResponses;

/// A side that has `left` packets to send. It sends when it is told, or `late` after that.
struct Side : RateGateClient {
  void may_send(std::uint32_t slot) override {
    ++told;
    if (late == 0) {
      go(slot);
    } else {
      later->call(partition->now() + late, [this, slot] { go(slot); });
    }
  }
  void window_grew(std::uint32_t /*slot*/) override { ++windows; }
  void go(std::uint32_t slot) {
    while (left != 0 && gate->allows(slot, side)) {
      --left;
      *order += side == kRequests ? 'q' : 's';
      times.push_back(partition->now());
      gate->sent(slot, side, 1000);
    }
    if (left == 0) gate->leave(slot, side);
  }

  RateGate* gate = nullptr;
  Partition* partition = nullptr;
  fakes::Later* later = nullptr;
  std::string* order = nullptr;
  RateGate::Side side = kRequests;
  unsigned left = 0;
  Time late = 0;
  unsigned told = 0;
  unsigned windows = 0;
  std::vector<Time> times;
};

struct NicRateGate : testing::Test {
  NicRateGate()
      : partition(simulation.partition()), later(partition, "later"), script(partition, "script") {
    config.limits.qps = 4;
    control.partition = &partition;
    control.interval = kGap;
    units.partition = &partition;
    units.name = "nic";
    units.config = &config;
    units.congestion = &control;
    gate = std::make_unique<RateGate>(units);
    for (const RateGate::Side side : {kRequests, kResponses}) {
      Side& s = sides[side];
      s.gate = gate.get();
      s.partition = &partition;
      s.later = &later;
      s.order = &order;
      s.side = side;
      gate->set_client(side, s);
    }
    simulation.seal();
  }
  void at(Time time, std::function<void()> what) { script.call(time, std::move(what)); }
  void want(RateGate::Side side, unsigned packets) {
    sides[side].left += packets;
    sides[side].go(0);
  }
  void run() { simulation.run(kSecond); }

  Simulation simulation{{}};
  Partition& partition;
  fakes::Later later;
  fakes::Later script;
  NicConfig config;
  test::PacedControl control;
  Units units;
  std::unique_ptr<RateGate> gate;
  std::array<Side, 2> sides;
  std::string order;
};

TEST_F(NicRateGate, OneSideAloneSendsWheneverItMay) {
  at(0, [&] { want(kResponses, 3); });
  run();
  EXPECT_THAT(sides[kResponses].times, ElementsAre(0, kGap, 2 * kGap));
}

TEST_F(NicRateGate, BothSidesTakeTurnsAndKeepTheRateTogether) {
  at(0, [&] {
    want(kResponses, 4);
    want(kRequests, 4);
  });
  run();
  EXPECT_EQ(order, "sqsqsqsq");
  EXPECT_THAT(control.times[0],
              ElementsAre(0, 100'000, 200'000, 300'000, 400'000, 500'000, 600'000, 700'000));
}

// A requester's decision comes a scheduler's time after it is told, a response at once.
TEST_F(NicRateGate, ASideThatIsSlowToDecideIsNotOvertaken) {
  sides[kRequests].late = 30 * kNanosecond;
  at(0, [&] {
    want(kRequests, 3);
    want(kResponses, 3);
  });
  run();
  EXPECT_EQ(order, "qsqsqs");
}

TEST_F(NicRateGate, ASideThatComesLaterWaitsForTheOneThatWasTold) {
  sides[kRequests].late = 30 * kNanosecond;
  at(0, [&] { want(kResponses, 1); });
  at(10 * kNanosecond, [&] { want(kRequests, 1); });
  at(110 * kNanosecond, [&] { want(kResponses, 1); });  // after the requests were told
  run();
  EXPECT_EQ(order, "sqs");
  EXPECT_THAT(control.times[0], ElementsAre(0, 130'000, 230'000));
}

TEST_F(NicRateGate, ASideThatLeavesLetsTheOtherGo) {
  sides[kRequests].late = kSecond;  // it is told and does not come
  at(0, [&] {
    want(kResponses, 1);
    sides[kRequests].left = 1;
    sides[kRequests].go(0);
  });
  at(150 * kNanosecond, [&] { want(kResponses, 1); });
  at(170 * kNanosecond, [&] {
    EXPECT_EQ(order, "s");
    sides[kRequests].left = 0;
    gate->leave(0, kRequests);
  });
  run();
  EXPECT_EQ(order, "ss");
  EXPECT_EQ(control.times[0].back(), 170 * kNanosecond);
}

TEST_F(NicRateGate, WhoLeavesIsNotTold) {
  at(0, [&] {
    want(kRequests, 2);
    gate->leave(0, kRequests);
  });
  run();
  EXPECT_EQ(sides[kRequests].told, 0U);
  EXPECT_EQ(simulation.now(), 0);  // and no timer kept the run alive
}

TEST_F(NicRateGate, CongestionControlMaySayEarlier) {
  control.interval = kMillisecond;
  at(0, [&] {
    want(kResponses, 2);
    want(kRequests, 1);
  });
  at(kMicrosecond, [&] {
    control.next[0] = 0;
    control.listener->may_send(0);
  });
  run();
  EXPECT_EQ(order, "sqs");
  EXPECT_THAT(control.times[0], ElementsAre(0, kMicrosecond, kMicrosecond + kMillisecond));
  EXPECT_EQ(sides[kRequests].windows, 1U);
}

TEST_F(NicRateGate, QueuePairsDoNotWaitForEachOther) {
  at(0, [&] {
    sides[kRequests].left = 1;
    sides[kRequests].go(0);
    sides[kRequests].left = 1;
    sides[kRequests].go(1);
  });
  run();
  EXPECT_THAT(control.times[0], ElementsAre(0));
  EXPECT_THAT(control.times[1], ElementsAre(0));
}

}  // namespace
}  // namespace railyard::nic
