#include "tlm/sim/event_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <set>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "tlm/sim/random.h"

namespace railyard {
namespace {

struct Thing {
  Thing(Endpoint& at, Phase phase) : event(Event::of<&Thing::fire>(*this, at, phase)) {}
  void fire() {
    ++fired;
    if (then) then();
  }
  Event event;
  int fired = 0;
  std::function<void()> then;
};

// What the queue is to do, by a set of (time, phase, endpoint, sequence, which).
class Reference {
 public:
  using Key = std::tuple<Time, unsigned, std::uint32_t, std::uint64_t, std::size_t>;

  Reference() {
    for (std::uint32_t i = 0; i < kEndpoints; ++i) {
      endpoints_.push_back({"e" + std::to_string(i), kEndpoints - i, 0});
      sequences_.push_back(0);
    }
    for (std::size_t i = 0; i < kThings; ++i) {
      endpoint_.push_back(static_cast<std::uint32_t>(i % kEndpoints));
      phase_.push_back(static_cast<unsigned>(i / kEndpoints % 3));
      things_.emplace_back(endpoints_[endpoint_[i]], static_cast<Phase>(phase_[i]));
      background_.push_back(i % 4 == 0);
      if (i % 4 == 0) things_[i].event.set_background();
    }
    key_.resize(kThings);
    pending_.resize(kThings);
  }

  void put(std::size_t i, Time at) {
    if (pending_[i]) all_.erase(key_[i]);
    const std::uint32_t e = endpoint_[i];
    key_[i] = {at, phase_[i], endpoints_[e].id, sequences_[e]++, i};
    all_.insert(key_[i]);
    pending_[i] = true;
    queue.put(things_[i].event, at);
  }
  void take(std::size_t i) {
    if (!pending_[i]) return;
    all_.erase(key_[i]);
    pending_[i] = false;
    queue.take(things_[i].event);
  }
  void pop() {
    if (all_.empty()) return;
    const std::size_t i = std::get<4>(*all_.begin());
    all_.erase(all_.begin());
    pending_[i] = false;
    Event& first = queue.pop();
    ASSERT_EQ(&first, &things_[i].event);
    const int before = things_[i].fired;
    EventQueue::call(first);
    ASSERT_EQ(things_[i].fired, before + 1);
  }
  /// Fires the first, which does `then` meanwhile.
  void fire(const std::function<void()>& then) {
    if (all_.empty()) return;
    const std::size_t i = std::get<4>(*all_.begin());
    all_.erase(all_.begin());
    pending_[i] = false;
    const int before = things_[i].fired;
    things_[i].then = then;
    queue.fire_first();
    things_[i].then = {};
    ASSERT_EQ(things_[i].fired, before + 1);
  }
  void check(std::size_t i) {
    ASSERT_EQ(things_[i].event.pending(), pending_[i]);
    ASSERT_EQ(things_[i].event.time(), pending_[i] ? std::get<0>(key_[i]) : kForever);
    check_sizes();
    if (all_.empty()) return;
    ASSERT_EQ(queue.next_time(), std::get<0>(*all_.begin()));
  }
  void check_sizes() const {
    ASSERT_EQ(queue.size(), all_.size());
    ASSERT_EQ(queue.empty(), all_.empty());
  }
  void check_all() const {
    std::size_t foreground = 0;
    Time last = 0;
    for (const Key& key : all_) {
      if (background_[std::get<4>(key)]) continue;
      ++foreground;
      last = std::max(last, std::get<0>(key));
    }
    ASSERT_EQ(queue.foreground(), foreground);
    if (foreground == 0) return;
    ASSERT_EQ(queue.last_time(), last);
  }

  static constexpr std::size_t kThings = 300;
  static constexpr std::uint32_t kEndpoints = 20;
  EventQueue queue;

