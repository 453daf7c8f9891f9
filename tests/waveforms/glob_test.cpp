#include "waveforms/glob.h"

#include <gtest/gtest.h>

namespace railyard {
namespace {

TEST(Glob, StarTakesAnyCharactersAndQuestionMarkTakesOne) {
  EXPECT_TRUE(glob_match("", ""));
  EXPECT_TRUE(glob_match("*", ""));
  EXPECT_TRUE(glob_match("a*b*c", "a.b.xbyc"));
  EXPECT_TRUE(glob_match("*.port?.*", "sw0.port8.queue"));
  EXPECT_TRUE(glob_match("a**", "a"));
  EXPECT_FALSE(glob_match("a?", "a"));
  EXPECT_FALSE(glob_match("a*b", "a.b.c"));
  EXPECT_FALSE(glob_match("", "a"));
  EXPECT_FALSE(glob_match("*.port?.*", "sw0.port12.queue"));
}

TEST(Glob, AnEndlessPatternOfStarsIsQuick) {
  std::string pattern;
  for (int i = 0; i < 40; ++i) pattern += "*a";
  EXPECT_FALSE(glob_match(pattern + "b", std::string(2000, 'a')));
}

TEST(GlobList, TakesTheNameOrTheScopesInFrontOfIt) {
  EXPECT_TRUE(GlobList("sw0").matches("sw0.port8.queue"));
  EXPECT_TRUE(GlobList("sw?.port8").matches("sw0.port8.queue"));
  EXPECT_TRUE(GlobList("*.queue").matches("sw0.port8.queue"));
  EXPECT_FALSE(GlobList("port8").matches("sw0.port8.queue"));
  EXPECT_FALSE(GlobList("sw").matches("sw0.port8.queue"));
  EXPECT_FALSE(GlobList("sw0.port8.queue.x").matches("sw0.port8.queue"));
}

TEST(GlobList, TakesWhatAnyOfItsPatternsTakes) {
  const GlobList list("a.x,,b.*");
  EXPECT_TRUE(list.matches("a.x"));
  EXPECT_TRUE(list.matches("b.y"));
  EXPECT_FALSE(list.matches("a.y"));
}

TEST(GlobList, EmptyTakesEverything) {
  EXPECT_TRUE(GlobList("").matches("a.b"));
  EXPECT_TRUE(GlobList(",").matches("a.b"));
}

}  // namespace
}  // namespace railyard
