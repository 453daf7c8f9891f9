// Each rule of the checker is broken once, and found.
#include "hw/pcie/transaction_checker.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/hw/pcie/transaction_checker_bench.h"

namespace railyard::pcie {
namespace {

struct Breach {
  const char* found;
  void (*action)(Watched& w);
};

void expect_all_found(const std::vector<Breach>& breaches) {
  for (const Breach& b : breaches) {
    Watched watched;
    expect_found([&] { b.action(watched); }, b.found);
  }
}

TEST(TransactionChecker, FindsWhatIsWrongWithRequests) {
  expect_all_found({
      {"crosses a 4 KiB boundary", [](Watched& w) { w.ask(TlpType::kMemoryWrite, 0x1FFF, 2); }},
      {"crosses a 4 KiB boundary", [](Watched& w) { w.read(0x1F00, 257); }},
      {"larger than the max payload", [](Watched& w) { w.ask(TlpType::kMemoryWrite, 0, 257); }},
      {"larger than the max payload", [](Watched& w) { w.ask(TlpType::kMemoryWrite, 1, 256); }},
      {"larger than the max read request", [](Watched& w) { w.read(0, 513); }},
      {"larger than the max read request", [](Watched& w) { w.read(2, 511); }},
      {"not within one dword", [](Watched& w) { w.ask(TlpType::kConfigRead, 4, 8); }},
      {"not within one dword", [](Watched& w) { w.ask(TlpType::kConfigWrite, 6, 4); }},
      {"not within one dword", [](Watched& w) { w.ask(TlpType::kConfigRead, 4, 0); }},
      {"beyond the function's space", [](Watched& w) { w.ask(TlpType::kConfigRead, 4096, 4); }},
      {"sent as a request", [](Watched& w) { w.ask(TlpType::kCompletionData, 0, 4); }},
      {"less data than its length",
       [](Watched& w) {
         const TlpRef write = w.make(TlpType::kMemoryWrite, 0, 64, 0);
         write->payload = w.payloads.acquire();
         write->payload->resize(100);
         write->payload_offset = 36;
         w.checker.requested(*write, 0);
         write->payload_offset = 37;
         w.checker.requested(*write, 0);
       }},
  });
}

TEST(TransactionChecker, FindsWhatIsWrongWithTags) {
  expect_all_found({
      {"beyond the number of tags", [](Watched& w) { w.read(0, 4, 32); }},
      {"used again before it is free",
       [](Watched& w) {
         w.read(0, 4);
         w.read(0, 4);
       }},
      {"used again before it is free",
       [](Watched& w) {
         w.read(0, 4);
         w.answer(0, 4, 4);
         w.ask(TlpType::kConfigRead, 0, 4);
       }},
      {"free that was not used", [](Watched& w) { w.checker.tag_free(3, 0); }},
      {"free that is none", [](Watched& w) { w.checker.tag_free(32, 0); }},
      {"before its request was answered or timed out",
       [](Watched& w) {
         w.read(0, 512);
         w.answer(0, 256, 512);
         w.checker.tag_free(3, 50 * kMicrosecond - 1);
       }},
      {"answered but never free",
       [](Watched& w) {
         w.read(0, 4);
         w.answer(0, 4, 4);
         w.checker.at_end(0, false);
         w.checker.at_end(0, true);
       }},
      {"1 requests were never answered",
       [](Watched& w) {
         w.read(0, 4);
         w.checker.at_end(0, false);
         w.checker.at_end(0, true);
       }},
  });
}

TEST(TransactionChecker, FindsCompletionsThatNobodyAskedFor) {
  expect_all_found({
      {"nobody asked for", [](Watched& w) { w.answer(0, 4, 4); }},
      {"nobody asked for",
       [](Watched& w) {
         w.read(0, 4, 4);
         w.answer(0, 4, 4, 5);
       }},
      {"tag that is none", [](Watched& w) { w.answer(0, 4, 4, 32); }},
      {"after the last",
       [](Watched& w) {
         w.read(0, 4);
         w.answer(0, 4, 4);
         w.answer(0, 4, 4);
       }},
      {"after the last",
       [](Watched& w) {
         w.read(0, 4);
         w.fail(Status::kUnsupportedRequest);
         w.answer(0, 4, 4);
       }},
      {"another requester",
       [](Watched& w) {
         w.read(0, 4);
         const TlpRef other = w.answer_of(0, 4, 4);
         other->requester = DeviceId::of(2, 0);
         w.checker.completed(*other, 0);
       }},
      {"taken for a completion",
       [](Watched& w) {
         w.read(0, 4);
         w.checker.completed(*w.make(TlpType::kMemoryRead, 0, 4, 3), 0);
       }},
  });
}

TEST(TransactionChecker, FindsWhatIsWrongWithReadData) {
  expect_all_found({
      {"where the one before it ended",
       [](Watched& w) {
         w.read(0x1001, 100);
         w.answer(0x1000, 100, 100);
       }},
      {"where the one before it ended",
       [](Watched& w) {
         w.read(0, 512);
         w.answer(0, 128, 512);
         w.answer(192, 64, 384);
       }},
      {"where the one before it ended",
       [](Watched& w) {
         w.read(0, 512);
         w.answer(256, 256, 512);  // out of order
       }},
      {"wrong byte count",
       [](Watched& w) {
         w.read(0, 512);
         w.answer(0, 256, 256);
       }},
      {"wrong byte count",
       [](Watched& w) {
         w.read(0, 512);
         w.answer(0, 256, 512);
         w.answer(256, 256, 512);
       }},
      {"wrong byte count",
       [](Watched& w) {
         w.read(0, 0);
         w.answer(0, 0, 0);
       }},
      {"more data than was asked for",
       [](Watched& w) {
         w.read(0, 5);
         w.answer(0, 6, 5);
       }},
      {"more data than was asked for",
       [](Watched& w) {
         w.read(0, 0);
         w.answer(0, 4, 1);
       }},
      {"of no byte",
       [](Watched& w) {
         w.read(0, 4);
         w.answer(0, 0, 4);
       }},
      {"larger than the max payload",
       [](Watched& w) {
         w.read(0, 320);
         w.answer(0, 320, 320);
       }},
      {"larger than the max payload",
       [](Watched& w) {
         w.read(1, 256);
         w.answer(1, 256, 256);
       }},
      {"no read completion boundary",
       [](Watched& w) {
         w.read(0, 512);
         w.answer(0, 32, 512);
       }},
      {"no read completion boundary",
       [](Watched& w) {
         RequesterLimits wide = limits();
         wide.boundary = 128;
         w.checker.set_limits(wide);
         w.read(0, 512);
         w.answer(0, 64, 512);
       }},
      {"without data",
       [](Watched& w) {
         w.read(0, 4);
         w.fail(Status::kSuccess);
       }},
      {"less data than its length",
       [](Watched& w) {
         w.read(0, 64);
         const TlpRef data = w.answer_of(0, 64, 64);
         data->payload = w.payloads.acquire();
         data->payload->resize(63);
         w.checker.completed(*data, 0);
       }},
  });
}

TEST(TransactionChecker, FindsWhatIsWrongWithOtherAnswers) {
  expect_all_found({
      {"says timeout",
       [](Watched& w) {
         w.read(0, 4);
         w.fail(Status::kTimeout);
       }},
      {"failed has data",
       [](Watched& w) {
         w.read(0, 4);
         w.fail(Status::kCompleterAbort, TlpType::kCompletionData);
       }},
      {"by a configuration retry",
       [](Watched& w) {
         w.read(0, 4);
         w.fail(Status::kConfigRetry);
       }},
      {"configuration read has no data",
       [](Watched& w) {
         w.ask(TlpType::kConfigRead, 0, 4);
         w.fail(Status::kSuccess);
       }},
      {"or a write has",
       [](Watched& w) {
         w.ask(TlpType::kConfigWrite, 0, 4);
         w.answer(0, 4, 4);
       }},
      {"wrong byte count",
       [](Watched& w) {
         w.ask(TlpType::kConfigRead, 0, 2);
         w.answer(0, 2, 2);
       }},
      {"more data than was asked for",
       [](Watched& w) {
         w.ask(TlpType::kConfigRead, 0, 4);
         w.answer(0, 8, 4);
       }},
  });
}

TEST(TransactionChecker, TagsBeyondASmallerCountMayStillBeOut) {
  Watched w;
  w.read(0, 4, 31);
  RequesterLimits fewer = limits();
  fewer.tags = 16;
  fewer.max_payload = 128;
  w.checker.set_limits(fewer);
  w.answer(0, 4, 4, 31);
  w.checker.tag_free(31, 0);
  expect_found([&] { w.read(0, 4, 16); }, "beyond the number of tags");
  expect_found([&] { w.ask(TlpType::kMemoryWrite, 0, 132); }, "larger than the max payload");
  w.checker.at_end(0, true);
}

}  // namespace
}  // namespace railyard::pcie
