// Work requests as WQEs in memory, doorbells, and what is refused.
#include <gmock/gmock.h>

#include "tests/sw/verbs/verbs_bench.h"

namespace railyard::verbs {
namespace {

using support::Queues;
using support::send_wr;
using support::VerbsBench;
using testing::Each;
using testing::ElementsAre;

/// The send queue's memory at a block.
template <class T>
T sent(VerbsBench& bench, const Queues& queues, std::uint32_t block, std::uint32_t offset = 0) {
  const driver::QueuePair& ring = bench.device->qps.at(queues.qp->qp_num);
  return bench.read<T>(ring.send + std::uint64_t{block} * abi::kWqeBytes + offset);
}
std::uint32_t send_record(VerbsBench& bench, const Queues& queues) {
  return bench.read<abi::QpDoorbellRecord>(bench.device->qps.at(queues.qp->qp_num).doorbell_record)
      .send;
}
std::uint32_t receive_record(VerbsBench& bench, const Queues& queues) {
  return bench.read<abi::QpDoorbellRecord>(bench.device->qps.at(queues.qp->qp_num).doorbell_record)
      .receive;
}

TEST(VerbsPost, AWriteWithImmediateIsAControlARemoteAddressAndDataSegments) {
  VerbsBench([](VerbsBench& bench) {
    Queues queues;
    queues.connect();
    std::array<ibv_sge, 2> list{{{0x1122334455667788, 100, 0xA1}, {0x99, 7, 0xB2}}};
    ibv_send_wr wr = send_wr(1, IBV_SEND_SIGNALED | IBV_SEND_FENCE | IBV_SEND_SOLICITED);
    wr.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
    wr.imm_data = __builtin_bswap32(0xDEADBEEF);
    wr.wr.rdma.remote_addr = 0xCAFE'0000'1234;
    wr.wr.rdma.rkey = 0x4242;
    wr.sg_list = list.data();
    wr.num_sge = 2;
    ASSERT_EQ(queues.post(wr), 0);
    const auto bytes = sent<std::array<std::uint8_t, 64>>(bench, queues, 0);
    EXPECT_THAT(bytes, ElementsAre(                                               //
                           0, 0, 0, 0x09, 0, 0, 0x40, 4, 0, 0, 0, 0x8A,           // control
                           0xDE, 0xAD, 0xBE, 0xEF,                                // immediate
                           0, 0, 0xCA, 0xFE, 0, 0, 0x12, 0x34, 0, 0, 0x42, 0x42,  // remote
                           0, 0, 0, 0,                                            //
                           0, 0, 0, 100, 0, 0, 0, 0xA1,                           // data
                           0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,        //
                           0, 0, 0, 7, 0, 0, 0, 0xB2, 0, 0, 0, 0, 0, 0, 0, 0x99));
    EXPECT_EQ(send_record(bench, queues), 1U);
  });
}

struct Case {
  ibv_wr_opcode opcode;
  abi::Opcode is;
  std::uint32_t segments;  // with one data segment
};

TEST(VerbsPost, EachOperationHasItsOpcodeAndSegments) {
  VerbsBench([](VerbsBench& bench) {
    Queues queues;
    queues.connect();
    const std::vector<Case> cases{{IBV_WR_SEND, abi::Opcode::kSend, 2},
                                  {IBV_WR_SEND_WITH_IMM, abi::Opcode::kSendImm, 2},
                                  {IBV_WR_RDMA_WRITE, abi::Opcode::kRdmaWrite, 3},
                                  {IBV_WR_RDMA_WRITE_WITH_IMM, abi::Opcode::kRdmaWriteImm, 3},
                                  {IBV_WR_RDMA_READ, abi::Opcode::kRdmaRead, 3}};
    std::uint32_t block = 0;
    for (const Case& one : cases) {
      ibv_sge sge{0x1000, 8, 1};
      ibv_send_wr wr = send_wr(block, 0);
      wr.opcode = one.opcode;
      wr.sg_list = &sge;
      wr.num_sge = 1;
      ASSERT_EQ(queues.post(wr), 0);
      const auto control = sent<abi::ControlSegment>(bench, queues, block);
      EXPECT_EQ(control.index_opcode, block << 8 | static_cast<std::uint32_t>(one.is));
      EXPECT_EQ(control.qpn_ds, 0x40U << 8 | one.segments);
      EXPECT_EQ(control.flags, 0);  // not signalled
      ++block;
    }
  });
}

TEST(VerbsPost, ASegmentOfNoBytesIsLeftOut) {
  VerbsBench([](VerbsBench& bench) {
    Queues queues;
    queues.connect();
    std::array<ibv_sge, 2> list{{{0x1000, 0, 1}, {0x2000, 5, 2}}};
    ibv_send_wr wr = send_wr(1);
    wr.sg_list = list.data();
    wr.num_sge = 2;
    ASSERT_EQ(queues.post(wr), 0);
    EXPECT_EQ(sent<abi::ControlSegment>(bench, queues, 0).qpn_ds & 0x3F, 2U);
    EXPECT_EQ(sent<abi::DataSegment>(bench, queues, 0, 16).address, 0x2000U);
  });
}

TEST(VerbsPost, InlineBytesAreInTheWqeUpToTheLimitThatWasGiven) {
  VerbsBench([](VerbsBench& bench) {
    Queues queues({8, 8, 1, 1, 100});
    // 36 B of headers and 100 B fill three blocks: 156 B fit.
    EXPECT_EQ(queues.given.max_inline_data, 156U);
    queues.connect();
    std::vector<std::uint8_t> data(157);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i + 1);
    ibv_sge sge{reinterpret_cast<std::uintptr_t>(data.data()), 156, 0};
    ibv_send_wr wr = send_wr(1, IBV_SEND_INLINE);
    wr.opcode = IBV_WR_RDMA_WRITE;
    wr.sg_list = &sge;
    wr.num_sge = 1;
    ASSERT_EQ(queues.post(wr), 0);
    EXPECT_EQ(sent<abi::ControlSegment>(bench, queues, 0).qpn_ds & 0x3F, 12U);
    EXPECT_EQ(sent<abi::InlineHeader>(bench, queues, 0, 32).length, 0x8000'0000 + 156);
    const auto bytes = sent<std::array<std::uint8_t, 156>>(bench, queues, 0, 36);
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), data.begin()));
    EXPECT_EQ(send_record(bench, queues), 3U);
    sge.length = 157;
    EXPECT_EQ(queues.post(wr), EINVAL);
    EXPECT_EQ(queues.bad, &wr);
    // Padded with zeroes, also where the queue held something else.
    sge.length = 3;
    ASSERT_EQ(queues.post(wr), 0);
    EXPECT_THAT((sent<std::array<std::uint8_t, 9>>(bench, queues, 3, 39)), Each(0));
  });
}

