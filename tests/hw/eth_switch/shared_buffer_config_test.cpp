#include <gmock/gmock.h>

#include <string>

#include "hw/eth_switch/buffer_config.h"
#include "tests/tlm/config/trees.h"

namespace railyard {
namespace {

using testing::HasSubstr;

BufferConfig bound(const Node& root) {
  BufferConfig config;
  bind_config(root, config);
  return config;
}

template <class Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

PortLine line_at(unsigned gbps) {
  PortLine line;
  line.rate = Rate::gbps(gbps);
  return line;
}

TEST(SharedBufferConfig, DefaultsAreLosslessOnPriority3With32MiBOf192ByteCells) {
  const BufferConfig config = bound(map({}));
  const SharedBufferShape shape = buffer_shape(config, {line_at(400), line_at(100)});
  EXPECT_EQ(shape.cells, 32U * 1024 * 1024 / 192);
  ASSERT_EQ(shape.ports.size(), 2U);
  for (std::size_t c = 0; c < 8; ++c) EXPECT_EQ(shape.ports[0].groups[c].lossless, c == 3);
  EXPECT_EQ(shape.ports[0].groups[3].xon_offset, 16U);
  EXPECT_EQ(shape.ports[0].groups[3].alpha, Alpha{-3});
  EXPECT_FALSE(shape.ports[0].headroom_pool);
  // 70,316 bytes of line at 400G: 2 * 750 + 9,236 + 72 - 12 + 1,600 + 57,920; frames of 64 B take
  // 84
  EXPECT_EQ(shape.ports[0].groups[3].headroom, 70'316U / 84 + 2 * 48);
  EXPECT_LT(shape.ports[1].groups[3].headroom, shape.ports[0].groups[3].headroom);
  const SharedBuffer buffer(shape);
  EXPECT_EQ(buffer.check(), std::nullopt);
}

TEST(SharedBufferConfig, ResolvedParametersBindAgain) {
  const BufferConfig config = bound(map({{"buffer", text("9MB")},
                                         {"lossless", map({{"alpha", text("1/16")}})},
                                         {"lossy", map({{"alpha", text("8")}})}}));
  EXPECT_EQ(config.lossless.alpha, Alpha{-4});
  EXPECT_EQ(config.lossy.alpha, Alpha{3});
  const Node dumped = dump_config(config);
  const BufferConfig again = bound(dumped);
  EXPECT_EQ(again.buffer, config.buffer);
  EXPECT_EQ(again.lossless.alpha, config.lossless.alpha);
  EXPECT_EQ(again.headroom.size, std::nullopt);
}

TEST(SharedBufferConfig, AlphaIsAPowerOfTwoFrom1In128To8) {
  for (const char* alpha : {"1/128", "1/2", "1", "2", "8"}) {
    EXPECT_EQ(ScalarType<Alpha>::format(ScalarType<Alpha>::parse(alpha)), alpha);
  }
  for (const char* alpha : {"1/256", "16", "3", "0.5", "1/3", "1/1", ""}) {
    EXPECT_THROW(ScalarType<Alpha>::parse(alpha), ConfigError) << alpha;
  }
}

TEST(SharedBufferConfig, WithoutPfcEveryPriorityIsLossyAndNeedsNoResponseTime) {
  const BufferConfig config = bound(map({{"pfc", map({{"enabled", text("false")}})}}));
  const SharedBufferShape shape = buffer_shape(config, {line_at(1600)});
  for (const GroupShape& group : shape.ports[0].groups) EXPECT_FALSE(group.lossless);
  EXPECT_EQ(SharedBuffer(shape).shared_cells(), shape.cells);
}

TEST(SharedBufferConfig, Above800GTheResponseTimeMustBeWritten) {
  BufferConfig config = bound(map({}));
  EXPECT_THAT(refusal([&] { buffer_shape(config, {line_at(1600)}); }),
              testing::AllOf(HasSubstr("1.6Tbps"), HasSubstr("headroom.response_quanta")));
  config.headroom.response_quanta = 1810;
  EXPECT_GT(buffer_shape(config, {line_at(1600)}).ports[0].groups[3].headroom, 0U);
}

TEST(SharedBufferConfig, ADecisionDelayEnlargesTheExactHeadroom) {
  PortLine line = line_at(400);
  const BufferConfig config = bound(map({}));
  const std::uint64_t at_once = headroom_cells(config, line);
  line.decision_delay = 10 * 1680;  // 840 bytes, 10 frames of 64 B
  EXPECT_EQ(headroom_cells(config, line), at_once + 10);
}

TEST(SharedBufferConfig, HeadroomByHandNeedsItsSizeAndNoOtherRuleTakesOne) {
  const auto headroom = [](std::vector<std::pair<std::string, Node>> members) {
    return map({{"headroom", map(std::move(members))}});
  };
  EXPECT_THAT(refusal([&] {
                bound(headroom({{"rule", text("by_hand")}}));
              }),
              HasSubstr("headroom.size"));
  EXPECT_THAT(refusal([&] { bound(headroom({{"size", text("96KiB")}})); }), HasSubstr("by_hand"));
  const BufferConfig config = bound(headroom({{"rule", text("by_hand")}, {"size", text("96KiB")}}));
  EXPECT_EQ(headroom_cells(config, line_at(1600)), 512U) << "of no line's concern";
}

TEST(SharedBufferConfig, APortsPoolIsTheSumOfItsPrioritiesOrTheSizeByHand) {
  BufferConfig config;
  config.pfc.priorities = {3, 4, 6};
  config.headroom.scope = HeadroomScope::kPort;
  const std::uint64_t each = headroom_cells(config, line_at(100));
  EXPECT_EQ(buffer_shape(config, {line_at(100)}).ports[0].headroom_pool, 3 * each);
  config.headroom.rule = HeadroomRule::kByHand;
  config.headroom.size = 96 * 1024;
  EXPECT_EQ(buffer_shape(config, {line_at(100)}).ports[0].headroom_pool, 512U);
}

TEST(SharedBufferConfig, SonicsRuleGivesItsWorkedExampleInCells) {
  BufferConfig config;
  config.headroom.rule = HeadroomRule::kSonic;
  config.headroom.largest_frame = 9100;
  config.headroom.largest_lossless_frame = 1024;
  PortLine line = line_at(400);
  line.length = metres(40);
  line.propagation = 200 * kNanosecond;
  EXPECT_EQ(headroom_cells(config, line), 265'216U / 192);
}

TEST(SharedBufferConfig, SonicsRuleIsRefusedWhereItWouldDropLosslessFrames) {
  BufferConfig config;
  config.headroom.rule = HeadroomRule::kSonic;
  EXPECT_EQ(refusal([&] { headroom_cells(config, line_at(400)); }), "accepted");
  config.headroom.small_packet_percent = 20;
  EXPECT_THAT(refusal([&] { headroom_cells(config, line_at(400)); }),
              HasSubstr("less than the worst case"));
}

TEST(SharedBufferConfig, APriorityIsNamedOnce) {
  const Node twice = map({{"pfc", map({{"priorities", list({text("3"), text("3")})}})}});
  EXPECT_THAT(refusal([&] { bound(twice); }), HasSubstr("priority 3 is listed twice"));
}

TEST(SharedBufferConfig, TooManyHeadroomsAreRefusedAtTheSwitchsPlace) {
  const BufferConfig config = bound(map({{"buffer", text("1MiB")}}));
  const std::vector<PortLine> lines(8, line_at(400));
  EXPECT_THAT(refusal([&] { SharedBuffer buffer(buffer_shape(config, lines)); }),
              testing::AllOf(HasSubstr("f.yaml:1:1"), HasSubstr("sum to"),
                             HasSubstr("more than the buffer's")));
}

}  // namespace
}  // namespace railyard
