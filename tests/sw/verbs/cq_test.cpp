// Completion channels: arming, events, what is refused.
#include <gmock/gmock.h>

#include "tests/sw/verbs/verbs_bench.h"

namespace railyard::verbs {
namespace {

using support::cqe;
using support::Queues;
using support::send_wr;
using support::VerbsBench;
using testing::ElementsAre;

abi::Eqe completion_event(const ibv_cq* cq) {
  abi::Eqe event;
  event.number = cq->handle;
  return event;
}

TEST(VerbsNotify, ArmsByTheRecordAndTheDoorbellWithTheSequenceOfEvents) {
  VerbsBench([](VerbsBench& bench) {
    Queues queues;
    queues.connect();
    ibv_comp_channel* channel = ibv_create_comp_channel(queues.context);
    ibv_cq* cq = ibv_create_cq(queues.context, 1, nullptr, channel, 0);
    const Address record = bench.device->cqs.at(cq->handle).doorbell_record;
    ASSERT_EQ(ibv_req_notify_cq(cq, 1), 0);
    EXPECT_EQ(bench.read<abi::CqDoorbellRecord>(record).arm, 0x0100'0000U);
    ASSERT_EQ(bench.port.writes.size(), 1U);
    EXPECT_EQ(bench.port.writes[0].address, bench.uar() + 0x20);
    EXPECT_THAT(bench.port.writes[0].bytes,
                ElementsAre(1, 0, 0, 0, 0, 0, 0, static_cast<std::uint8_t>(cq->handle)));
    // The next sequence number after an event; the consumer index goes along.
    bench.device->events[1] = {completion_event(cq)};
    ibv_cq* got = nullptr;
    void* context = nullptr;
    ASSERT_EQ(ibv_get_cq_event(channel, &got, &context), 0);
    EXPECT_EQ(got, cq);
    bench.complete(cq, cqe(abi::CqeOpcode::kRequester, 0x40, 0));
    ibv_wc wc{};
    ASSERT_EQ(ibv_poll_cq(cq, 1, &wc), 1);
    ASSERT_EQ(ibv_req_notify_cq(cq, 0), 0);
    EXPECT_EQ(bench.read<abi::CqDoorbellRecord>(record).arm, 0x1000'0001U);
  });
}

TEST(VerbsNotify, AnEventIsOfItsQueuesChannelWhicheverWaits) {
  VerbsBench([](VerbsBench& bench) {
    const Queues queues;
    int mine = 0;
    ibv_comp_channel* first = ibv_create_comp_channel(queues.context);
    ibv_comp_channel* second = ibv_create_comp_channel(queues.context);
    ibv_cq* one = ibv_create_cq(queues.context, 10, &mine, first, 0);
    ibv_cq* two = ibv_create_cq(queues.context, 10, nullptr, second, 0);
    // The one that waits gets its own, though the other's comes before; one that is nobody's is
    // nothing.
    bench.device->events[1] = {completion_event(two), completion_event(queues.cq)};
    bench.late = [&] { bench.device->events[1].push_back(completion_event(one)); };
    ibv_cq* got = nullptr;
    void* context = nullptr;
    ASSERT_EQ(ibv_get_cq_event(first, &got, &context), 0);
    EXPECT_GE(bench.simulation.now(), VerbsBench::kLate);
    EXPECT_EQ(got, one);
    EXPECT_EQ(context, &mine);
    ASSERT_EQ(ibv_get_cq_event(second, &got, &context), 0);
    EXPECT_EQ(got, two);
    EXPECT_EQ(ibv_destroy_cq(one), EBUSY);  // not acknowledged
    ibv_ack_cq_events(one, 1);
    EXPECT_EQ(ibv_destroy_comp_channel(first), EBUSY);
    EXPECT_EQ(ibv_destroy_cq(one), 0);
    EXPECT_EQ(ibv_destroy_comp_channel(first), 0);
  });
}

TEST(VerbsCq, HasAtLeastTheEntriesAskedFor) {
  VerbsBench([](VerbsBench& /*bench*/) {
    const Queues queues;
    EXPECT_EQ(ibv_create_cq(queues.context, 16, nullptr, nullptr, 0)->cqe, 31);
    EXPECT_EQ(ibv_create_cq(queues.context, 1, nullptr, nullptr, 0)->cqe, 1);
    for (const int entries : {0, -1, 4096}) {
      EXPECT_EQ(ibv_create_cq(queues.context, entries, nullptr, nullptr, 0), nullptr);
      EXPECT_EQ(errno, EINVAL);
    }
    EXPECT_EQ(ibv_create_cq(queues.context, 4095, nullptr, nullptr, 0)->cqe, 4095);
    EXPECT_EQ(ibv_create_cq(queues.context, 1, nullptr, nullptr, 1), nullptr);  // no such vector
  });
}

TEST(VerbsCq, QueuesOfAChannelHaveOneVector) {
  VerbsConfig config;
  config.completion_vectors = 2;
  VerbsBench(
      [](VerbsBench& bench) {
        const Queues queues;
        EXPECT_EQ(bench.device->vectors, 2U);
        ibv_comp_channel* channel = ibv_create_comp_channel(queues.context);
        ibv_cq* cq = ibv_create_cq(queues.context, 1, nullptr, channel, 1);
        ASSERT_NE(cq, nullptr);
        EXPECT_EQ(bench.device->cqs.at(cq->handle).eq, 2U);
        EXPECT_EQ(ibv_create_cq(queues.context, 1, nullptr, channel, 0), nullptr);
        EXPECT_EQ(errno, EINVAL);
        EXPECT_NE(ibv_create_cq(queues.context, 1, nullptr, channel, 1), nullptr);
      },
      config);
}

TEST(VerbsCq, ModerationIsTheDrivers) {
  VerbsBench([](VerbsBench& bench) {
    const Queues queues;
    ibv_modify_cq_attr set{};
    set.attr_mask = IBV_CQ_ATTR_MODERATE;
    set.moderate.cq_count = 12;
    set.moderate.cq_period = 3;
    ASSERT_EQ(ibv_modify_cq(queues.cq, &set), 0);
    EXPECT_EQ(bench.device->log.back(), "modify_cq 3000000 12");
  });
}

}  // namespace
}  // namespace railyard::verbs