TEST(VerbsPost, AWqeAloneIsWrittenWholeToTheBuffersInTurn) {
  VerbsBench([](VerbsBench& bench) {
    Queues queues;
    queues.connect();
    for (std::uint64_t i = 0; i < 3; ++i) {
      ibv_send_wr wr = send_wr(i);
      ASSERT_EQ(queues.post(wr), 0);
    }
    const auto& writes = bench.port.writes;
    ASSERT_EQ(writes.size(), 3U);
    for (std::uint32_t i = 0; i < 3; ++i) {
      EXPECT_EQ(writes[i].address, bench.uar() + 0x800 + (i == 1 ? 0x100 : 0));
      const auto wqe = sent<std::array<std::uint8_t, 64>>(bench, queues, i);
      EXPECT_EQ(writes[i].bytes, std::vector<std::uint8_t>(wqe.begin(), wqe.end()));
    }
  });
}

TEST(VerbsPost, AListRingsOnceWithTheLastWqesFirstBytes) {
  VerbsBench([](VerbsBench& bench) {
    Queues queues;
    queues.connect();
    ibv_send_wr second = send_wr(2);
    ibv_send_wr first = send_wr(1);
    first.next = &second;
    ASSERT_EQ(queues.post(first), 0);
    ASSERT_EQ(bench.port.writes.size(), 1U);
    EXPECT_EQ(bench.port.writes[0].address, bench.uar() + 0x800);
    EXPECT_THAT(bench.port.writes[0].bytes, ElementsAre(0, 0, 1, 0x0A, 0, 0, 0x40, 1));
    EXPECT_EQ(send_record(bench, queues), 2U);
  });
}

