#include "tlm/config/spelling.h"

#include <gtest/gtest.h>

namespace railyard {
namespace {

TEST(SpellingDistance, CountsEdits) {
  EXPECT_EQ(spelling_distance("rate", "rate"), 0U);
  EXPECT_EQ(spelling_distance("", "rate"), 4U);
  EXPECT_EQ(spelling_distance("rat", "rate"), 1U);
  EXPECT_EQ(spelling_distance("kitten", "sitting"), 3U);
}

TEST(SpellingDistance, CountsASwapOfNeighboursOnce) {
  EXPECT_EQ(spelling_distance("rtae", "rate"), 1U);
  EXPECT_EQ(spelling_distance("ab", "ba"), 1U);
}

TEST(SpellingDistance, IgnoresCaseAndHyphens) {
  EXPECT_EQ(spelling_distance("Bit-Error-Rate", "bit_error_rate"), 0U);
}

TEST(NearestWord, IsTheOneOfFewestEdits) {
  EXPECT_EQ(nearest_word("lenght", {"rate", "length", "lane"}), "length");
  EXPECT_EQ(nearest_word("kmxa", {"kmin", "kmax", "pmax"}), "kmax");
}

TEST(NearestWord, IsNoneWhenAllAreFar) {
  EXPECT_EQ(nearest_word("colour", {"rate", "length"}), "");
  EXPECT_EQ(nearest_word("x", {"y"}), "");
  EXPECT_EQ(nearest_word("", {"rate"}), "");
  EXPECT_EQ(nearest_word(std::string(1'000'000, 'r'), {"rate"}), "");
}

TEST(Suggestion, NamesTheNearestAndTheAccepted) {
  EXPECT_EQ(suggest("raet", {"rate", "length"}), "did you mean \"rate\"? Accepted: rate, length");
  EXPECT_EQ(suggest("colour", {"rate", "length"}), "accepted: rate, length");
}

TEST(Suggestion, DoesNotListMany) {
  EXPECT_EQ(suggest("key7", std::vector<std::string>(100, "key1")), "did you mean \"key1\"?");
  EXPECT_EQ(suggest("other", std::vector<std::string>(100, "key1")), "");
}

}  // namespace
}  // namespace railyard