 private:
  std::deque<Endpoint> endpoints_;
  std::vector<std::uint64_t> sequences_;
  std::deque<Thing> things_;
  std::vector<std::uint32_t> endpoint_;
  std::vector<unsigned> phase_;
  std::vector<bool> background_;
  std::vector<bool> pending_;
  std::vector<Key> key_;
  std::set<Key> all_;
};

TEST(EventQueue, IsASetOrderedByTimePhaseEndpointAndSequence) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Reference reference;
    RandomStream random(seed, "queue");
    for (int step = 0; step < 20'000; ++step) {
      const std::size_t i = random.below(Reference::kThings);
      const std::uint64_t what = random.below(10);
      if (what < 6) {
        reference.put(i, static_cast<Time>(random.below(40)));
      } else if (what < 8) {
        reference.take(i);
      } else {
        reference.pop();
      }
      ASSERT_NO_FATAL_FAILURE(reference.check(i));
      if (step % 16 == 0) {
        ASSERT_NO_FATAL_FAILURE(reference.check_all());
      }
    }
    while (!reference.queue.empty()) ASSERT_NO_FATAL_FAILURE(reference.pop());
  }
}

TEST(EventQueue, TakesWhatAnEventDoesWhileItFires) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Reference reference;
    RandomStream random(seed, "queue");
    const auto change = [&] {
      const std::size_t i = random.below(Reference::kThings);
      if (random.below(3) == 0) {
        reference.take(i);
      } else {
        reference.put(i, static_cast<Time>(random.below(40)));
      }
    };
    for (int step = 0; step < 20'000; ++step) {
      if (random.below(4) == 0) change();
      reference.fire([&] {
        for (std::uint64_t left = random.below(4); left > 0; --left) change();
        reference.check_sizes();
      });
      ASSERT_NO_FATAL_FAILURE(reference.check(random.below(Reference::kThings)));
      if (step % 16 == 0) {
        ASSERT_NO_FATAL_FAILURE(reference.check_all());
      }
    }
    while (!reference.queue.empty()) ASSERT_NO_FATAL_FAILURE(reference.pop());
  }
}

TEST(EventQueue, OneThatThrowsIsGone) {
  Endpoint endpoint{"e", 0, 0};
  Thing first(endpoint, Phase::kAct);
  Thing second(endpoint, Phase::kAct);
  first.then = [] { throw std::runtime_error("it failed"); };
  EventQueue queue;
  queue.put(first.event, 5);
  queue.put(second.event, 9);
  EXPECT_THROW(queue.fire_first(), std::runtime_error);
  EXPECT_EQ(queue.size(), 1U);
  EXPECT_EQ(queue.next_time(), 9);
  EXPECT_EQ(&queue.pop(), &second.event);
  EXPECT_TRUE(queue.empty());
}

TEST(EventQueue, AnEventThatDiesLeaves) {
  Endpoint endpoint{"e", 0, 0};
  Thing stays(endpoint, Phase::kAct);
  EventQueue queue;
  {
    Thing dies(endpoint, Phase::kAct);
    dies.event.set_background();
    queue.put(dies.event, 3);
    queue.put(stays.event, 5);
    EXPECT_EQ(queue.foreground(), 1U);
  }
  EXPECT_EQ(queue.size(), 1U);
  EXPECT_EQ(queue.foreground(), 1U);
  EXPECT_EQ(&queue.pop(), &stays.event);
}

TEST(EventQueue, LetsItsEventsGoWhenItDies) {
  Endpoint endpoint{"e", 0, 0};
  Thing outlives(endpoint, Phase::kAct);
  {
    EventQueue queue;
    queue.put(outlives.event, 3);
    EXPECT_TRUE(outlives.event.pending());
  }
  EXPECT_FALSE(outlives.event.pending());
}

TEST(EventQueue, TheLastTimeIsThatOfTheLastThatKeepsARunAlive) {
  Endpoint endpoint{"e", 0, 0};
  Thing early(endpoint, Phase::kAct);
  Thing late(endpoint, Phase::kAct);
  late.event.set_background();
  EventQueue queue;
  queue.put(early.event, 5);
  queue.put(late.event, 9);
  EXPECT_EQ(queue.last_time(), 5);
  EXPECT_EQ(queue.foreground(), 1U);
  queue.put(early.event, 7);
  EXPECT_EQ(queue.last_time(), 7);
  queue.take(early.event);
  EXPECT_EQ(queue.foreground(), 0U);
  EXPECT_EQ(queue.size(), 1U);
}

}  // namespace
}  // namespace railyard