TEST(VerbsPost, WithoutBlueFieldAWqeAloneRingsTheDoorbell) {
  VerbsConfig config;
  config.blue_field = BlueField::kNever;
  VerbsBench(
      [](VerbsBench& bench) {
        Queues queues;
        queues.connect();
        ibv_send_wr wr = send_wr(1);
        ASSERT_EQ(queues.post(wr), 0);
        ASSERT_EQ(bench.port.writes.size(), 1U);
        EXPECT_EQ(bench.port.writes[0].bytes.size(), 8U);
      },
      config);
}

TEST(VerbsPost, BlueFieldMayBeForInlinePayloadAlone) {
  VerbsConfig config;
  config.blue_field = BlueField::kInline;
  VerbsBench(
      [](VerbsBench& bench) {
        Queues queues;
        queues.connect();
        ibv_send_wr wr = send_wr(1);
        ASSERT_EQ(queues.post(wr), 0);
        ASSERT_EQ(bench.port.writes.size(), 1U);
        EXPECT_EQ(bench.port.writes[0].bytes.size(), 8U);
        ibv_send_wr inlined = send_wr(2);
        inlined.send_flags |= IBV_SEND_INLINE;
        ASSERT_EQ(queues.post(inlined), 0);
        ASSERT_EQ(bench.port.writes.size(), 2U);
        EXPECT_EQ(bench.port.writes[1].bytes.size(), 64U);
      },
      config);
}

// Two data segments beside a remote address fill one block, three need two.
TEST(VerbsPost, AWqeGoesOverTheRingsEndAndTheIndexGoesOn) {
  VerbsBench([](VerbsBench& bench) {
    Queues queues({2, 1, 3, 1, 0});  // two of two blocks each
    EXPECT_EQ(queues.given.max_send_wr, 2U);
    queues.connect();
    std::array<ibv_sge, 3> list{{{1, 1, 1}, {2, 2, 2}, {3, 3, 3}}};
    ibv_send_wr small = send_wr(10);
    ibv_send_wr large = send_wr(11);
    large.opcode = IBV_WR_RDMA_WRITE;
    large.sg_list = list.data();
    large.num_sge = 3;
    ibv_wc wc{};
    std::uint32_t block = 0;
    // 1 + 2 blocks a round on a ring of 4: large ones begin at block 1, 0 (over the end: 3), ...
    for (int round = 0; round < 5; ++round) {
      ASSERT_EQ(queues.post(small), 0);
      ASSERT_EQ(queues.post(large), 0);
      const std::uint32_t begin = block + 1;
      EXPECT_EQ(sent<abi::ControlSegment>(bench, queues, begin & 3).index_opcode >> 8, begin);
      const std::uint32_t last = begin + 1;  // where the third data segment is
      EXPECT_EQ(sent<abi::DataSegment>(bench, queues, last & 3).address, 3U);
      block += 3;
      EXPECT_EQ(send_record(bench, queues), block);
      bench.complete(queues.cq, support::cqe(abi::CqeOpcode::kRequester, queues.qp->qp_num,
                                             static_cast<std::uint16_t>(begin)));
      ASSERT_EQ(ibv_poll_cq(queues.cq, 1, &wc), 1);
      EXPECT_EQ(wc.wr_id, 11U);
      EXPECT_EQ(wc.opcode, IBV_WC_RDMA_WRITE);
    }
  });
}

