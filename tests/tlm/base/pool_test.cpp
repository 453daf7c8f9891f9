#include "tlm/base/pool.h"

#include <gtest/gtest.h>

#include <vector>

#include "tlm/base/ring.h"

namespace railyard {
namespace {

struct Thing : Pooled<Thing> {
  int value = 0;
  void reset() { value = 0; }
};

TEST(Pool, RecyclesWhatIsReleasedAndResetsIt) {
  Pool<Thing> pool;
  Thing* first = nullptr;
  {
    const Ref<Thing> ref = pool.acquire();
    ref->value = 5;
    first = ref.get();
    EXPECT_EQ(pool.outstanding(), 1U);
  }
  EXPECT_EQ(pool.outstanding(), 0U);
  const Ref<Thing> again = pool.acquire();
  EXPECT_EQ(again.get(), first);
  EXPECT_EQ(again->value, 0);
  EXPECT_EQ(pool.capacity(), 1U);
}

TEST(Pool, TheLastReferenceGivesBack) {
  Pool<Thing> pool;
  Ref<Thing> a = pool.acquire();
  Ref<Thing> b = a;
  EXPECT_EQ(a->references(), 2U);
  a = Ref<Thing>();
  EXPECT_EQ(pool.outstanding(), 1U);
  Ref<Thing> c = std::move(b);
  EXPECT_FALSE(b);
  c = Ref<Thing>::share(*c);
  EXPECT_EQ(c->references(), 1U);
  c = Ref<Thing>();
  EXPECT_EQ(pool.outstanding(), 0U);
}

TEST(Ring, IsFirstInFirstOutWhateverItsSize) {
  Ring<int> ring;
  int in = 0;
  int out = 0;
  for (int round = 1; round < 200; ++round) {
    for (int i = 0; i < round; ++i) ring.push(in++);
    for (int i = 0; i < round / 2; ++i) ASSERT_EQ(ring.pop(), out++);
    ASSERT_EQ(ring.size(), static_cast<std::size_t>(in - out));
    ASSERT_EQ(ring.front(), out);
    ASSERT_EQ(ring.back(), in - 1);
    ASSERT_EQ(ring[ring.size() - 1], in - 1);
  }
}

}  // namespace
}  // namespace railyard
