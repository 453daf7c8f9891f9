// What goes wrong: lost packets, NAKs, timeouts, bad work requests, flushing.
#include <gtest/gtest.h>

#include "tests/hw/nic/requester_bench.h"

namespace railyard::nic {
namespace {

using requester_test::requester_config;
using requester_test::RequesterBench;
using requester_test::WqeText;

constexpr std::uint8_t kSequenceNak = 0x60;
constexpr std::uint8_t kRnr = 0x20;

struct Syndromes : RequesterBench {
  std::vector<std::pair<std::uint16_t, abi::Syndrome>> all() const {
    std::vector<std::pair<std::uint16_t, abi::Syndrome>> list;
    for (const Completion& c : completions.all) list.emplace_back(c.wqe_counter, c.syndrome);
    return list;
  }
};
using List = std::vector<std::pair<std::uint16_t, abi::Syndrome>>;

void post_writes(RequesterBench& b, Qp& qp, int count, std::uint32_t bytes = 8) {
  for (int i = 0; i < count; ++i) b.put(qp, b.message(abi::Opcode::kRdmaWrite, bytes));
  b.ring(qp);
}

TEST(RequesterRetry, GoesBackToThePsnOfASequenceNakAndNoFurther) {
  Syndromes b;
  Qp& qp = b.add_qp();
  post_writes(b, qp, 3, 2048);  // 100 to 105
  b.run(5 * kMicrosecond);
  ASSERT_EQ(b.transmit.sent.size(), 6U);
  b.ack(qp, 103, kSequenceNak);
  b.run(5 * kMicrosecond);
  EXPECT_EQ(b.psns(), (std::vector<std::uint32_t>{100, 101, 102, 103, 104, 105, 103, 104, 105}));
  const auto& again = b.transmit.sent[6];
  EXPECT_EQ(again.frame.bth.opcode, net::Opcode::kRcRdmaWriteLast);
  const std::uint8_t* data = &b.dma.memory[RequesterBench::kData + 1024];
  EXPECT_EQ(again.payload, std::vector<std::uint8_t>(data, data + 1024));
  EXPECT_EQ(b.all(), (List{{0, abi::Syndrome::kNone}}));
  b.ack(qp, 105);
  EXPECT_EQ(b.completions.all.size(), 3U);
  EXPECT_EQ(b.metric("requester.packets"), 6U);
  EXPECT_EQ(b.metric("requester.packets_again"), 3U);
  EXPECT_EQ(b.metric("requester.wqes_fetched"), 3U);  // none was read again
}

TEST(RequesterRetry, SendsNothingAgainThatWasAcknowledgedMeanwhile) {
  RequesterBench b;
  Qp& qp = b.add_qp();
  post_writes(b, qp, 1, 8 * 1024);
  b.run(5 * kMicrosecond);
  b.transmit.limit = 1;
  b.ack(qp, 102, kSequenceNak);
  b.run(50 * kNanosecond);  // one packet again at most
  b.ack(qp, 106);
  b.transmit.limit = ~0U;
  b.run(5 * kMicrosecond);
  const std::vector<std::uint32_t> psns = b.psns();
  EXPECT_EQ(psns.back(), 107U);
  EXPECT_EQ(std::count(psns.begin(), psns.end(), 102U), 2);
  EXPECT_EQ(std::count(psns.begin(), psns.end(), 106U), 1);
  EXPECT_EQ(std::count(psns.begin(), psns.end(), 107U), 2);
}

TEST(RequesterRetry, IgnoresAnswersToNothingThatIsOutstanding) {
  Syndromes b;
  Qp& qp = b.add_qp();
  post_writes(b, qp, 2);
  b.run(5 * kMicrosecond);
  b.ack(qp, 99);
  b.ack(qp, 102);
  b.ack(qp, 90, kSequenceNak);
  b.ack(qp, 101);
  b.ack(qp, 100);
  b.ack(qp, 101, 0x62);
  b.run(5 * kMicrosecond);
  EXPECT_EQ(b.transmit.sent.size(), 2U);
  EXPECT_EQ(b.completions.all.size(), 2U);
  EXPECT_EQ(b.metric("requester.stale"), 5U);
  EXPECT_EQ(b.buffer.released, b.answers);
  EXPECT_TRUE(b.failures.empty());
}

TEST(RequesterRetry, TimesOutAndGivesUpAtTheExactTimes) {
  Syndromes b;
  Qp& qp = b.add_qp();
  qp.timeout = 3;  // 32.768 us
  qp.retry_count = 2;
  post_writes(b, qp, 2);
  b.run(200 * kMicrosecond);
  const Time timeout = 8 * 4096 * kNanosecond;
  ASSERT_EQ(b.transmit.sent.size(), 6U);
  EXPECT_EQ(b.psns(), (std::vector<std::uint32_t>{100, 101, 100, 101, 100, 101}));
  // From the first packet's being on the line: scheduler, context, translation lie between.
  for (std::size_t i = 2; i < 6; i += 2) {
    EXPECT_EQ(b.transmit.sent[i].sent - b.transmit.sent[i - 2].sent, timeout + 4 * kNanosecond);
  }
  EXPECT_EQ(b.all(), (List{{0, abi::Syndrome::kRetryExceeded}, {1, abi::Syndrome::kFlushed}}));
  EXPECT_EQ(b.completions.times[0], b.transmit.sent[4].sent + timeout);
  EXPECT_EQ(b.failures, (std::vector<abi::EventType>{abi::EventType::kCompletion}));
  EXPECT_EQ(b.metric("requester.timeouts"), 3U);
  EXPECT_EQ(b.partition().outstanding_work(), 0U);
}

TEST(RequesterRetry, CountsPatienceFromTheLatestProgress) {
  RequesterBench b;
  Qp& qp = b.add_qp();
  qp.timeout = 1;  // 8.192 us
  qp.retry_count = 0;
  post_writes(b, qp, 5);
  for (std::uint32_t i = 0; i < 5; ++i) {
    b.run(7 * kMicrosecond);
    b.ack(qp, 100 + i);
  }
  b.simulation.run(kSecond);
  EXPECT_EQ(b.metric("requester.timeouts"), 0U);
  EXPECT_EQ(b.metric("requester.wqes_completed"), 5U);
  EXPECT_LT(b.now(), 36 * kMicrosecond);  // no timer keeps the run alive
}

TEST(RequesterRetry, WaitsForEverWithATimeoutOfZero) {
  RequesterBench b;
  Qp& qp = b.add_qp();
  post_writes(b, qp, 1);
  b.run(kSecond);
  EXPECT_EQ(b.transmit.sent.size(), 1U);
  std::vector<Wait> waits = b.simulation.waits();
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].info.waiter, "nic.requester");
  EXPECT_EQ(waits[0].info.what, "acknowledgements of 1 packets of queue pair 64");
}

