// Which packets reach a queue pair's sides.
#include <gmock/gmock.h>

#include "hw/congestion/congestion_control.h"
#include "tests/hw/nic/responder_bench.h"

namespace railyard::nic {
namespace {

using net::Opcode;
using test::ResponderBench;
using testing::ElementsAre;

struct Congestion : CongestionControl {
  std::vector<std::uint32_t> cnps;
  void open(const QueuePair& /*qp*/) override {}
  void sent(std::uint32_t /*qp*/, std::uint32_t /*bytes*/) override {}
  void cnp(std::uint32_t qp) override { cnps.push_back(qp); }
  Time next_packet(std::uint32_t /*qp*/) override { return 0; }
  double rate_gbps(std::uint32_t /*qp*/) override { return 0; }
};

struct NicReceivePipeline : testing::Test {
  ResponderBench bench;
  Qp& other = bench.make_qp();
  Qp& qp = bench.make_qp();

  void SetUp() override { bench.start(); }
  void TearDown() override { bench.expect_empty(); }
  void expect_stray(const std::string& counter, const std::function<void(net::Frame&)>& change,
                    Opcode opcode = Opcode::kRcRdmaWriteOnly) {
    net::Frame f = bench.request(qp, opcode, 0);
    change(f);
    bench.arrive(f);
    bench.run();
    EXPECT_EQ(bench.metric("receive." + counter), 1U);
    EXPECT_EQ(bench.metric("receive.requests") + bench.metric("receive.responses"), 0U);
    EXPECT_TRUE(bench.answers().empty());
  }
};

TEST_F(NicReceivePipeline, DropsAndCountsWhatHasNoQueuePair) {
  expect_stray("stray_no_qp", [](net::Frame& f) { f.bth.destination_qp = 0x99; });
}
TEST_F(NicReceivePipeline, DropsWhatComesFromAnotherAddress) {
  expect_stray("stray_address", [](net::Frame& f) { f.ipv4.source.value ^= 1; });
}
TEST_F(NicReceivePipeline, DropsWhatGoesToAnotherAddress) {
  expect_stray("stray_address", [](net::Frame& f) { f.ipv4.destination.value ^= 1; });
}
TEST_F(NicReceivePipeline, DropsWhatIsOfAnotherVersionOfIp) {
  expect_stray("stray_address", [](net::Frame& f) { f.ethernet.type = net::EtherType::kIpv6; });
}
TEST_F(NicReceivePipeline, DropsAnotherTransport) {
  expect_stray("stray_opcode", [](net::Frame& f) { f.bth.opcode = Opcode::kUcSendOnly; });
}
TEST_F(NicReceivePipeline, DropsAnUnknownOpcode) {
  expect_stray("stray_opcode", [](net::Frame& f) { f.bth.opcode = static_cast<Opcode>(0x1F); });
}
TEST_F(NicReceivePipeline, DropsAnotherPartition) {
  expect_stray("stray_p_key", [](net::Frame& f) { f.bth.p_key = 0x8001; });
}
TEST_F(NicReceivePipeline, DropsWhatAStateDoesNotTake) {
  qp.state = abi::QpState::kInit;
  expect_stray("stray_state", [](net::Frame&) {});
}
TEST_F(NicReceivePipeline, DropsAResponseBeforeReadyToSend) {
  qp.state = abi::QpState::kRtr;
  expect_stray(
      "stray_state", [](net::Frame&) {}, Opcode::kRcAcknowledge);
}

TEST_F(NicReceivePipeline, TakesALimitedMemberAndARequestInReadyToReceive) {
  qp.state = abi::QpState::kRtr;
  bench.send(qp, Opcode::kRcRdmaWriteOnly, 8, [](net::Frame& f) { f.bth.p_key = 0x7FFF; });
  bench.run();
  EXPECT_EQ(bench.answers().size(), 1U);
}

TEST_F(NicReceivePipeline, GivesResponsesToTheRequester) {
  for (const Opcode opcode :
       {Opcode::kRcAcknowledge, Opcode::kRcRdmaReadResponseOnly, Opcode::kRcAtomicAcknowledge}) {
    bench.arrive(bench.request(qp, opcode, 0));
  }
  bench.run();
  EXPECT_EQ(bench.requester.taken.size(), 3U);
  EXPECT_EQ(bench.metric("receive.responses"), 3U);
}

TEST_F(NicReceivePipeline, CountsCnpsAndTellsCongestionControl) {
  Congestion congestion;
  bench.units.congestion = &congestion;
  bench.arrive(bench.request(qp, Opcode::kCnp, 0));
  bench.run();
  EXPECT_EQ(bench.metric("cnp_received"), 1U);
  EXPECT_THAT(congestion.cnps, ElementsAre(1U));
  net::Frame f = bench.request(qp, Opcode::kCnp, 0);
  f.bth.destination_qp = 0x99;
  bench.arrive(f);
  EXPECT_EQ(bench.metric("receive.stray_no_qp"), 1U);
  EXPECT_EQ(bench.metric("cnp_received"), 1U);
}

TEST_F(NicReceivePipeline, ACnpIsForTheQueuePairOfItsAddressesInAStateThatTakesIt) {
  Congestion congestion;
  bench.units.congestion = &congestion;
  net::Frame f = bench.request(qp, Opcode::kCnp, 0);
  f.ipv4.source.value ^= 1;
  bench.arrive(f);
  EXPECT_EQ(bench.metric("receive.stray_address"), 1U);
  std::uint64_t strays = 0;
  for (const auto state : {abi::QpState::kReset, abi::QpState::kInit, abi::QpState::kError}) {
    qp.state = state;
    bench.arrive(bench.request(qp, Opcode::kCnp, 0));
    EXPECT_EQ(bench.metric("receive.stray_state"), ++strays);
  }
  EXPECT_THAT(congestion.cnps, ElementsAre());
  // What it answered may have been READ responses, which go from RTR on.
  qp.state = abi::QpState::kRtr;
  bench.arrive(bench.request(qp, Opcode::kCnp, 0));
  EXPECT_THAT(congestion.cnps, ElementsAre(1U));
  EXPECT_EQ(bench.metric("cnp_received"), 1U);
}

TEST_F(NicReceivePipeline, MarkedRequestsAndResponsesAreToldToTheNotificationPoint) {
  const auto mark = [](net::Frame& f) { f.ipv4.ecn = net::Ecn::kCe; };
  bench.send(qp, Opcode::kRcRdmaWriteOnly, 8, mark);
  net::Frame response = bench.request(qp, Opcode::kRcRdmaReadResponseOnly, 0);
  mark(response);
  bench.arrive(response);
  net::Frame stray = bench.request(qp, Opcode::kRcRdmaWriteOnly, 0);
  mark(stray);
  stray.ipv4.source.value ^= 1;
  bench.arrive(stray);
  bench.run();
  EXPECT_EQ(bench.metric("ce_received"), 2U);
}

TEST_F(NicReceivePipeline, AQueuePairThatGoesWhileItsContextIsReadTakesNothing) {
  bench.contexts.misses = 1;
  bench.send(qp, Opcode::kRcRdmaWriteOnly, 8);
  bench.run(100 * kNanosecond);
  qp.state = abi::QpState::kReset;
  bench.responder->reset(qp);
  bench.run();
  EXPECT_EQ(bench.metric("receive.stray_state"), 1U);
  EXPECT_TRUE(bench.answers().empty());
}

}  // namespace
}  // namespace railyard::nic
