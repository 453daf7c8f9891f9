// Hostile bytes. Each input lives in a heap block of exactly its size, so that AddressSanitizer
// sees a read beyond it.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "tests/tlm/net/random_frame.h"
#include "tlm/net/codec.h"
#include "tlm/net/packet.h"

namespace railyard::net {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct Tally {
  int parsed = 0;
  int refused = 0;
  int canonical = 0;
};

/// canonical must mean exactly: encode(parse(bytes)) == bytes.
void check(const Bytes& input, bool has_fcs, Tally& tally) {
  const std::unique_ptr<std::uint8_t[]> exact(new std::uint8_t[input.size()]);
  std::copy(input.begin(), input.end(), exact.get());
  const ParseResult parsed = parse(exact.get(), input.size(), has_fcs);
  parse_headers(exact.get(), input.size());
  if (!parsed.ok()) {
    ++tally.refused;
    ASSERT_LE(parsed.error_offset, input.size());
    ASSERT_FALSE(parsed.canonical);
    return;
  }
  ++tally.parsed;
  tally.canonical += parsed.canonical ? 1 : 0;
  ASSERT_LE(parsed.payload_offset + parsed.frame.payload_bytes, input.size());
  Bytes again;
  encode(parsed.frame, exact.get() + parsed.payload_offset, parsed.frame.payload_bytes, again,
         {has_fcs, parsed.padding_bytes > 0});
  ASSERT_EQ(again == input, parsed.canonical);
  const ParseResult second = parse(again.data(), again.size(), has_fcs);
  ASSERT_TRUE(second.canonical);
  ASSERT_TRUE(second.frame == parsed.frame);
}

Bytes random_encoded(TestRandom& random, const EncodeOptions& options) {
  static const std::vector<Opcode> opcodes = all_opcodes();
  const EtherType type = random.flip() ? EtherType::kIpv4 : EtherType::kIpv6;
  Frame frame = random_frame(random, type, opcodes[random.below(opcodes.size())], random.flip(),
                             static_cast<std::uint32_t>(random.below(40)));
  if (random.below(8) == 0) {
    frame = pfc_frame(frame.ethernet.source, 0xFF, {1, 2, 3, 4, 5, 6, 7, 8});
  }
  const Bytes payload = random_bytes(random, frame.payload_bytes);
  Bytes bytes;
  encode(frame, payload.data(), payload.size(), bytes, options);
  return bytes;
}

/// Damages bytes; sometimes repairs the IPv4 checksum, so that the damage reaches higher layers.
void mutate(TestRandom& random, Bytes& bytes) {
  for (std::size_t n = random.below(4); n > 0; --n) {
    bytes[random.below(bytes.size())] = random.bits<std::uint8_t>(8);
  }
  if (random.below(4) == 0) bytes.resize(random.below(bytes.size() + 1));
  if (random.below(8) == 0) bytes.resize(bytes.size() + random.below(20));
  if (random.below(8) == 0 && bytes.size() > 20) bytes[12 + random.below(8)] ^= 0x40;
  if (random.flip() && bytes.size() >= 38 && bytes[12] == 8 && bytes[13] == 0) {
    const std::uint16_t sum = ipv4_checksum(bytes.data() + 14);
    bytes[24] = static_cast<std::uint8_t>(sum >> 8);
    bytes[25] = static_cast<std::uint8_t>(sum);
  }
}

TEST(Fuzz, MutatedFramesNeverBreakTheParser) {
  TestRandom random(12);
  Tally tally;
  for (int i = 0; i < 100000; ++i) {
    const EncodeOptions options{random.flip(), random.flip()};
    Bytes bytes = random_encoded(random, options);
    mutate(random, bytes);
    ASSERT_NO_FATAL_FAILURE(check(bytes, options.with_fcs, tally));
  }
  // The mutations are neither too tame nor too wild to mean something.
  EXPECT_GT(tally.canonical, 5000);
  EXPECT_GT(tally.parsed - tally.canonical, 5000);
  EXPECT_GT(tally.refused, 5000);
}

TEST(Fuzz, RandomBytesNeverBreakTheParser) {
  TestRandom random(13);
  constexpr std::uint16_t kTypes[] = {0x0800, 0x86DD, 0x8808, 0x8100};
  Tally tally;
  for (int i = 0; i < 100000; ++i) {
    Bytes bytes = random_bytes(random, random.below(200));
    if (bytes.size() > 40 && random.flip()) {
      const std::uint16_t type = kTypes[random.below(4)];
      bytes[12] = static_cast<std::uint8_t>(type >> 8);
      bytes[13] = static_cast<std::uint8_t>(type);
      bytes[14] = type == 0x0800 ? 0x45 : type == 0x86DD ? 0x60 : bytes[14];
    }
    ASSERT_NO_FATAL_FAILURE(check(bytes, random.flip(), tally));
  }
  EXPECT_GT(tally.parsed, 5000);
  EXPECT_GT(tally.refused, 5000);
}

TEST(Fuzz, MutatedSerialisedPacketsAreReadOrRefused) {
  TestRandom random(14);
  PacketPool pool;
  int read = 0;
  int refused = 0;
  for (int i = 0; i < 50000; ++i) {
    Ref<Packet> packet = pool.packets.acquire();
    packet->frame =
        random_frame(random, EtherType::kIpv6, Opcode::kRcSendOnlyWithImmediate, random.flip(), 20);
    if (random.flip()) {
      packet->payload = pool.payloads.acquire();
      packet->payload->resize(20);
      std::fill_n(packet->payload->data(), 20, std::uint8_t{0x55});
    }
    Bytes bytes;
    serialise(*packet, bytes);
    mutate(random, bytes);
    const std::unique_ptr<std::uint8_t[]> exact(new std::uint8_t[bytes.size()]);
    std::copy(bytes.begin(), bytes.end(), exact.get());
    const std::size_t held = pool.packets.outstanding();
    try {
      const Ref<Packet> back = deserialise(exact.get(), bytes.size(), pool);
      Bytes again;
      serialise(*back, again);
      ASSERT_EQ(again, bytes);
      ++read;
    } catch (const std::invalid_argument&) {
      ++refused;
    }
    ASSERT_EQ(pool.packets.outstanding(), held);
  }
  EXPECT_GT(read, 5000);
  EXPECT_GT(refused, 5000);
}

}  // namespace
}  // namespace railyard::net