TEST(VerbsPost, AFullQueueTakesNoMoreAndSaysWhichUntilOneCompletes) {
  VerbsBench([](VerbsBench& bench) {
    Queues queues({3, 1, 1, 1, 0});
    ASSERT_EQ(queues.given.max_send_wr, 4U);
    queues.connect();
    std::array<ibv_send_wr, 6> list;
    for (std::size_t i = 0; i < list.size(); ++i) {
      list[i] = send_wr(i, 0);
      list[i].next = i + 1 < list.size() ? &list[i + 1] : nullptr;
    }
    EXPECT_EQ(queues.post(list[0]), ENOMEM);
    EXPECT_EQ(queues.bad, &list[4]);
    EXPECT_EQ(send_record(bench, queues), 4U);  // those before it are posted...
    EXPECT_EQ(bench.port.writes.size(), 1U);    // ...and rung
    // The third, signalled, completes: with it those before it.
    bench.complete(queues.cq, support::cqe(abi::CqeOpcode::kRequester, queues.qp->qp_num, 2));
    ibv_wc wc{};
    ASSERT_EQ(ibv_poll_cq(queues.cq, 1, &wc), 1);
    EXPECT_EQ(wc.wr_id, 2U);
    list[2].next = nullptr;
    EXPECT_EQ(queues.post(list[0]), 0);
    EXPECT_EQ(queues.post(list[0]), ENOMEM);
  });
}

TEST(VerbsPost, RefusesWhatTheQueueHasNotAndNamesIt) {
  VerbsBench([](VerbsBench& bench) {
    Queues queues;
    queues.connect();
    std::vector<ibv_sge> list(5, ibv_sge{0x1000, 1, 1});
    const auto refused = [&](ibv_send_wr wr) {
      queues.bad = nullptr;
      return queues.post(wr) == EINVAL && queues.bad == &wr;
    };
    ibv_send_wr wr = send_wr(1);
    wr.sg_list = list.data();
    wr.num_sge = static_cast<int>(queues.given.max_send_sge) + 1;
    EXPECT_TRUE(refused(wr));
    wr.num_sge = -1;
    EXPECT_TRUE(refused(wr));
    wr.num_sge = 1;
    for (const ibv_wr_opcode opcode : {IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_FETCH_AND_ADD,
                                       IBV_WR_BIND_MW, IBV_WR_LOCAL_INV, IBV_WR_TSO}) {
      wr.opcode = opcode;
      EXPECT_TRUE(refused(wr)) << opcode;
    }
    wr.opcode = IBV_WR_RDMA_READ;
    wr.send_flags = IBV_SEND_INLINE;
    EXPECT_TRUE(refused(wr));
    EXPECT_TRUE(bench.port.writes.empty());
    wr.send_flags = 0;
    EXPECT_EQ(queues.post(wr), 0);
  });
}

TEST(VerbsPost, AnUnreliableConnectionReadsNothing) {
  VerbsBench([](VerbsBench& /*bench*/) {
    Queues queues({8, 8, 2, 2, 0}, false, IBV_QPT_UC);
    ASSERT_NE(queues.qp, nullptr);
    queues.qp->state = IBV_QPS_RTS;
    ibv_send_wr wr = send_wr(1);
    wr.opcode = IBV_WR_RDMA_READ;
    EXPECT_EQ(queues.post(wr), EINVAL);
  });
}

TEST(VerbsPost, SendsNeedReadyToSendAndReceivesAnyStateButReset) {
  VerbsBench([](VerbsBench& /*bench*/) {
    Queues queues;
    ibv_send_wr wr = send_wr(1);
    ibv_recv_wr receive{};
    EXPECT_EQ(queues.post(wr), EINVAL);
    EXPECT_EQ(queues.post(receive), EINVAL);
    EXPECT_EQ(queues.bad_receive, &receive);
    ibv_qp_attr set = Queues::init_attributes();
    ASSERT_EQ(ibv_modify_qp(queues.qp, &set, Queues::kInitMask), 0);
    EXPECT_EQ(queues.post(wr), EINVAL);
    EXPECT_EQ(queues.post(receive), 0);
    set = Queues::rtr_attributes();
    ASSERT_EQ(ibv_modify_qp(queues.qp, &set, Queues::kRtrMask), 0);
    EXPECT_EQ(queues.post(wr), EINVAL);
    set = Queues::rts_attributes();
    ASSERT_EQ(ibv_modify_qp(queues.qp, &set, Queues::kRtsMask), 0);
    EXPECT_EQ(queues.post(wr), 0);
    set.qp_state = IBV_QPS_ERR;
    ASSERT_EQ(ibv_modify_qp(queues.qp, &set, IBV_QP_STATE), 0);
    EXPECT_EQ(queues.post(wr), 0);  // to be flushed
  });
}

