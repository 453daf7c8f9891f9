// Each rule of the checker is broken once, and found.
#include "hw/pcie/transaction_checker.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "hw/pcie/tlp_rules.h"
#include "tests/hw/pcie/link_checker_bench.h"

namespace railyard::pcie {
namespace {

RequesterLimits limits() {
  RequesterLimits made;
  made.tags = 32;
  made.completion_timeout = 50 * kMicrosecond;
  return made;
}

constexpr DeviceId kRequester = DeviceId::of(1, 0);

struct Watched {
  TlpRef make(TlpType type, std::uint64_t address, std::uint32_t bytes, std::uint16_t tag) {
    TlpRef tlp = pool.acquire();
    tlp->type = type;
    tlp->requester = kRequester;
    tlp->address = address;
    tlp->bytes = bytes;
    tlp->tag = tag;
    return tlp;
  }
  void ask(TlpType type, std::uint64_t address, std::uint32_t bytes, std::uint16_t tag = 3) {
    checker.requested(*make(type, address, bytes, tag), 0);
  }
  void read(std::uint64_t address, std::uint32_t bytes, std::uint16_t tag = 3) {
    ask(TlpType::kMemoryRead, address, bytes, tag);
  }
  TlpRef answer_of(std::uint64_t address, std::uint32_t bytes, std::uint32_t left,
                   std::uint16_t tag = 3) {
    TlpRef tlp = make(TlpType::kCompletionData, address, bytes, tag);
    tlp->bytes_left = left;
    return tlp;
  }
  void answer(std::uint64_t address, std::uint32_t bytes, std::uint32_t left,
              std::uint16_t tag = 3) {
    checker.completed(*answer_of(address, bytes, left, tag), 0);
  }
  void fail(Status status, TlpType type = TlpType::kCompletion) {
    const TlpRef tlp = make(type, 0, 0, 3);
    tlp->status = status;
    checker.completed(*tlp, 0);
  }

  Pool<Tlp> pool;
  Pool<net::Payload> payloads;
  TransactionChecker checker{"nic.pcie", limits()};
};

struct Violation {
  const char* found;
  void (*action)(Watched& w);
};

void expect_each_found(const std::vector<Violation>& violations) {
  for (const Violation& v : violations) {
    Watched watched;
    expect_found([&] { v.action(watched); }, v.found);
  }
}

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

TEST(TransactionChecker, FindsWhatIsWrongWithRequests) {
  expect_each_found({
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
  expect_each_found({
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
  expect_each_found({
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
  expect_each_found({
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
  expect_each_found({
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
