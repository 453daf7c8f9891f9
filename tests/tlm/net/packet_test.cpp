#include "tlm/net/packet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "tests/tlm/net/random_frame.h"

namespace railyard::net {
namespace {

using Bytes = std::vector<std::uint8_t>;

Ref<Packet> random_packet(TestRandom& random, PacketPool& pool, Opcode opcode, bool carried) {
  Ref<Packet> packet = pool.packets.acquire();
  const EtherType type = random.flip() ? EtherType::kIpv4 : EtherType::kIpv6;
  packet->frame = random_frame(random, type, opcode, random.flip(),
                               static_cast<std::uint32_t>(random.below(5000)));
  packet->id = random.next();
  packet->created = random.bits<Time>(62);
  packet->bad_fcs = random.flip();
  packet->seal();
  if (carried) {
    packet->payload = pool.payloads.acquire();
    packet->payload->resize(packet->frame.payload_bytes);
    const Bytes bytes = random_bytes(random, packet->payload->size());
    std::copy(bytes.begin(), bytes.end(), packet->payload->data());
  }
  return packet;
}

void expect_equal(const Packet& a, const Packet& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.created, b.created);
  EXPECT_EQ(a.wire_bytes, b.wire_bytes);
  EXPECT_EQ(a.bad_fcs, b.bad_fcs);
  EXPECT_TRUE(a.frame == b.frame);
  ASSERT_EQ(static_cast<bool>(a.payload), static_cast<bool>(b.payload));
  if (!a.payload) return;
  ASSERT_EQ(a.payload->size(), b.payload->size());
  EXPECT_TRUE(
      std::equal(a.payload->data(), a.payload->data() + a.payload->size(), b.payload->data()));
}

TEST(Packet, SealCachesTheFrameBytes) {
  PacketPool pool;
  const Ref<Packet> packet = pool.packets.acquire();
  packet->frame = pfc_frame({}, 1, {});
  packet->seal();
  EXPECT_EQ(packet->wire_bytes, 64u);
}

TEST(Packet, ElidedMeansPayloadWithoutBytes) {
  PacketPool pool;
  const Ref<Packet> packet = pool.packets.acquire();
  EXPECT_FALSE(packet->elided());
  packet->frame.payload_bytes = 8;
  EXPECT_TRUE(packet->elided());
  packet->payload = pool.payloads.acquire();
  EXPECT_FALSE(packet->elided());
}

TEST(Packet, RecycledPacketIsAsNewAndReturnsItsPayload) {
  PacketPool pool;
  TestRandom random(20);
  random_packet(random, pool, Opcode::kRcSendOnly, true);
  EXPECT_EQ(pool.packets.outstanding(), 0u);
  EXPECT_EQ(pool.payloads.outstanding(), 0u);
  const Ref<Packet> again = pool.packets.acquire();
  EXPECT_EQ(pool.packets.capacity(), 1u);
  const Ref<Packet> fresh = pool.packets.acquire();
  expect_equal(*again, *fresh);
}

TEST(Packet, RecycledPayloadKeepsItsBuffer) {
  PacketPool pool;
  const std::uint8_t* buffer = nullptr;
  {
    const Ref<Payload> payload = pool.payloads.acquire();
    payload->resize(4096);
    buffer = payload->data();
  }
  const Ref<Payload> payload = pool.payloads.acquire();
  EXPECT_EQ(payload->size(), 0u);
  payload->resize(4096);
  EXPECT_EQ(payload->data(), buffer);
}

TEST(Packet, SerialisedPacketComesBackEqual) {
  PacketPool here;
  PacketPool there;
  TestRandom random(21);
  for (int round = 0; round < 20; ++round) {
    for (const Opcode opcode : all_opcodes()) {
      const Ref<Packet> packet = random_packet(random, here, opcode, random.flip());
      Bytes bytes;
      serialise(*packet, bytes);
      const Ref<Packet> back = deserialise(bytes.data(), bytes.size(), there);
      expect_equal(*packet, *back);
    }
  }
  EXPECT_EQ(there.packets.outstanding(), 0u);
}

TEST(Packet, OpaqueFramesSerialiseWithTheirElidedLength) {
  PacketPool pool;
  const Ref<Packet> packet = pool.packets.acquire();
  packet->frame.ethernet.type = static_cast<EtherType>(0x88B5);
  packet->frame.payload_bytes = 1500;
  Bytes bytes;
  serialise(*packet, bytes);
  expect_equal(*packet, *deserialise(bytes.data(), bytes.size(), pool));
  packet->frame = pause_frame({}, 77);
  bytes.clear();
  serialise(*packet, bytes);
  expect_equal(*packet, *deserialise(bytes.data(), bytes.size(), pool));
}

TEST(Packet, SerialiseAppends) {
  PacketPool pool;
  TestRandom random(22);
  const Ref<Packet> first = random_packet(random, pool, Opcode::kRcSendFirst, true);
  const Ref<Packet> second = random_packet(random, pool, Opcode::kCnp, false);
  Bytes bytes;
  serialise(*first, bytes);
  const std::size_t boundary = bytes.size();
  serialise(*second, bytes);
  expect_equal(*first, *deserialise(bytes.data(), boundary, pool));
  expect_equal(*second, *deserialise(bytes.data() + boundary, bytes.size() - boundary, pool));
}

TEST(Packet, MalformedBytesAreRefused) {
  PacketPool pool;
  TestRandom random(23);
  const Ref<Packet> packet = random_packet(random, pool, Opcode::kRcSendOnly, true);
  Bytes good;
  serialise(*packet, good);
  const auto refused = [&](const Bytes& bytes) {
    EXPECT_THROW(deserialise(bytes.data(), bytes.size(), pool), std::invalid_argument);
  };
  for (std::size_t size = 0; size < good.size(); size += 7) {
    refused({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)});
  }
  const auto with = [&good](std::size_t at, std::uint8_t flip) {
    Bytes bytes = good;
    bytes[at] ^= flip;
    return bytes;
  };
  refused(with(0, 3));     // version
  refused(with(1, 3));     // kind
  refused(with(2, 0x80));  // unknown flag
  refused(with(2, 2));     // carried or not
  refused(with(3, 1));     // header length
  refused(with(24, 1));    // payload length
  Bytes longer = good;
  longer.push_back(0);
  refused(longer);
  EXPECT_EQ(pool.packets.outstanding(), 1u);
}

TEST(Packet, PayloadOfAnotherLengthThanTheFramesIsRefused) {
  PacketPool pool;
  const Ref<Packet> packet = pool.packets.acquire();
  packet->frame.ethernet.type = EtherType::kIpv4;
  packet->frame.payload_bytes = 4;
  packet->payload = pool.payloads.acquire();
  packet->payload->resize(5);
  Bytes bytes;
  EXPECT_THROW(serialise(*packet, bytes), std::invalid_argument);
}

}  // namespace
}  // namespace railyard::net
