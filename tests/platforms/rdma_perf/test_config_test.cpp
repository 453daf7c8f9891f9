// perftest's options: its defaults, and what is refused.
#include "platforms/rdma_perf/test_config.h"

#include <gmock/gmock.h>

#include "tests/tlm/config/trees.h"
#include "tlm/base/error.h"

namespace railyard::rdma_perf {
namespace {

using ::testing::HasSubstr;

TestConfig bound(const Node& tree) {
  TestConfig config;
  bind_config(tree, config);
  return config;
}

std::string refusal(const Node& tree) {
  try {
    bound(tree);
  } catch (const ConfigError& error) {
    return error.remedy().empty() ? "no remedy" : error.what();
  }
  return "";
}

Node sizes(std::initializer_list<const char*> texts) {
  std::vector<Node> items;
  for (const char* one : texts) items.push_back(text(one));
  return list(std::move(items));
}

TEST(TestConfig, SizesArePowersOfTwoFrom2To8MiBUnlessWritten) {
  const TestConfig config = bound(map({}));
  ASSERT_EQ(config.sizes.size(), 23U);
  EXPECT_EQ(config.sizes.front(), 2U);
  EXPECT_EQ(config.sizes.back(), 8U << 20);
}

TEST(TestConfig, CompletionsAreAskedForAsPerftestDoes) {
  const TestConfig usual = bound(map({}));
  EXPECT_EQ(usual.signal_every_of(8192), 100U);
  EXPECT_EQ(usual.signal_every_of(8193), 1U);
  EXPECT_EQ(bound(map({{"depth", text("16")}})).signal_every_of(64), 16U);
  EXPECT_EQ(bound(map({{"signal_every", text("8")}})).signal_every_of(1 << 20), 8U);
  // A list that waits for room waits for a completion that was asked for.
  EXPECT_EQ(bound(map({{"post_list", text("64")}})).signal_every_of(64), 128U - 64 + 1);
}

TEST(TestConfig, ThePolicyChoosesThePathMtuBySize) {
  TestConfig config = bound(map({{"policy", map({{"below", text("8KiB")}})}}));
  EXPECT_EQ(config.path_mtu_of(8192), 1024U);
  EXPECT_EQ(config.path_mtu_of(8193), 4096U);
  config = bound(map({}));
  config.path_mtu = 2048;
  EXPECT_EQ(config.path_mtu_of(64), 2048U);
}

TEST(TestConfig, ReadsAreNeverInline) {
  TestConfig config = bound(map({{"inline", text("220")}}));
  EXPECT_TRUE(config.inlined(220));
  EXPECT_FALSE(config.inlined(221));
  EXPECT_THAT(refusal(map({{"inline", text("64")}, {"test", text("read")}})), HasSubstr("inline"));
}

TEST(TestConfig, WhatCannotBeMeasuredIsRefused) {
  EXPECT_THAT(refusal(map({{"sizes", sizes({"64B", "64B"})}})), HasSubstr("twice"));
  EXPECT_THAT(refusal(map({{"signal_every", text("129")}})), HasSubstr("signal_every"));
  EXPECT_THAT(refusal(map({{"post_list", text("64")}, {"signal_every", text("66")}})),
              HasSubstr("at most 65"));
  EXPECT_THAT(refusal(map({{"post_list", text("129")}})), HasSubstr("post_list"));
  EXPECT_THAT(refusal(map({{"inline", text("221")}})), HasSubstr("220"));
  EXPECT_THAT(refusal(map({{"mixed", text("true")}, {"sizes", sizes({"64B"})}})),
              HasSubstr("mixed"));
  EXPECT_THAT(refusal(map({{"mixed", text("true")}, {"test", text("send")}})), HasSubstr("mixed"));
}

TEST(TestConfig, LatencyIsOneMessageAtATimeBetweenTwoHosts) {
  const auto with = [](const char* key, const char* value) {
    return refusal(map({{"measure", text("latency")}, {key, text(value)}}));
  };
  EXPECT_EQ(with("inline", "220"), "");
  EXPECT_THAT(with("qps", "2"), HasSubstr("measure: bandwidth"));
  EXPECT_THAT(with("bidirectional", "true"), HasSubstr("measure: bandwidth"));
  EXPECT_THAT(with("post_list", "2"), HasSubstr("measure: bandwidth"));
  EXPECT_THAT(with("events", "true"), HasSubstr("memory"));
  EXPECT_THAT(with("iterations", "4"), HasSubstr("at least 5"));
}

TEST(TestConfig, EachKeyHasADoc) {
  for (const ParameterRow& row : describe_config<TestConfig>()) {
    EXPECT_FALSE(row.doc.empty()) << row.path;
  }
}

}  // namespace
}  // namespace railyard::rdma_perf
