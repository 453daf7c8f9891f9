#include "hw/eth_switch/load_balance_hash.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/hw/eth_switch/load_balance_flows.h"
#include "tlm/sim/random.h"

namespace railyard {
namespace {

TEST(FlowHash, EachBitOfTheTupleFlipsEachBitOfTheHashInHalfOfTheCases) {
  constexpr unsigned kFlows = 10'000;
  RandomStream random(1, "avalanche");
  for (unsigned bit = 0; bit < 96; ++bit) {
    std::array<unsigned, 64> flips{};
    for (unsigned i = 0; i < kFlows; ++i) {
      net::Frame frame = roce(static_cast<std::uint16_t>(random.next()));
      frame.ipv4.source.value = static_cast<std::uint32_t>(random.next());
      frame.ipv4.destination.value = static_cast<std::uint32_t>(random.next());
      const std::uint64_t seed = random.next();
      const std::uint64_t before = flow_hash(frame, seed);
      if (bit < 32) frame.ipv4.source.value ^= 1U << bit;
      if (bit >= 32 && bit < 64) frame.ipv4.destination.value ^= 1U << (bit - 32);
      if (bit >= 64 && bit < 80)
        frame.udp.source_port ^= static_cast<std::uint16_t>(1U << (bit - 64));
      if (bit >= 80 && bit < 88) {
        frame.ipv4.protocol ^= static_cast<std::uint8_t>(1U << (bit - 80));
      }
      if (bit >= 88) frame.udp.destination_port ^= static_cast<std::uint16_t>(1U << (bit - 88));
      const std::uint64_t changed = before ^ flow_hash(frame, seed);
      for (unsigned b = 0; b < 64; ++b) flips[b] += (changed >> b & 1) != 0 ? 1 : 0;
    }
    for (unsigned b = 0; b < 64; ++b) EXPECT_NEAR(flips[b], kFlows / 2, 5 * 50) << bit << ' ' << b;
  }
}

TEST(FlowHash, IsThatOfTheFiveTupleAlone) {
  for (const bool v6 : {false, true}) {
    const net::Frame first = roce(0xC001, v6);
    net::Frame later = first;
    later.ethernet.source.bytes[5] = 9;  // as behind a router
    later.ethernet.has_vlan = true;
    later.ipv4.ttl = later.ipv6.hop_limit = 3;
    later.ipv4.identification = 77;
    later.ipv6.flow_label = 77;
    later.set_ecn(net::Ecn::kCe);
    later.bth.psn = 12;
    later.bth.opcode = net::Opcode::kRcRdmaWriteMiddle;
    later.payload_bytes = 1024;
    EXPECT_EQ(flow_hash(first, 5), flow_hash(later, 5));
    EXPECT_NE(flow_hash(first, 5), flow_hash(first, 6));
    EXPECT_NE(flow_hash(first, 5), flow_hash(roce(0xC002, v6), 5));
    net::Frame other = first;
    other.udp.destination_port = 80;
    EXPECT_NE(flow_hash(first, 5), flow_hash(other, 5));
    other = first;
    other.ipv4.protocol = other.ipv6.next_header = 6;  // TCP: its ports are opaque here
    EXPECT_NE(flow_hash(first, 5), flow_hash(other, 5));
    net::Frame same = other;
    same.udp.source_port = 1;
    EXPECT_EQ(flow_hash(other, 5), flow_hash(same, 5));
  }
}

TEST(FlowHash, OfOtherFramesIsThatOfAddressesAndType) {
  net::Frame frame;
  const std::uint64_t h = flow_hash(frame, 1);
  net::Frame other = frame;
  other.payload_bytes = 100;
  EXPECT_EQ(flow_hash(other, 1), h);
  other.ethernet.destination.bytes[0] = 2;
  EXPECT_NE(flow_hash(other, 1), h);
  other = frame;
  other.ethernet.source.bytes[5] = 2;
  EXPECT_NE(flow_hash(other, 1), h);
  other = frame;
  other.ethernet.type = static_cast<net::EtherType>(0x88CC);
  EXPECT_NE(flow_hash(other, 1), h);
}

}  // namespace
}  // namespace railyard