TEST(RequesterRetry, WaitsAsLongAsAnRnrNakSays) {
  Syndromes b;
  Qp& qp = b.add_qp();
  qp.rnr_retry = 2;
  qp.timeout = 1;
  post_writes(b, qp, 3);
  b.run(2 * kMicrosecond);
  b.ack(qp, 101, kRnr | 14);
  EXPECT_EQ(b.completions.all.size(), 1U);
  const Time at = b.now();
  b.run(1280 * kMicrosecond);
  EXPECT_EQ(b.transmit.sent.size(), 3U);
  b.run(kMicrosecond);
  EXPECT_EQ(b.psns(), (std::vector<std::uint32_t>{100, 101, 102, 101, 102}));
  EXPECT_EQ(b.transmit.sent[3].taken, at + 1280 * kMicrosecond + 5 * kNanosecond);
  b.ack(qp, 101, kRnr | 1);
  b.run(12 * kMicrosecond);
  EXPECT_EQ(b.transmit.sent.size(), 7U);
  b.ack(qp, 101, kRnr | 1);  // the third: two retries were allowed
  b.run(5 * kMicrosecond);
  EXPECT_EQ(b.all(), (List{{0, abi::Syndrome::kNone},
                           {1, abi::Syndrome::kRnrRetryExceeded},
                           {2, abi::Syndrome::kFlushed}}));
}

TEST(RequesterRetry, RetriesForEverWithAnRnrRetryOfSeven) {
  RequesterBench b;
  Qp& qp = b.add_qp();
  post_writes(b, qp, 1);
  b.run(2 * kMicrosecond);
  for (int i = 0; i < 20; ++i) {
    b.ack(qp, 100, kRnr | 1);
    b.run(12 * kMicrosecond);
  }
  EXPECT_EQ(b.transmit.sent.size(), 21U);
  EXPECT_TRUE(b.failures.empty());
}

