#include "tlm/net/codec.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "tests/tlm/net/hex.h"
#include "tests/tlm/net/random_frame.h"

namespace railyard::net {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr MacAddress kSource{{0x5A, 0x51, 0x52, 0x53, 0x54, 0x55}};

Bytes encoded(const Frame& frame, const Bytes& payload = {}, const EncodeOptions& options = {}) {
  Bytes out;
  encode(frame, payload.data(), payload.size(), out, options);
  return out;
}

std::string zeros(int bytes) { return std::string(static_cast<std::size_t>(2 * bytes), '0'); }

TEST(Codec, PfcXoffOfPriorityThreeIsTheStandardsFrame) {
  EXPECT_EQ(to_hex(encoded(pfc_frame(kSource, 0x08, {0, 0, 0, 0xFFFF}))),
            "0180c20000015a515253545588080101"
            "0008000000000000ffff0000000000000000" +
                zeros(26) + "f590fb94");
}

TEST(Codec, PfcXonOfPriorityThreeIsTheStandardsFrame) {
  EXPECT_EQ(to_hex(encoded(pfc_frame(kSource, 0x08, {}))),
            "0180c20000015a5152535455880801010008" + zeros(16 + 26) + "9413aafb");
}

TEST(Codec, PauseFrameIsTheStandardsFrame) {
  const Bytes bytes = encoded(pause_frame(kSource, 0x1234), {}, {false, true});
  EXPECT_EQ(to_hex(bytes), "0180c20000015a5152535455880800011234" + zeros(42));
}

TEST(Codec, CnpIsSixtyBytesOfIp) {
  TestRandom random(6);
  const Frame marked =
      random_frame(random, EtherType::kIpv4, Opcode::kRcRdmaWriteMiddle, false, 4096);
  const Bytes bytes = encoded(cnp_frame(marked, 0x118));
  EXPECT_EQ(bytes.size(), 14u + 60 + 4);
  EXPECT_EQ(to_hex({bytes.begin() + 14, bytes.begin() + 18}), "45c2003c");
  EXPECT_EQ(to_hex({bytes.begin() + 34, bytes.begin() + 70}),
            "000012b700280000"
            "8100ffff4000011800000000" +
                zeros(16));
}

TEST(Codec, EveryOpcodeRoundTripsWithEveryPadVersionAndTag) {
  TestRandom random(7);
  for (int round = 0; round < 8; ++round) {
    for (const Opcode opcode : all_opcodes()) {
      for (const EtherType type : {EtherType::kIpv4, EtherType::kIpv6}) {
        for (const bool vlan : {false, true}) {
          for (std::uint32_t size : {0u, 1u, 2u, 3u, 4u, 1021u}) {
            const Frame frame = random_frame(random, type, opcode, vlan, size);
            const Bytes payload = random_bytes(random, frame.payload_bytes);
            const Bytes bytes = encoded(frame, payload);
            ASSERT_EQ(bytes.size(), frame_bytes(frame));
            const ParseResult parsed = parse(bytes.data(), bytes.size(), true);
            ASSERT_TRUE(parsed.ok()) << opcode_name(opcode) << ": " << describe(parsed);
            ASSERT_TRUE(parsed.icrc_ok && parsed.fcs_ok && parsed.canonical);
            ASSERT_TRUE(parsed.frame == frame) << opcode_name(opcode);
            ASSERT_EQ(parsed.payload_offset, header_bytes(frame));
            const auto* begin = bytes.data() + parsed.payload_offset;
            ASSERT_EQ(Bytes(begin, begin + parsed.frame.payload_bytes), payload);
          }
        }
      }
    }
  }
}

TEST(Codec, OpaquePayloadsRoundTrip) {
  TestRandom random(8);
  const Bytes payload = random_bytes(random, 99);
  Frame ethernet;
  ethernet.ethernet.type = static_cast<EtherType>(0x88B5);
  Frame tagged = ethernet;
  tagged.ethernet.has_vlan = true;
  tagged.ethernet.type = EtherType::kVlan;  // a second tag is payload
  Frame control;
  control.ethernet.type = EtherType::kMacControl;
  control.mac_control.opcode = static_cast<MacControlOpcode>(0x0102);
  Frame icmp;
  icmp.ethernet.type = EtherType::kIpv4;
  icmp.ipv4.protocol = 1;
  Frame icmp6;
  icmp6.ethernet.type = EtherType::kIpv6;
  icmp6.ipv6.next_header = 58;
  Frame udp = random_frame(random, EtherType::kIpv6, Opcode::kCnp, false, 0);
  udp.udp.destination_port = 4790;
  for (Frame frame : {ethernet, tagged, control, icmp, icmp6, udp}) {
    frame.payload_bytes = 99;
    const Bytes bytes = encoded(frame, payload);
    const ParseResult parsed = parse(bytes.data(), bytes.size(), true);
    ASSERT_TRUE(parsed.ok()) << describe(parsed);
    EXPECT_TRUE(parsed.canonical);
    EXPECT_TRUE(parsed.frame == frame);
    EXPECT_EQ(parsed.payload_offset, header_bytes(frame));
    EXPECT_EQ(bytes.size(), header_bytes(frame) + 99 + 4);
  }
}

TEST(Codec, HeadersAloneCarryTheLengthsOfTheWholeFrame) {
  TestRandom random(9);
  for (const Opcode opcode : all_opcodes()) {
    const Frame frame = random_frame(random, EtherType::kIpv6, opcode, true, 4093);
    const Bytes whole = encoded(frame, Bytes(frame.payload_bytes));
    Bytes headers;
    encode_headers(frame, headers);
    ASSERT_EQ(headers.size(), header_bytes(frame));
    EXPECT_TRUE(std::equal(headers.begin(), headers.end(), whole.begin()));
    const ParseResult parsed = parse_headers(headers.data(), headers.size());
    ASSERT_TRUE(parsed.ok()) << describe(parsed);
    EXPECT_TRUE(parsed.frame == frame);
  }
}

TEST(Codec, RouterChangesLeaveTheIcrcUnchanged) {
  TestRandom random(10);
  for (const EtherType type : {EtherType::kIpv4, EtherType::kIpv6}) {
    Frame frame = random_frame(random, type, Opcode::kRcRdmaWriteOnly, false, 64);
    const Bytes payload = random_bytes(random, 64);
    frame.set_ecn(Ecn::kEct0);
    const Bytes sent = encoded(frame, payload);
    Frame routed = frame;
    routed.set_ecn(Ecn::kCe);
    --routed.ipv4.ttl;
    --routed.ipv6.hop_limit;
    routed.ipv6.flow_label ^= 0x12345;
    routed.ipv4.dscp ^= 0x3F;
    routed.ipv6.dscp ^= 0x3F;
    routed.udp.checksum ^= 0xFFFF;
    routed.bth.becn = !frame.bth.becn;
    routed.bth.fecn = !frame.bth.fecn;
    const Bytes received = encoded(routed, payload);
    const std::uint32_t before = parse(sent.data(), sent.size(), true).icrc;
    EXPECT_EQ(parse(received.data(), received.size(), true).icrc, before);
    EXPECT_NE(sent, received);

    // What routers may not change is protected.
    for (const auto& change : std::vector<void (*)(Frame&)>{
             [](Frame& f) { f.bth.psn ^= 1; }, [](Frame& f) { f.udp.source_port ^= 1; },
             [](Frame& f) { f.ipv4.source.value ^= 1, f.ipv6.source.bytes[15] ^= 1; },
             [](Frame& f) { f.reth.rkey ^= 1; }, [](Frame& f) { f.bth.p_key ^= 1; }}) {
      Frame other = frame;
      change(other);
      const Bytes bytes = encoded(other, payload);
      EXPECT_NE(parse(bytes.data(), bytes.size(), true).icrc, before);
    }
  }
}

TEST(Codec, WrongIcrcAndFcsAreFindings) {
  TestRandom random(11);
  const Frame frame = random_frame(random, EtherType::kIpv4, Opcode::kRcSendOnly, false, 100);
  Bytes bytes = encoded(frame, random_bytes(random, 100));
  bytes[bytes.size() - 20] ^= 1;  // payload
  ParseResult parsed = parse(bytes.data(), bytes.size(), true);
  EXPECT_TRUE(parsed.ok());
  EXPECT_FALSE(parsed.icrc_ok);
  EXPECT_FALSE(parsed.fcs_ok);
  EXPECT_FALSE(parsed.canonical);
  bytes[bytes.size() - 20] ^= 1;
  bytes[0] ^= 2;  // destination address: the FCS alone protects it
  parsed = parse(bytes.data(), bytes.size(), true);
  EXPECT_TRUE(parsed.icrc_ok);
  EXPECT_FALSE(parsed.fcs_ok);
}

TEST(Codec, CallersBufferIsEnoughForNoAllocation) {
  Frame frame;
  frame.ethernet.type = EtherType::kIpv4;
  frame.payload_bytes = 256;
  const Bytes payload(256, 0xA5);
  Bytes out;
  out.reserve(2048);
  const std::uint8_t* buffer = out.data();
  encode(frame, payload.data(), payload.size(), out);
  EXPECT_EQ(out.data(), buffer);
  Bytes fixed(out.size());
  EXPECT_EQ(encode(frame, payload.data(), 256, fixed.data(), fixed.size()), out.size());
  EXPECT_EQ(fixed, out);
  EXPECT_THROW(encode(frame, payload.data(), 256, fixed.data(), fixed.size() - 1),
               std::invalid_argument);
}

TEST(Codec, RefusesFramesThatNoParserCouldRead) {
  const auto refused = [](Frame frame) {
    Bytes out;
    EXPECT_THROW(encode_headers(frame, out), std::invalid_argument);
    const Bytes payload(frame.payload_bytes < 1000000 ? frame.payload_bytes : 0);
    EXPECT_THROW(encode(frame, payload.data(), payload.size(), out), std::invalid_argument);
  };
  Frame frame;
  frame.ethernet.type = EtherType::kVlan;
  refused(frame);
  frame.ethernet.type = EtherType::kIpv4;
  frame.bth.opcode = static_cast<Opcode>(0xFF);
  refused(frame);
  frame.bth.opcode = Opcode::kRcAcknowledge;
  frame.payload_bytes = 1;
  refused(frame);
  frame.bth.opcode = Opcode::kRcSendOnly;
  frame.payload_bytes = 65535 - 20 - 8 - 12 - 4 + 1;
  refused(frame);
  frame.payload_bytes = 0xFFFFFFF0;
  refused(frame);
  frame.payload_bytes = 0;
  frame.ethernet.type = EtherType::kIpv6;
  frame.ipv6.next_header = 44;
  refused(frame);
  Frame pfc = pfc_frame(kSource, 1, {});
  pfc.payload_bytes = 1;
  refused(pfc);
  frame.ipv6.next_header = kProtocolUdp;
  frame.payload_bytes = 4;
  Bytes out;
  EXPECT_THROW(encode(frame, nullptr, 0, out), std::invalid_argument);  // elided
}

TEST(Codec, LargestIpPacketsRoundTrip) {
  Frame frame;
  frame.ethernet.type = EtherType::kIpv4;
  frame.payload_bytes = 65532 - 20 - 8 - 12 - 4;
  const Bytes bytes = encoded(frame, Bytes(frame.payload_bytes, 7));
  const ParseResult parsed = parse(bytes.data(), bytes.size(), true);
  EXPECT_TRUE(parsed.canonical);
  EXPECT_TRUE(parsed.frame == frame);
}

}  // namespace
}  // namespace railyard::net
