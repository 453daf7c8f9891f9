// A NIC's port: what it sends when, what it obeys, what it takes.
#include "hw/nic/mac.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/hw/nic/line_bench.h"

namespace railyard::nic {
namespace {

using bench::Changes;
using bench::frame_of;
using bench::kControlFrame;
using bench::kControlSlot;
using bench::kQuantum;
using bench::link_of;
using bench::pfc;
using bench::Port;
using bench::real;
using bench::slot_of;
using bench::small_buffer;
using bench::StubBench;
using bench::to_last_bit;
using bench::whole;
using testing::ElementsAre;

std::vector<Time> data_times(const StubBench& bench, std::uint8_t priority) {
  std::vector<Time> times;
  for (const auto& r : bench.stub.received) {
    if (r.packet->frame.is_roce() && priority_of(r.packet->frame) == priority) {
      times.push_back(r.phase.last_bit);
    }
  }
  return times;
}

TEST(NicMac, TwoOfThemExchangePacketsAtExactlyTheExpectedTimes) {
  NicConfig config;
  config.stages.receive = {10, 4};
  Simulation simulation{{}};
  const LinkConfig link = link_of(3);
  Port a(simulation, "a", config, "b", link);
  Port b(simulation, "b", config, "a", link);
  fakes::Later script(simulation.partition(), "script");
  LinkEnd::connect(a.end, b.end);
  check_link(a.end, b.end);
  simulation.seal();
  script.call(kMicrosecond, [&] {
    for (std::uint32_t i = 0; i < 20; ++i) a.push(frame_of(3, 4096));
    for (std::uint32_t i = 0; i < 20; ++i) b.push(frame_of(3, 1024));
    a.mac.wake();
    b.mac.wake();
  });
  simulation.run(kSecond);
  ASSERT_EQ(b.handed.size(), 20U);
  ASSERT_EQ(a.handed.size(), 20U);
  const Time fixed = kMicrosecond + 15 * kNanosecond + 10 * config.clock;
  for (unsigned i = 0; i < 20; ++i) {
    EXPECT_EQ(b.handed[i].at, fixed + i * slot_of(4096) + to_last_bit(4096));
    EXPECT_EQ(a.handed[i].at, fixed + i * slot_of(1024) + to_last_bit(1024));
  }
  EXPECT_EQ(whole(simulation, "a.sent_packets"), 20U);
  EXPECT_EQ(whole(simulation, "b.received_bytes"), 20U * (4096 + bench::kHeaders));
  EXPECT_EQ(whole(simulation, "b.receive_buffer_bytes_peak"), 4096U + bench::kHeaders);
  EXPECT_EQ(simulation.frame_hops(), 40U);
  EXPECT_DOUBLE_EQ(real(simulation, "b.receive.busy_ns"), 20.0 * 4);
}

TEST(NicMac, AReceiveStageThatIsSlowerThanTheLineHandsOnAPacketAnInterval) {
  NicConfig config;
  config.stages.receive = {10, 500};
  StubBench bench(config);
  for (unsigned i = 0; i < 4; ++i) bench.send_at(i * slot_of(1024), frame_of(0, 1024));
  bench.run();
  ASSERT_EQ(bench.port.handed.size(), 4U);
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(bench.port.handed[i].at, to_last_bit(1024) + (500 * i + 10) * config.clock);
  }
}

TEST(NicMac, ATransmitIntervalLongerThanAPacketBoundsThePacketsASecond) {
  NicConfig config;
  config.stages.transmit = {3, 100};
  StubBench bench(config);
  bench.offer_at(0, frame_of(0, 64), 5);
  bench.run();
  for (unsigned i = 0; i < 5; ++i) {
    EXPECT_EQ(data_times(bench, 0).at(i), 100 * i * config.clock + to_last_bit(64));
  }
}

// --- pauses obeyed ---

TEST(NicMac, APausedPriorityHoldsAndOthersGoOn) {
  StubBench bench;
  bench.send_at(0, pfc(1 << 3, 1000));
  bench.offer_at(0, frame_of(3, 4096), 3);
  bench.offer_at(0, frame_of(5, 4096), 3);
  Changes paused(bench.simulation, "nic.paused");
  bench.run();
  ASSERT_EQ(paused.all.size(), 2U);
  const Time from = paused.all[0].first;
  const Time to = paused.all[1].first;
  // It takes effect within a cycle and the block's own latency, while the first frame is sent.
  EXPECT_GT(from, kControlFrame);
  EXPECT_LE(from, kControlFrame + ClockedPauseReceiver::shortest_response(kNanosecond));
  EXPECT_NEAR(static_cast<double>(to - from), 1000.0 * kQuantum, 1000);
  EXPECT_THAT(data_times(bench, 3), ElementsAre(to_last_bit(4096), to + to_last_bit(4096),
                                                to + slot_of(4096) + to_last_bit(4096)));
  const Time second = slot_of(4096);
  EXPECT_THAT(data_times(bench, 5),
              ElementsAre(second + to_last_bit(4096), second + slot_of(4096) + to_last_bit(4096),
                          second + 2 * slot_of(4096) + to_last_bit(4096)));
  const auto& log = bench.port.mac.pause_log().obeyed();
  ASSERT_EQ(log.size(), 1U);
  EXPECT_EQ(log[0].begin, from);
  EXPECT_EQ(log[0].end, to);
  EXPECT_EQ(log[0].priority, 3);
  EXPECT_EQ(whole(bench.simulation, "nic.pfc_xoff_received"), 1U);
  EXPECT_EQ(whole(bench.simulation, "nic.pause_us"), static_cast<std::uint64_t>(0));
  EXPECT_NEAR(real(bench.simulation, "nic.pause_us"), 1000.0 * kQuantum / kMicrosecond, 0.01);
}

TEST(NicMac, APauseHoldsNothingThatIsNotThereAndIsNotCountedThen) {
  StubBench bench;
  bench.send_at(0, pfc(1 << 3, 1000));
  bench.offer_at(5 * kMicrosecond, frame_of(5, 4096));
  bench.run();
  EXPECT_DOUBLE_EQ(real(bench.simulation, "nic.pause_us"), 0.0);
  EXPECT_EQ(data_times(bench, 5).size(), 1U);
}

TEST(NicMac, AnXonEndsAPause) {
  StubBench bench;
  bench.send_at(0, pfc(1 << 3, 0xFFFF));
  bench.send_at(10 * kMicrosecond, pfc(1 << 3, 0));
  bench.offer_at(kMicrosecond, frame_of(3, 1024));
  bench.run();
  const Time heard = 10 * kMicrosecond + kControlFrame;
  ASSERT_EQ(data_times(bench, 3).size(), 1U);
  EXPECT_GT(data_times(bench, 3)[0], heard + to_last_bit(1024));
  EXPECT_LE(data_times(bench, 3)[0],
            heard + ClockedPauseReceiver::shortest_response(kNanosecond) + to_last_bit(1024));
}

TEST(NicMac, SaysWhoAPausedPriorityWaitsFor) {
  StubBench bench;
  bench.send_at(0, pfc(1 << 3, 0xFFFF));
  bench.offer_at(kMicrosecond, frame_of(3, 1024));
  bench.run(2 * kMicrosecond);
  const std::vector<Wait> waits = bench.simulation.waits();
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].info.waiter, "nic_mac.egress3");
  EXPECT_EQ(waits[0].info.holder, "stub.ingress3");
  EXPECT_EQ(waits[0].since, kMicrosecond);
}

