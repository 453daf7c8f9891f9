#include "hw/nic/requester.h"

#include <gtest/gtest.h>

#include "tests/hw/nic/requester_bench.h"

namespace railyard::nic {
namespace {

using net::Opcode;
using requester_test::requester_config;
using requester_test::RequesterBench;
using requester_test::WqeText;

std::vector<Opcode> opcodes(const RequesterBench& bench) {
  std::vector<Opcode> all;
  for (const auto& s : bench.transmit.sent) all.push_back(s.frame.bth.opcode);
  return all;
}

TEST(Requester, SendsAWriteOfOnePacketWithEveryField) {
  RequesterBench b;
  Qp& qp = b.add_qp(3);
  b.post(qp, b.message(abi::Opcode::kRdmaWrite, 100, 8));
  b.run(5 * kMicrosecond);
  ASSERT_EQ(b.transmit.sent.size(), 1U);
  const auto& sent = b.transmit.sent[0];
  EXPECT_EQ(sent.frame.bth.opcode, Opcode::kRcRdmaWriteOnly);
  EXPECT_EQ(sent.frame.bth.psn, 100U);
  EXPECT_EQ(sent.frame.bth.destination_qp, 0x123U);
  EXPECT_TRUE(sent.frame.bth.ack_request);
  EXPECT_FALSE(sent.frame.bth.solicited_event);
  EXPECT_EQ(sent.frame.reth.virtual_address, 0x7000'0000U);
  EXPECT_EQ(sent.frame.reth.rkey, 0x99U);
  EXPECT_EQ(sent.frame.reth.dma_length, 100U);
  EXPECT_EQ(sent.frame.payload_bytes, 100U);
  const std::uint8_t* data = &b.dma.memory[RequesterBench::kData + 8];
  EXPECT_EQ(sent.payload, std::vector<std::uint8_t>(data, data + 100));
  EXPECT_TRUE(b.completions.all.empty());
  EXPECT_EQ(b.partition().outstanding_work(), 1U);
  b.ack(qp, 100);
  ASSERT_EQ(b.completions.all.size(), 1U);
  EXPECT_EQ(b.completions.all[0].opcode, abi::CqeOpcode::kRequester);
  EXPECT_EQ(b.completions.all[0].wqe_opcode, abi::Opcode::kRdmaWrite);
  EXPECT_EQ(b.completions.all[0].byte_count, 100U);
  EXPECT_EQ(b.completions.all[0].cq, 3U);
  EXPECT_EQ(b.partition().outstanding_work(), 0U);
  EXPECT_EQ(b.buffer.released, 1U);
}

// doorbell -> scheduler 1 ns, context 1, fetch 500, wqe 1, translation 1.
TEST(Requester, TakesTheTimeOfItsStagesAndOfOneWqeFetch) {
  RequesterBench b;
  Qp& qp = b.add_qp();
  b.post(qp, b.message(abi::Opcode::kRdmaWrite, 100));
  b.run(5 * kMicrosecond);
  ASSERT_EQ(b.transmit.sent.size(), 1U);
  EXPECT_EQ(b.transmit.sent[0].taken, 504 * kNanosecond);
}

TEST(Requester, NeedsNoFetchForAWqeThatCameWithTheDoorbell) {
  RequesterBench b;
  Qp& qp = b.add_qp();
  b.seal();
  WqeText text = b.message(abi::Opcode::kSend, 0);
  text.is_inline = true;
  text.inlined = {1, 2, 3};
  const std::vector<std::uint8_t> bytes = text.bytes(0, qp.number);
  b.requester->blue_field(qp.number, bytes.data(), 64, 10 * kNanosecond);
  b.run(kMicrosecond);
  ASSERT_EQ(b.transmit.sent.size(), 1U);
  EXPECT_TRUE(b.dma.reads.empty());
  EXPECT_EQ(b.transmit.sent[0].taken, 13 * kNanosecond);
  EXPECT_EQ(b.transmit.sent[0].payload, text.inlined);
  EXPECT_EQ(b.metric("requester.wqes_pushed"), 1U);
}

TEST(Requester, ReadsAPushedWqeWhoseTurnItIsNotFromMemory) {
  RequesterBench b;
  Qp& qp = b.add_qp();
  b.seal();
  b.put(qp, b.message(abi::Opcode::kSend, 10));
  b.put(qp, b.message(abi::Opcode::kSend, 20));
  const std::uint8_t* second = &b.dma.memory[qp.send.entry(1)];
  b.requester->blue_field(qp.number, second, 64, 0);
  b.run(5 * kMicrosecond);
  EXPECT_EQ(b.psns(), (std::vector<std::uint32_t>{100, 101}));
  EXPECT_EQ(b.metric("requester.wqes_fetched"), 2U);
}

TEST(Requester, CutsMessagesAtThePathMtu) {
  RequesterBench b;
  Qp& qp = b.add_qp();
  const std::vector<std::uint32_t> sizes = {0, 1, 1023, 1024, 1025, 3072};
  for (const std::uint32_t size : sizes) b.put(qp, b.message(abi::Opcode::kSend, size, 3));
  b.ring(qp);
  b.run(20 * kMicrosecond);
  EXPECT_EQ(opcodes(b), (std::vector<Opcode>{
                            Opcode::kRcSendOnly, Opcode::kRcSendOnly, Opcode::kRcSendOnly,
                            Opcode::kRcSendOnly, Opcode::kRcSendFirst, Opcode::kRcSendLast,
                            Opcode::kRcSendFirst, Opcode::kRcSendMiddle, Opcode::kRcSendLast}));
  std::vector<std::uint8_t> all;
  std::vector<std::uint8_t> expected;
  for (const auto& s : b.transmit.sent) {
    EXPECT_EQ(s.frame.payload_bytes, s.payload.size());
    EXPECT_EQ(s.frame.bth.ack_request, net::ends_message(s.frame.bth.opcode));
    all.insert(all.end(), s.payload.begin(), s.payload.end());
  }
  for (const std::uint32_t size : sizes) {
    const std::uint8_t* data = &b.dma.memory[RequesterBench::kData + 3];
    expected.insert(expected.end(), data, data + size);
  }
  EXPECT_EQ(all, expected);
  EXPECT_EQ(qp.requester.next_psn, 109U);
}

TEST(Requester, PutsImmediateDataAndTheSolicitedBitOnTheLastPacketAlone) {
  RequesterBench b;
  Qp& qp = b.add_qp();
  for (const auto opcode : {abi::Opcode::kSendImm, abi::Opcode::kRdmaWriteImm}) {
    for (const std::uint32_t size : {10U, 1500U}) {
      WqeText text = b.message(opcode, size);
      text.flags = abi::wqe_flag::kSolicited;
      text.immediate = 0x1234'5678;
      b.put(qp, text);
    }
  }
  b.ring(qp);
  b.run(20 * kMicrosecond);
  EXPECT_EQ(opcodes(b), (std::vector<Opcode>{
                            Opcode::kRcSendOnlyWithImmediate, Opcode::kRcSendFirst,
                            Opcode::kRcSendLastWithImmediate, Opcode::kRcRdmaWriteOnlyWithImmediate,
                            Opcode::kRcRdmaWriteFirst, Opcode::kRcRdmaWriteLastWithImmediate}));
  for (const auto& s : b.transmit.sent) {
    const bool last = net::ends_message(s.frame.bth.opcode);
    EXPECT_EQ(s.frame.bth.solicited_event, last);
    EXPECT_EQ(s.frame.immediate.value, last ? 0x1234'5678U : 0U);
  }
}

TEST(Requester, GathersAPacketOverDataSegmentsAndPages) {
  RequesterBench b;
  b.keys.cut = true;
  Qp& qp = b.add_qp();
  WqeText text;
  text.opcode = abi::Opcode::kSend;
  const std::uint64_t v = RequesterBench::kVirtual;
  text.data = {{v + 4000, 200, RequesterBench::kKey},
               {v + 9, 1, RequesterBench::kKey},
               {v + 8100, 1500, RequesterBench::kKey}};
  b.post(qp, text);
  b.run(20 * kMicrosecond);
  ASSERT_EQ(b.transmit.sent.size(), 2U);
  std::vector<std::uint8_t> expected;
  for (const auto& d : text.data) {
    const std::uint8_t* data = &b.dma.memory[RequesterBench::kData + d.address - v];
    expected.insert(expected.end(), data, data + d.bytes);
  }
  std::vector<std::uint8_t> all = b.transmit.sent[0].payload;
  all.insert(all.end(), b.transmit.sent[1].payload.begin(), b.transmit.sent[1].payload.end());
  EXPECT_EQ(all, expected);
  EXPECT_EQ(b.transmit.sent[0].segments, 5U);
}

TEST(Requester, CutsInlineBytesAtThePathMtuToo) {
  RequesterBench b;
  Qp& qp = b.add_qp();
  qp.path_mtu = 256;
  WqeText text;
  text.opcode = abi::Opcode::kRdmaWrite;
  text.is_inline = true;
  for (int i = 0; i < 600; ++i) text.inlined.push_back(static_cast<std::uint8_t>(i));
  b.post(qp, text);
  b.run(20 * kMicrosecond);
  ASSERT_EQ(b.transmit.sent.size(), 3U);
  EXPECT_EQ(b.transmit.sent[2].payload,
            std::vector<std::uint8_t>(text.inlined.begin() + 512, text.inlined.end()));
}

// A message a WQE of one block, at most four blocks a read; stage wqe takes one in 50 ns.
std::vector<Time> times_of(std::uint32_t prefetch, std::uint32_t count) {
  NicConfig config = requester_config();
  config.send.wqe_prefetch = prefetch;
  config.stages.wqe.interval = 50;
  RequesterBench b(config);
  Qp& qp = b.add_qp();
  for (std::uint32_t i = 0; i < count; ++i) b.put(qp, b.message(abi::Opcode::kRdmaWrite, 8));
  b.ring(qp);
  b.run(100 * kMicrosecond);
  std::vector<Time> times;
  for (const auto& s : b.transmit.sent) times.push_back(s.taken);
  EXPECT_EQ(times.size(), count);
  return times;
}

TEST(Requester, HidesTheWqeFetchBehindADeepPrefetch) {
  const std::vector<Time> times = times_of(32, 60);
  for (std::size_t i = 1; i < times.size(); ++i) {
    EXPECT_EQ(times[i] - times[i - 1], 50 * kNanosecond) << i;
  }
}

TEST(Requester, IsBoundByTheRoundTripOfAFetchIfItReadsOneWqeAhead) {
  const std::vector<Time> times = times_of(1, 20);
  for (std::size_t i = 2; i < times.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(times[i] - times[i - 1]), 500 * kNanosecond, 5 * kNanosecond)
        << i;
  }
}

TEST(Requester, ReadsAtMostSoManyBlocksAndNeverAcrossTheEndOfTheRing) {
  RequesterBench b;
  Qp& qp = b.add_qp(0, 3);
  std::uint64_t acked = 0;
  b.transmit.peer = [&](const auto& s) { acked = s.frame.bth.psn; };
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 6; ++i) b.put(qp, b.message(abi::Opcode::kRdmaWrite, 8));
    b.ring(qp);
    b.run(10 * kMicrosecond);
    b.ack(qp, static_cast<std::uint32_t>(acked));
  }
  EXPECT_EQ(b.completions.all.size(), 30U);
  EXPECT_EQ(b.completions.all.back().wqe_counter, 29U);
  const std::uint64_t end = qp.send.address + 8 * 64;
  for (const auto& r : b.dma.reads) {
    EXPECT_LE(r.bytes, 256U);
    EXPECT_LE(r.address + r.bytes, end);
  }
}

TEST(Requester, TakesWqesThatWrapAroundTheRing) {
  RequesterBench b;
  Qp& qp = b.add_qp(0, 3);
  WqeText text = b.message(abi::Opcode::kSend, 4);
  for (int i = 0; i < 9; ++i) text.data.push_back({RequesterBench::kVirtual, 4, b.kKey});
  std::uint32_t last = 0;
  b.transmit.peer = [&](const auto& s) { last = s.frame.bth.psn; };
  for (int round = 0; round < 8; ++round) {
    b.post(qp, text);  // three blocks
    b.run(10 * kMicrosecond);
    EXPECT_EQ(last, 100U + static_cast<std::uint32_t>(round));
    b.ack(qp, last);
  }
  EXPECT_EQ(b.completions.all.size(), 8U);
  EXPECT_EQ(b.metric("requester.wqe_errors"), 0U);
}

TEST(Requester, ReadsAWqeLongerThanThePrefetchToItsEnd) {
  NicConfig config = requester_config();
  config.send.wqe_prefetch = 1;
  config.send.wqe_fetch = 1;
  RequesterBench b(config);
  Qp& qp = b.add_qp();
  WqeText text = b.message(abi::Opcode::kSend, 4);
  for (int i = 0; i < 20; ++i) text.data.push_back({RequesterBench::kVirtual, 4, b.kKey});
  b.post(qp, text);
  b.run(10 * kMicrosecond);
  ASSERT_EQ(b.transmit.sent.size(), 1U);
  EXPECT_EQ(b.transmit.sent[0].frame.payload_bytes, 84U);
}

TEST(Requester, TranslatesPiecesAndPacketsWithoutWaitingForTheOneBefore) {
  RequesterBench b;
  b.keys.latency = 400 * kNanosecond;
  Qp& qp = b.add_qp();
  WqeText text = b.message(abi::Opcode::kRdmaWrite, 100);
  text.data.push_back({RequesterBench::kVirtual, 3 * 1024, b.kKey});
  b.post(qp, text);
  b.run(10 * kMicrosecond);
  ASSERT_EQ(b.transmit.sent.size(), 4U);
  EXPECT_EQ(b.transmit.sent[0].segments, 2U);
  EXPECT_LT(b.transmit.sent[3].taken - b.transmit.sent[0].taken, b.keys.latency / 4);
}

TEST(Requester, CompletesThoseThatAskForItInOrder) {
  RequesterBench b;
  Qp& qp = b.add_qp();
  for (int i = 0; i < 6; ++i) {
    WqeText text = b.message(abi::Opcode::kRdmaWrite, 8);
    text.flags = i % 3 == 2 ? abi::wqe_flag::kCqUpdate : 0;
    if (i == 4) text.opcode = abi::Opcode::kNop;
    if (i == 4) text.data.clear();
    b.put(qp, text);
  }
  b.ring(qp);
  b.run(10 * kMicrosecond);
  EXPECT_EQ(b.transmit.sent.size(), 5U);
  b.ack(qp, 103);
  ASSERT_EQ(b.completions.all.size(), 1U);
  EXPECT_EQ(b.completions.all[0].wqe_counter, 2U);
  b.ack(qp, 104);
  ASSERT_EQ(b.completions.all.size(), 2U);
  EXPECT_EQ(b.completions.all[1].wqe_counter, 5U);
  qp.signal_all = true;
  WqeText text = b.message(abi::Opcode::kNop, 0);
  text.flags = 0;
  b.post(qp, text);
  b.run(10 * kMicrosecond);
  ASSERT_EQ(b.completions.all.size(), 3U);
  EXPECT_EQ(b.completions.all[2].wqe_opcode, abi::Opcode::kNop);
  EXPECT_EQ(b.partition().outstanding_work(), 0U);
}

}  // namespace
}  // namespace railyard::nic
