#include "hw/nic/tag_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tlm/base/error.h"
#include "tlm/sim/random.h"

namespace railyard::nic {
namespace {

/// Sets as plain lists, the least recently used tag first.
class Reference {
 public:
  Reference(std::uint32_t entries, std::uint32_t ways) : ways_(ways), sets_(entries / ways) {}

  bool find(std::uint32_t tag) {
    auto& set = set_of(tag);
    const auto place = std::find(set.begin(), set.end(), tag);
    if (place == set.end()) return false;
    set.erase(place);
    set.push_back(tag);
    return true;
  }
  /// The tag that goes; kNone: none. `pinned` does not.
  std::uint32_t place(std::uint32_t tag, std::uint32_t pinned, bool& placed) {
    auto& set = set_of(tag);
    std::uint32_t evicted = TagCache::kNone;
    placed = true;
    if (set.size() == ways_) {
      auto victim = set.begin();
      if (*victim == pinned) ++victim;
      if (victim == set.end()) {
        placed = false;
        return evicted;
      }
      evicted = *victim;
      set.erase(victim);
    }
    set.push_back(tag);
    return evicted;
  }
  void remove(std::uint32_t tag) {
    auto& set = set_of(tag);
    set.erase(std::remove(set.begin(), set.end(), tag), set.end());
  }

 private:
  std::vector<std::uint32_t>& set_of(std::uint32_t tag) { return sets_[tag % sets_.size()]; }
  std::size_t ways_;
  std::vector<std::vector<std::uint32_t>> sets_;
};

struct Shape {
  std::uint32_t entries;
  std::uint32_t ways;
};

class NicTagCache : public testing::TestWithParam<Shape> {};

TEST_P(NicTagCache, FindsAndEvictsAsAListOfTheMostRecentlyUsedDoes) {
  const Shape shape = GetParam();
  TagCache cache(shape.entries, shape.ways);
  Reference reference(shape.entries, shape.ways);
  RandomStream random(7, "accesses");
  std::vector<std::uint32_t> line_of(3 * shape.entries, TagCache::kNone);
  std::vector<std::uint32_t> tag_in(shape.entries, TagCache::kNone);
  std::uint32_t pinned = TagCache::kNone;
  std::uint64_t evictions = 0;
  for (int i = 0; i < 50'000; ++i) {
    const auto tag = static_cast<std::uint32_t>(random.below(line_of.size()));
    const std::uint32_t line = cache.find(tag);
    ASSERT_EQ(line != TagCache::kNone, reference.find(tag)) << "access " << i;
    ASSERT_EQ(line, line_of[tag]);
    if (line == TagCache::kNone) {
      bool placed = false;
      const std::uint32_t expected = reference.place(tag, pinned, placed);
      const TagCache::Place place = cache.place(tag);
      ASSERT_EQ(place.evicted, expected) << "access " << i;
      ASSERT_EQ(place.line != TagCache::kNone, placed);
      if (!placed) continue;
      if (expected != TagCache::kNone) {
        ++evictions;
        ASSERT_EQ(line_of[expected], place.line);
        line_of[expected] = TagCache::kNone;
      } else {
        ASSERT_EQ(tag_in[place.line], TagCache::kNone);
      }
      line_of[tag] = place.line;
      tag_in[place.line] = tag;
    }
    if (random.below(16) == 0 && tag != pinned) {
      cache.remove(tag);
      reference.remove(tag);
      tag_in[line_of[tag]] = TagCache::kNone;
      line_of[tag] = TagCache::kNone;
    } else if (random.below(8) == 0) {
      if (pinned != TagCache::kNone) cache.unpin(line_of[pinned]);
      pinned = tag;
      cache.pin(line_of[pinned]);
    }
  }
  EXPECT_GT(evictions, 5'000U);
}

INSTANTIATE_TEST_SUITE_P(Shapes, NicTagCache,
                         testing::Values(Shape{64, 8}, Shape{16, 1}, Shape{12, 12}, Shape{12, 4}));

TEST(NicTagCacheSets, ALookThatIsNoUseChangesNothing) {
  TagCache cache(2, 2);
  cache.place(1);
  cache.place(2);
  EXPECT_NE(cache.peek(1), TagCache::kNone);
  EXPECT_EQ(cache.peek(3), TagCache::kNone);
  EXPECT_EQ(cache.place(3).evicted, 1U);
}

TEST(NicTagCacheSets, AreIndependent) {
  TagCache cache(4, 2);
  for (std::uint32_t tag : {0U, 1U, 2U, 3U}) EXPECT_EQ(cache.place(tag).evicted, TagCache::kNone);
  EXPECT_EQ(cache.place(4).evicted, 0U);
  EXPECT_EQ(cache.place(5).evicted, 1U);
}

TEST(NicTagCacheSets, AreFullWhenAllTheirLinesArePinned) {
  TagCache cache(4, 2);
  cache.pin(cache.place(0).line);
  const std::uint32_t second = cache.place(2).line;
  cache.pin(second);
  EXPECT_EQ(cache.place(4).line, TagCache::kNone);
  EXPECT_NE(cache.place(1).line, TagCache::kNone);
  cache.remove(2);  // its line still is pinned
  EXPECT_EQ(cache.place(4).line, TagCache::kNone);
  cache.unpin(second);
  const TagCache::Place place = cache.place(4);
  EXPECT_EQ(place.line, second);
  EXPECT_EQ(place.evicted, TagCache::kNone);
}

TEST(NicTagCacheSets, AreEmptyAfterClear) {
  TagCache cache(4, 2);
  for (std::uint32_t tag : {0U, 1U, 2U, 3U}) cache.place(tag);
  cache.clear();
  for (std::uint32_t tag : {0U, 1U, 2U, 3U}) EXPECT_EQ(cache.peek(tag), TagCache::kNone);
  EXPECT_EQ(cache.place(8).evicted, TagCache::kNone);
}

TEST(NicTagCacheSets, MustBeWhole) {
  EXPECT_THROW(TagCache(10, 4), ConfigError);
  EXPECT_THROW(TagCache(2, 4), ConfigError);
  EXPECT_THROW(TagCache(4, 0), ConfigError);
  EXPECT_NO_THROW(TagCache(12, 4));
}

}  // namespace
}  // namespace railyard::nic
