#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "tests/tlm/net/random_frame.h"
#include "tlm/net/codec.h"

namespace railyard::net {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// A READ request (no payload) or a SEND of 8 bytes over IPv4, without FCS.
Bytes good(Opcode opcode, EtherType type = EtherType::kIpv4) {
  Frame frame;
  frame.ethernet.type = type;
  frame.bth.opcode = opcode;
  frame.payload_bytes = has_payload(opcode) ? 8 : 0;
  const Bytes payload(frame.payload_bytes, 1);
  Bytes bytes;
  encode(frame, payload.data(), payload.size(), bytes, {false, true});
  return bytes;
}

void fix_checksum(Bytes& bytes) {
  const std::uint16_t sum = ipv4_checksum(bytes.data() + 14);
  bytes[24] = static_cast<std::uint8_t>(sum >> 8);
  bytes[25] = static_cast<std::uint8_t>(sum);
}

ParseResult damaged(Bytes bytes, const std::function<void(Bytes&)>& damage, bool fix = true) {
  damage(bytes);
  if (fix) fix_checksum(bytes);
  return parse(bytes.data(), bytes.size(), false);
}

void expect_error(const ParseResult& result, ParseError error, std::size_t offset) {
  EXPECT_EQ(static_cast<int>(result.error), static_cast<int>(error)) << describe(result);
  EXPECT_EQ(result.error_offset, offset) << describe(result);
  EXPECT_FALSE(result.canonical);
}

TEST(ParseErrors, EveryTruncationIsNamedWhereItIs) {
  const Bytes bytes = good(Opcode::kRcSendOnly);
  const auto at = [&bytes](std::size_t size) { return parse(bytes.data(), size, false); };
  for (std::size_t size = 0; size < 14; ++size) expect_error(at(size), ParseError::kTruncated, 0);
  for (std::size_t size = 14; size < 34; ++size) {
    expect_error(at(size), ParseError::kTruncated, 14);
  }
  for (std::size_t size = 34; size < bytes.size(); ++size) {
    expect_error(at(size), ParseError::kIpLength, 16);
  }
  EXPECT_TRUE(at(bytes.size()).canonical);
  EXPECT_EQ(describe(at(20)), "IPv4 header at byte 14: ends inside this field");
}

TEST(ParseErrors, HeadersAloneNeedAllHeaders) {
  const Bytes bytes = good(Opcode::kRcRdmaReadRequest);
  const auto at = [&bytes](std::size_t size) { return parse_headers(bytes.data(), size); };
  expect_error(at(41), ParseError::kTruncated, 34);
  expect_error(at(53), ParseError::kTruncated, 42);
  expect_error(at(69), ParseError::kTruncated, 54);
  EXPECT_TRUE(at(70).ok());
}

TEST(ParseErrors, PacketThatEndsInsideAHeaderDoesNotReadThePadding) {
  // IP length 20 + 8 + 11: the BTH's last byte would come from the padding.
  const ParseResult result = damaged(good(Opcode::kRcSendOnly), [](Bytes& b) {
    b[17] = 39;
    b[39] = 19;
  });
  expect_error(result, ParseError::kTruncated, 42);
}

TEST(ParseErrors, RuntWithFcs) {
  const Bytes bytes(63);
  expect_error(parse(bytes.data(), bytes.size(), true), ParseError::kRunt, 0);
}

TEST(ParseErrors, Ipv4HeaderThatWeDoNotTake) {
  const Bytes send = good(Opcode::kRcSendOnly);
  expect_error(damaged(send, [](Bytes& b) { b[14] = 0x65; }), ParseError::kIpVersion, 14);
  expect_error(damaged(send, [](Bytes& b) { b[14] = 0x46; }), ParseError::kIpv4HeaderLength, 14);
  expect_error(damaged(send, [](Bytes& b) { b[14] = 0x44; }), ParseError::kIpv4HeaderLength, 14);
  expect_error(damaged(
                   send, [](Bytes& b) { b[25] ^= 1; }, false),
               ParseError::kIpv4Checksum, 24);
  expect_error(damaged(send, [](Bytes& b) { b[20] |= 0x20; }), ParseError::kIpv4Fragment, 20);
  expect_error(damaged(send, [](Bytes& b) { b[21] = 1; }), ParseError::kIpv4Fragment, 20);
  expect_error(damaged(send, [](Bytes& b) { b[17] = 19; }), ParseError::kIpLength, 16);
  expect_error(damaged(send, [](Bytes& b) { b[16] = 1; }), ParseError::kIpLength, 16);
}

TEST(ParseErrors, Ipv6HeaderThatWeDoNotTake) {
  const Bytes send = good(Opcode::kRcSendOnly, EtherType::kIpv6);
  const auto with = [&send](std::size_t at, std::uint8_t value) {
    return damaged(
        send, [=](Bytes& b) { b[at] = value; }, false);
  };
  expect_error(with(14, 0x45), ParseError::kIpVersion, 14);
  expect_error(with(20, 44), ParseError::kIpv6Extension, 20);
  expect_error(with(20, 0), ParseError::kIpv6Extension, 20);
  expect_error(with(18, 1), ParseError::kIpLength, 18);
}

TEST(ParseErrors, TransportThatContradictsItself) {
  const Bytes send = good(Opcode::kRcSendOnly);
  const Bytes read = good(Opcode::kRcRdmaReadRequest);
  expect_error(damaged(send, [](Bytes& b) { ++b[39]; }), ParseError::kUdpLength, 38);
  expect_error(damaged(send, [](Bytes& b) { b[42] = 0x15; }), ParseError::kUnknownOpcode, 42);
  expect_error(damaged(read, [](Bytes& b) { b[43] |= 0x10; }), ParseError::kPadBeyondPayload, 43);
  // As an ACK, the first four bytes of payload are its AETH and the rest is too much.
  expect_error(damaged(send, [](Bytes& b) { b[42] = 0x11; }), ParseError::kUnexpectedPayload, 58);
  expect_error(damaged(send, [](Bytes& b) { --b[17], --b[39]; }), ParseError::kMisaligned, 54);
}

TEST(ParseErrors, PaddingAndPadThatNoEncoderWritesAreNotCanonical) {
  Bytes send = good(Opcode::kRcSendOnly);
  send.push_back(0);  // padding though long enough
  ParseResult result = parse(send.data(), send.size(), false);
  EXPECT_TRUE(result.ok() && result.icrc_ok);
  EXPECT_EQ(result.padding_bytes, 1u);
  EXPECT_FALSE(result.canonical);
}

}  // namespace
}  // namespace railyard::net
