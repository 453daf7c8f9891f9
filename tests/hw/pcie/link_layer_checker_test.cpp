// Each rule of the checker about the data link layer and flow control is broken once, and found.
#include <gtest/gtest.h>

#include "hw/pcie/link_checker.h"
#include "tests/hw/pcie/link_checker_bench.h"

namespace railyard::pcie {
namespace {

TEST(PcieLinkChecker, FindsWhatIsWrongWithSequenceNumbers) {
  expect_each_found({
      {"not consecutive", [](CheckedLink& l) { l.queue_and_send(*l.tlp(), 2, 0); }},
      {"not consecutive",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp(), b = l.tlp();
         l.queue_and_send(*b, 1, l.queue_and_send(*a, 1, 0));
       }},
      {"replayed that was not sent", [](CheckedLink& l) { l.replay(*l.tlp(), 1, 0); }},
      {"replayed that was acknowledged",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp();
         const Time at = l.cross(*a, 1, 0);
         l.replay(*a, 1, l.cross_back(l.ack(1), at));
       }},
      {"replayed in another order",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp(), b = l.tlp();
         const Time end = l.queue_and_send(*b, 2, l.queue_and_send(*a, 1, 0));
         l.replay(*b, 2, end);
       }},
      {"replayed in another order",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp(), b = l.tlp(), c = l.tlp();
         Time end = l.queue_and_send(*b, 2, l.queue_and_send(*a, 1, 0));
         end = l.queue_and_send(*c, 3, end);
         l.replay(*c, 3, l.replay(*a, 1, end));
       }},
      {"another TLP was replayed",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp(), b = l.tlp();
         const Time end = l.queue_and_send(*b, 2, l.queue_and_send(*a, 1, 0));
         l.replay(*b, 1, end);
       }},
      {"before one that was to be replayed",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp(), b = l.tlp(), c = l.tlp();
         const Time end = l.queue_and_send(*b, 2, l.queue_and_send(*a, 1, 0));
         l.queue_and_send(*c, 3, l.replay(*a, 1, end));
       }},
      {"a TLP changed on the way",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp();
         const Time at = l.queue_and_send(*a, 1, 0) + l.config.latency;
         a->address += 4;
         l.forth.arrived(*a, 1, true, at);
       }},
  });
}

TEST(PcieLinkChecker, FindsWhatIsWrongWithAcceptance) {
  expect_each_found({
      {"did not arrive good",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp();
         const Time at = l.queue_and_send(*a, 1, 0) + l.config.latency;
         l.forth.arrived(*a, 1, false, at);
         l.forth.accepted(*a, at);
       }},
      {"did not arrive good",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp(), b = l.tlp();
         const Time first = l.queue_and_send(*a, 1, 0);
         const Time second = l.queue_and_send(*b, 2, first);
         l.forth.arrived(*a, 1, false, first + l.config.latency);
         l.forth.arrived(*b, 2, true, second + l.config.latency);
         l.forth.accepted(*b, second + l.config.latency);
       }},
      {"or twice",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp();
         l.forth.accepted(*a, l.cross(*a, 1, 0));
       }},
      {"or twice",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp();
         const Time at = l.cross(*a, 1, 0);
         const Time again = l.replay(*a, 1, at) + l.config.latency;
         l.forth.arrived(*a, 1, true, again);
         l.forth.accepted(*a, again);
       }},
      {"accepted out of sequence",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp(), b = l.tlp();
         const Time first = l.queue_and_send(*a, 1, 0);
         const Time second = l.queue_and_send(*b, 2, first);
         l.forth.arrived(*a, 1, true, first + l.config.latency);
         l.forth.arrived(*b, 2, true, second + l.config.latency);
         l.forth.accepted(*b, second + l.config.latency);
       }},
      {"arrived but were not accepted",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp();
         const Time at = l.queue_and_send(*a, 1, 0) + l.config.latency;
         l.forth.arrived(*a, 1, true, at);
         l.cross_back(l.ack(1), at);
         l.at_end(false);
         l.at_end();
       }},
  });
}

TEST(PcieLinkChecker, FindsWhatIsWrongWithAcknowledgements) {
  expect_each_found({
      {"names what has not arrived", [](CheckedLink& l) { l.reply(l.ack(1), 0); }},
      {"names what has not arrived",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp();
         const Time at = l.queue_and_send(*a, 1, 0) + l.config.latency;
         l.forth.arrived(*a, 1, false, at);
         l.reply(l.ack(1, Dllp::Kind::kNak), at);
       }},
      {"acknowledgements went back",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp();
         const Time at = l.cross(*a, 1, 0);
         l.reply(l.ack(0), l.reply(l.ack(1), at));
       }},
      {"1 TLPs were never acknowledged",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp();
         const Time at = l.cross(*a, 1, 0);
         l.cross_back(l.ack(1), at, false);
         l.at_end(false);
         l.at_end();
       }},
  });
}

