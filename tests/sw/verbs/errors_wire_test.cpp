// Packets that are lost, damaged, repeated or late between two NICs: data comes whole and each
// message completes once, or fails when timeout and retry count say.
#include "tests/sw/verbs/errors_wire.h"

namespace railyard::verbs::test {
namespace {

FlowConfig patient() {
  FlowConfig config;
  config.timeout = 4;  // 65.5 us
  return config;
}

class BadWires : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(BadWires, LoseNoMessageByAll) {
  BadlyJoined hosts({0.01, 0.01, 0.02, 0.02, 3}, GetParam());
  RandomMessages(400, GetParam()).run(hosts, patient());
  EXPECT_GT(hosts.wire->met, 50U);
  EXPECT_GT(hosts.hosts.metric("h0.nic0.requester.packets_again"), 0U);
}

TEST_P(BadWires, LoseNoMessageByLoss) {
  BadlyJoined hosts({0.03, 0, 0, 0, 0}, GetParam() + 100);
  RandomMessages(200, GetParam()).run(hosts, patient());
}

TEST_P(BadWires, LoseNoMessageByDelay) {
  BadlyJoined hosts({0, 0, 0, 0.1, 20}, GetParam() + 200);
  RandomMessages(200, GetParam()).run(hosts, patient());
}

TEST_P(BadWires, LoseNoMessageByRepetition) {
  BadlyJoined hosts({0, 0, 0.5, 0, 0}, GetParam() + 300);
  RandomMessages(200, GetParam()).run(hosts, patient());
}

INSTANTIATE_TEST_SUITE_P(Seeds, BadWires, ::testing::Range<std::uint64_t>(0, 20));

// Bit errors of the links themselves.
TEST(VerbsWire, BitErrorsLoseNoMessage) {
  LinkConfig link;
  link.bit_error_rate = 1e-6;
  BadlyJoined hosts({}, 1, link);
  RandomMessages(400, 1).run(hosts, patient());
  EXPECT_GT(hosts.hosts.metric("h0.nic0.requester.packets_again"), 0U);
}

// The link is down for a while: shorter than patience lasts.
TEST(VerbsWire, AnOutageLosesNoMessage) {
  LinkConfig link;
  link.outages.push_back({300 * kMicrosecond, 200 * kMicrosecond});
  BadlyJoined hosts({}, 1, link);
  RandomMessages(2000, 2).run(hosts, patient());
  EXPECT_GT(hosts.hosts.metric("h0.nic0.requester.timeouts"), 0U);
}

/// When a WRITE over a wire that is cut fails, from its doorbell on.
Time time_to_give_up(std::uint8_t timeout, std::uint8_t retries, std::uint64_t& timeouts) {
  BadlyJoined hosts({}, 1);
  Time taken = 0;
  FlowConfig config;
  config.timeout = timeout;
  config.retries = retries;
  hosts.hosts.run([&](Side& side) {
    Flow flow(side, config);
    flow.connect();
    if (side.number == 1) return side.meet();  // its memory stays until the other is done
    EXPECT_EQ(flow.write(1, 0, 64), 0);
    flow.expect(1, IBV_WC_SUCCESS);
    hosts.wire->cut = true;
    const Time began = side.core->now();
    EXPECT_EQ(flow.write(2, 0, 64), 0);
    EXPECT_EQ(flow.write(3, 0, 64), 0);
    const ibv_wc wc = flow.completion(kSecond);
    taken = side.core->now() - began;
    EXPECT_EQ(wc.wr_id, 2U);
    EXPECT_STREQ(ibv_wc_status_str(wc.status), ibv_wc_status_str(IBV_WC_RETRY_EXC_ERR));
    flow.expect(3, IBV_WC_WR_FLUSH_ERR);
    flow.expect_dead();
    side.meet();
  });
  timeouts = hosts.hosts.metric("h0.nic0.requester.timeouts");
  return taken;
}

// 4.096 us * 2^timeout for the first time and for each retry. Sending again, and finding out, take
// less than a microsecond each.
TEST(VerbsWire, ACutWireFailsWhenTimeoutAndRetryCountSay) {
  for (const std::uint8_t timeout : std::initializer_list<std::uint8_t>{2, 5, 8}) {
    for (const std::uint8_t retries : std::initializer_list<std::uint8_t>{0, 1, 7}) {
      const Time patience = (retries + 1) * (4096 * kNanosecond << timeout);
      std::uint64_t timeouts = 0;
      const Time taken = time_to_give_up(timeout, retries, timeouts);
      EXPECT_GE(taken, patience) << +timeout << ", " << +retries;
      EXPECT_LE(taken, patience + (retries + 3) * kMicrosecond) << +timeout << ", " << +retries;
      EXPECT_EQ(timeouts, retries + 1U);
    }
  }
}

/// When a SEND for which there is never a receive fails.
Time time_to_give_up_on_receives(std::uint8_t code, std::uint8_t retries) {
  TwoHosts hosts;
  Time taken = 0;
  FlowConfig config;
  config.timeout = 20;
  config.rnr_timer = code;
  config.rnr_retries = retries;
  hosts.run([&](Side& side) {
    Flow flow(side, config);
    flow.connect();
    if (side.number == 0) {
      const Time began = side.core->now();
      EXPECT_EQ(flow.send(1, 0, 64), 0);
      EXPECT_EQ(flow.send(2, 0, 64), 0);
      const ibv_wc wc = flow.completion(kSecond);
      taken = side.core->now() - began;
      EXPECT_EQ(wc.wr_id, 1U);
      EXPECT_STREQ(ibv_wc_status_str(wc.status), ibv_wc_status_str(IBV_WC_RNR_RETRY_EXC_ERR));
      flow.expect(2, IBV_WC_WR_FLUSH_ERR);
      flow.expect_dead();
    }
    side.meet();
    if (side.number == 1) {
      EXPECT_EQ(flow.state(), IBV_QPS_RTS);
      flow.expect_nothing();
    }
  });
  return taken;
}

TEST(VerbsWire, AReceiverThatIsNeverReadyFailsWhenTimerAndRetryCountSay) {
  for (const std::uint8_t retries : std::initializer_list<std::uint8_t>{0, 1, 6}) {
    constexpr Time kDelay = 640 * kMicrosecond;  // code 12
    const Time taken = time_to_give_up_on_receives(12, retries);
    EXPECT_GE(taken, retries * kDelay);
    // A round trip, and a look at the doorbell record, for each.
    EXPECT_LE(taken, retries * kDelay + (retries + 1) * 8 * kMicrosecond);
  }
}

}  // namespace
}  // namespace railyard::verbs::test
