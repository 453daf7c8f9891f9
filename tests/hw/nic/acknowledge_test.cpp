// When ACKs are made, and when a later one takes the place of an earlier.
#include <gmock/gmock.h>

#include "tests/hw/nic/responder_bench.h"

namespace railyard::nic {
namespace {

using net::Opcode;
using test::responder_config;
using test::ResponderBench;
using Strings = std::vector<std::string>;

NicConfig with(Time ack_delay, std::uint32_t ack_every) {
  NicConfig config = responder_config();
  config.ack_delay = ack_delay;
  config.receive.ack_every = ack_every;
  return config;
}

struct Bench : ResponderBench {
  explicit Bench(const NicConfig& c) : ResponderBench(c) { start(); }
  ~Bench() { expect_empty(); }
  void write() { send(qp, Opcode::kRcRdmaWriteOnly, 8); }
  Qp& qp = make_qp();
};

TEST(NicAcknowledge, OneOfAQueuePairIsOnItsWayAndLaterOnesMerge) {
  Bench bench(with(0, 0));
  bench.transmit.hold = true;
  for (int i = 0; i < 4; ++i) bench.write();
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ACK 0 1f 1"}));
  bench.transmit.let_go();
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ACK 0 1f 1", "ACK 3 1f 4"}));
  EXPECT_EQ(bench.metric("responder.acks"), 2U);
  EXPECT_EQ(bench.metric("responder.acks_merged"), 2U);
}

TEST(NicAcknowledge, OneWaitsForTheDelayAndLaterOnesMerge) {
  Bench bench(with(kMicrosecond, 0));
  const Time begin = bench.partition.now();
  bench.write();
  bench.later.in(500 * kNanosecond, [&] { bench.write(); });
  bench.later.in(1100 * kNanosecond, [&] { bench.write(); });
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ACK 1 1f 2", "ACK 2 1f 3"}));
  // context 3, transport 1, translation 5, dma_write 1, the delay, acknowledge 1.
  EXPECT_EQ(bench.transmit.jobs[0].at - begin, 1011 * kNanosecond);
  EXPECT_EQ(bench.transmit.jobs[1].at - begin, 2111 * kNanosecond);
}

TEST(NicAcknowledge, ADelayedOneIsForgottenWithItsQueuePair) {
  Bench bench(with(kMicrosecond, 0));
  bench.write();
  bench.run(100 * kNanosecond);
  bench.responder->reset(bench.qp);
  bench.run();
  EXPECT_TRUE(bench.answers().empty());
}

TEST(NicAcknowledge, ALongMessageIsAcknowledgedEverySoManyPackets) {
  Bench bench(with(0, 3));
  bench.transmit.line_time = 0;
  for (std::uint32_t i = 0; i < 8; ++i) {
    bench.send(bench.qp,
               i == 0   ? Opcode::kRcRdmaWriteFirst
               : i == 7 ? Opcode::kRcRdmaWriteLast
                        : Opcode::kRcRdmaWriteMiddle,
               ResponderBench::kMtu,
               [](net::Frame& f) { f.reth.dma_length = 8 * ResponderBench::kMtu; });
    bench.run(kMicrosecond);
  }
  EXPECT_EQ(bench.answers(), Strings({"ACK 2 1f 0", "ACK 5 1f 0", "ACK 7 1f 1"}));
}

TEST(NicAcknowledge, ANakTakesThePlaceOfAnAckThatWaitsForTheLine) {
  Bench bench(with(0, 0));
  bench.transmit.hold = true;
  bench.write();
  bench.write();
  bench.psn = psn::add(bench.psn, 1);
  bench.write();
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ACK 0 1f 1", "ACK 2 60 2"}));
  bench.transmit.let_go();
  bench.run();
  EXPECT_EQ(bench.answers(), Strings({"ACK 0 1f 1", "ACK 2 60 2"}));
}

// --- writes that PCIe does not take ---

TEST(NicWriteOrder, SoManyBytesAreWithPcieAndTheRestKeepTheirPlaces) {
  NicConfig config = responder_config();
  config.dma.write_bytes = 2 * ResponderBench::kMtu;
  Bench bench(config);
  bench.dma.hold_writes = true;
  for (int i = 0; i < 4; ++i) bench.send(bench.qp, Opcode::kRcRdmaWriteOnly, ResponderBench::kMtu);
  bench.run();
  EXPECT_EQ(bench.dma.writes.size(), 2U);
  EXPECT_EQ(bench.buffer.held(), 4U);
  EXPECT_EQ(bench.qp.responder.ack.msn, 2U);
  const Time now = bench.partition.now();
  bench.later.in(kMicrosecond, [&] { bench.dma.let_go(); });
  bench.run();
  EXPECT_EQ(bench.dma.writes.size(), 4U);
  for (const Metric& m : bench.simulation.metrics()) {
    if (m.info.name != "nic.dma_write.blocked_memory_ns") continue;
    EXPECT_GT(m.value.real, 1000 - 20);
  }
  EXPECT_GT(bench.partition.now(), now);
}

TEST(NicWriteOrder, AWriteOfMoreThanTheBoundGoesAlone) {
  NicConfig config = responder_config();
  config.dma.write_bytes = 16;
  Bench bench(config);
  for (int i = 0; i < 4; ++i) bench.send(bench.qp, Opcode::kRcRdmaWriteOnly, ResponderBench::kMtu);
  bench.run();
  EXPECT_EQ(bench.dma.writes.size(), 4U);
}

}  // namespace
}  // namespace railyard::nic
