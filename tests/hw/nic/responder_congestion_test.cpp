// READ responses are paced.
#include <gmock/gmock.h>

#include "tests/hw/nic/fake_control.h"
#include "tests/hw/nic/responder_bench.h"

namespace railyard::nic {
namespace {

using net::Opcode;
using test::ResponderBench;
using testing::SizeIs;
using Strings = std::vector<std::string>;

constexpr Time kReadGap = 400 * kNanosecond;

struct PacedReads : testing::Test {
  PacedReads() {
    control.partition = &bench.partition;
    control.interval = kReadGap;
  }
  void SetUp() override { bench.start(); }
  void TearDown() override { bench.expect_empty(); }
  const std::vector<Time>& times(std::uint32_t slot = 0) { return control.times[slot]; }
  static void expect_spaced(const std::vector<Time>& times) {
    for (std::size_t i = 1; i < times.size(); ++i) {
      EXPECT_EQ(times[i] - times[i - 1], kReadGap) << i;
    }
  }

  test::PacedControl control;
  ResponderBench bench{test::responder_config(), &control};
  Qp& qp = bench.make_qp();
  Qp& other = bench.make_qp();
};

TEST_F(PacedReads, ResponsesAreSpacedAsCongestionControlSays) {
  bench.psn = ResponderBench::kFirstPsn;
  bench.read(qp, 3 * ResponderBench::kMtu);
  bench.read(qp, 2 * ResponderBench::kMtu);
  bench.run();
  EXPECT_EQ(bench.answers(),
            Strings({"FIRST 0 1f 1", "MIDDLE 1", "LAST 2 1f 1", "FIRST 3 1f 2", "LAST 4 1f 2"}));
  ASSERT_THAT(times(), SizeIs(5));
  expect_spaced(times());
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(control.lines[i].second,
              net::line_bytes(net::frame_bytes(bench.transmit.jobs[i].frame)));
  }
}

TEST_F(PacedReads, QueuePairsDoNotHoldEachOther) {
  control.next[0] = kMillisecond;
  bench.psn = ResponderBench::kFirstPsn;
  bench.read(qp, 2 * ResponderBench::kMtu);
  bench.psn = ResponderBench::kFirstPsn;
  bench.read(other, 3 * ResponderBench::kMtu);
  bench.run(10 * kMicrosecond);
  EXPECT_THAT(times(1), SizeIs(3));
  expect_spaced(times(1));
  EXPECT_THAT(times(0), SizeIs(0));
  bench.run(2 * kMillisecond);
  EXPECT_THAT(times(0), SizeIs(2));
}

TEST_F(PacedReads, AcknowledgementsAreNot) {
  control.next[0] = kMillisecond;
  bench.psn = ResponderBench::kFirstPsn;
  bench.send(qp, Opcode::kRcRdmaWriteOnly, 8);
  bench.run(5 * kMicrosecond);
  EXPECT_EQ(bench.answers(), Strings({"ACK 0 1f 1"}));
  EXPECT_THAT(control.lines, SizeIs(0));
}

TEST_F(PacedReads, ATranslationThatIsAwaitedDoesNotLetItSendEarlier) {
  bench.psn = ResponderBench::kFirstPsn;
  bench.read(qp, 3 * ResponderBench::kMtu);
  bench.translation.misses = 2;  // of the second and third
  bench.run();
  ASSERT_THAT(times(), SizeIs(3));
  EXPECT_GE(times()[1] - times()[0], kReadGap + bench.translation.miss_time);
  EXPECT_GE(times()[2] - times()[1], kReadGap);
}

TEST_F(PacedReads, RoomAndRateAreBothNeeded) {
  bench.transmit.rooms = 1;
  bench.psn = ResponderBench::kFirstPsn;
  bench.read(qp, 3 * ResponderBench::kMtu);
  bench.later.in(10 * kMicrosecond, [] {});
  bench.run(10 * kMicrosecond);
  EXPECT_THAT(times(), SizeIs(1));
  bench.transmit.give_room(5);
  bench.run(kNanosecond);
  EXPECT_THAT(times(), SizeIs(2));  // that time had come long ago
  bench.run(kReadGap);
  ASSERT_THAT(times(), SizeIs(3));
  EXPECT_EQ(times()[2] - times()[1], kReadGap);
}

TEST_F(PacedReads, WhatIsAskedForAgainIsPacedToo) {
  bench.psn = ResponderBench::kFirstPsn;
  bench.read(qp, 4 * ResponderBench::kMtu);
  bench.run(kReadGap + 100 * kNanosecond);
  const std::size_t before = times().size();
  EXPECT_EQ(before, 2U);
  bench.psn = ResponderBench::kFirstPsn;
  bench.read(qp, 4 * ResponderBench::kMtu);  // while it is held
  bench.run();
  EXPECT_THAT(times(), SizeIs(before + 4));
  expect_spaced(times());
}

TEST_F(PacedReads, AQueuePairThatIsHeldCanFailAndBeReset) {
  for (const bool error : {true, false}) {
    Qp& one = error ? qp : other;
    control.next[one.slot] = bench.partition.now() + 10 * kMicrosecond;
    bench.psn = ResponderBench::kFirstPsn;
    bench.read(one, 4 * ResponderBench::kMtu);
    bench.run(kMicrosecond);
    if (error) {
      bench.fail(one, abi::EventType::kQpCatastrophic);
    } else {
      one.state = abi::QpState::kReset;
      bench.responder->reset(one);
    }
    bench.run(kMillisecond);
    EXPECT_THAT(times(one.slot), SizeIs(0));
    EXPECT_EQ(ReadEngine::outstanding(one), 0U);
  }
}

}  // namespace
}  // namespace railyard::nic