TEST(NicMac, AttributesTheTransmitStagesTimeToPauseAndLineAndItSumsToTheTimeThatPassed) {
  NicConfig config;
  config.stages.transmit = {4, 2};
  StubBench bench(config);
  bench.send_at(0, pfc(1 << 3, 1000));
  bench.offer_at(0, frame_of(3, 4096), 2);
  Changes paused(bench.simulation, "nic.paused");
  bench.run();
  const auto ns = [&](const std::string& what) {
    return real(bench.simulation, "nic.transmit." + what + "_ns");
  };
  const auto now = static_cast<double>(bench.simulation.now()) / kNanosecond;
  const auto from = static_cast<double>(paused.all.at(0).first) / kNanosecond;
  const auto to = static_cast<double>(paused.all.at(1).first) / kNanosecond;
  EXPECT_DOUBLE_EQ(ns("busy"), 4.0);
  EXPECT_NEAR(ns("blocked_pause"), to - from, 1e-9);
  EXPECT_NEAR(ns("blocked_line"), from - 2, 1e-9);  // the second while the first is on the line
  EXPECT_NEAR(ns("busy") + ns("blocked_pause") + ns("blocked_line") + ns("starved"), now, 1e-9);
}

// --- what is not for queue pairs ---

TEST(NicMac, DropsAndCountsABadFcsAndWhatIsNotRoce) {
  StubBench bench;
  net::Frame other = frame_of(0, 500);
  other.udp.destination_port = 53;
  net::Frame control = pfc(0, 0);
  control.mac_control.opcode = static_cast<net::MacControlOpcode>(0x7777);
  bench.at(0, [&] {
    const Ref<net::Packet> bad = bench::packet_of(bench.port.partition, frame_of(0, 500));
    bad->bad_fcs = true;
    bench.stub.send_now(*bad);
  });
  bench.send_at(kMicrosecond, other);
  bench.send_at(2 * kMicrosecond, control);
  bench.send_at(3 * kMicrosecond, frame_of(0, 500));
  bench.run();
  EXPECT_EQ(bench.port.handed.size(), 1U);
  EXPECT_EQ(whole(bench.simulation, "nic.bad_fcs"), 1U);
  EXPECT_EQ(whole(bench.simulation, "nic.not_roce"), 1U);
  EXPECT_EQ(whole(bench.simulation, "nic.pfc_xoff_received"), 0U);
  EXPECT_EQ(whole(bench.simulation, "nic.receive_buffer_bytes_peak"), 500U + bench::kHeaders);
}