TEST(VerbsPost, SignalAllSignalsEachWqe) {
  VerbsBench([](VerbsBench& bench) {
    Queues queues({8, 8, 2, 2, 0}, true);
    EXPECT_TRUE(bench.device->wishes[0].signal_all);
    queues.connect();
    ibv_send_wr wr = send_wr(1, 0);
    ASSERT_EQ(queues.post(wr), 0);
    EXPECT_EQ(sent<abi::ControlSegment>(bench, queues, 0).flags, abi::wqe_flag::kCqUpdate);
  });
}

TEST(VerbsPost, AReceiveIsDataSegmentsWithAnEndAndARecord) {
  VerbsBench([](VerbsBench& bench) {
    Queues queues({1, 4, 1, 3, 0});  // a stride of four segments
    EXPECT_EQ(queues.given.max_recv_sge, 4U);
    queues.connect();
    std::array<ibv_sge, 4> list{
        {{0x1000, 10, 1}, {0x2000, 0, 2}, {0x3000, 30, 3}, {0x4000, 40, 4}}};
    ibv_recv_wr second{};
    second.sg_list = list.data();
    second.num_sge = 4;
    ibv_recv_wr first{};
    first.next = &second;
    first.sg_list = list.data();
    first.num_sge = 2;
    ASSERT_EQ(queues.post(first), 0);
    EXPECT_EQ(receive_record(bench, queues), 2U);
    EXPECT_TRUE(bench.port.writes.empty());  // no doorbell
    const Address base = bench.device->qps.at(0x40).receive;
    EXPECT_EQ(bench.read<abi::DataSegment>(base).address, 0x1000U);
    EXPECT_EQ(bench.read<abi::DataSegment>(base + 16).lkey, abi::kInvalidLkey);
    EXPECT_EQ(bench.read<abi::DataSegment>(base + 64 + 16).address, 0x3000U);
    EXPECT_EQ(bench.read<abi::DataSegment>(base + 64 + 32).length, 40U);
    EXPECT_EQ(bench.read<abi::DataSegment>(base + 64 + 48).lkey, abi::kInvalidLkey);
    std::array<ibv_recv_wr, 3> more{};
    more[0].next = &more[1];
    more[1].next = &more[2];
    EXPECT_EQ(queues.post(more[0]), ENOMEM);
    EXPECT_EQ(queues.bad_receive, &more[2]);
    EXPECT_EQ(receive_record(bench, queues), 4U);
  });
}

// The doorbell record is in memory before the doorbell leaves: a device that reads it at once finds
// it.
TEST(VerbsPost, TheRecordIsWrittenBeforeTheDoorbell) {
  struct Look : host::MemoryWatcher {
    explicit Look(VerbsBench& b) : bench(b) {}
    void memory_written() override { writes_before.push_back(bench.port.writes.size()); }
    VerbsBench& bench;
    std::vector<std::size_t> writes_before;
  };
  VerbsBench([](VerbsBench& bench) {
    Queues queues;
    queues.connect();
    const driver::QueuePair& ring = bench.device->qps.at(0x40);
    Look record(bench);
    Look wqe(bench);
    bench.memory.watch(record, ring.doorbell_record, 8);
    bench.memory.watch(wqe, ring.send, 64);
    ibv_send_wr wr = send_wr(1);
    ASSERT_EQ(queues.post(wr), 0);
    bench.memory.unwatch(record);
    bench.memory.unwatch(wqe);
    EXPECT_THAT(record.writes_before, ElementsAre(0U));
    EXPECT_THAT(wqe.writes_before, ElementsAre(0U));
    EXPECT_EQ(bench.port.writes.size(), 1U);
  });
}

}  // namespace
}  // namespace railyard::verbs
