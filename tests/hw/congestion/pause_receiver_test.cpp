#include <gmock/gmock.h>

#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "hw/congestion/timed_pause_receiver.h"
#include "tests/hw/congestion/pfc_of.h"
#include "tlm/sim/simulation.h"

namespace railyard {
namespace {

using testing::ElementsAre;
using Change = std::pair<Time, unsigned>;

constexpr Time kQuantum = 1280;  // 512 bit times at 400 Gb/s

/// Frames at times, and what a transmitter then hears.
struct ReceiverBench : PauseListener {
  explicit ReceiverBench(std::uint64_t response_quanta)
      : receiver(simulation.partition(), "port", Rate::gbps(400), response_quanta, *this) {
    simulation.seal();
  }

  void pause_changed(std::uint8_t paused, std::uint8_t changed) override {
    EXPECT_EQ(changed, paused ^ before);
    EXPECT_EQ(paused, receiver.paused());
    before = paused;
    changes.emplace_back(simulation.now(), paused);
  }

  void receive_at(Time at, const net::Frame& frame) {
    arrivals.push_back({this, frame});
    events.emplace_back(
        new Event(Event::of<&FrameArrival::arrive>(arrivals.back(), endpoint, Phase::kArrival)));
    simulation.partition().scheduler().schedule(*events.back(), at);
  }

  void run() { simulation.run(kSecond); }

  struct FrameArrival {
    void arrive() { bench->pausing.push_back(bench->receiver.receive(frame)); }
    ReceiverBench* bench;
    net::Frame frame;
  };

  Simulation simulation{{}};
  TimedPauseReceiver receiver;
  std::vector<Change> changes;
  std::vector<unsigned> pausing;  // what receive() returned
  std::uint8_t before = 0;
  Endpoint endpoint;
  std::deque<FrameArrival> arrivals;
  std::vector<std::unique_ptr<Event>> events;
};

TEST(PauseReceiver, APauseLastsItsQuantaFromItsArrival) {
  ReceiverBench bench(0);
  bench.receive_at(100, test::pfc_of(1 << 3, 1));
  bench.receive_at(10'000, test::pfc_of(1 << 5, 0xFFFF));
  bench.run();
  EXPECT_THAT(bench.changes,
              ElementsAre(Change(100, 8), Change(100 + kQuantum, 0), Change(10'000, 32),
                          Change(10'000 + 0xFFFF * kQuantum, 0)));
  EXPECT_EQ(bench.receiver.paused_time(3, kSecond), kQuantum);
}

TEST(PauseReceiver, ItActsAfterTheResponseDelayAndLastsAsLong) {
  ReceiverBench bench(905);
  EXPECT_EQ(bench.receiver.response_delay(), 905 * kQuantum);
  bench.receive_at(7, test::pfc_of(1 << 3, 10));
  bench.run();
  EXPECT_THAT(bench.changes,
              ElementsAre(Change(7 + 905 * kQuantum, 8), Change(7 + 915 * kQuantum, 0)));
  EXPECT_THAT(bench.pausing, ElementsAre(8));
}

TEST(PauseReceiver, XoffAndXonWithinTheDelayGiveAPauseOfTheTimeBetween) {
  ReceiverBench bench(100);
  const Time delay = 100 * kQuantum;
  for (const Time at : {0, 2000, 4000}) {
    bench.receive_at(at, test::pfc_of(1 << 3, 0xFFFF));
    bench.receive_at(at + 700, test::pfc_of(1 << 3, 0));
  }
  bench.run();
  EXPECT_THAT(bench.changes, ElementsAre(Change(delay, 8), Change(delay + 700, 0),
                                         Change(delay + 2000, 8), Change(delay + 2700, 0),
                                         Change(delay + 4000, 8), Change(delay + 4700, 0)));
  EXPECT_EQ(bench.receiver.paused_time(3, kSecond), 2100);
}

class Response : public testing::TestWithParam<std::uint64_t> {
 protected:
  ReceiverBench bench_{GetParam()};
  Time delay_ = static_cast<Time>(GetParam()) * kQuantum;
};

TEST_P(Response, ARefreshProlongsAPauseWithoutABreak) {
  // The last one takes effect when the one before runs out.
  for (const Time at : {0, 50, 150}) bench_.receive_at(at * kQuantum, test::pfc_of(1 << 3, 100));
  bench_.run();
  EXPECT_THAT(bench_.changes, ElementsAre(Change(delay_, 8), Change(delay_ + 250 * kQuantum, 0)));
  EXPECT_THAT(bench_.pausing, ElementsAre(8, 8, 8));
}

TEST_P(Response, ALaterFrameMayShortenAPause) {
  bench_.receive_at(0, test::pfc_of(1 << 3, 0xFFFF));
  bench_.receive_at(kQuantum, test::pfc_of(1 << 3, 2));
  bench_.run();
  EXPECT_THAT(bench_.changes, ElementsAre(Change(delay_, 8), Change(delay_ + 3 * kQuantum, 0)));
}

TEST_P(Response, PrioritiesArePausedEachForItsOwnTime) {
  bench_.receive_at(0, test::pfc_of(0b00001001, 10));
  bench_.receive_at(2 * kQuantum, test::pfc_of(0b00001000, 20));
  bench_.receive_at(5 * kQuantum, test::pfc_of(0b10000000, 1));
  bench_.run();
  EXPECT_THAT(bench_.changes,
              ElementsAre(Change(delay_, 9), Change(delay_ + 5 * kQuantum, 0x89),
                          Change(delay_ + 6 * kQuantum, 9), Change(delay_ + 10 * kQuantum, 8),
                          Change(delay_ + 22 * kQuantum, 0)));
  EXPECT_EQ(bench_.receiver.paused_time(0, kSecond), 10 * kQuantum);
  EXPECT_EQ(bench_.receiver.paused_time(3, kSecond), 22 * kQuantum);
}

TEST_P(Response, PauseHoldsAllPriorities) {
  bench_.receive_at(0, net::pause_frame({}, 0xFFFF));
  bench_.receive_at(500, net::pause_frame({}, 0));
  bench_.run();
  EXPECT_THAT(bench_.changes, ElementsAre(Change(delay_, 0xFF), Change(delay_ + 500, 0)));
  EXPECT_THAT(bench_.pausing, ElementsAre(0xFF, 0));
}

INSTANTIATE_TEST_SUITE_P(AtOnceAndLater, Response, testing::Values(0, 905));

TEST(PauseReceiver, AFrameThatComesWithThePauseThatTakesEffectFindsIt) {
  ReceiverBench bench(1);
  struct Decider {
    void decide() { seen = bench->receiver.paused(); }
    ReceiverBench* bench;
    unsigned seen = 0;
  } decider{&bench};
  Event decision = Event::of<&Decider::decide>(decider, bench.endpoint, Phase::kTransmitDone);
  bench.receive_at(0, test::pfc_of(1 << 3, 10));
  bench.simulation.partition().scheduler().schedule(decision, kQuantum);
  bench.run();
  EXPECT_EQ(decider.seen, 8U);
}

}  // namespace
}  // namespace railyard