TEST(RequesterRetry, KnowsTheRnrTimesOfTheStandard) {
  EXPECT_EQ(rnr_delay(0), 655'360 * kMicrosecond);
  EXPECT_EQ(rnr_delay(1), 10 * kMicrosecond);
  EXPECT_EQ(rnr_delay(12), 640 * kMicrosecond);
  EXPECT_EQ(rnr_delay(20), 10'240 * kMicrosecond);
  EXPECT_EQ(rnr_delay(31), 491'520 * kMicrosecond);
  EXPECT_EQ(ack_timeout(14), (Time{1} << 14) * 4096 * kNanosecond);
}

TEST(RequesterRetry, FailsWithTheSyndromeOfEachNak) {
  const std::vector<std::pair<std::uint8_t, abi::Syndrome>> naks = {
      {0x61, abi::Syndrome::kRemoteInvalidRequest},
      {0x62, abi::Syndrome::kRemoteAccess},
      {0x63, abi::Syndrome::kRemoteOperation}};
  Syndromes b;
  for (std::size_t i = 0; i < naks.size(); ++i) {
    Qp& qp = b.add_qp();
    post_writes(b, qp, 3);
    b.run(5 * kMicrosecond);
    b.completions.all.clear();
    b.ack(qp, 101, naks[i].first);
    b.run(5 * kMicrosecond);
    EXPECT_EQ(b.all(),
              (List{{0, abi::Syndrome::kNone}, {1, naks[i].second}, {2, abi::Syndrome::kFlushed}}));
    EXPECT_EQ(b.completions.all[1].opcode, abi::CqeOpcode::kRequesterError);
  }
  EXPECT_EQ(b.partition().outstanding_work(), 0U);
}

TEST(RequesterRetry, CompletesABadWqeInErrorOnlyBehindThoseBeforeIt) {
  Syndromes b;
  Qp& qp = b.add_qp();
  b.put(qp, b.message(abi::Opcode::kRdmaWrite, 8));
  WqeText bad = b.message(abi::Opcode::kRdmaWrite, 8);
  bad.opcode = static_cast<abi::Opcode>(0x33);
  b.put(qp, bad);
  b.put(qp, b.message(abi::Opcode::kRdmaWrite, 8));
  b.ring(qp);
  b.run(5 * kMicrosecond);
  EXPECT_EQ(b.psns(), (std::vector<std::uint32_t>{100}));
  EXPECT_TRUE(b.completions.all.empty());
  b.ack(qp, 100);
  b.run(5 * kMicrosecond);
  EXPECT_EQ(b.all(), (List{{0, abi::Syndrome::kNone},
                           {1, abi::Syndrome::kLocalQpOperation},
                           {2, abi::Syndrome::kFlushed}}));
}

TEST(RequesterRetry, FailsEachKindOfMalformedWqe) {
  Syndromes b;
  const std::vector<std::function<void(WqeText&)>> spoils = {
      [](WqeText& t) { t.ds_more = -3; },
      [](WqeText& t) { t.ds_more = 60; },
      [](WqeText& t) { t.index_more = 1; },
      [](WqeText& t) { t.qpn_more = 1; },
      [](WqeText& t) { t.opcode = abi::Opcode::kCompareSwap; },
      [](WqeText& t) { t.data[0].bytes = 100 | abi::kInlineFlag; },
      [](WqeText& t) { t.data[0].bytes = 0, t.data.push_back(t.data[0]); }};
  for (const auto& spoil : spoils) {
    Qp& qp = b.add_qp();
    b.completions.all.clear();
    WqeText text = b.message(abi::Opcode::kRdmaWrite, 8);
    spoil(text);
    b.post(qp, text);
    b.run(5 * kMicrosecond);
    EXPECT_EQ(b.all(), (List{{0, abi::Syndrome::kLocalQpOperation}}));
  }
  EXPECT_TRUE(b.transmit.sent.empty());
  EXPECT_EQ(b.partition().outstanding_work(), 0U);
}

TEST(RequesterRetry, FailsKeysBoundsDomainsAndRightsAsLocalProtection) {
  Syndromes b;
  b.keys.keys[7] = {0x10, 100, 0, 2, abi::access::kLocalWrite};  // of another domain
  b.keys.keys[8] = {0x10, 100, 0, 1, 0};                         // not to be written
  const std::vector<std::pair<abi::Opcode, SendWqe::Data>> bad = {
      {abi::Opcode::kSend, {0x10, 8, 6}},
      {abi::Opcode::kSend, {0x10, 8, 7}},
      {abi::Opcode::kRdmaWrite, {0x10, 101, 8}},
      {abi::Opcode::kRdmaRead, {0x10, 8, 8}}};
  for (const auto& [opcode, data] : bad) {
    Qp& qp = b.add_qp();
    b.completions.all.clear();
    WqeText text;
    text.opcode = opcode;
    text.data = {data};
    b.post(qp, text);
    b.run(5 * kMicrosecond);
    EXPECT_EQ(b.all(), (List{{0, abi::Syndrome::kLocalProtection}}));
  }
  EXPECT_TRUE(b.transmit.sent.empty());
}

TEST(RequesterRetry, FlushesWhatWasPostedInOrderAndWhatIsPostedLater) {
  Syndromes b;
  Qp& qp = b.add_qp();
  post_writes(b, qp, 40, 3000);
  b.run(900 * kNanosecond);
  ASSERT_FALSE(b.transmit.sent.empty());
  qp.state = abi::QpState::kError;
  b.requester->flush(qp);
  const std::size_t sent = b.transmit.sent.size();
  b.run(20 * kMicrosecond);
  EXPECT_EQ(b.transmit.sent.size(), sent);
  ASSERT_EQ(b.completions.all.size(), 40U);
  post_writes(b, qp, 3);
  b.run(20 * kMicrosecond);
  ASSERT_EQ(b.completions.all.size(), 43U);
  for (std::uint16_t i = 0; i < 43; ++i) {
    EXPECT_EQ(b.completions.all[i].wqe_counter, i);
    EXPECT_EQ(b.completions.all[i].syndrome, abi::Syndrome::kFlushed);
  }
  EXPECT_EQ(b.partition().outstanding_work(), 0U);
}

TEST(RequesterRetry, IsBrokenByAWqeThatCannotBeRead) {
  Syndromes b;
  Qp& qp = b.add_qp();
  b.dma.bad_from = qp.send.entry(8);
  post_writes(b, qp, 20);
  b.run(20 * kMicrosecond);
  EXPECT_EQ(b.failures, (std::vector<abi::EventType>{abi::EventType::kQpCatastrophic}));
  for (std::size_t i = 0; i < b.completions.all.size(); ++i) {
    EXPECT_EQ(b.completions.all[i].wqe_counter, i);
    EXPECT_EQ(b.completions.all[i].syndrome, abi::Syndrome::kFlushed);
  }
  EXPECT_EQ(b.partition().outstanding_work(), 0U);
}

TEST(RequesterRetry, FailsTheWqeWhosePayloadCannotBeRead) {
  Syndromes b;
  Qp& qp = b.add_qp();
  b.transmit.fail_next = 2;
  post_writes(b, qp, 3);
  b.run(5 * kMicrosecond);
  b.ack(qp, 100);
  b.run(5 * kMicrosecond);
  EXPECT_EQ(b.all(), (List{{0, abi::Syndrome::kNone},
                           {1, abi::Syndrome::kLocalQpOperation},
                           {2, abi::Syndrome::kFlushed}}));
}

TEST(RequesterRetry, CountsPsnsModuloTheirWidth) {
  RequesterBench b;
  Qp& qp = b.add_qp();
  qp.requester.next_psn = 0xFF'FFFE;
  post_writes(b, qp, 2, 3 * 1024);
  b.run(5 * kMicrosecond);
  const std::vector<std::uint32_t> first = {0xFF'FFFE, 0xFF'FFFF, 0, 1, 2, 3};
  EXPECT_EQ(b.psns(), first);
  b.ack(qp, 0xFF'FFFF, kSequenceNak);
  b.run(5 * kMicrosecond);
  std::vector<std::uint32_t> all = first;
  all.insert(all.end(), first.begin() + 1, first.end());
  EXPECT_EQ(b.psns(), all);
  b.ack(qp, 0);
  EXPECT_EQ(b.completions.all.size(), 1U);
  b.ack(qp, 3);
  EXPECT_EQ(b.completions.all.size(), 2U);
  EXPECT_EQ(qp.requester.next_psn, 4U);
}

}  // namespace
}  // namespace railyard::nic
