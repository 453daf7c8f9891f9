#include "hw/tester/flow.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "tlm/sim/random.h"

namespace railyard {
namespace {

FlowConfig flow(std::uint64_t messages, std::uint64_t size, std::uint32_t mtu) {
  FlowConfig config;
  config.messages = messages;
  config.message_size = size;
  config.path_mtu = mtu;
  config.source.ip = *net::parse_ipv4("10.0.0.1");
  config.destination.ip = *net::parse_ipv4("10.0.0.2");
  return config;
}

TEST(FlowSource, CutsMessagesIntoFirstMiddleLastAndOnly) {
  net::PacketPool pool;
  FlowSource source(flow(2, 10'000, 4096));
  std::vector<net::Opcode> opcodes;
  std::vector<std::uint32_t> sizes;
  while (!source.done()) {
    const Ref<net::Packet> packet = source.make(pool, 0);
    opcodes.push_back(packet->frame.bth.opcode);
    sizes.push_back(packet->frame.payload_bytes);
  }
  using net::Opcode;
  EXPECT_THAT(opcodes, testing::ElementsAre(Opcode::kUcRdmaWriteFirst, Opcode::kUcRdmaWriteMiddle,
                                            Opcode::kUcRdmaWriteLast, Opcode::kUcRdmaWriteFirst,
                                            Opcode::kUcRdmaWriteMiddle, Opcode::kUcRdmaWriteLast));
  EXPECT_THAT(sizes, testing::ElementsAre(4096, 4096, 1808, 4096, 4096, 1808));
  FlowSource small(flow(1, 1, 256));
  EXPECT_EQ(small.make(pool, 0)->frame.bth.opcode, Opcode::kUcRdmaWriteOnly);
}

TEST(FlowSource, TheFirstPacketOfEachMessageSaysWhereItGoes) {
  net::PacketPool pool;
  const FlowConfig config = flow(3, 5000, 4096);
  FlowSource source(config);
  for (std::uint64_t message = 0; message < 3; ++message) {
    const Ref<net::Packet> first = source.make(pool, 0);
    EXPECT_EQ(first->frame.reth.virtual_address, config.address + message * 5000);
    EXPECT_EQ(first->frame.reth.dma_length, 5000U);
    source.make(pool, 0);
  }
}

TEST(FlowSink, TakesWhatTheSourceMakes) {
  for (const DataMode data : {DataMode::kCarried, DataMode::kElided}) {
    net::PacketPool pool;
    FlowConfig config = flow(50, 12'345, 1024);
    config.data = data;
    FlowSource source(config);
    FlowSink sink(config);
    while (!source.done()) {
      ASSERT_EQ(sink.take(*source.make(pool, 0)), FlowSink::Verdict::kInOrder);
    }
    EXPECT_TRUE(sink.complete());
    EXPECT_EQ(sink.bytes(), 50U * 12'345);
    EXPECT_EQ(pool.packets.outstanding(), 0U);
  }
}

TEST(FlowSink, CountsWhatIsMissingAndKnowsTheEnd) {
  net::PacketPool pool;
  const FlowConfig config = flow(10, 4096, 1024);
  FlowSource source(config);
  FlowSink sink(config);
  for (int i = 0; i < 40; ++i) {
    const Ref<net::Packet> packet = source.make(pool, 0);
    if (i % 10 == 3 || i % 10 == 4) continue;
    EXPECT_EQ(sink.take(*packet),
              i % 10 == 5 ? FlowSink::Verdict::kAfterGap : FlowSink::Verdict::kInOrder);
  }
  EXPECT_EQ(sink.missing(), 8U);
  EXPECT_TRUE(sink.saw_last());
  EXPECT_FALSE(sink.complete());
}

/// All packets of a flow.
std::vector<Ref<net::Packet>> packets_of(const FlowConfig& config, net::PacketPool& pool) {
  std::vector<Ref<net::Packet>> packets;
  FlowSource source(config);
  while (!source.done()) packets.push_back(source.make(pool, 0));
  return packets;
}

TEST(FlowSink, TakesPacketsInAnyOrder) {
  net::PacketPool pool;
  FlowConfig config = flow(1, std::uint64_t{7} * 256, 256);
  const auto packets = packets_of(config, pool);
  std::vector<std::size_t> order(packets.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  do {
    FlowSink sink(config);
    std::size_t latest = 0;
    for (const std::size_t i : order) {
      const FlowSink::Verdict verdict = sink.take(*packets[i]);
      ASSERT_EQ(verdict == FlowSink::Verdict::kOutOfOrder, i < latest);
      ASSERT_EQ(sink.take(*packets[i]), FlowSink::Verdict::kDuplicate);
      latest = std::max(latest, i);
      ASSERT_EQ(sink.missing(), latest + 1 - sink.packets());
    }
    ASSERT_TRUE(sink.complete());
    ASSERT_EQ(sink.bytes(), 7U * 256);
  } while (std::next_permutation(order.begin(), order.end()));
}

// Against a set of all numbers that came: lateness of every magnitude, and duplicates.
TEST(FlowSink, IsRightHoweverLatePacketsCome) {
  net::PacketPool pool;
  FlowConfig config = flow(1, std::uint64_t{30'000} * 256, 256);
  config.data = DataMode::kElided;
  const auto packets = packets_of(config, pool);
  RandomStream random(1, "late");
  for (const std::uint64_t lateness : {3U, 200U, 2'000U, 29'000U}) {
    std::vector<std::pair<std::uint64_t, std::size_t>> order;
    for (std::size_t i = 0; i < packets.size(); ++i)
      order.emplace_back(i + random.below(lateness), i);
    std::sort(order.begin(), order.end());
    FlowSink sink(config);
    std::set<std::size_t> came;
    for (const auto& [when, i] : order) {
      const FlowSink::Verdict verdict = sink.take(*packets[i]);
      ASSERT_EQ(verdict == FlowSink::Verdict::kOutOfOrder, !came.empty() && i < *came.rbegin());
      ASSERT_TRUE(verdict != FlowSink::Verdict::kStray && verdict != FlowSink::Verdict::kDuplicate);
      came.insert(i);
      const std::size_t again = random.below(i + 1);
      if (came.count(again) != 0) {
        ASSERT_EQ(sink.take(*packets[again]), FlowSink::Verdict::kDuplicate);
      }
      ASSERT_EQ(sink.missing(), *came.rbegin() + 1 - came.size());
    }
    ASSERT_TRUE(sink.complete());
  }
}

TEST(FlowSink, KnowsTheLatestPacketsOnly) {
  net::PacketPool pool;
  FlowConfig config = flow(1, FlowSink::kReach * 3 * 256, 256);
  config.data = DataMode::kElided;
  const auto packets = packets_of(config, pool);
  FlowSink sink(config);
  for (std::size_t i = 0; i < 10; ++i) sink.take(*packets[i]);
  const std::size_t jump = 2 * FlowSink::kReach + 5;
  EXPECT_EQ(sink.take(*packets[jump]), FlowSink::Verdict::kAfterGap);
  EXPECT_EQ(sink.missing(), jump - 10);
  const std::size_t oldest = jump + 1 - FlowSink::kReach;
  EXPECT_EQ(sink.take(*packets[oldest - 1]), FlowSink::Verdict::kStray);
  for (std::size_t i = oldest; i < jump; ++i) {
    ASSERT_EQ(sink.take(*packets[i]), FlowSink::Verdict::kOutOfOrder);
  }
  EXPECT_EQ(sink.missing(), jump - 10 - (FlowSink::kReach - 1));
  EXPECT_EQ(sink.take(*packets[oldest]), FlowSink::Verdict::kDuplicate);
}

TEST(FlowSink, ThePsnMayWrap) {
  net::PacketPool pool;
  FlowConfig config = flow((1U << 24) + 100, 256, 256);
  config.data = DataMode::kElided;
  FlowSource source(config);
  FlowSink sink(config);
  while (!source.done()) sink.take(*source.make(pool, 0));
  EXPECT_TRUE(sink.complete());
  EXPECT_EQ(sink.missing(), 0U);
}

TEST(FlowSink, AWrongByteIsFoundWhereverItIs) {
  net::PacketPool pool;
  const FlowConfig config = flow(1, 1001, 4096);
  for (const std::size_t at : {0U, 1U, 500U, 999U, 1000U}) {
    FlowSource source(config);
    const Ref<net::Packet> packet = source.make(pool, 0);
    packet->payload->data()[at] ^= 1;
    EXPECT_EQ(FlowSink(config).take(*packet), FlowSink::Verdict::kWrong) << at;
  }
}

TEST(FlowSink, AWrongHeaderIsFoundAndAStrangerIsNoMatter) {
  net::PacketPool pool;
  const FlowConfig config = flow(2, 5000, 4096);
  FlowSource source(config);
  const Ref<net::Packet> packet = source.make(pool, 0);
  packet->frame.reth.virtual_address += 8;
  EXPECT_EQ(FlowSink(config).take(*packet), FlowSink::Verdict::kWrong);
  packet->frame.bth.destination_qp += 1;
  EXPECT_EQ(FlowSink(config).take(*packet), FlowSink::Verdict::kStray);
}

TEST(FlowSink, APacketThatComesAgainIsADuplicate) {
  net::PacketPool pool;
  const FlowConfig config = flow(2, 5000, 4096);
  FlowSource source(config);
  FlowSink sink(config);
  const Ref<net::Packet> first = source.make(pool, 0);
  EXPECT_EQ(sink.take(*first), FlowSink::Verdict::kInOrder);
  EXPECT_EQ(sink.take(*first), FlowSink::Verdict::kDuplicate);
  EXPECT_EQ(sink.packets(), 1U);
  EXPECT_EQ(sink.bytes(), 4096U);
}

TEST(Pattern, IsAFunctionOfTheAddressHoweverItIsCut) {
  std::vector<std::uint8_t> whole(1000);
  fill_pattern(12'345, whole.data(), whole.size());
  for (std::size_t cut = 0; cut <= 40; ++cut) {
    std::vector<std::uint8_t> part(960);
    fill_pattern(12'345 + cut, part.data(), part.size());
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + static_cast<long>(cut)));
    EXPECT_TRUE(matches_pattern(12'345 + cut, part.data(), part.size()));
    EXPECT_FALSE(matches_pattern(12'346 + cut, part.data(), part.size()));
  }
}

}  // namespace
}  // namespace railyard
