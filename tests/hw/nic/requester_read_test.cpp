#include <gtest/gtest.h>

#include "tests/hw/nic/requester_bench.h"

namespace railyard::nic {
namespace {

using requester_test::RequesterBench;
using requester_test::WqeText;

TEST(RequesterRead, AsksOnceAndTakesAPsnForEachResponse) {
  RequesterBench b;
  Qp& qp = b.add_qp();
  b.put(qp, b.message(abi::Opcode::kRdmaRead, 2500));
  b.put(qp, b.message(abi::Opcode::kRdmaWrite, 8));
  b.ring(qp);
  b.run(5 * kMicrosecond);
  ASSERT_EQ(b.psns(), (std::vector<std::uint32_t>{100, 103}));
  const net::Frame& request = b.transmit.sent[0].frame;
  EXPECT_EQ(request.bth.opcode, net::Opcode::kRcRdmaReadRequest);
  EXPECT_TRUE(request.bth.ack_request);
  EXPECT_EQ(request.reth.virtual_address, 0x7000'0000U);
  EXPECT_EQ(request.reth.dma_length, 2500U);
  EXPECT_EQ(request.payload_bytes, 0U);
}

TEST(RequesterRead, WritesResponsesToTheLocalSegmentsAndThenCompletes) {
  RequesterBench b;
  b.keys.cut = true;
  Qp& qp = b.add_qp();
  WqeText text = b.message(abi::Opcode::kRdmaRead, 0);
  const std::uint64_t v = RequesterBench::kVirtual;
  text.data = {{v + 4000, 1500, b.kKey}, {v + 20'000, 1000, b.kKey}};
  b.post(qp, text);
  b.run(5 * kMicrosecond);
  b.respond(qp, 100, 1024, 1);
  b.respond(qp, 101, 1024, 2);
  b.respond(qp, 102, 452, 3);
  EXPECT_TRUE(b.completions.all.empty());
  b.run(kMicrosecond);
  ASSERT_EQ(b.completions.all.size(), 1U);
  EXPECT_EQ(b.completions.all[0].byte_count, 2500U);
  const auto at = [&](std::uint64_t offset) {
    return b.dma.memory[RequesterBench::kData + offset];
  };
  EXPECT_EQ(at(4000), 1);
  EXPECT_EQ(at(5023), 1);
  EXPECT_EQ(at(5024), 2);
  EXPECT_EQ(at(5499), 2);
  EXPECT_EQ(at(20'000), 2);
  EXPECT_EQ(at(20'000 + 547), 2);
  EXPECT_EQ(at(20'000 + 548), 3);
  EXPECT_EQ(at(20'000 + 999), 3);
  EXPECT_EQ(b.buffer.released, 3U);
}

TEST(RequesterRead, CompletesAReadOfNoBytes) {
  RequesterBench b;
  Qp& qp = b.add_qp();
  b.post(qp, b.message(abi::Opcode::kRdmaRead, 0));
  b.run(5 * kMicrosecond);
  ASSERT_EQ(b.transmit.sent.size(), 1U);
  b.respond(qp, 100, 0);
  EXPECT_EQ(b.completions.all.size(), 1U);
  EXPECT_EQ(b.buffer.released, 1U);
}

TEST(RequesterRead, TakesAResponseAsTheAcknowledgementOfWhatWasBefore) {
  RequesterBench b;
  Qp& qp = b.add_qp();
  b.put(qp, b.message(abi::Opcode::kRdmaWrite, 8));
  b.put(qp, b.message(abi::Opcode::kRdmaRead, 8));
  b.ring(qp);
  b.run(5 * kMicrosecond);
  b.respond(qp, 101, 8);
  EXPECT_EQ(b.completions.all.size(), 1U);
  b.run(kMicrosecond);
  EXPECT_EQ(b.completions.all.size(), 2U);
}

TEST(RequesterRead, AsksAgainFromTheResponseThatIsMissing) {
  RequesterBench b;
  Qp& qp = b.add_qp();
  b.post(qp, b.message(abi::Opcode::kRdmaRead, 4096));
  b.run(5 * kMicrosecond);
  b.respond(qp, 100, 1024);
  b.respond(qp, 102, 1024);
  b.respond(qp, 103, 1024);  // the same gap: no second request
  b.run(5 * kMicrosecond);
  ASSERT_EQ(b.psns(), (std::vector<std::uint32_t>{100, 101}));
  EXPECT_EQ(b.transmit.sent[1].frame.reth.virtual_address, 0x7000'0000U + 1024);
  EXPECT_EQ(b.transmit.sent[1].frame.reth.dma_length, 3072U);
  for (std::uint32_t psn = 101; psn < 104; ++psn) b.respond(qp, psn, 1024);
  b.run(kMicrosecond);
  EXPECT_EQ(b.completions.all.size(), 1U);
  EXPECT_EQ(b.metric("requester.gaps"), 1U);
  EXPECT_EQ(b.buffer.released, b.answers);
}

TEST(RequesterRead, AsksAgainIfALaterRequestIsAcknowledgedFirst) {
  RequesterBench b;
  Qp& qp = b.add_qp();
  b.put(qp, b.message(abi::Opcode::kRdmaRead, 1500));
  b.put(qp, b.message(abi::Opcode::kRdmaWrite, 8));
  b.ring(qp);
  b.run(5 * kMicrosecond);
  b.ack(qp, 102);
  EXPECT_TRUE(b.completions.all.empty());
  b.run(5 * kMicrosecond);
  EXPECT_EQ(b.psns(), (std::vector<std::uint32_t>{100, 102, 100, 102}));
  b.respond(qp, 100, 1024);
  b.respond(qp, 101, 476);
  b.ack(qp, 102);
  b.run(kMicrosecond);
  EXPECT_EQ(b.completions.all.size(), 2U);
}

TEST(RequesterRead, KeepsTheLimitOfReadsOutstandingAndAllBehindWait) {
  RequesterBench b;
  Qp& qp = b.add_qp();
  qp.max_reads = 2;
  for (int i = 0; i < 3; ++i) b.put(qp, b.message(abi::Opcode::kRdmaRead, 8));
  b.put(qp, b.message(abi::Opcode::kRdmaWrite, 8));
  b.ring(qp);
  b.run(5 * kMicrosecond);
  EXPECT_EQ(b.psns(), (std::vector<std::uint32_t>{100, 101}));
  EXPECT_GT(b.time_of("scheduler.blocked_window_ns"), 4000);
  b.respond(qp, 100, 8);
  b.run(5 * kMicrosecond);
  EXPECT_EQ(b.psns(), (std::vector<std::uint32_t>{100, 101, 102, 103}));
}

TEST(RequesterRead, FenceWaitsForTheReadsBeforeIt) {
  RequesterBench b;
  Qp& qp = b.add_qp();
  b.put(qp, b.message(abi::Opcode::kRdmaRead, 8));
  b.put(qp, b.message(abi::Opcode::kRdmaWrite, 8));
  WqeText fenced = b.message(abi::Opcode::kRdmaWrite, 8);
  fenced.flags = abi::wqe_flag::kFence;
  b.put(qp, fenced);
  b.ring(qp);
  b.run(5 * kMicrosecond);
  EXPECT_EQ(b.psns(), (std::vector<std::uint32_t>{100, 101}));
  b.respond(qp, 100, 8);
  b.run(5 * kMicrosecond);
  EXPECT_EQ(b.psns(), (std::vector<std::uint32_t>{100, 101, 102}));
}

TEST(RequesterRead, FailsAResponseOfAWrongLength) {
  RequesterBench b;
  Qp& qp = b.add_qp();
  b.post(qp, b.message(abi::Opcode::kRdmaRead, 100));
  b.run(5 * kMicrosecond);
  b.respond(qp, 100, 99);
  ASSERT_EQ(b.completions.all.size(), 1U);
  EXPECT_EQ(b.completions.all[0].syndrome, abi::Syndrome::kBadResponse);
  EXPECT_EQ(b.buffer.released, 1U);
}

TEST(RequesterRead, FailsIfTheKeyGoesWhileItIsOutstanding) {
  RequesterBench b;
  Qp& qp = b.add_qp();
  b.post(qp, b.message(abi::Opcode::kRdmaRead, 2048));
  b.run(5 * kMicrosecond);
  b.respond(qp, 100, 1024);
  b.run(kMicrosecond);
  b.keys.keys.clear();
  b.respond(qp, 101, 1024);
  b.run(kMicrosecond);
  ASSERT_EQ(b.completions.all.size(), 1U);
  EXPECT_EQ(b.completions.all[0].syndrome, abi::Syndrome::kLocalProtection);
  EXPECT_EQ(b.buffer.released, 2U);
}

TEST(RequesterRead, GivesTheBufferBackOfAQueuePairThatWasReset) {
  RequesterBench b;
  b.keys.miss = kMicrosecond;
  Qp& qp = b.add_qp();
  b.post(qp, b.message(abi::Opcode::kRdmaRead, 8));
  b.run(5 * kMicrosecond);
  b.respond(qp, 100, 8);
  qp.state = abi::QpState::kReset;
  b.requester->reset(qp);
  b.run(5 * kMicrosecond);
  EXPECT_EQ(b.buffer.released, 1U);
  EXPECT_TRUE(b.completions.all.empty());
}

}  // namespace
}  // namespace railyard::nic
