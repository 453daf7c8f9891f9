// Which TLP of a transmit queue goes next: the ordering rules and the credits.
#include "hw/pcie/transmit_queue.h"

#include <gtest/gtest.h>

#include <vector>

#include "hw/pcie/tlp_rules.h"
#include "tlm/sim/simulation.h"

namespace railyard::pcie {
namespace {

class TransmitQueueTest : public ::testing::Test {
 protected:
  TransmitQueueTest() { advertise({1, 8, 1, 8, 1, 8}); }

  void advertise(const CreditConfig& config) { credits_.advertise(config); }
  /// Uses up all header credits of a class of which there was one.
  void exhaust(FlowClass flow_class) { credits_.take(flow_class, 0, 0); }

  Tlp* push(TlpType type, bool relaxed = false, std::uint32_t bytes = 64) {
    const TlpRef tlp = pool_.acquire();
    tlp->type = type;
    tlp->relaxed = relaxed;
    tlp->bytes = bytes;
    tlp->tag = next_tag_++;
    tlp->seal();
    queue_.push(tlp);
    return tlp.get();
  }
  Tlp* posted(bool relaxed = false, std::uint32_t bytes = 64) {
    return push(TlpType::kMemoryWrite, relaxed, bytes);
  }
  Tlp* non_posted(bool relaxed = false) { return push(TlpType::kMemoryRead, relaxed); }
  Tlp* completion(bool relaxed = false) { return push(TlpType::kCompletionData, relaxed); }

  const Tlp* next() {
    const auto choice = queue_.choose(credits_);
    return choice ? &queue_.look(*choice) : nullptr;
  }

  Simulation simulation_{SimulationConfig{}};
  Pool<Tlp> pool_;
  CreditPools credits_{simulation_.partition(), "a", "b"};
  TransmitQueue queue_;
  std::uint16_t next_tag_ = 0;
};

TEST_F(TransmitQueueTest, TheOldestGoesFirst) {
  const Tlp* read = non_posted();
  posted();
  completion();
  EXPECT_EQ(next(), read);
}

TEST_F(TransmitQueueTest, PostedPassesABlockedNonPosted) {
  exhaust(FlowClass::kNonPosted);
  non_posted();
  const Tlp* write = posted();
  EXPECT_EQ(next(), write);
}

TEST_F(TransmitQueueTest, PostedPassesABlockedCompletion) {
  exhaust(FlowClass::kCompletion);
  completion();
  const Tlp* write = posted();
  EXPECT_EQ(next(), write);
}

TEST_F(TransmitQueueTest, CompletionPassesABlockedNonPosted) {
  exhaust(FlowClass::kNonPosted);
  non_posted();
  const Tlp* answer = completion();
  EXPECT_EQ(next(), answer);
}

TEST_F(TransmitQueueTest, NonPostedDoesNotPassPosted) {
  exhaust(FlowClass::kPosted);
  posted();
  non_posted();
  EXPECT_EQ(next(), nullptr);
  EXPECT_TRUE(queue_.held_by_order(credits_));
}

// Not even if it has relaxed ordering.
TEST_F(TransmitQueueTest, RelaxedNonPostedDoesNotPassPosted) {
  exhaust(FlowClass::kPosted);
  posted();
  non_posted(true);
  EXPECT_EQ(next(), nullptr);
}

TEST_F(TransmitQueueTest, CompletionDoesNotPassPosted) {
  exhaust(FlowClass::kPosted);
  posted();
  completion();
  EXPECT_EQ(next(), nullptr);
}

TEST_F(TransmitQueueTest, RelaxedCompletionPassesPosted) {
  exhaust(FlowClass::kPosted);
  posted();
  const Tlp* answer = completion(true);
  EXPECT_EQ(next(), answer);
}

// One of 256 B lacks data credits, one of 64 B behind it does not.
TEST_F(TransmitQueueTest, PostedPassesPostedIfItIsRelaxed) {
  advertise({2, 8, 1, 8, 1, 8});
  posted(false, 256);
  posted(false, 64);
  EXPECT_EQ(next(), nullptr);
  const Tlp* relaxed = posted(true, 64);
  EXPECT_EQ(next(), relaxed);
}

TEST_F(TransmitQueueTest, WhatWasBehindPostedGoesWhenThatIsGone) {
  const Tlp* write = posted();
  const Tlp* read = non_posted();
  ASSERT_EQ(next(), write);
  queue_.take(*queue_.choose(credits_));
  EXPECT_EQ(next(), read);
}

// Of random queues and credits it is the oldest one that has its credits and passes none that it
// must not pass, by the table of the standard; those of a class of non-posted requests or
// completions go in their order.
TEST_F(TransmitQueueTest, EveryChoiceIsTheOldestThatTheTableAllows) {
  RandomStream random{1, "queues"};
  constexpr TlpType kTypes[] = {TlpType::kMemoryWrite, TlpType::kMemoryRead,
                                TlpType::kCompletionData, TlpType::kMemoryWrite};
  // One header credit of each is used, so that of one or two that are allocated none may be left.
  for (const FlowClass flow_class :
       {FlowClass::kPosted, FlowClass::kNonPosted, FlowClass::kCompletion}) {
    exhaust(flow_class);
  }
  unsigned chosen = 0, passed = 0;
  for (int round = 0; round < 20'000; ++round) {
    queue_ = TransmitQueue{};
    const auto few = [&](std::uint32_t most) {
      return static_cast<std::uint32_t>(random.below(most));
    };
    credits_.advertise({1 + few(2), few(18), 1 + few(2), few(2), 1 + few(2), 1 + few(17)});
    std::vector<const Tlp*> all;
    const std::uint64_t count = random.below(8);
    for (std::uint64_t i = 0; i < count; ++i) {
      all.push_back(push(kTypes[random.below(4)], random.below(3) == 0, 16 * (1 + few(16))));
    }
    const Tlp* expected = nullptr;
    for (std::size_t i = 0; i < all.size() && expected == nullptr; ++i) {
      const Tlp& tlp = *all[i];
      bool may = credits_.cover(tlp.flow_class(), tlp.data_credits);
      for (std::size_t j = 0; j < i; ++j) {
        const bool in_turn =
            tlp.flow_class() == all[j]->flow_class() && tlp.flow_class() != FlowClass::kPosted;
        may = may && !in_turn && may_pass(tlp, *all[j]);
      }
      if (may) expected = &tlp;
      if (may && i > 0) ++passed;
    }
    ASSERT_EQ(next(), expected) << "round " << round;
    if (expected != nullptr) ++chosen;
  }
  EXPECT_GT(chosen, 5000U);
  EXPECT_GT(passed, 1000U);
}

}  // namespace
}  // namespace railyard::pcie
