// Bad work requests, keys, bounds, domains, states and peers between two NICs: both ends see the
// statuses that verbs define, and a flow beside them loses nothing.
#include "tests/sw/verbs/errors_bench.h"

namespace railyard::verbs::test {
namespace {

constexpr std::uint32_t kSome = 3000;  // bytes, of a few packets

/// A connection of both sides that is broken beside a bystander. `first` runs on the side that
/// sends, `second` on the other, once that has met it.
class Broken {
 public:
  using Step = std::function<void(Flow& flow)>;
  FlowConfig config;
  Step prepare_second = [](Flow&) {};  // before the bystander runs: receives
  Step first = [](Flow&) {};
  Step beside_first = [](Flow&) {};  // the other side's part while the first's runs
  Step second = [](Flow&) {};

  void run() {
    const Time alone = time_beside({[this](Side& side) { prepare(side); }, {}});
    const Time beside =
        time_beside({[this](Side& side) { prepare(side); }, [this](Side& side) { act(side); }});
    EXPECT_LE(beside, alone + alone / 100) << "the bystander was held up";
  }

 private:
  void prepare(Side& side) {
    flows[side.number] = std::make_unique<Flow>(side, config);
    flows[side.number]->connect();
    if (side.number == 1) prepare_second(*flows[1]);
  }
  void act(Side& side) {
    (side.number == 0 ? first : beside_first)(*flows[side.number]);
    side.meet();
    if (side.number == 1) second(*flows[1]);
  }
  std::array<std::unique_ptr<Flow>, 2> flows;
};

/// Two good WRITEs, one of `segment` from afar at `remote`, and one more: what comes of it here.
void bad_write(const Flow& flow, ibv_sge segment, std::uint64_t remote, std::uint32_t rkey,
               ibv_wc_status status, ibv_wr_opcode opcode = IBV_WR_RDMA_WRITE) {
  EXPECT_EQ(flow.write(1, 0, kSome), 0);
  EXPECT_EQ(flow.write(2, 0, kSome), 0);
  EXPECT_EQ(flow.post(opcode, 3, segment, remote, rkey, 0), 0);  // an error is always told
  EXPECT_EQ(flow.write(4, 0, kSome), 0);
  EXPECT_EQ(flow.receive(5, flow.piece(0, 64)), 0);
  flow.expect(1, IBV_WC_SUCCESS);
  flow.expect(2, IBV_WC_SUCCESS);
  flow.expect(3, status);
  flow.expect(4, IBV_WC_WR_FLUSH_ERR);
  flow.expect(5, IBV_WC_WR_FLUSH_ERR);
  flow.expect_dead();
  flow.expect_nothing();
}

void expect_event(const Flow& flow, ibv_event_type type) {
  const ibv_async_event event = next_event(flow.at);
  EXPECT_STREQ(ibv_event_type_str(event.event_type), ibv_event_type_str(type));
  EXPECT_EQ(event.element.qp, flow.qp);
}

void expect_access_error(const Flow& flow) {
  expect_event(flow, IBV_EVENT_QP_ACCESS_ERR);
  flow.expect_dead();
}

void expect_untouched(const Flow& flow) {
  EXPECT_EQ(flow.state(), IBV_QPS_RTS);
  flow.expect_nothing();
}

TEST(VerbsErrors, AnLkeyOfNobodyFailsHereAlone) {
  Broken test;
  test.first = [](Flow& flow) {
    ibv_sge segment = flow.piece(0, kSome);
    segment.lkey ^= 0x5500;
    bad_write(flow, segment, flow.remote(0), flow.peer().mr->rkey, IBV_WC_LOC_PROT_ERR);
  };
  test.second = expect_untouched;
  test.run();
}

TEST(VerbsErrors, AnLkeyPastItsBoundsFailsHereAlone) {
  Broken test;
  test.first = [](Flow& flow) {
    const ibv_sge segment = flow.piece(flow.memory.size() - kSome + 1, kSome);
    bad_write(flow, segment, flow.remote(0), flow.peer().mr->rkey, IBV_WC_LOC_PROT_ERR);
  };
  test.second = expect_untouched;
  test.run();
}

TEST(VerbsErrors, AnLkeyOfAnotherDomainFailsHereAlone) {
  Broken test;
  test.first = [](Flow& flow) {
    ibv_pd* pd = ibv_alloc_pd(flow.at.context);
    const ibv_mr* mr = ibv_reg_mr(pd, flow.memory.data(), kSome, IBV_ACCESS_LOCAL_WRITE);
    ibv_sge segment = flow.piece(0, kSome);
    segment.lkey = mr->lkey;
    bad_write(flow, segment, flow.remote(0), flow.peer().mr->rkey, IBV_WC_LOC_PROT_ERR);
  };
  test.second = expect_untouched;
  test.run();
}

TEST(VerbsErrors, AReadIntoMemoryThatMayNotBeWrittenFailsHere) {
  Broken test;
  test.first = [](Flow& flow) {
    const ibv_mr* mr = ibv_reg_mr(flow.at.pd, flow.memory.data(), kSome, IBV_ACCESS_REMOTE_READ);
    ibv_sge segment = flow.piece(0, kSome);
    segment.lkey = mr->lkey;
    bad_write(flow, segment, flow.remote(0), flow.peer().mr->rkey, IBV_WC_LOC_PROT_ERR,
              IBV_WR_RDMA_READ);
  };
  test.second = expect_untouched;
  test.run();
}

TEST(VerbsErrors, AnRkeyOfNobodyBreaksBothEnds) {
  Broken test;
  test.first = [](Flow& flow) {
    bad_write(flow, flow.piece(0, kSome), flow.remote(0), flow.peer().mr->rkey ^ 0x7700U,
              IBV_WC_REM_ACCESS_ERR);
  };
  test.second = expect_access_error;
  test.run();
}

TEST(VerbsErrors, AReadWithAnRkeyOfNobodyBreaksBothEnds) {
  Broken test;
  test.first = [](Flow& flow) {
    bad_write(flow, flow.piece(0, kSome), flow.remote(0), flow.peer().mr->rkey ^ 0x7700U,
              IBV_WC_REM_ACCESS_ERR, IBV_WR_RDMA_READ);
  };
  test.second = expect_access_error;
  test.run();
}

TEST(VerbsErrors, AWritePastARegionsEndBreaksBothEnds) {
  Broken test;
  test.first = [](Flow& flow) {
    bad_write(flow, flow.piece(0, kSome), flow.remote(flow.memory.size() - kSome + 1),
              flow.peer().mr->rkey, IBV_WC_REM_ACCESS_ERR);
  };
  test.second = [](Flow& flow) {
    expect_access_error(flow);
    for (std::size_t i = flow.memory.size() - kSome; i < flow.memory.size(); ++i) {
      ASSERT_EQ(flow.memory[i], 0) << i;
    }
  };
  test.run();
}

TEST(VerbsErrors, AWriteToARegionThatMayBeReadAloneBreaksBothEnds) {
  Broken test;
  std::uint32_t rkey = 0;
  test.prepare_second = [&rkey](Flow& flow) {
    rkey = ibv_reg_mr(flow.at.pd, flow.memory.data(), kSome, IBV_ACCESS_REMOTE_READ)->rkey;
  };
  test.first = [&rkey](Flow& flow) {
    bad_write(flow, flow.piece(0, kSome), flow.remote(0), rkey, IBV_WC_REM_ACCESS_ERR);
  };
  test.second = expect_access_error;
  test.run();
}

TEST(VerbsErrors, AWriteToARegionOfAnotherDomainBreaksBothEnds) {
  Broken test;
  std::uint32_t rkey = 0;
  test.prepare_second = [&rkey](Flow& flow) {
    ibv_pd* pd = ibv_alloc_pd(flow.at.context);
    rkey = ibv_reg_mr(pd, flow.memory.data(), kSome, flow.config.access)->rkey;
  };
  test.first = [&rkey](Flow& flow) {
    bad_write(flow, flow.piece(0, kSome), flow.remote(0), rkey, IBV_WC_REM_ACCESS_ERR);
  };
  test.second = expect_access_error;
  test.run();
}

TEST(VerbsErrors, AWriteToARegionThatIsGoneBreaksBothEnds) {
  Broken test;
  std::uint32_t rkey = 0;
  test.prepare_second = [&rkey](Flow& flow) {
    ibv_mr* mr = ibv_reg_mr(flow.at.pd, flow.memory.data(), kSome, flow.config.access);
    rkey = mr->rkey;
    EXPECT_EQ(ibv_dereg_mr(mr), 0);
    EXPECT_NE(ibv_reg_mr(flow.at.pd, flow.memory.data(), kSome, flow.config.access)->rkey, rkey);
  };
  test.first = [&rkey](Flow& flow) {
    bad_write(flow, flow.piece(0, kSome), flow.remote(0), rkey, IBV_WC_REM_ACCESS_ERR);
  };
  test.second = expect_access_error;
  test.run();
}

TEST(VerbsErrors, AQueuePairThatTakesNoWritesBreaksBothEnds) {
  Broken test;
  test.config.qp_access = IBV_ACCESS_REMOTE_READ;
  test.first = [](Flow& flow) {
    EXPECT_EQ(flow.write(1, 0, kSome), 0);
    EXPECT_EQ(flow.write(2, 0, kSome), 0);
    flow.expect(1, IBV_WC_REM_ACCESS_ERR);
    flow.expect(2, IBV_WC_WR_FLUSH_ERR);
    flow.expect_dead();
  };
  test.second = expect_access_error;
  test.run();
}

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
