// A connection that a test breaks beside a bystander, and what comes of it.
#pragma once

#include "tests/sw/verbs/errors_bench.h"

namespace railyard::verbs::test {

/// A connection of both sides that is broken beside a bystander. `first` runs on the side that
/// sends, `second` on the other, once that has met it.
class Broken {
 public:
  using Step = std::function<void(Flow& flow)>;
  FlowConfig config;
  std::function<void(FlowConfig& second)> differ = [](FlowConfig&) {};
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
    FlowConfig own = config;
    if (side.number == 1) differ(own);
    flows[side.number] = std::make_unique<Flow>(side, own);
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
inline void bad_write(const Flow& flow, ibv_sge segment, std::uint64_t remote, std::uint32_t rkey,
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

inline void expect_event(const Flow& flow, ibv_event_type type) {
  const ibv_async_event event = next_event(flow.at);
  EXPECT_STREQ(ibv_event_type_str(event.event_type), ibv_event_type_str(type));
  EXPECT_EQ(event.element.qp, flow.qp);
}

inline void expect_access_error(const Flow& flow) {
  expect_event(flow, IBV_EVENT_QP_ACCESS_ERR);
  flow.expect_dead();
}

inline void expect_untouched(const Flow& flow) {
  EXPECT_EQ(flow.state(), IBV_QPS_RTS);
  flow.expect_nothing();
}

}  // namespace railyard::verbs::test
