// A tester port against a stub on the other end of its line: no link between.
#include "hw/tester/port.h"

#include <gmock/gmock.h>

#include <memory>
#include <vector>

#include "tlm/link/link_checker.h"
#include "tlm/link/stubs.h"
#include "tlm/sim/simulation.h"

namespace railyard {
namespace {

/// The port and a stub on a 400 Gb/s link of no length.
struct Bench {
  explicit Bench(TesterConfig tester = {}, std::uint64_t packets = 8)
      : stub("stub"),
        port("port", simulation.partition(), tester, {}, Rate::gbps(400), "stub"),
        port_end("port_link", simulation.partition(), link(), Announce::kLastBit),
        stub_end("stub_link", simulation.partition(), link(), Announce::kLastBit) {
    bind_both(port, port_end);
    bind_both(stub, stub_end);
    LinkEnd::connect(port_end, stub_end);
    check_link(port_end, stub_end);
    flow.messages = packets;
    flow.message_size = 4096;
    flow.source.ip = net::Ipv4Address{1};
    flow.destination.ip = net::Ipv4Address{2};
  }

  static LinkConfig link() {
    LinkConfig config;
    config.length = Length{0};
    return config;
  }

  Ref<net::Packet> control(const net::Frame& frame) {
    Ref<net::Packet> packet = simulation.partition().packets().packets.acquire();
    packet->frame = frame;
    packet->seal();
    return packet;
  }
  static net::Frame pfc(std::uint16_t quanta) {
    std::array<std::uint16_t, 8> all{};
    all[3] = quanta;
    return net::pfc_frame({}, 1 << 3, all);
  }

