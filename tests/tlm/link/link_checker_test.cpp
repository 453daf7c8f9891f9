// Each rule of the checker is broken once, and found.
#include "tlm/link/link_checker.h"

#include <gmock/gmock.h>

#include "tlm/sim/simulation.h"

namespace railyard {
namespace {

class LinkCheckerTest : public testing::Test {
 protected:
  LinkCheckerTest() {
    config_.rate = Rate::gbps(400);
    config_.length = metres(20);
    checker_ = std::make_unique<LinkChecker>("a to b", config_);
  }

  Ref<net::Packet> packet(std::uint64_t id) {
    Ref<net::Packet> p = pool_.packets.acquire();
    p->id = id;
    p->frame.payload_bytes = 1000;
    p->seal();
    return p;
  }
  /// A correct transmission at `now`, changed by the caller.
  static LinkObserver::Transmission correct(Time now) {
    return {now, now + 8 * 20, now + 1026 * 20, now + 1038 * 20, true};
  }
  static FrameInFlight in_flight(const Ref<net::Packet>& p, Time now) {
    return {now, now + 8 * 20 + 100'000, now + 1026 * 20 + 100'000, false, p};
  }
  template <class Action>
  void expect_found(Action action, const char* what) {
    try {
      action();
      ADD_FAILURE() << "not found: " << what;
    } catch (const sc_core::sc_report& report) {
      EXPECT_THAT(report.get_msg(), testing::HasSubstr(what));
    }
  }

  LinkConfig config_;
  net::PacketPool pool_;
  std::unique_ptr<LinkChecker> checker_;
};

TEST_F(LinkCheckerTest, ACorrectLinkPasses) {
  for (int i = 0; i < 100; ++i) {
    const Ref<net::Packet> p = packet(static_cast<std::uint64_t>(i));
    checker_->transmitted(*p, correct(i * 1038 * 20));
    const FrameInFlight frame = in_flight(p, i * 1038 * 20);
    checker_->delivered(frame, frame.last_bit);
  }
  checker_->at_end(kSecond, true);
}

TEST_F(LinkCheckerTest, FindsFramesThatOverlap) {
  checker_->transmitted(*packet(0), correct(0));
  expect_found([&] { checker_->transmitted(*packet(1), correct(1000)); },
               "before the line was free");
}

TEST_F(LinkCheckerTest, FindsAPicosecondOfDrift) {
  for (int which = 0; which < 3; ++which) {
    LinkObserver::Transmission t = correct(0);
    (which == 0 ? t.first_bit : which == 1 ? t.last_bit : t.line_free) += 1;
    LinkChecker checker("a to b", config_);
    expect_found([&] { checker.transmitted(*packet(0), t); }, "wrong time");
  }
}

TEST_F(LinkCheckerTest, FindsFramesOutOfOrder) {
  const Ref<net::Packet> first = packet(0);
  const Ref<net::Packet> second = packet(1);
  checker_->transmitted(*first, correct(0));
  checker_->transmitted(*second, correct(1038 * 20));
  expect_found([&] { checker_->delivered(in_flight(second, 1038 * 20), 200'000); },
               "another order");
}

TEST_F(LinkCheckerTest, FindsAFrameThatNobodySent) {
  expect_found([&] { checker_->delivered(in_flight(packet(0), 0), 200'000); }, "did not go in");
}

TEST_F(LinkCheckerTest, FindsAFrameThatComesTwice) {
  const Ref<net::Packet> p = packet(0);
  checker_->transmitted(*p, correct(0));
  const FrameInFlight frame = in_flight(p, 0);
  checker_->delivered(frame, frame.last_bit);
  expect_found([&] { checker_->delivered(frame, frame.last_bit); }, "did not go in");
}

TEST_F(LinkCheckerTest, FindsAnArrivalTooEarly) {
  const Ref<net::Packet> p = packet(0);
  checker_->transmitted(*p, correct(0));
  FrameInFlight frame = in_flight(p, 0);
  frame.first_bit -= 1;
  expect_found([&] { checker_->delivered(frame, frame.last_bit); }, "propagation");
}

TEST_F(LinkCheckerTest, FindsAFrameThatChangedItsLength) {
  const Ref<net::Packet> p = packet(0);
  checker_->transmitted(*p, correct(0));
  p->wire_bytes += 4;
  const FrameInFlight frame = in_flight(p, 0);
  expect_found([&] { checker_->delivered(frame, frame.last_bit); }, "changed its length");
}

TEST_F(LinkCheckerTest, FindsAFrameThatNeverArrives) {
  checker_->transmitted(*packet(0), correct(0));
  checker_->at_end(kSecond, false);  // it may be under way
  expect_found([&] { checker_->at_end(kSecond, true); }, "1 frames never arrived");
}

}  // namespace
}  // namespace railyard
