// The checkers accept what a correct link does at random: any order that the table allows, few
// credits, slow release, errors, NAK, replay by timer, skip ordered sets.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <random>

#include "hw/pcie/tlp_rules.h"
#include "tests/hw/pcie/link_checker_bench.h"

namespace railyard::pcie {
namespace {

CreditConfig few_credits() {
  CreditConfig credits;
  credits.posted_headers = 5;
  credits.posted_data = 40;
  credits.non_posted_headers = 3;
  credits.non_posted_data = 2;
  credits.completion_headers = 4;
  credits.completion_data = 36;
  return credits;
}

class Exchange {
 public:
  Exchange(unsigned seed, unsigned percent_bad)
      : link_({}, few_credits()), random_(seed), percent_bad_(percent_bad) {
    limit_ = {{{5, 40}, {3, 2}, {4, 36}}};
    told_ = limit_;
    due_ = {false, false, false};
    interval_ = link_.skip_interval();
    next_skip_ = interval_;
  }

  void run(std::uint64_t tlps) {
    tlps_ = tlps;
    while (!finished()) {
      transmit_forth();
      transmit_back();
      now_ = next_time();
      if (now_ == kForever) time_out();
      arrive();
      release();
    }
    link_.at_end();
  }
  std::uint64_t passed() const { return passed_; }
  std::uint64_t replayed() const { return replayed_; }
  std::uint64_t naks() const { return naks_; }
  std::uint64_t skips() const { return skips_; }

 private:
  struct Amount {
    std::uint64_t headers = 0;
    std::uint64_t data = 0;
  };
  struct Flight {
    Time at;
    bool good;
    TlpRef tlp;
    std::uint64_t sequence;
    Dllp dllp;
  };
  struct Held {
    Time until;
    FlowClass flow_class;
    std::uint32_t data;
  };

  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool good() { return below(100) >= percent_bad_; }
  static std::size_t index(FlowClass c) { return static_cast<std::size_t>(c); }

  bool finished() const {
    const bool told = told_[0].headers == limit_[0].headers &&
                      told_[1].headers == limit_[1].headers &&
                      told_[2].headers == limit_[2].headers;
    return made_ == tlps_ && queue_.empty() && unacknowledged_.empty() && held_.empty() &&
           forth_.empty() && back_.empty() && told;
  }

  void make() {
    static constexpr TlpType kTypes[] = {TlpType::kMemoryWrite, TlpType::kMemoryRead,
                                         TlpType::kCompletionData, TlpType::kConfigWrite};
    const TlpType type = kTypes[below(4)];
    const std::uint32_t bytes = type == TlpType::kConfigWrite ? 4 : 1 + below(512);
    queue_.push_back(link_.tlp(type, bytes, static_cast<std::uint16_t>(below(4)), below(4) == 0));
    link_.forth.queued(*queue_.back(), now_);
    ++made_;
  }

  bool allowed(std::size_t i) {
    const Tlp& tlp = *queue_[i];
    const std::size_t c = index(tlp.flow_class());
    if (consumed_[c].headers + 1 > limit_[c].headers) return false;
    if (consumed_[c].data + tlp.data_credits > limit_[c].data) return false;
    for (std::size_t j = 0; j < i; ++j) {
      if (!may_pass(tlp, *queue_[j])) return false;
    }
    return true;
  }

  void fly(const TlpRef& tlp, std::uint64_t sequence, Time end) {
    forth_.push_back({end + link_.config.latency, good(), tlp, sequence, {}});
  }

  void transmit_forth() {
    while (queue_.size() < 8 && made_ < tlps_) make();
    while (link_.forth_line.free <= now_) {
      if (next_skip_ <= now_) {
        link_.skip(now_);
        ++skips_;
        while (next_skip_ <= now_) next_skip_ += interval_;
        continue;
      }
      if (replay_next_ < unacknowledged_.size()) {
        const auto& [tlp, sequence] = unacknowledged_[replay_next_++];
        fly(tlp, sequence, link_.replay(*tlp, sequence, now_));
        ++replayed_;
        continue;
      }
      std::vector<std::size_t> may;
      for (std::size_t i = 0; i < queue_.size(); ++i) {
        if (allowed(i)) may.push_back(i);
      }
      if (may.empty()) return;
      send(may[below(static_cast<unsigned>(may.size()))]);
    }
  }

  void send(std::size_t i) {
    if (i != 0) ++passed_;
    const TlpRef tlp = queue_[i];
    queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(i));
    Amount& consumed = consumed_[index(tlp->flow_class())];
    ++consumed.headers;
    consumed.data += tlp->data_credits;
    const std::uint64_t sequence = next_sequence_++;
    unacknowledged_.push_back({tlp, sequence});
    replay_next_ = unacknowledged_.size();
    fly(tlp, sequence, link_.send(*tlp, sequence, now_));
  }

  void reply(const Dllp& dllp) {
    back_.push_back({link_.reply(dllp, now_) + link_.config.latency, good(), {}, 0, dllp});
  }

