// Each rule of the checker about line and transmit queue is broken once, and found.
#include "hw/pcie/link_checker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/hw/pcie/link_checker_bench.h"

namespace railyard::pcie {
namespace {

TEST(PcieLinkChecker, ACorrectExchangePasses) {
  CheckedLink link;
  const TlpRef write = link.tlp();
  const TlpRef read = link.tlp(TlpType::kMemoryRead, 512, 7);
  const TlpRef completion = link.tlp(TlpType::kCompletionData, 512, 7);
  Time at = link.cross(*write, 1, 0);
  at = std::max(link.cross(*read, 2, link.forth_line.free), at);
  at = link.cross(*completion, 3, link.forth_line.free);
  link.forth.released(FlowClass::kPosted, 16, at);
  link.forth.released(FlowClass::kNonPosted, 0, at);
  link.forth.released(FlowClass::kCompletion, 32, at);
  link.at_end(false);
  link.cross_back(link.ack(3), at);
  link.cross_back(link.update(513, 4096 + 16), link.back_line.free);
  link.cross_back(link.update(513, 512, FlowClass::kNonPosted), link.back_line.free);
  link.at_end();
}

TEST(PcieLinkChecker, FindsWhatIsWrongOnTheLine) {
  expect_each_found({
      {"before the line was free",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp(), b = l.tlp();
         const Time end = l.queue_and_send(*a, 1, 0);
         l.queue_and_send(*b, 2, end - 1);
       }},
      {"before the line was free",
       [](CheckedLink& l) {
         const Time end = l.reply(l.ack(0), 0);
         l.reply(l.ack(0), end - 1);
       }},
      {"wrong time of the last bit",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp();
         l.forth.queued(*a, 0);
         l.forth.sent(*a, 1, false, 0, l.forth_line.occupy(a->wire_bytes, 0) + 1);
       }},
      {"wrong time of the last bit",
       [](CheckedLink& l) { l.back.sent(l.ack(0), 0, l.back_line.occupy(9, 0)); }},
      {"wrong time of the last bit",
       [](CheckedLink& l) { l.forth.sent_skip(0, l.forth_line.occupy(16 * 16, 0)); }},
      {"did not go in", [](CheckedLink& l) { l.forth.arrived(*l.tlp(), 1, true, 0); }},
      {"did not go in", [](CheckedLink& l) { l.back.arrived(l.ack(0), true, 0); }},
      {"did not go in",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp();
         const Time at = l.cross(*a, 1, 0);
         l.forth.arrived(*a, 1, true, at);
       }},
      {"plus the latency",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp();
         l.forth.arrived(*a, 1, true, l.queue_and_send(*a, 1, 0) + l.config.latency - 1);
       }},
      {"plus the latency",
       [](CheckedLink& l) {
         l.back.arrived(l.ack(0), true, l.reply(l.ack(0), 0) + l.config.latency + 1);
       }},
      {"packets came out in another order",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp();
         l.forth.arrived(l.ack(0), true, l.queue_and_send(*a, 1, 0) + l.config.latency);
       }},
      {"TLPs came out in another order",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp(), b = l.tlp();
         const Time end = l.queue_and_send(*a, 1, 0);
         l.queue_and_send(*b, 2, end);
         l.forth.arrived(*b, 2, true, end + l.config.latency);
       }},
      {"DLLP changed on the way",
       [](CheckedLink& l) {
         l.back.arrived(l.update(512, 4097), true,
                        l.reply(l.update(512, 4096), 0) + l.config.latency);
       }},
      {"1 packets never arrived",
       [](CheckedLink& l) {
         l.reply(l.ack(0), 0);
         l.at_end(false);
         l.at_end();
       }},
  });
}

// The times of a burst are those of its bytes, rounded once: packets whose own times were summed
// would drift.
TEST(PcieLinkChecker, FindsTheDriftOfRoundingEachPacket) {
  CheckedLink link;
  const Time dllp_time = link.config.rate().time_of(kDllpBytes);
  const auto summed = [&] {
    for (int i = 0; i < 100; ++i) {
      link.back.sent(link.ack(0), i * dllp_time, (i + 1) * dllp_time);
    }
  };
  expect_found(summed, "wrong time of the last bit");
}

TEST(PcieLinkChecker, CountsWithTheRateOfEachWidthAndGeneration) {
  for (const unsigned generation : {3U, 4U, 5U}) {
    for (const unsigned lanes : {1U, 2U, 4U, 8U, 16U}) {
      LinkConfig config;
      config.generation = generation;
      config.lanes = lanes;
      config.skip_interval = 0;
      CheckedLink link(config);
      for (int i = 0; i < 1000; ++i)
        link.cross_back(link.ack(0), std::max<Time>(0, link.back_line.free));
      // 1000 x 8 B at 8 GT/s a lane take 1,015,625 ps times 8 lanes' worth.
      EXPECT_EQ(link.back_line.free, (Time{8'125'000} >> (generation - 3)) / lanes +
                                         ((8'125'000 >> (generation - 3)) % lanes * 2 >= lanes));
    }
  }
}