CreditConfig one_of_each() {
  CreditConfig credits;
  credits.posted_headers = 1;
  credits.posted_data = 32;
  credits.non_posted_headers = 2;
  credits.non_posted_data = 1;
  return credits;
}

TEST(PcieLinkChecker, FindsWhatIsWrongWithCredits) {
  const std::vector<Violation> violations = {
      {"without header credit",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp(), b = l.tlp();
         const Time at = l.cross(*a, 1, 0);
         l.forth.released(FlowClass::kPosted, 16, at);
         l.queue_and_send(*b, 2, l.reply(l.update(2, 48), at));  // on its way
       }},
      {"without header credit",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp(), b = l.tlp();
         const Time at = l.cross(*a, 1, 0);
         l.forth.released(FlowClass::kPosted, 16, at);
         l.queue_and_send(*b, 2, l.cross_back(l.update(2, 48), at, false));
       }},
      {"without its data credits",
       [](CheckedLink& l) { l.queue_and_send(*l.tlp(TlpType::kMemoryWrite, 516), 1, 0); }},
      {"without its data credits",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp(TlpType::kConfigWrite, 4), b = l.tlp(TlpType::kConfigWrite, 4);
         l.queue_and_send(*b, 2, l.queue_and_send(*a, 1, 0));
       }},
      {"more was released", [](CheckedLink& l) { l.forth.released(FlowClass::kPosted, 16, 0); }},
      {"more was released",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp();
         const Time at = l.cross(*a, 1, 0);
         l.forth.released(FlowClass::kPosted, 17, at);
       }},
      {"more was released",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp();
         const Time at = l.cross(*a, 1, 0);
         l.forth.released(FlowClass::kCompletion, 16, at);
       }},
      {"takes credits back", [](CheckedLink& l) { l.reply(l.update(1, 31), 0); }},
      {"takes credits back", [](CheckedLink& l) { l.reply(l.update(0, 32), 0); }},
      {"more than the receive buffer has free",
       [](CheckedLink& l) { l.reply(l.update(2, 32), 0); }},
      {"more than the receive buffer has free",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp();
         const Time at = l.cross(*a, 1, 0);
         l.forth.released(FlowClass::kPosted, 16, at);
         l.reply(l.update(2, 49), at);
       }},
      {"credits that are infinite",
       [](CheckedLink& l) { l.reply(l.update(1, 1, FlowClass::kCompletion), 0); }},
      {"was not all released",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp();
         const Time at = l.cross(*a, 1, 0);
         l.cross_back(l.ack(1), at);
         l.at_end(false);
         l.at_end();
       }},
      {"not all credits are back",
       [](CheckedLink& l) {
         const TlpRef a = l.tlp();
         const Time at = l.cross(*a, 1, 0);
         l.forth.released(FlowClass::kPosted, 16, at);
         l.cross_back(l.ack(1), at);
         l.cross_back(l.update(2, 48), l.back_line.free, false);
         l.at_end(false);
         l.at_end();
       }},
  };
  expect_each_found(violations, {}, one_of_each());
}

// What the rules before them make impossible, so that only a part by itself can show it.
TEST(PcieLinkChecker, ItsPartsGuardThemselves) {
  const CheckPlace place("a to b");
  CheckedLink link;
  CreditCheck credits(place, one_of_each());
  const TlpRef a = link.tlp();
  credits.stored(*a, 0);
  expect_found([&] { credits.stored(*a, 0); }, "the receive buffer is overfull");
  CreditCheck data(place, one_of_each());
  expect_found([&] { data.stored(*link.tlp(TlpType::kMemoryWrite, 516), 0); }, "is overfull");
  SequenceCheck sequence(place);
  expect_found([&] { sequence.acknowledgement_arrived(CheckedLink::ack(1), 0); },
               "names what was not sent");
}

TEST(PcieLinkChecker, AsksForBothDirections) {
  LinkChecker alone("a to b", {}, {});
  expect_found([&] { alone.sent(CheckedLink::ack(0), 0, LinkConfig{}.rate().time_of(8)); },
               "other direction has no checker");
}

}  // namespace
}  // namespace railyard::pcie