// --- the link's state ---

LinkConfig link_down(Time at, Time lasts) {
  LinkConfig link = link_of(0);
  link.outages = {{at, lasts}};
  return link;
}

TEST(NicMac, TakesNothingFromItsSourceWhileTheLinkIsDown) {
  NicConfig config;
  config.stages.transmit = {0, 1};
  StubBench bench(config, link_down(kMicrosecond, 5 * kMicrosecond));
  bench.offer_at(2 * kMicrosecond, frame_of(0, 1024), 2);
  bench.run();
  EXPECT_THAT(data_times(bench, 0),
              ElementsAre(6 * kMicrosecond + to_last_bit(1024),
                          6 * kMicrosecond + slot_of(1024) + to_last_bit(1024)));
  EXPECT_EQ(whole(bench.simulation, "nic_link.lost_down"), 0U);
  EXPECT_NEAR(real(bench.simulation, "nic.transmit.blocked_line_ns"), 4000.0 + 22.44 - 1, 0.001);
}

TEST(NicMac, SaysThatItWaitsForTheLink) {
  StubBench bench({}, link_down(kMicrosecond, 0));
  bench.offer_at(2 * kMicrosecond, frame_of(0, 1024));
  bench.run(3 * kMicrosecond);
  ASSERT_EQ(bench.simulation.waits().size(), 1U);
  EXPECT_EQ(bench.simulation.waits()[0].info.waiter, "nic_mac");
  EXPECT_EQ(bench.simulation.waits()[0].since, 2 * kMicrosecond);
}

TEST(NicMac, ForgetsThePeersPausesWithTheLinkAndTellsItsOwnAgain) {
  StubBench bench(small_buffer(), link_down(2 * kMicrosecond, kMicrosecond));
  bench.port.release_at_once = false;
  bench.send_at(0, pfc(1 << 5, 0xFFFF));
  for (unsigned i = 0; i < 5; ++i) {
    bench.send_at(kMicrosecond + i * slot_of(1024), frame_of(3, 1024));
  }
  bench.offer_at(kMicrosecond, frame_of(5, 1024));
  bench.run(3 * kMicrosecond + 500 * kNanosecond);
  const auto frames = bench.pfc_received();
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_LT(frames[0].first, 2 * kMicrosecond);
  EXPECT_EQ(frames[1].first, 3 * kMicrosecond + kControlFrame);
  EXPECT_THAT(data_times(bench, 5),
              ElementsAre(3 * kMicrosecond + kControlSlot + to_last_bit(1024)));
  EXPECT_EQ(bench.port.mac.paused(), 0);
}

}  // namespace
}  // namespace railyard::nic