// Back-to-back DLLPs from `from` until `until`.
void fill(CheckedLink& link, Time until) {
  Time now = std::max<Time>(0, link.forth_line.free);
  while (now < until) {
    const Time end = link.forth_line.occupy(kDllpBytes, now);
    link.forth.sent(CheckedLink::ack(0), now, end);
    link.forth.arrived(CheckedLink::ack(0), true, end + link.config.latency);
    now = end;
  }
}

TEST(PcieLinkChecker, SkipOrderedSetsComeOnTheirGrid) {
  CheckedLink link;
  const Time interval = link.skip_interval();
  for (int i = 1; i <= 20; ++i) {
    fill(link, i * interval);
    link.skip(link.forth_line.free);
  }
  // In idle too, on the grid or behind what is on the line there.
  for (int i = 21; i <= 40; ++i) link.skip(i * interval + (i % 2 == 0 ? 0 : 50 * kNanosecond));
  link.at_end(false);

  LinkConfig none;
  none.skip_interval = 0;
  CheckedLink without(none);
  fill(without, 10 * interval);
  expect_found([&] { without.skip(without.forth_line.free); }, "where there are none");
}

TEST(PcieLinkChecker, FindsSkipOrderedSetsThatAreLateOrTooMany) {
  expect_each_found({
      {"while a skip ordered set was due", [](CheckedLink& l) { fill(l, l.skip_interval(371)); }},
      {"while a skip ordered set was due",
       [](CheckedLink& l) {
         const Time interval = l.skip_interval();
         fill(l, interval);
         l.skip(l.forth_line.free);
         fill(l, 2 * interval + 60 * kNanosecond);
       }},
      {"more often than their interval",
       [](CheckedLink& l) {
         l.skip(0);
         l.skip(l.skip_interval() - 70 * kNanosecond);
       }},
      {"more often than their interval",
       [](CheckedLink& l) {
         // Each a little early: together too many.
         const Time interval = l.skip_interval() - 20 * kNanosecond;
         for (int i = 0; i < 10; ++i) l.skip(i * interval);
       }},
  });
}

TEST(PcieLinkChecker, FindsWhatIsWrongInTheTransmitQueue) {
  expect_each_found({
      {"bytes on the line do not follow",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp();
         a->wire_bytes -= 4;
         l.forth.queued(*a, 0);
       }},
      {"bytes on the line do not follow",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp();
         a->address = 0x1000;  // has the short header
         l.forth.queued(*a, 0);
       }},
      {"data credits do not follow",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp();
         a->data_credits = 15;
         l.forth.queued(*a, 0);
       }},
      {"not in the transmit queue", [](CheckedLink& l) { l.send(*l.tlp(), 1, 0); }},
      {"not in the transmit queue",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp();
         l.send(*a, 2, l.queue_and_send(*a, 1, 0));
       }},
      {"changed in the transmit queue",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp();
         l.forth.queued(*a, 0);
         a->tag = 9;
         l.send(*a, 1, 0);
       }},
      {"1 TLPs were never sent",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp();
         l.forth.queued(*a, 0);
         l.at_end(false);
         l.at_end();
       }},
  });
}

TEST(PcieLinkChecker, FindsEachOrderThatTheTableForbids) {
  struct Kind {
    TlpType type;
    std::uint16_t tag;
    bool relaxed;
  };
  const Kind kinds[] = {{TlpType::kMemoryWrite, 0, false},    {TlpType::kMemoryWrite, 0, true},
                        {TlpType::kMemoryRead, 1, false},     {TlpType::kMemoryRead, 1, true},
                        {TlpType::kCompletionData, 2, false}, {TlpType::kCompletionData, 2, true},
                        {TlpType::kCompletionData, 3, false}};
  // Rows: the later one; columns: the earlier one; as above.
  const char* const allowed[] = {
      "001111"
      "1",
      "111111"
      "1",
      "001111"
      "1",
      "001111"
      "1",
      "001100"
      "1",
      "111100"
      "1",
      "001111"
      "0"};
  for (std::size_t later = 0; later < 7; ++later) {
    for (std::size_t earlier = 0; earlier < 7; ++earlier) {
      CheckedLink link;
      const auto make = [&](const Kind& k) { return link.tlp(k.type, 64, k.tag, k.relaxed); };
      const TlpRef before = make(kinds[earlier]), first = make(kinds[earlier]),
                   second = make(kinds[later]);
      // One before that has gone already does not count.
      Time now = link.queue_and_send(*before, 1, 0);
      link.forth.queued(*first, now);
      link.forth.queued(*second, now);
      const auto pass = [&] {
        now = link.send(*second, 2, now);
        link.send(*first, 3, now);
      };
      if (allowed[later][earlier] == '1') {
        EXPECT_NO_THROW(pass()) << later << " before " << earlier;
      } else {
        SCOPED_TRACE(std::to_string(later) + " before " + std::to_string(earlier));
        expect_found(pass, "that it must not pass");
      }
    }
  }
}

}  // namespace
}  // namespace railyard::pcie
