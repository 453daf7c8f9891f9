#include "tlm/net/frame.h"

#include <gtest/gtest.h>

#include "tests/tlm/net/random_frame.h"

namespace railyard::net {
namespace {

Frame roce(Opcode opcode, std::uint32_t payload_bytes) {
  Frame frame;
  frame.ethernet.type = EtherType::kIpv4;
  frame.bth.opcode = opcode;
  frame.payload_bytes = payload_bytes;
  return frame;
}

std::uint32_t on_the_line(Opcode opcode, std::uint32_t payload_bytes) {
  return line_bytes(frame_bytes(roce(opcode, payload_bytes)));
}

/// Line bytes of a message of `payload` bytes in packets of `mtu`.
std::uint32_t message_line_bytes(Opcode first, Opcode middle, Opcode last, std::uint32_t payload,
                                 std::uint32_t mtu) {
  return on_the_line(first, mtu) + (payload / mtu - 2) * on_the_line(middle, mtu) +
         on_the_line(last, mtu);
}

TEST(Frame, RocePacketWithoutExtensionCostsEightyTwoBytes) {
  for (const std::uint32_t mtu : {256u, 512u, 1024u, 2048u, 4096u}) {
    EXPECT_EQ(on_the_line(Opcode::kRcRdmaWriteMiddle, mtu), mtu + 82);
  }
}

TEST(Frame, GoodputCeilingsAreThoseOfTheHeaders) {
  const auto percent = [](double payload, double line) { return 100 * payload / line; };
  using O = Opcode;
  EXPECT_NEAR(percent(1024, on_the_line(O::kRcRdmaWriteMiddle, 1024)), 92.586, 5e-4);
  EXPECT_NEAR(percent(2048, on_the_line(O::kRcRdmaWriteMiddle, 2048)), 96.150, 5e-4);
  EXPECT_NEAR(percent(4096, on_the_line(O::kRcRdmaWriteMiddle, 4096)), 98.037, 5e-4);
  EXPECT_NEAR(percent(4096, on_the_line(O::kRcRdmaReadResponseOnly, 4096)), 97.944, 5e-4);
  EXPECT_NEAR(percent(4096, on_the_line(O::kRcRdmaWriteOnly, 4096)), 97.663, 5e-4);
  const double read = message_line_bytes(O::kRcRdmaReadResponseFirst, O::kRcRdmaReadResponseMiddle,
                                         O::kRcRdmaReadResponseLast, 65536, 4096);
  EXPECT_NEAR(percent(65536, read), 98.026, 5e-4);
  const auto write = [](std::uint32_t mtu) {
    return message_line_bytes(O::kRcRdmaWriteFirst, O::kRcRdmaWriteMiddle, O::kRcRdmaWriteLast,
                              65536, mtu);
  };
  EXPECT_NEAR(percent(65536, write(4096)), 98.0139, 5e-5);
  EXPECT_NEAR(percent(65536, write(1024)), 92.565, 5e-4);
}

TEST(Frame, VlanAndIpv6AddTheirBytes) {
  Frame frame = roce(Opcode::kRcRdmaWriteMiddle, 1000);
  const std::uint32_t plain = frame_bytes(frame);
  frame.ethernet.has_vlan = true;
  EXPECT_EQ(frame_bytes(frame), plain + 4);
  frame.ethernet.type = EtherType::kIpv6;
  EXPECT_EQ(frame_bytes(frame), plain + 24);
}

TEST(Frame, ShortFramesArePaddedToSixtyFourBytes) {
  EXPECT_EQ(header_bytes(roce(Opcode::kRcSendOnly, 0)), 54u);
  EXPECT_EQ(unpadded_bytes(roce(Opcode::kRcSendOnly, 0)), 58u);
  EXPECT_EQ(frame_bytes(roce(Opcode::kRcSendOnly, 0)), 64u);
  EXPECT_EQ(frame_bytes(roce(Opcode::kRcAcknowledge, 0)), 66u);
  EXPECT_EQ(frame_bytes(pfc_frame({}, 8, {})), 64u);
  EXPECT_EQ(frame_bytes(pause_frame({}, 1)), 64u);
}

TEST(Frame, RocePadsToFourBytes) {
  for (std::uint32_t payload = 100; payload <= 104; ++payload) {
    EXPECT_EQ(frame_bytes(roce(Opcode::kRcSendOnly, payload)), payload == 100 ? 162u : 166u);
  }
}

TEST(Frame, UdpSourcePortSpreadsAsLinuxDoes) {
  EXPECT_EQ(udp_source_port(0x24, 0x25), 0xC534);
  EXPECT_EQ(udp_source_port(0x27, 0x28), 0xC618);
  EXPECT_EQ(udp_source_port(0x20, 0x21), 0xC420);
  EXPECT_EQ(udp_source_port(0xFFFFFF, 0xABCDEF), udp_source_port(0xABCDEF, 0xFFFFFF));
}

TEST(Frame, PathMtuLeavesRoomForHeaders) {
  EXPECT_EQ(path_mtu(1500), 1024u);
  EXPECT_EQ(path_mtu(4200), 4096u);
  EXPECT_EQ(path_mtu(9000), 4096u);
  EXPECT_EQ(path_mtu(4192), 4096u);
  EXPECT_EQ(path_mtu(4191), 2048u);
  EXPECT_EQ(path_mtu(352), 256u);
  EXPECT_EQ(path_mtu(351), 0u);
}

TEST(Frame, CnpGoesBackToTheSenderOfTheMarkedPacket) {
  TestRandom random(4);
  for (const EtherType type : {EtherType::kIpv4, EtherType::kIpv6}) {
    const Frame marked = random_frame(random, type, Opcode::kRcRdmaWriteMiddle, true, 1024);
    const Frame cnp = cnp_frame(marked, 0x123);
    EXPECT_EQ(cnp.ethernet.destination, marked.ethernet.source);
    EXPECT_EQ(cnp.ethernet.source, marked.ethernet.destination);
    EXPECT_EQ(cnp.ethernet.vid, marked.ethernet.vid);
    EXPECT_EQ(cnp.ethernet.pcp, 6);
    EXPECT_EQ(cnp.ethernet.type, type);
    if (type == EtherType::kIpv4) {
      EXPECT_EQ(cnp.ipv4.destination, marked.ipv4.source);
      EXPECT_EQ(cnp.ipv4.source, marked.ipv4.destination);
    } else {
      EXPECT_EQ(cnp.ipv6.destination, marked.ipv6.source);
      EXPECT_EQ(cnp.ipv6.source, marked.ipv6.destination);
    }
    EXPECT_EQ(cnp.dscp(), 48);
    EXPECT_EQ(cnp.ecn(), Ecn::kEct0);
    EXPECT_EQ(cnp.udp.source_port, 0);
    EXPECT_EQ(cnp.bth.opcode, Opcode::kCnp);
    EXPECT_TRUE(cnp.bth.becn);
    EXPECT_EQ(cnp.bth.destination_qp, 0x123u);
    EXPECT_EQ(cnp.payload_bytes, 0u);
  }
}

TEST(Frame, EqualityLooksAtTheHeadersThatThereAre) {
  TestRandom random(5);
  const Frame write = random_frame(random, EtherType::kIpv4, Opcode::kRcRdmaWriteOnly, false, 8);
  Frame other = write;
  other.aeth.msn ^= 1;
  other.ipv6.flow_label ^= 1;
  other.ethernet.pcp ^= 1;
  EXPECT_EQ(write, other);
  other.reth.rkey ^= 1;
  EXPECT_NE(write, other);
  other = write;
  other.payload_bytes = 7;
  EXPECT_NE(write, other);
  other = write;
  other.bth.reserved7 ^= 1;
  EXPECT_NE(write, other);
}

}  // namespace
}  // namespace railyard::net
