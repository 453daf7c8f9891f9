// The receive buffer of a NIC's port, and the pauses that it asks for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/hw/nic/line_bench.h"

namespace railyard::nic {
namespace {

using bench::Changes;
using bench::frame_of;
using bench::kControlFrame;
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
using testing::HasSubstr;
using Change = std::pair<Time, std::uint64_t>;

constexpr std::uint32_t kPacket = 1024 + bench::kHeaders;  // 1,102 bytes

TEST(NicMacBuffer, AsksForAPauseAboveXoffAndEndsItAtXon) {
  StubBench bench(small_buffer());
  bench.port.release_at_once = false;
  const Time slot = slot_of(1024);
  for (unsigned i = 0; i < 5; ++i) bench.send_at(i * slot, frame_of(3, 1024));
  // Five packets are 5,510 bytes; two 2,204, one 1,102.
  bench.release_at(2 * kMicrosecond, 0);
  bench.release_at(2 * kMicrosecond, 1);
  bench.release_at(2 * kMicrosecond, 2);
  bench.release_at(3 * kMicrosecond, 3);
  Changes level(bench.simulation, "nic.receive_buffer_bytes");
  Changes told(bench.simulation, "nic.xoff_sent");
  bench.run();
  const auto frames = bench.pfc_received();
  ASSERT_EQ(frames.size(), 2U);
  const Time fifth = 4 * slot + to_last_bit(1024);
  EXPECT_EQ(frames[0].first, fifth + kControlFrame);
  EXPECT_EQ(frames[0].second.enable_vector, 1 << 3);
  EXPECT_EQ(frames[0].second.quanta[3], 0xFFFF);
  EXPECT_EQ(frames[1].first, 3 * kMicrosecond + kControlFrame);
  EXPECT_EQ(frames[1].second.enable_vector, 1 << 3);
  EXPECT_EQ(frames[1].second.quanta[3], 0);
  EXPECT_EQ(level.all.back(), Change(3 * kMicrosecond, kPacket));
  EXPECT_THAT(told.all, ElementsAre(Change(fifth, 8), Change(3 * kMicrosecond, 0)));
  const auto& log = bench.port.mac.pause_log().sent();
  ASSERT_EQ(log.size(), 1U);
  EXPECT_EQ(log[0].begin, fifth);
  EXPECT_EQ(log[0].end, 3 * kMicrosecond);
  EXPECT_EQ(log[0].priority, 3);
  EXPECT_EQ(log[0].cause_port, PauseLog::kNoPort);
  EXPECT_EQ(whole(bench.simulation, "nic.pfc_xoff_sent"), 1U);
  EXPECT_EQ(whole(bench.simulation, "nic.pfc_xon_sent"), 1U);
}

TEST(NicMacBuffer, RefreshesAPauseAfterHalfOfItsTime) {
  NicConfig config = small_buffer();
  config.receive.quanta = 1000;
  StubBench bench(config);
  bench.port.release_at_once = false;
  for (unsigned i = 0; i < 5; ++i) bench.send_at(i * slot_of(1024), frame_of(3, 1024));
  const Time end = 2 * kMicrosecond;
  for (std::size_t i = 0; i < 5; ++i) bench.release_at(end, i);
  bench.run();
  const Time first = 4 * slot_of(1024) + to_last_bit(1024) + kControlFrame;
  std::vector<Time> xoff;
  std::vector<Time> xon;
  for (const auto& [at, control] : bench.pfc_received()) {
    (control.quanta[3] != 0 ? xoff : xon).push_back(at);
  }
  EXPECT_THAT(xoff, ElementsAre(first, first + 500 * kQuantum, first + 2 * 500 * kQuantum));
  EXPECT_THAT(xon, ElementsAre(end + kControlFrame));
}

TEST(NicMacBuffer, PausesThePrioritiesThatHoldBytesAndThoseThatBringMore) {
  StubBench bench(small_buffer());
  bench.port.release_at_once = false;
  const Time slot = slot_of(1024);
  for (unsigned i = 0; i < 5; ++i) bench.send_at(i * slot, frame_of(i == 0 ? 2 : 3, 1024));
  bench.release_at(5 * slot, 0);  // priority 2 holds none any more, and stays paused
  bench.send_at(6 * slot, frame_of(6, 1024));
  bench.at(kMicrosecond, [&] {
    for (std::size_t i = 1; i < 6; ++i) bench.port.mac.release(*bench.port.handed.at(i).packet);
  });
  bench.run();
  std::vector<std::pair<unsigned, unsigned>> frames;  // vector, those with quanta
  for (const auto& [at, control] : bench.pfc_received()) {
    unsigned with = 0;
    for (unsigned p = 0; p < 8; ++p) with |= (control.quanta[p] != 0 ? 1U : 0U) << p;
    frames.emplace_back(control.enable_vector, with);
  }
  using Said = std::pair<unsigned, unsigned>;
  EXPECT_THAT(frames, ElementsAre(Said(0x0C, 0x0C), Said(0x4C, 0x4C), Said(0x4C, 0)));
}

TEST(NicMacBuffer, NeverSendsAPauseThatIsOverBeforeTheLineIsFree) {
  StubBench bench(small_buffer());
  bench.port.release_at_once = false;
  const Time fifth = 4 * slot_of(1024) + to_last_bit(1024);
  for (unsigned i = 0; i < 5; ++i) bench.send_at(i * slot_of(1024), frame_of(3, 1024));
  bench.offer_at(fifth - 1, frame_of(0, 4096));
  bench.at(fifth + 10 * kNanosecond, [&] {
    for (const auto& handed : bench.port.handed) bench.port.mac.release(*handed.packet);
  });
  bench.run();
  EXPECT_TRUE(bench.pfc_received().empty());
  EXPECT_EQ(bench.port.mac.pause_log().sent().size(), 1U);
}

TEST(NicMacBuffer, PfcGoesAheadOfPacketsAndPausesHoldItNot) {
  StubBench bench(small_buffer());
  bench.port.release_at_once = false;
  bench.send_at(0, pfc(0xFF, 0xFFFF));
  for (unsigned i = 0; i < 5; ++i)
    bench.send_at(kMicrosecond + i * slot_of(1024), frame_of(3, 1024));
  bench.offer_at(kMicrosecond, frame_of(3, 4096), 3);
  bench.run(2 * kMicrosecond);
  ASSERT_EQ(bench.stub.received.size(), 1U);
  EXPECT_TRUE(bench.stub.received[0].packet->frame.is_pfc());
}

TEST(NicMacBuffer, DropsAndCountsWhatDoesNotFit) {
  NicConfig config = small_buffer();
  config.receive.buffer = 3 * kPacket;
  config.receive.pfc = false;
  StubBench bench(config);
  bench.port.release_at_once = false;
  for (unsigned i = 0; i < 5; ++i) bench.send_at(i * slot_of(1024), frame_of(3, 1024));
  bench.release_at(kMicrosecond, 0);
  bench.send_at(2 * kMicrosecond, frame_of(3, 1024));  // fits again
  bench.run();
  EXPECT_EQ(bench.port.handed.size(), 4U);
  EXPECT_EQ(whole(bench.simulation, "nic.receive_overflow"), 2U);
  EXPECT_EQ(whole(bench.simulation, "nic.received_packets"), 4U);
  EXPECT_TRUE(bench.pfc_received().empty());
}

TEST(NicMacBuffer, APauseBetweenTwoOfThemKeepsASmallBufferFromOverflowing) {
  NicConfig config = small_buffer();
  Simulation simulation{{}};
  const LinkConfig link = link_of(3);
  Port a(simulation, "a", config, "b", link);
  Port b(simulation, "b", config, "a", link);
  fakes::Later script(simulation.partition(), "script");
  LinkEnd::connect(a.end, b.end);
  check_link(a.end, b.end);
  simulation.seal();
  b.release_at_once = false;
  std::size_t released = 0;
  std::function<void()> drain = [&] {  // at a tenth of the line
    if (released < b.handed.size()) b.mac.release(*b.handed[released++].packet);
    if (released < 200) script.call(simulation.partition().now() + 10 * slot_of(1024), drain);
  };
  script.call(0, [&] {
    for (std::uint32_t i = 0; i < 200; ++i) a.push(frame_of(3, 1024));
    a.mac.wake();
    drain();
  });
  simulation.run(kSecond);
  EXPECT_EQ(b.handed.size(), 200U);
  EXPECT_EQ(whole(simulation, "b.receive_overflow"), 0U);
  EXPECT_GT(whole(simulation, "b.pfc_xoff_sent"), 20U);
  EXPECT_EQ(whole(simulation, "a.pfc_xoff_received"), whole(simulation, "b.pfc_xoff_sent"));
  EXPECT_GT(whole(simulation, "b.receive_buffer_bytes_peak"), 5000U);
  EXPECT_GT(real(simulation, "a.pause_us"), 20.0);
  EXPECT_TRUE(simulation.waits().empty());
}

TEST(NicMacBuffer, SaysThatAPausedPeerWaitsForTheHost) {
  StubBench bench(small_buffer());
  bench.port.release_at_once = false;
  for (unsigned i = 0; i < 5; ++i) bench.send_at(i * slot_of(1024), frame_of(3, 1024));
  bench.run(kMicrosecond);
  const std::vector<Wait> waits = bench.simulation.waits();
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].info.waiter, "nic_mac.ingress3");
  EXPECT_EQ(waits[0].info.holder, "nic.host");
}

TEST(NicMacBuffer, APacketReleasedTwiceBreaksAnInvariant) {
  StubBench bench;
  bench.send_at(0, frame_of(3, 1024));
  bench.release_at(kMicrosecond, 0);  // it was at once
  try {
    bench.run();
    FAIL();
  } catch (const std::exception& e) {
    EXPECT_THAT(e.what(), HasSubstr("not in the receive buffer"));
  }
}

}  // namespace
}  // namespace railyard::nic
