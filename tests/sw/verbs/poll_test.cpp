// Completions out of a completion queue's memory.
#include <gmock/gmock.h>

#include "tests/support/allocations.h"
#include "tests/sw/verbs/verbs_bench.h"

namespace railyard::verbs {
namespace {

using support::cqe;
using support::kNs;
using support::Queues;
using support::send_wr;
using support::VerbsBench;
using testing::ElementsAre;

constexpr auto kRequester = abi::CqeOpcode::kRequester;

abi::Cqe failed(abi::CqeOpcode opcode, std::uint16_t counter, abi::Syndrome syndrome) {
  abi::Cqe entry = cqe(opcode, 0x40, counter);
  entry.timestamp = std::uint64_t{0x77} << 8 | static_cast<std::uint64_t>(syndrome);
  return entry;
}

TEST(VerbsPoll, EachSyndromeIsItsStatus) {
  VerbsBench([](VerbsBench& bench) {
    Queues queues;
    queues.connect();
    const std::vector<std::pair<int, ibv_wc_status>> all{
        {0x01, IBV_WC_LOC_LEN_ERR},       {0x02, IBV_WC_LOC_QP_OP_ERR},
        {0x04, IBV_WC_LOC_PROT_ERR},      {0x05, IBV_WC_WR_FLUSH_ERR},
        {0x10, IBV_WC_BAD_RESP_ERR},      {0x11, IBV_WC_LOC_ACCESS_ERR},
        {0x12, IBV_WC_REM_INV_REQ_ERR},   {0x13, IBV_WC_REM_ACCESS_ERR},
        {0x14, IBV_WC_REM_OP_ERR},        {0x15, IBV_WC_RETRY_EXC_ERR},
        {0x16, IBV_WC_RNR_RETRY_EXC_ERR}, {0x3F, IBV_WC_GENERAL_ERR}};
    std::uint16_t counter = 0;
    for (const auto& [syndrome, status] : all) {
      ibv_send_wr wr = send_wr(100U + counter);
      ASSERT_EQ(queues.post(wr), 0);
      bench.complete(queues.cq, failed(abi::CqeOpcode::kRequesterError, counter,
                                       static_cast<abi::Syndrome>(syndrome)));
      ibv_wc wc{};
      ASSERT_EQ(ibv_poll_cq(queues.cq, 1, &wc), 1);
      EXPECT_EQ(wc.status, status) << syndrome;
      EXPECT_EQ(wc.wr_id, 100U + counter);
      EXPECT_EQ(wc.vendor_err, 0x77U);
      EXPECT_EQ(wc.qp_num, 0x40U);
      ++counter;
    }
  });
}

TEST(VerbsPoll, AReceiveHasItsLengthItsImmediateAndItsWorkRequest) {
  VerbsBench([](VerbsBench& bench) {
    Queues queues;
    queues.connect();
    for (std::uint64_t id = 0; id < 4; ++id) {
      ibv_recv_wr wr{};
      wr.wr_id = 50 + id;
      ASSERT_EQ(queues.post(wr), 0);
    }
    abi::Cqe entry = cqe(abi::CqeOpcode::kResponderSend, 0x40, 0);
    entry.byte_count = 1234;
    entry.immediate = 5;  // nothing that was sent
    bench.complete(queues.cq, entry);
    entry = cqe(abi::CqeOpcode::kResponderSendImm, 0x40, 1);
    entry.immediate = 0x01020304;
    bench.complete(queues.cq, entry);
    entry = cqe(abi::CqeOpcode::kResponderWriteImm, 0x40, 2);
    entry.immediate = 0x0A0B0C0D;
    entry.byte_count = 77;
    bench.complete(queues.cq, entry);
    bench.complete(queues.cq, failed(abi::CqeOpcode::kResponderError, 3, abi::Syndrome::kFlushed));
    std::array<ibv_wc, 8> wc{};
    ASSERT_EQ(ibv_poll_cq(queues.cq, 8, wc.data()), 4);
    EXPECT_EQ(wc[0].wr_id, 50U);
    EXPECT_EQ(wc[0].opcode, IBV_WC_RECV);
    EXPECT_EQ(wc[0].byte_len, 1234U);
    EXPECT_EQ(wc[0].wc_flags, 0U);
    EXPECT_EQ(wc[1].opcode, IBV_WC_RECV);
    EXPECT_EQ(wc[1].wc_flags, static_cast<unsigned>(IBV_WC_WITH_IMM));
    EXPECT_EQ(wc[1].imm_data, __builtin_bswap32(0x01020304));
    EXPECT_EQ(wc[2].opcode, IBV_WC_RECV_RDMA_WITH_IMM);
    EXPECT_EQ(wc[2].imm_data, __builtin_bswap32(0x0A0B0C0D));
    EXPECT_EQ(wc[2].byte_len, 77U);
    EXPECT_EQ(wc[2].wr_id, 52U);
    EXPECT_EQ(wc[3].status, IBV_WC_WR_FLUSH_ERR);
    EXPECT_EQ(wc[3].wr_id, 53U);
    // All four are free again: the queue has room for eight.
    std::array<ibv_recv_wr, 9> list{};
    for (std::size_t i = 0; i + 1 < list.size(); ++i) list[i].next = &list[i + 1];
    EXPECT_EQ(queues.post(list[0]), ENOMEM);
    EXPECT_EQ(queues.bad_receive, &list[8]);
  });
}

TEST(VerbsPoll, GoesRoundTheRingByTheOwnerBitAndTellsTheDevice) {
  VerbsBench([](VerbsBench& bench) {
    Queues queues;
    queues.connect();
    ASSERT_EQ(queues.cq->cqe, 15);
    const Address record = bench.device->cqs.at(queues.cq->handle).doorbell_record;
    ibv_wc wc{};
    for (std::uint16_t i = 0; i < 50; ++i) {
      ibv_send_wr wr = send_wr(i);
      ASSERT_EQ(queues.post(wr), 0);
      EXPECT_EQ(ibv_poll_cq(queues.cq, 1, &wc), 0);
      bench.complete(queues.cq, cqe(kRequester, 0x40, i));
      ASSERT_EQ(ibv_poll_cq(queues.cq, 1, &wc), 1);
      EXPECT_EQ(wc.wr_id, i);
      EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
      EXPECT_EQ(bench.read<abi::CqDoorbellRecord>(record).consumer, i + 1U);
    }
  });
}

TEST(VerbsPoll, TakesNoMoreThanAskedFor) {
  VerbsBench([](VerbsBench& bench) {
    Queues queues;
    queues.connect();
    for (std::uint16_t i = 0; i < 3; ++i) {
      ibv_send_wr wr = send_wr(i);
      ASSERT_EQ(queues.post(wr), 0);
      bench.complete(queues.cq, cqe(kRequester, 0x40, i));
    }
    std::array<ibv_wc, 3> wc{};
    EXPECT_EQ(ibv_poll_cq(queues.cq, 0, wc.data()), 0);
    EXPECT_EQ(ibv_poll_cq(queues.cq, 2, wc.data()), 2);
    EXPECT_EQ(ibv_poll_cq(queues.cq, 3, wc.data()), 1);
    EXPECT_EQ(wc[0].wr_id, 2U);
  });
}

// A look misses once (90 ns), the entry's other bytes come with it.
TEST(VerbsPoll, CostsAMissAnEntry) {
  VerbsBench([](VerbsBench& bench) {
    Queues queues;
    queues.connect();
    ibv_send_wr wr = send_wr(1);
    ASSERT_EQ(queues.post(wr), 0);
    ibv_wc wc{};
    Time start = bench.simulation.now();
    EXPECT_EQ(ibv_poll_cq(queues.cq, 1, &wc), 0);
    EXPECT_EQ(bench.simulation.now() - start, 90 * kNs);
    bench.complete(queues.cq, cqe(kRequester, 0x40, 0));
    ASSERT_EQ(queues.post(wr), 0);  // something else in between
    start = bench.simulation.now();
    EXPECT_EQ(ibv_poll_cq(queues.cq, 1, &wc), 1);
    EXPECT_EQ(bench.simulation.now() - start, 90 * kNs + 6400 + 2 * kNs);
  });
}

TEST(VerbsPoll, ASpinningProgramWaitsTwiceAsLongEachTimeUpToTheBound) {
  VerbsBench([](VerbsBench& bench) {
    Queues queues;
    queues.connect();
    std::vector<Time> took;
    const auto poll = [&] {
      const Time start = bench.simulation.now();
      ibv_wc wc{};
      EXPECT_EQ(ibv_poll_cq(queues.cq, 1, &wc), 0);
      took.push_back((bench.simulation.now() - start) / kNs);
    };
    for (int i = 0; i < 6; ++i) poll();
    EXPECT_THAT(took, ElementsAre(90, 125, 250, 500, 1000, 1000));
    took.clear();
    ibv_send_wr wr = send_wr(1);
    ASSERT_EQ(queues.post(wr), 0);  // begins anew
    poll();
    poll();
    EXPECT_THAT(took, ElementsAre(90, 125));
  });
}

TEST(VerbsPoll, ASpinningProgramSeesAnEntryAtOnceAndCostsFewEvents) {
  VerbsBench([](VerbsBench& bench) {
    Queues queues;
    queues.connect();
    ibv_send_wr wr = send_wr(1);
    ASSERT_EQ(queues.post(wr), 0);
    bench.late = [&] { bench.complete(queues.cq, cqe(kRequester, 0x40, 0)); };
    bench.machine->core().spend(VerbsBench::kLate - 100 * kMicrosecond - bench.simulation.now());
    const std::uint64_t before = bench.partition().scheduler().fired();
    int polls = 0;
    ibv_wc wc{};
    while (ibv_poll_cq(queues.cq, 1, &wc) == 0) ++polls;
    EXPECT_LT(bench.simulation.now() - VerbsBench::kLate, 200 * kNs);
    EXPECT_GT(bench.simulation.now(), VerbsBench::kLate);
    EXPECT_LT(polls, 110);  // looks at 20 ns would be 5,000
    EXPECT_LT(bench.partition().scheduler().fired() - before, 250U);
  });
}

TEST(VerbsPoll, PostingAndPollingAllocateNothingEachTime) {
  VerbsBench([](VerbsBench& bench) {
    Queues queues;
    queues.connect();
    bench.port.writes.reserve(1000);
    std::uint64_t before = 0;
    for (std::uint16_t i = 0; i < 300; ++i) {
      if (i == 100) before = support::allocations();
      ibv_send_wr wr = send_wr(i);
      ibv_recv_wr receive{};
      ibv_wc wc{};
      ASSERT_EQ(queues.post(wr) + queues.post(receive), 0);
      EXPECT_EQ(ibv_poll_cq(queues.cq, 1, &wc), 0);
      bench.complete(queues.cq, cqe(kRequester, 0x40, i));
      bench.complete(queues.cq, cqe(abi::CqeOpcode::kResponderSend, 0x40, i));
      ASSERT_EQ(ibv_poll_cq(queues.cq, 1, &wc), 1);
      ASSERT_EQ(ibv_poll_cq(queues.cq, 1, &wc), 1);
    }
    // The fake port keeps the bytes of each of the 200 doorbells, and containers still grow.
    EXPECT_LT(support::allocations() - before, 210U);
  });
}

TEST(VerbsPoll, CompletionsOfADestroyedQueuePairAreGoneAndOthersStay) {
  VerbsBench([](VerbsBench& bench) {
    Queues queues;
    queues.connect();
    ibv_qp_init_attr init{};
    init.send_cq = queues.cq;
    init.recv_cq = queues.cq;
    init.qp_type = IBV_QPT_RC;
    init.cap = {4, 4, 1, 1, 0};
    ibv_qp* other = ibv_create_qp(queues.pd, &init);
    ASSERT_NE(other, nullptr);
    ibv_send_wr wr = send_wr(7);
    ASSERT_EQ(queues.post(wr), 0);
    other->state = IBV_QPS_RTS;
    ibv_send_wr theirs = send_wr(8);
    ASSERT_EQ(ibv_post_send(other, &theirs, &queues.bad), 0);
    bench.complete(queues.cq, cqe(kRequester, other->qp_num, 0));
    bench.complete(queues.cq, cqe(kRequester, 0x40, 0));
    ASSERT_EQ(ibv_destroy_qp(other), 0);
    bench.complete(queues.cq, cqe(kRequester, 0x41, 0));  // one that came even later
    std::array<ibv_wc, 4> wc{};
    EXPECT_EQ(ibv_poll_cq(queues.cq, 4, wc.data()), 1);
    EXPECT_EQ(wc[0].wr_id, 7U);
  });
}

}  // namespace
}  // namespace railyard::verbs
