// Two ends that do not fit: what one sends the other does not take, or is not there to take.
#include "tests/sw/verbs/errors_broken.h"

namespace railyard::verbs::test {
namespace {

TEST(VerbsErrors, ASendThatIsLongerThanItsReceiveBreaksBothEnds) {
  Broken test;
  test.prepare_second = [](Flow& flow) {
    EXPECT_EQ(flow.receive(11, flow.piece(0, kSome)), 0);
    EXPECT_EQ(flow.receive(12, flow.piece(0, kSome - 1)), 0);
    EXPECT_EQ(flow.receive(13, flow.piece(0, kSome)), 0);
  };
  test.first = [](Flow& flow) {
    for (std::uint64_t id = 1; id <= 3; ++id) EXPECT_EQ(flow.send(id, 0, kSome), 0);
    flow.expect(1, IBV_WC_SUCCESS);
    flow.expect(2, IBV_WC_REM_INV_REQ_ERR);
    flow.expect(3, IBV_WC_WR_FLUSH_ERR);
    flow.expect_dead();
  };
  test.second = [](Flow& flow) {
    flow.expect(11, IBV_WC_SUCCESS);
    flow.expect(12, IBV_WC_LOC_LEN_ERR);
    flow.expect(13, IBV_WC_WR_FLUSH_ERR);
    flow.expect_dead();
    flow.expect_nothing();
  };
  test.run();
}

TEST(VerbsErrors, AReceiveWithAnLkeyOfNobodyBreaksBothEnds) {
  Broken test;
  test.prepare_second = [](Flow& flow) {
    ibv_sge segment = flow.piece(0, kSome);
    segment.lkey ^= 0x3300;
    EXPECT_EQ(flow.receive(11, segment), 0);
    EXPECT_EQ(flow.receive(12, flow.piece(0, kSome)), 0);
  };
  test.first = [](Flow& flow) {
    for (std::uint64_t id = 1; id <= 2; ++id) EXPECT_EQ(flow.send(id, 0, kSome), 0);
    flow.expect(1, IBV_WC_REM_OP_ERR);
    flow.expect(2, IBV_WC_WR_FLUSH_ERR);
    flow.expect_dead();
  };
  test.second = [](Flow& flow) {
    flow.expect(11, IBV_WC_LOC_PROT_ERR);
    flow.expect(12, IBV_WC_WR_FLUSH_ERR);
    flow.expect_dead();
    flow.expect_nothing();
  };
  test.run();
}

TEST(VerbsErrors, MoreReadsThanThePeerTakesBreakBothEnds) {
  Broken test;
  test.config.reads = 8;
  test.differ = [](FlowConfig& second) { second.reads = 1; };
  test.first = [](Flow& flow) {
    for (std::uint64_t id = 1; id <= 8; ++id) {
      EXPECT_EQ(flow.post(IBV_WR_RDMA_READ, id, flow.piece(0, 4 * kSome), flow.remote(0),
                          flow.peer().mr->rkey),
                0);
    }
    // The one that the peer refused, those before it and those behind it.
    unsigned refused = 0;
    for (std::uint64_t id = 1; id <= 8; ++id) {
      const ibv_wc wc = flow.completion();
      EXPECT_EQ(wc.wr_id, id);
      if (wc.status == IBV_WC_REM_INV_REQ_ERR) ++refused;
      const ibv_wc_status otherwise = refused == 0 ? IBV_WC_SUCCESS : IBV_WC_WR_FLUSH_ERR;
      EXPECT_TRUE(wc.status == IBV_WC_REM_INV_REQ_ERR || wc.status == otherwise)
          << ibv_wc_status_str(wc.status);
    }
    EXPECT_EQ(refused, 1U);
    flow.expect_dead();
  };
  test.second = [](Flow& flow) {
    expect_event(flow, IBV_EVENT_QP_REQ_ERR);
    flow.expect_dead();
  };
  test.run();
}

TEST(VerbsErrors, PacketsThatAreLongerThanThePeersPathMtuBreakBothEnds) {
  Broken test;
  test.config.mtu = IBV_MTU_2048;
  test.differ = [](FlowConfig& second) { second.mtu = IBV_MTU_1024; };
  test.first = [](Flow& flow) {
    EXPECT_EQ(flow.write(1, 0, kSome), 0);
    EXPECT_EQ(flow.write(2, 0, kSome), 0);
    flow.expect(1, IBV_WC_REM_INV_REQ_ERR);
    flow.expect(2, IBV_WC_WR_FLUSH_ERR);
    flow.expect_dead();
  };
  test.second = [](Flow& flow) {
    expect_event(flow, IBV_EVENT_QP_REQ_ERR);
    flow.expect_dead();
  };
  test.run();
}

// Sequence numbers that begin elsewhere than the peer expects, behind it or ahead of it.
TEST(VerbsErrors, SequenceNumbersThatThePeerDoesNotExpectAreGivenUp) {
  for (const std::uint32_t psn : {0xFFFFE0U, 0x10U}) {
    Broken test;
    test.config.timeout = 1;
    test.config.retries = 2;
    test.differ = [psn](FlowConfig& second) { second.psn = psn; };
    test.first = [](Flow& flow) {
      EXPECT_EQ(flow.write(1, 0, kSome), 0);
      flow.expect(1, IBV_WC_RETRY_EXC_ERR);
      flow.expect_dead();
    };
    test.second = [](Flow& flow) {
      expect_untouched(flow);
      for (std::size_t i = 0; i < kSome; ++i) ASSERT_EQ(flow.memory[i], 0);
    };
    test.run();
  }
}

// A queue pair is destroyed and made anew under its peer. Its number is not reused at once, so what
// the peer still sends reaches nobody.
TEST(VerbsErrors, AQueuePairThatIsGoneAnswersNothing) {
  Broken test;
  test.config.timeout = 1;  // 8.2 us
  test.config.retries = 2;
  std::uint32_t before = 0;
  test.prepare_second = [&before](Flow& flow) {
    before = flow.qp->qp_num;
    EXPECT_EQ(ibv_destroy_qp(flow.qp), 0);
    flow.make_qp();
    EXPECT_NE(flow.qp->qp_num, before);
  };
  test.first = [](Flow& flow) {
    EXPECT_EQ(flow.write(1, 0, kSome), 0);
    EXPECT_EQ(flow.write(2, 0, kSome), 0);
    flow.expect(1, IBV_WC_RETRY_EXC_ERR);
    flow.expect(2, IBV_WC_WR_FLUSH_ERR);
    flow.expect_dead();
  };
  test.second = [](Flow& flow) {
    EXPECT_EQ(flow.state(), IBV_QPS_RESET);
    flow.expect_nothing();
    for (std::size_t i = 0; i < kSome; ++i) ASSERT_EQ(flow.memory[i], 0);
  };
  test.run();
}

TEST(VerbsErrors, AQueuePairInResetOrInitAnswersNothing) {
  for (const bool init : {false, true}) {
    Broken test;
    test.config.timeout = 1;
    test.config.retries = 1;
    test.prepare_second = [init](Flow& flow) {
      ibv_qp_attr set{};
      set.qp_state = IBV_QPS_RESET;
      EXPECT_EQ(ibv_modify_qp(flow.qp, &set, IBV_QP_STATE), 0);
      EXPECT_NE(flow.write(1, 0, 64), 0);
      if (init) flow.to_init();
      EXPECT_NE(flow.write(1, 0, 64), 0);
    };
    test.first = [](Flow& flow) {
      EXPECT_EQ(flow.write(1, 0, kSome), 0);
      flow.expect(1, IBV_WC_RETRY_EXC_ERR);
      flow.expect_dead();
    };
    test.second = [](Flow& flow) { flow.expect_nothing(); };
    test.run();
  }
}

TEST(VerbsErrors, APeerInErrorAnswersNothing) {
  Broken test;
  test.config.timeout = 1;
  test.config.retries = 1;
  test.prepare_second = [](Flow& flow) {
    EXPECT_EQ(flow.receive(11, flow.piece(0, 64)), 0);
    ibv_qp_attr set{};
    set.qp_state = IBV_QPS_ERR;
    EXPECT_EQ(ibv_modify_qp(flow.qp, &set, IBV_QP_STATE), 0);
    flow.expect(11, IBV_WC_WR_FLUSH_ERR);
  };
  test.first = [](Flow& flow) {
    EXPECT_EQ(flow.write(1, 0, kSome), 0);
    flow.expect(1, IBV_WC_RETRY_EXC_ERR);
    flow.expect_dead();
  };
  test.second = [](Flow& flow) { flow.expect_dead(); };
  test.run();
}

// Reset and connected anew after an error, both ends work again.
TEST(VerbsErrors, AfterAResetAQueuePairWorksAgain) {
  Broken test;
  test.first = [](Flow& flow) {
    bad_write(flow, flow.piece(0, kSome), flow.remote(0), flow.peer().mr->rkey ^ 0x7700U,
              IBV_WC_REM_ACCESS_ERR);
    ibv_qp_attr set{};
    set.qp_state = IBV_QPS_RESET;
    EXPECT_EQ(ibv_modify_qp(flow.qp, &set, IBV_QP_STATE), 0);
    flow.at.meet();
    flow.connect();
    std::memset(flow.memory.data(), 0x5A, kSome);
    EXPECT_EQ(flow.write(21, 0, kSome), 0);
    flow.expect(21, IBV_WC_SUCCESS);
  };
  test.second = [](Flow& flow) {
    flow.expect_nothing();
    for (std::size_t i = 0; i < kSome; ++i) ASSERT_EQ(flow.memory[i], 0x5A);
  };
  test.beside_first = [](Flow& flow) {
    flow.at.meet();
    expect_access_error(flow);
    ibv_qp_attr set{};
    set.qp_state = IBV_QPS_RESET;
    EXPECT_EQ(ibv_modify_qp(flow.qp, &set, IBV_QP_STATE), 0);
    flow.connect();
  };
  test.run();
}

}  // namespace
}  // namespace railyard::verbs::test