  void transmit_back() {
    if (link_.back_line.free > now_) return;
    // Else a skip ordered set would be due in a long burst.
    if (link_.back_line.free == now_ && below(8) == 0) return;
    if (ack_due_ || nak_due_) {
      reply(link_.ack(received_, nak_due_ ? Dllp::Kind::kNak : Dllp::Kind::kAck));
      ack_due_ = nak_due_ = false;
      return;
    }
    for (std::size_t c = 0; c < kFlowClasses; ++c) {
      if (!due_[c]) continue;
      due_[c] = false;
      reply(link_.update(told_[c].headers, told_[c].data, static_cast<FlowClass>(c)));
      return;
    }
  }

  Time next_time() const {
    Time next = kForever;
    if (!forth_.empty()) next = std::min(next, forth_.front().at);
    if (!back_.empty()) next = std::min(next, back_.front().at);
    if (!held_.empty()) next = std::min(next, held_.front().until);
    if (link_.forth_line.free > now_) next = std::min(next, link_.forth_line.free);
    const bool due = ack_due_ || nak_due_ || due_[0] || due_[1] || due_[2];
    if (due) next = std::min(next, std::max(link_.back_line.free, now_ + 1));
    // Skip ordered sets come in idle too.
    return next == kForever ? next : std::min(next, std::max(next_skip_, link_.forth_line.free));
  }

  // What was lost on the line is sent again.
  void time_out() {
    now_ = std::max(link_.forth_line.free, link_.back_line.free) + 10 * kMicrosecond;
    while (next_skip_ < now_) next_skip_ += interval_;
    replay_next_ = 0;
    due_ = {true, true, true};
  }

  void arrive() {
    while (!forth_.empty() && forth_.front().at <= now_) {
      const Flight f = forth_.front();
      forth_.pop_front();
      link_.forth.arrived(*f.tlp, f.sequence, f.good, f.at);
      take(f);
    }
    while (!back_.empty() && back_.front().at <= now_) {
      const Flight f = back_.front();
      back_.pop_front();
      link_.back.arrived(f.dllp, f.good, f.at);
      if (f.good) heed(f.dllp);
    }
  }

  void take(const Flight& f) {
    if (!f.good || f.sequence > received_ + 1) {
      if (!nak_sent_) ++naks_;
      nak_due_ = nak_due_ || !nak_sent_;
      nak_sent_ = true;
      return;
    }
    ack_due_ = true;
    if (f.sequence <= received_) return;
    nak_sent_ = false;
    received_ = f.sequence;
    link_.forth.accepted(*f.tlp, f.at);
    const Time since = held_.empty() ? now_ : std::max(now_, held_.back().until);
    held_.push_back({since + below(40) * kNanosecond, f.tlp->flow_class(), f.tlp->data_credits});
  }

  void heed(const Dllp& dllp) {
    if (dllp.kind == Dllp::Kind::kUpdate) {
      limit_[index(dllp.flow_class)] = {dllp.headers, dllp.data};
      return;
    }
    while (!unacknowledged_.empty() && unacknowledged_.front().second <= dllp.sequence) {
      unacknowledged_.pop_front();
      if (replay_next_ > 0) --replay_next_;
    }
    if (dllp.kind == Dllp::Kind::kNak) replay_next_ = 0;
  }

  void release() {
    while (!held_.empty() && held_.front().until <= now_) {
      const Held held = held_.front();
      held_.pop_front();
      link_.forth.released(held.flow_class, held.data, now_);
      Amount& told = told_[index(held.flow_class)];
      ++told.headers;
      told.data += held.data;
      due_[index(held.flow_class)] = true;
    }
  }

  CheckedLink link_;
  std::mt19937_64 random_;
  unsigned percent_bad_;
  std::uint64_t tlps_ = 0;
  std::uint64_t made_ = 0;
  Time now_ = 0;
  Time interval_ = 0;
  Time next_skip_ = 0;
  std::deque<TlpRef> queue_;
  std::deque<std::pair<TlpRef, std::uint64_t>> unacknowledged_;
  std::size_t replay_next_ = 0;
  std::uint64_t next_sequence_ = 1;
  std::array<Amount, kFlowClasses> limit_{};
  std::array<Amount, kFlowClasses> consumed_{};
  std::array<Amount, kFlowClasses> told_{};
  std::array<bool, kFlowClasses> due_{};
  std::deque<Flight> forth_;
  std::deque<Flight> back_;
  std::deque<Held> held_;
  std::uint64_t received_ = 0;
  bool nak_sent_ = false;
  bool ack_due_ = false;
  bool nak_due_ = false;
  std::uint64_t passed_ = 0;
  std::uint64_t replayed_ = 0;
  std::uint64_t naks_ = 0;
  std::uint64_t skips_ = 0;
};

TEST(PcieLinkExchange, PassesAtRandom) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    Exchange exchange(seed, 0);
    exchange.run(2000);
    EXPECT_GT(exchange.passed(), 100U);
    EXPECT_GT(exchange.skips(), 10U);
    EXPECT_EQ(exchange.replayed(), 0U);
  }
}

TEST(PcieLinkExchange, PassesAtRandomWithErrors) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    Exchange exchange(seed, 10);
    exchange.run(2000);
    EXPECT_GT(exchange.passed(), 100U);
    EXPECT_GT(exchange.replayed(), 100U);
    EXPECT_GT(exchange.naks(), 50U);
  }
}

}  // namespace
}  // namespace railyard::pcie
