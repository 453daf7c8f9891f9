// Each stage's decision can be another's: a test's own class takes the place of the default.
#include "tests/hw/eth_switch/switch_tools.h"

namespace railyard {
namespace {

using bench::link_of;
using bench::SwitchBench;

std::vector<LinkConfig> links() { return {link_of(100, 1), link_of(100, 1)}; }

/// The priority from the frame's length.
class LengthParser : public Parser {
 public:
  Parsed parse(const net::Packet& packet, PortId in) override {
    EXPECT_EQ(in, 0);
    const std::uint8_t priority = packet.wire_bytes > 500 ? 5 : 1;
    return {priority, static_cast<std::uint8_t>(priority + 1)};
  }
};

TEST(SwitchReplace, AParserOfOnesOwnGivesPrioritiesAndClasses) {
  SwitchStages stages;
  stages.parser = [](const SwitchConfig&) { return std::make_unique<LengthParser>(); };
  SwitchConfig config;
  config.buffers.pfc.response_quanta = 0;
  SwitchBench bench(config, links(), 0, {}, std::move(stages));
  for (int i = 0; i < 10; ++i) {
    bench.station(0).queue(bench.station(0).frame_to(1, 1000, 3));
    bench.station(0).queue(bench.station(0).frame_to(1, 100, 3));
  }
  bench.station(1).send_pfc(1U << 5, 0xFFFF);
  bench.run(100 * kMicrosecond);
  EXPECT_EQ(bench.device->port(1).queue_bytes(6), 10'000U);
  ASSERT_EQ(bench.station(1).arrived.size(), 10U);
  for (const auto& arrival : bench.station(1).arrived) {
    EXPECT_EQ(net::frame_bytes(arrival.frame), 100U);
  }
}

/// Keeps at most three frames, of whatever size.
class ThreeFrames : public BufferManager {
 public:
  Admission admit(PortClass, PortClass, std::uint32_t) override {
    if (frames_ == 3) return {false, false, BufferDrop::kQueueThreshold, 1};
    ++frames_;
    return {true, false, BufferDrop::kNone, 1};
  }
  bool release(PortClass, PortClass, std::uint32_t cells) override {
    EXPECT_EQ(cells, 1U);
    --frames_;
    return false;
  }
  bool paused(PortClass) const override { return false; }
  PfcLevels levels(PortClass) const override { return {frames_, 3, 3}; }
  GroupUse use(PortClass) const override { return {0, frames_, 0}; }
  std::uint32_t held() const override { return frames_; }
  std::optional<std::string> check() const override { return std::nullopt; }

 private:
  std::uint32_t frames_ = 0;
};

TEST(SwitchReplace, ABufferManagerOfOnesOwnDecidesWhoIsKept) {
  SwitchStages stages;
  stages.buffer = [](const SharedBufferShape&) { return std::make_unique<ThreeFrames>(); };
  SwitchConfig config;
  config.buffers.pfc.response_quanta = 0;
  SwitchBench bench(config, links(), 0, {}, std::move(stages));
  const bench::AccountWatch accounts(bench);
  for (int i = 0; i < 10; ++i) bench.station(0).queue(bench.station(0).frame_to(1, 1000, 3));
  bench.station(1).send_pfc(1U << 3, 1000);
  EXPECT_EQ(bench.run(), RunEnd::kDrained);
  EXPECT_EQ(bench.station(1).received, 3U);
  EXPECT_EQ(bench.metric("sw.dropped_queue_threshold"), 7);
  EXPECT_EQ(bench.metric("sw.dropped_frames"), 7);
  EXPECT_EQ(bench.metric("sw.buffer_peak_bytes"), 3 * 192);
}

/// The lowest class first.
class LowestFirst : public ClassScheduler {
 public:
  std::optional<unsigned> pick(std::uint8_t eligible, const EgressScheduler::Heads& head) override {
    if (eligible == 0) return std::nullopt;
    const auto lowest = static_cast<unsigned>(__builtin_ctz(eligible));
    EXPECT_EQ(head[lowest], 1000U);
    return lowest;
  }
};

TEST(SwitchReplace, ASchedulerOfOnesOwnGivesTheOrderOfClasses) {
  SwitchStages stages;
  stages.scheduler = [](const SwitchConfig&) { return std::make_unique<LowestFirst>(); };
  SwitchConfig config;
  config.buffers.pfc.response_quanta = 0;
  SwitchBench bench(config, links(), 0, {}, std::move(stages));
  for (int i = 0; i < 10; ++i) {
    for (const unsigned p : {6U, 2U, 4U}) {
      bench.station(0).queue(bench.station(0).frame_to(1, 1000, p));
    }
  }
  bench.station(1).send_pfc(0xFF, 2000);
  EXPECT_EQ(bench.run(), RunEnd::kDrained);
  ASSERT_EQ(bench.station(1).arrived.size(), 30U);
  for (std::size_t i = 0; i < 30; ++i) {
    const unsigned expected = i < 10 ? 2 : i < 20 ? 4 : 6;
    EXPECT_EQ(bench.station(1).arrived[i].frame.ipv4.dscp / 8U, expected);
  }
}

/// Marks or drops every n-th frame at dequeue.
class EveryNth : public QueueMarker {
 public:
  EveryNth(unsigned n, WredVerdict verdict) : n_(n), verdict_(verdict) {}
  WredVerdict at_enqueue(std::uint64_t, net::Ecn, Time) override { return WredVerdict::kPass; }
  WredVerdict at_dequeue(std::uint64_t, net::Ecn, Time) override {
    return ++count_ % n_ == 0 ? verdict_ : WredVerdict::kPass;
  }

 private:
  unsigned n_;
  WredVerdict verdict_;
  unsigned count_ = 0;
};

TEST(SwitchReplace, AMarkerOfOnesOwnMarksOrDrops) {
  SwitchStages stages;
  std::vector<std::string> names;
  stages.marker = [&names](const SwitchConfig&, const MarkedQueue& queue) {
    EXPECT_EQ(queue.rate, Rate::gbps(100));
    names.push_back(queue.name);
    return std::make_unique<EveryNth>(
        3, queue.traffic_class == 3 ? WredVerdict::kMark : WredVerdict::kDrop);
  };
  SwitchBench bench(SwitchConfig{}, links(), 0, {}, std::move(stages));
  const bench::AccountWatch accounts(bench);
  for (int i = 0; i < 300; ++i) {
    for (const unsigned p : {3U, 0U}) {
      bench.station(0).queue(bench.station(0).frame_to(1, 1000, p));
    }
  }
  EXPECT_EQ(bench.run(), RunEnd::kDrained);
  EXPECT_EQ(bench.metric("sw.port1.ecn_marked"), 100);
  EXPECT_EQ(bench.metric("sw.dropped_wred"), 100);
  EXPECT_EQ(bench.station(1).received, 500U);
  ASSERT_EQ(names.size(), 16U);
  EXPECT_EQ(names[3], "sw.port0.mark3");
}

}  // namespace
}  // namespace railyard
