// The checker accepts what a correct requester does.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "hw/pcie/tlp_rules.h"
#include "tests/hw/pcie/transaction_checker_bench.h"

namespace railyard::pcie {
namespace {

// Every length of read at every place in a block, cut by both policies.
TEST(TransactionChecker, CorrectReadsPass) {
  for (const CompletionSplit split : {CompletionSplit::kMaxPayload, CompletionSplit::kBoundary}) {
    const CompletionRule rule{split, 256, 64};
    Watched watched;
    for (std::uint64_t address = 0x1000; address < 0x1080; ++address) {
      for (std::uint32_t bytes = 1; bytes <= 512 - address % 4; ++bytes) {
        watched.read(address, bytes);
        std::uint64_t next = address;
        std::uint32_t left = bytes;
        while (left != 0) {
          const std::uint32_t piece = next_completion(next, left, rule);
          watched.answer(next, piece, left);
          next += piece;
          left -= piece;
        }
        watched.checker.tag_free(3, 0);
      }
    }
    watched.checker.at_end(0, true);
  }
}

TEST(TransactionChecker, CorrectRequestsOfOtherKindsPass) {
  Watched w;
  w.ask(TlpType::kMemoryWrite, 0x1F00, 256);
  w.ask(TlpType::kMemoryWrite, 0x1F01, 255);
  w.ask(TlpType::kMemoryWrite, 0x1FFF, 0);
  w.read(0x1001, 0);
  w.answer(0x1001, 0, 1);
  w.checker.tag_free(3, 0);
  w.ask(TlpType::kConfigRead, 0x10, 4);
  w.answer(0x10, 4, 4);
  w.checker.tag_free(3, 0);
  w.ask(TlpType::kConfigWrite, 0xFFC, 4);
  const TlpRef done = w.make(TlpType::kCompletion, 0, 0, 3);
  done->bytes_left = 4;
  w.checker.completed(*done, 0);
  w.checker.tag_free(3, 0);
  w.ask(TlpType::kConfigRead, 0, 4);
  w.fail(Status::kConfigRetry);
  w.checker.tag_free(3, 0);
  // A failure ends a read of which a part was answered.
  w.read(0x1000, 512);
  w.answer(0x1000, 256, 512);
  w.fail(Status::kCompleterAbort);
  w.checker.tag_free(3, 0);
  // One that timed out.
  w.read(0x1000, 512);
  w.checker.tag_free(3, 50 * kMicrosecond);
  w.checker.at_end(0, true);
}

TEST(TransactionChecker, RequestsOfOneDwordMayHaveHolesWithinTheirSpan) {
  for (unsigned enables = 1; enables < 16; ++enables) {
    for (std::uint64_t first = 0; first < 4; ++first) {
      for (std::uint32_t bytes = 1; first + bytes <= 4; ++bytes) {
        Watched w;
        const TlpRef read = w.make(TlpType::kMemoryRead, 0x1000 + first, bytes, 3);
        read->byte_enables = static_cast<std::uint8_t>(enables);
        const auto ask = [&] { w.checker.requested(*read, 0); };
        if ((enables >> first & 1U) != 0 && (enables >> (first + bytes - 1) & 1U) != 0) {
          ask();
          EXPECT_EQ(byte_count(*read), bytes);
          w.answer(0x1000 + first, bytes, bytes);
        } else {
          expect_found(ask, "first and last byte that it spans");
        }
      }
    }
  }
}

// Requests cut by the rules, answered in any order of tags, some of them by failures.
TEST(TransactionChecker, RandomTrafficPasses) {
  std::mt19937_64 random(1);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  struct Open {
    std::uint64_t next;
    std::uint32_t left;
  };
  Watched w;
  std::vector<Open> open(32, Open{0, 0});
  std::uint64_t asked = 0;
  while (asked < 100'000) {
    const auto tag = static_cast<std::uint16_t>(below(32));
    Open& o = open[tag];
    if (o.left == 0) {
      const std::uint64_t address = below(1U << 20);
      o = {address, next_request(address, 1 + below(2000), 512)};
      w.read(address, o.left, tag);
      ++asked;
      continue;
    }
    const CompletionRule rule{
        below(2) == 0 ? CompletionSplit::kBoundary : CompletionSplit::kMaxPayload, 256, 64};
    const std::uint32_t piece = next_completion(o.next, o.left, rule);
    if (below(50) == 0) {
      const TlpRef failed = w.make(TlpType::kCompletion, 0, 0, tag);
      failed->status = Status::kUnsupportedRequest;
      w.checker.completed(*failed, 0);
      o.left = 0;
    } else {
      w.answer(o.next, piece, o.left, tag);
      o = {o.next + piece, o.left - piece};
    }
    if (o.left == 0) w.checker.tag_free(tag, 0);
  }
}

}  // namespace
}  // namespace railyard::pcie
