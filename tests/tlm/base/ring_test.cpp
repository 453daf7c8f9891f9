#include "tlm/base/ring.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <utility>

#include "tlm/sim/random.h"

namespace railyard {
namespace {

TEST(Ring, TakeRemovesAnyAndKeepsTheOrderOfTheOthers) {
  Ring<int> ring;
  std::deque<int> reference;
  RandomStream random(1, "ring");
  int next = 0;
  for (int step = 0; step < 100'000; ++step) {
    if (reference.empty() || random.below(2) == 0) {
      ring.push(next);
      reference.push_back(next++);
    } else {
      const std::size_t i = random.below(reference.size());
      ASSERT_EQ(ring.take(i), reference[i]);
      reference.erase(reference.begin() + static_cast<std::ptrdiff_t>(i));
    }
    ASSERT_EQ(ring.size(), reference.size());
    if (reference.empty()) continue;
    ASSERT_EQ(ring.front(), reference.front());
    ASSERT_EQ(ring.back(), reference.back());
    const std::size_t look = random.below(reference.size());
    ASSERT_EQ(ring[look], reference[look]);
  }
}

TEST(Ring, TakeLeavesNothingBehindOfWhatItGave) {
  Ring<std::shared_ptr<int>> ring;
  std::weak_ptr<int> seen[4];
  for (auto& weak : seen) {
    auto value = std::make_shared<int>(1);
    weak = value;
    ring.push(std::move(value));
  }
  const std::shared_ptr<int> third = ring.take(2);
  EXPECT_EQ(third.use_count(), 1);
  for (int i = 0; i < 3; ++i) ring.pop();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(seen[i].expired(), i != 2) << i;
}

}  // namespace
}  // namespace railyard