  Simulation simulation{{}};
  PacketStub stub;
  TesterPort port;
  LinkEnd port_end;
  LinkEnd stub_end;
  FlowConfig flow;
};

constexpr Time kFrame = (8 + 4174 + 12) * 20;  // a 4 KiB write ONLY at 400 Gb/s, RETH included

TEST(TesterPort, SendsAtLineRate) {
  Bench bench;
  bench.port.send_flow(bench.flow);
  bench.simulation.seal();
  bench.simulation.run(kSecond);
  ASSERT_EQ(bench.stub.received.size(), 8U);
  EXPECT_EQ(bench.stub.received[7].phase.last_bit, 7 * kFrame + (8 + 4174) * 20);
}

TEST(TesterPort, APauseLetsTheFrameInProgressEndAndHoldsTheNext) {
  Bench bench;
  bench.port.send_flow(bench.flow);
  bench.simulation.seal();
  // 64 B at 400 Gb/s and the preamble: the XOFF is whole at 1.44 ns, in the first frame
  bench.stub.send_now(*bench.control(Bench::pfc(1000)));
  bench.simulation.run(kSecond);
  ASSERT_EQ(bench.stub.received.size(), 8U);
  const Time resumed = (8 + 64) * 20 + 1000 * 1280;
  EXPECT_EQ(bench.stub.received[0].phase.last_bit, (8 + 4174) * 20);
  EXPECT_EQ(bench.stub.received[1].phase.last_bit, resumed + (8 + 4174) * 20);
}

TEST(TesterPort, AnXonResumesAtOnce) {
  Bench bench;
  bench.port.send_flow(bench.flow);
  bench.simulation.seal();
  const Ref<net::Packet> xon = bench.control(Bench::pfc(0));
  bool sent = false;
  bench.stub.on_line = [&](const PacketPhase&) {
    if (!sent) bench.stub.send_now(*xon);
    sent = true;
  };
  bench.stub.send_now(*bench.control(Bench::pfc(0xFFFF)));
  bench.simulation.run(kSecond);
  // The XON is whole before the first frame ends: nothing was held.
  EXPECT_EQ(bench.stub.received[7].phase.last_bit, 7 * kFrame + (8 + 4174) * 20);
}

TEST(TesterPort, PausesOfOtherPrioritiesAreNoMatter) {
  Bench bench;
  bench.port.send_flow(bench.flow);
  bench.simulation.seal();
  std::array<std::uint16_t, 8> all{};
  all.fill(0xFFFF);
  bench.stub.send_now(*bench.control(net::pfc_frame({}, 0xFF & ~(1 << 3), all)));
  bench.simulation.run(kSecond);
  EXPECT_EQ(bench.stub.received[7].phase.last_bit, 7 * kFrame + (8 + 4174) * 20);
}

TEST(TesterPort, RefreshesItsXoffWhileItsBufferStaysFull) {
  TesterConfig tester;
  tester.drain_rate = Rate::bits_per_second(100'000'000);  // 100 Mb/s: 334 us a frame
  tester.pfc.xoff = 5000;
  tester.pfc.xon = 4200;
  Bench bench(tester, 3);
  bench.port.expect_flow(bench.flow);
  bench.simulation.seal();
  FlowSource source(bench.flow);
  bench.stub.on_line = [&](const PacketPhase&) {
    if (!source.done())
      bench.stub.send_now(*source.make(bench.simulation.partition().packets(), 0));
  };
  bench.stub.send_now(*source.make(bench.simulation.partition().packets(), 0));
  bench.simulation.run(kSecond);
  ASSERT_GE(bench.stub.received.size(), 3U);
  const auto& first = bench.stub.received[0];
  const auto& second = bench.stub.received[1];
  EXPECT_TRUE(first.packet->frame.is_pfc());
  // half of 65535 quanta of 1.28 ns
  EXPECT_EQ(second.phase.last_bit - first.phase.last_bit, 65535 * 1280 / 2);
  EXPECT_EQ(bench.stub.received.back().packet->frame.mac_control.quanta[3], 0);
  EXPECT_TRUE(bench.port.complete(0));
}

TEST(TesterPort, SendsOnlyTheNewestStateAfterItsLineWasDown) {
  TesterConfig tester;
  tester.drain_rate = Rate::bits_per_second(100'000'000);  // 100 Mb/s: 334 us a frame
  tester.pfc.xoff = 5000;
  tester.pfc.xon = 4200;
  tester.pfc.quanta = 2;  // 2.56 ns: hundreds of thousands of refreshes while the line is down
  Bench bench(tester, 3);
  bench.port.expect_flow(bench.flow);
  bench.simulation.seal();
  FlowSource source(bench.flow);
  net::PacketPool& pool = bench.simulation.partition().packets();
  bench.stub.on_line = [&](const PacketPhase&) {
    if (!source.done()) bench.stub.send_now(*source.make(pool, 0));
  };
  tell(bench.port_end.rx, *bench.control({}), PacketPhase::Kind::kLinkDown);
  bench.stub.send_now(*source.make(pool, 0));
  bench.simulation.run(500 * kMicrosecond);
  EXPECT_TRUE(bench.stub.received.empty());
  EXPECT_LT(pool.packets.capacity(), 20U);
  tell(bench.port_end.rx, *bench.control({}), PacketPhase::Kind::kLinkUp);
  bench.simulation.run(501 * kMicrosecond);
  ASSERT_FALSE(bench.stub.received.empty());
  EXPECT_TRUE(bench.stub.received[0].packet->frame.is_pfc());
  EXPECT_LT(bench.stub.received[0].phase.last_bit, 501 * kMicrosecond);
}

TEST(TesterPort, ACorruptedPayloadIsABrokenInvariant) {
  Bench bench;
  bench.port.expect_flow(bench.flow);
  bench.simulation.seal();
  FlowSource source(bench.flow);
  const Ref<net::Packet> packet = source.make(bench.simulation.partition().packets(), 0);
  packet->payload->data()[7] ^= 0x80;
  bench.stub.send_now(*packet);
  EXPECT_THROW(bench.simulation.run(kSecond), sc_core::sc_report);
}

TEST(TesterPort, SaysWhatItWaitsForWhenItsLinkNeverComesBack) {
  Bench bench;
  EXPECT_TRUE(bench.simulation.waits().empty());
  bench.port.send_flow(bench.flow);
  bench.simulation.seal();
  tell(bench.port_end.rx, *bench.control({}), PacketPhase::Kind::kLinkDown);
  try {
    bench.simulation.run(kSecond);
    FAIL();
  } catch (const sc_core::sc_report& report) {
    EXPECT_THAT(report.get_msg(),
                testing::HasSubstr("port waits for port.tx: the link to come up"));
  }
}

}  // namespace
}  // namespace railyard
