// Queue pairs: capabilities, the state machine, what each transition needs and takes.
#include <gmock/gmock.h>

#include "tests/sw/verbs/verbs_bench.h"

namespace railyard::verbs {
namespace {

using support::Queues;
using support::send_wr;
using support::VerbsBench;
using testing::ElementsAre;

ibv_qp* create(const Queues& queues, ibv_qp_cap& cap, ibv_qp_type type = IBV_QPT_RC) {
  ibv_qp_init_attr init{};
  init.send_cq = queues.cq;
  init.recv_cq = queues.cq;
  init.qp_type = type;
  init.cap = cap;
  ibv_qp* qp = ibv_create_qp(queues.pd, &init);
  cap = init.cap;
  return qp;
}

TEST(VerbsQp, HasAtLeastWhatWasAskedFor) {
  VerbsBench([](VerbsBench& bench) {
    const Queues queues;
    // 36 B and 220 B inline are four blocks; 5 of them need 32 blocks: 8.
    ibv_qp_cap cap{5, 100, 1, 5, 220};
    ibv_qp* qp = create(queues, cap);
    ASSERT_NE(qp, nullptr);
    EXPECT_EQ(cap.max_send_wr, 8U);
    EXPECT_EQ(cap.max_recv_wr, 128U);
    EXPECT_EQ(cap.max_send_sge, 14U);
    EXPECT_EQ(cap.max_recv_sge, 8U);
    EXPECT_EQ(cap.max_inline_data, 220U);
    const driver::QueuePairWish& wish = bench.device->wishes.back();
    EXPECT_EQ(wish.log_send, 5U);
    EXPECT_EQ(wish.log_receive, 7U);
    EXPECT_EQ(wish.log_receive_stride, 7U);
    EXPECT_EQ(wish.pd, queues.pd->handle);
    EXPECT_EQ(wish.send_cq, queues.cq->handle);
    EXPECT_EQ(qp->state, IBV_QPS_RESET);
  });
}

TEST(VerbsQp, RefusesMoreThanTheDeviceHas) {
  VerbsBench([](VerbsBench& /*bench*/) {
    const Queues queues;
    const std::vector<ibv_qp_cap> too_much{
        {1025, 1, 1, 1, 0}, {1, 1025, 1, 1, 0}, {1, 1, 31, 1, 0},
        {1, 1, 1, 31, 0},   {1, 1, 1, 1, 221},  {600, 1, 3, 1, 0}};  // two blocks each
    for (ibv_qp_cap cap : too_much) {
      errno = 0;
      EXPECT_EQ(create(queues, cap), nullptr);
      EXPECT_EQ(errno, EINVAL);
    }
    ibv_qp_cap cap{1, 1, 1, 1, 0};
    EXPECT_EQ(create(queues, cap, IBV_QPT_UD), nullptr);
    EXPECT_EQ(errno, EOPNOTSUPP);
  });
}

TEST(VerbsQp, GoesFromResetToReadyToSendWithWhatWasSet) {
  VerbsBench([](VerbsBench& bench) {
    const Queues queues;
    queues.connect();
    EXPECT_EQ(queues.qp->state, IBV_QPS_RTS);
    const auto& done = bench.device->transitions;
    ASSERT_EQ(done.size(), 3U);
    namespace field = abi::qp_field;
    EXPECT_EQ(done[0].first, abi::Command::kRstToInit);
    EXPECT_EQ(done[0].second.fields, field::kAccess | field::kPort);
    EXPECT_EQ(done[0].second.access, abi::access::kRemoteWrite);
    EXPECT_EQ(done[1].first, abi::Command::kInitToRtr);
    const abi::ModifyQpInput& rtr = done[1].second;
    EXPECT_EQ(rtr.number, 0x40U);
    EXPECT_EQ(rtr.fields, field::kAddress | field::kPathMtu | field::kRemoteQp |
                              field::kReceivePsn | field::kMaxDestReads | field::kMinRnrTimer);
    EXPECT_EQ(rtr.path_mtu, 1024U);
    EXPECT_EQ(rtr.remote_qp, 0x123U);
    EXPECT_EQ(rtr.receive_psn, 0xABCDEU);
    EXPECT_EQ(rtr.max_dest_reads, 4);
    EXPECT_EQ(rtr.min_rnr_timer, 12);
    EXPECT_EQ(rtr.traffic_class, 0x68);
    EXPECT_EQ(rtr.hop_limit, 64);
    EXPECT_THAT(rtr.remote_mac, ElementsAre(2, 0, 0, 0, 0, 9));
    EXPECT_EQ(rtr.remote_ip[0], 0xFE);
    EXPECT_EQ(rtr.remote_ip[15], 9);
    EXPECT_EQ(done[2].first, abi::Command::kRtrToRts);
    const abi::ModifyQpInput& rts = done[2].second;
    EXPECT_EQ(rts.fields, field::kSendPsn | field::kTimeout | field::kRetryCount |
                              field::kRnrRetry | field::kMaxReads);
    EXPECT_EQ(rts.send_psn, 0x777U);
    EXPECT_EQ(rts.timeout, 14);
    EXPECT_EQ(rts.retry_count, 6);
    EXPECT_EQ(rts.rnr_retry, 5);
    EXPECT_EQ(rts.max_reads, 3);
  });
}

struct Step {
  ibv_qp_state from;
  ibv_qp_attr set;
  int mask;
};

std::vector<Step> steps() {
  return {{IBV_QPS_RESET, Queues::init_attributes(), Queues::kInitMask},
          {IBV_QPS_INIT, Queues::rtr_attributes(), Queues::kRtrMask},
          {IBV_QPS_RTR, Queues::rts_attributes(), Queues::kRtsMask}};
}

// Each required attribute is missed, and each that is neither required nor optional refused; then
// nothing has been asked of the device.
TEST(VerbsQp, EachTransitionNeedsItsAttributesAndTakesNoOthers) {
  VerbsBench([](VerbsBench& bench) {
    const Queues queues;
    const std::array<int, 3> optional{
        0, IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX,
        IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_PATH_MIG_STATE | IBV_QP_MIN_RNR_TIMER};
    for (std::size_t i = 0; i < steps().size(); ++i) {
      Step step = steps()[i];
      step.set.cur_qp_state = step.from;
      for (int bit = 1; bit <= IBV_QP_DEST_QPN; bit <<= 1) {
        if (bit == IBV_QP_STATE) continue;
        queues.qp->state = step.from;
        const bool required = (step.mask & bit) != 0;
        const int expected = !required && (optional.at(i) & bit) != 0 ? 0 : EINVAL;
        EXPECT_EQ(ibv_modify_qp(queues.qp, &step.set, step.mask ^ bit), expected)
            << "step " << i << " bit " << bit;
      }
    }
    EXPECT_EQ(bench.device->transitions.size(), 2U + 4U);  // the optional ones
  });
}

TEST(VerbsQp, AnUnreliableConnectionNeedsLess) {
  VerbsBench([](VerbsBench& bench) {
    const Queues queues({8, 8, 2, 2, 0}, false, IBV_QPT_UC);
    queues.qp->state = IBV_QPS_INIT;
    ibv_qp_attr set = Queues::rtr_attributes();
    EXPECT_EQ(ibv_modify_qp(queues.qp, &set, Queues::kRtrMask), EINVAL);
    EXPECT_EQ(ibv_modify_qp(queues.qp, &set,
                            Queues::kRtrMask & ~(IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)),
              0);
    set = Queues::rts_attributes();
    EXPECT_EQ(ibv_modify_qp(queues.qp, &set, IBV_QP_STATE | IBV_QP_SQ_PSN), 0);
    EXPECT_EQ(bench.device->wishes[0].type, abi::QpType::kUc);
  });
}

TEST(VerbsQp, StatesAreNotSkippedAndValuesAreChecked) {
  VerbsBench([](VerbsBench& bench) {
    const Queues queues;
    ibv_qp_attr set = Queues::rtr_attributes();
    EXPECT_EQ(ibv_modify_qp(queues.qp, &set, Queues::kRtrMask), EINVAL);
    set.qp_state = IBV_QPS_SQD;
    EXPECT_EQ(ibv_modify_qp(queues.qp, &set, IBV_QP_STATE), EINVAL);
    const auto refused = [&](ibv_qp_state from, ibv_qp_attr values, int mask) {
      queues.qp->state = from;
      return ibv_modify_qp(queues.qp, &values, mask) == EINVAL;
    };
    const auto rtr = [&](auto change) {
      ibv_qp_attr values = Queues::rtr_attributes();
      change(values);
      return refused(IBV_QPS_INIT, values, Queues::kRtrMask);
    };
    EXPECT_TRUE(rtr([](ibv_qp_attr& a) { a.path_mtu = static_cast<ibv_mtu>(6); }));
    EXPECT_TRUE(rtr([](ibv_qp_attr& a) { a.dest_qp_num = 1U << 24; }));
    EXPECT_TRUE(rtr([](ibv_qp_attr& a) { a.rq_psn = 1U << 24; }));
    EXPECT_TRUE(rtr([](ibv_qp_attr& a) { a.max_dest_rd_atomic = 17; }));
    EXPECT_TRUE(rtr([](ibv_qp_attr& a) { a.min_rnr_timer = 32; }));
    EXPECT_TRUE(rtr([](ibv_qp_attr& a) { a.ah_attr.is_global = 0; }));
    EXPECT_TRUE(rtr([](ibv_qp_attr& a) { a.ah_attr.grh.sgid_index = 1; }));
    const auto rts = [&](auto change) {
      ibv_qp_attr values = Queues::rts_attributes();
      change(values);
      return refused(IBV_QPS_RTR, values, Queues::kRtsMask);
    };
    EXPECT_TRUE(rts([](ibv_qp_attr& a) { a.timeout = 32; }));
    EXPECT_TRUE(rts([](ibv_qp_attr& a) { a.retry_cnt = 8; }));
    EXPECT_TRUE(rts([](ibv_qp_attr& a) { a.rnr_retry = 8; }));
    EXPECT_TRUE(rts([](ibv_qp_attr& a) { a.sq_psn = 1U << 24; }));
    EXPECT_TRUE(rts([](ibv_qp_attr& a) { a.max_rd_atomic = 17; }));
    ibv_qp_attr init = Queues::init_attributes();
    init.port_num = 2;
    EXPECT_TRUE(refused(IBV_QPS_RESET, init, Queues::kInitMask));
    EXPECT_TRUE(bench.device->transitions.empty());
  });
}

TEST(VerbsQp, APeersMacAddressIsThatOfItsNeighbour) {
  VerbsBench([](VerbsBench& bench) {
    const Queues queues;
    queues.qp->state = IBV_QPS_INIT;
    ibv_qp_attr set = Queues::rtr_attributes();
    const std::array<std::uint8_t, 16> gid{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 9};
    std::copy(gid.begin(), gid.end(), set.ah_attr.grh.dgid.raw);
    EXPECT_EQ(ibv_modify_qp(queues.qp, &set, Queues::kRtrMask), EHOSTUNREACH);
    bench.machine->set_neighbours([](const Gid& of, Mac& mac) {
      mac = {0xA, 0xB, 0xC, 0xD, 0xE, of[15]};
      return of[12] == 10;
    });
    ASSERT_EQ(ibv_modify_qp(queues.qp, &set, Queues::kRtrMask), 0);
    EXPECT_THAT(bench.device->transitions.back().second.remote_mac,
                ElementsAre(0xA, 0xB, 0xC, 0xD, 0xE, 9));
  });
}

TEST(VerbsQp, ResetForgetsWhatWasPosted) {
  VerbsBench([](VerbsBench& bench) {
    Queues queues({2, 2, 1, 1, 0});
    queues.connect();
    ibv_send_wr wr = send_wr(1);
    ASSERT_EQ(queues.post(wr), 0);
    ASSERT_EQ(queues.post(wr), 0);
    ASSERT_EQ(queues.post(wr), ENOMEM);
    ibv_qp_attr set{};
    set.qp_state = IBV_QPS_RESET;
    ASSERT_EQ(ibv_modify_qp(queues.qp, &set, IBV_QP_STATE), 0);
    EXPECT_EQ(queues.qp->state, IBV_QPS_RESET);
    const driver::QueuePair& ring = bench.device->qps.at(0x40);
    EXPECT_EQ(bench.read<abi::QpDoorbellRecord>(ring.doorbell_record).send, 0U);
    queues.connect();
    ASSERT_EQ(queues.post(wr), 0);
    EXPECT_EQ(bench.read<abi::ControlSegment>(ring.send).index_opcode >> 8, 0U);
  });
}

TEST(VerbsQp, IsAskedOfTheDevice) {
  VerbsBench([](VerbsBench& bench) {
    const Queues queues;
    queues.connect();
    abi::QueryQpOutput& answer = bench.device->query;
    answer.state = static_cast<std::uint32_t>(abi::QpState::kError);
    answer.send_psn = 5;
    answer.attributes.path_mtu = 2048;
    answer.attributes.remote_qp = 0x99;
    ibv_qp_attr got{};
    ibv_qp_init_attr init{};
    ASSERT_EQ(ibv_query_qp(queues.qp, &got, IBV_QP_STATE, &init), 0);
    EXPECT_EQ(got.qp_state, IBV_QPS_ERR);
    EXPECT_EQ(queues.qp->state, IBV_QPS_ERR);
    EXPECT_EQ(got.sq_psn, 5U);
    EXPECT_EQ(got.path_mtu, IBV_MTU_2048);
    EXPECT_EQ(got.dest_qp_num, 0x99U);
    EXPECT_EQ(got.ah_attr.grh.traffic_class, 0x68);
    EXPECT_EQ(init.send_cq, queues.cq);
    EXPECT_EQ(init.cap.max_send_wr, queues.given.max_send_wr);
  });
}

TEST(VerbsQp, WhatTheDeviceRefusesChangesNothing) {
  VerbsBench([](VerbsBench& bench) {
    const Queues queues;
    bench.device->refuse = abi::CommandStatus::kBadResourceState;
    ibv_qp_attr set = Queues::init_attributes();
    EXPECT_EQ(ibv_modify_qp(queues.qp, &set, Queues::kInitMask), EINVAL);
    EXPECT_EQ(queues.qp->state, IBV_QPS_RESET);
    EXPECT_EQ(ibv_destroy_qp(queues.qp), EINVAL);
    bench.device->refuse = abi::CommandStatus::kOk;
    EXPECT_EQ(ibv_destroy_qp(queues.qp), 0);
  });
}

}  // namespace
}  // namespace railyard::verbs
