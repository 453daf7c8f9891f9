// Keys that are wrong, past their bounds, of another domain, or without the right: both ends see
// the statuses that verbs define, and a flow beside them loses nothing.
#include "tests/sw/verbs/errors_broken.h"

namespace railyard::verbs::test {
namespace {

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

}  // namespace
}  // namespace railyard::verbs::test
