// Packets captured from hardware and software senders, rebuilt from their fields: the encoder must
// come to the ICRC that the sender came to.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/tlm/net/hex.h"
#include "tlm/net/codec.h"

namespace railyard::net {
namespace {

struct Vector {
  const char* name;
  Frame frame;
  const char* payload;
  std::uint16_t ip_length;
  std::uint16_t ip_checksum;
  const char* icrc;  // wire order
};

Frame base(const char* destination, const char* source, const char* ip_source,
           const char* ip_destination, std::uint16_t identification, std::uint16_t source_port,
           Opcode opcode, std::uint32_t destination_qp, std::uint32_t psn) {
  Frame f;
  f.ethernet.destination = *parse_mac(destination);
  f.ethernet.source = *parse_mac(source);
  f.ethernet.type = EtherType::kIpv4;
  f.ipv4.source = *parse_ipv4(ip_source);
  f.ipv4.destination = *parse_ipv4(ip_destination);
  f.ipv4.identification = identification;
  f.udp.source_port = source_port;
  f.bth.opcode = opcode;
  f.bth.destination_qp = destination_qp;
  f.bth.psn = psn;
  return f;
}

Vector connectx4_cnp() {
  Frame f = base("e4:1d:2d:ab:2b:c2", "7c:fe:90:64:3b:32", "10.0.17.1", "10.0.18.1", 0x718C, 0,
                 Opcode::kCnp, 0x118, 0);
  f.ipv4.dscp = 48;
  f.ipv4.ecn = Ecn::kEct0;
  f.bth.becn = true;
  return {"CNP", f, "", 60, 0x9161, "82fd002a"};
}

Vector uc_send_with_pad() {
  Frame f = base("24:8a:07:a8:fa:22", "24:8a:07:a8:fa:22", "192.168.0.7", "192.168.0.7", 0x0478,
                 0xC000, Opcode::kUcSendOnly, 0xD3, 0xCF1710);
  f.ipv4.ecn = Ecn::kEct1;
  f.udp.checksum = 0xACA2;
  f.bth.migration = true;
  f.payload_bytes = 18;
  return {"UC SEND", f, "4630818be28935d90e9a95505401be885e50", 64, 0xB4D5, "78f353f3"};
}

Vector fpga_write() {
  Frame f = base("12:34:56:78:9a:bc", "7c:b2:7d:62:c1:ef", "192.168.2.1", "192.168.2.2", 1, 500,
                 Opcode::kRcRdmaWriteOnly, 2, 0);
  f.ipv4.dont_fragment = false;
  f.udp.checksum = 0xFFA6;
  f.reth = {0x1230, 0, 16};
  f.payload_bytes = 16;
  return {"WRITE", f, "000102030405060708090a0b0c0d0e0f", 76, 0xF54C, "ca47470e"};
}

Vector fpga_read_request() {
  Frame f = base("12:34:56:78:9a:bc", "7c:b2:7d:62:c1:ef", "192.168.2.1", "192.168.2.2", 1, 500,
                 Opcode::kRcRdmaReadRequest, 2, 0);
  f.ipv4.dont_fragment = false;
  f.udp.checksum = 0x6763;
  f.reth = {0x1230, 0, 16};
  return {"READ request", f, "", 60, 0xF55C, "6e0f71ea"};
}

Vector write_with_immediate() {
  Frame f = base("fa:16:3e:1d:de:18", "fa:16:3e:a3:16:62", "172.30.0.25", "172.30.0.11", 0xC89C,
                 0xC32C, Opcode::kRcRdmaWriteOnlyWithImmediate, 0x1D, 0);
  f.bth.ack_request = true;
  f.reth = {0x0000702E35B30000, 0x00003A57, 0};
  return {"WRITE with immediate", f, "", 64, 0x19B0, "3f6d01bb"};
}

Vector read_response() {
  Frame f = base("00:50:56:a7:7d:03", "00:50:56:a7:12:9f", "10.1.16.61", "10.1.16.62", 0x7739,
                 0xC618, Opcode::kRcRdmaReadResponseOnly, 0x28, 0x260D5A);
  f.aeth = {0x1F, 1};
  f.payload_bytes = 64;
  return {"READ response",
          f,
          "92fd72ea767a5ea563ad4c8ca460112b0a2b8490bdf445f6e3a9958519aae5aba757951dd1f4c334a10fc045"
          "6fd2707afdf40abae94fb0ccf8465111f036bc97",
          112,
          0x8EC7,
          "845d7d1f"};
}

Vector acknowledge() {
  Frame f = base("fa:16:3e:1d:de:18", "fa:16:3e:a3:16:62", "172.30.0.25", "172.30.0.11", 0xC894,
                 0xC32C, Opcode::kRcAcknowledge, 0x1D, 0);
  f.aeth = {0x1F, 1};
  return {"ACK", f, "", 48, 0x19C8, "46894383"};
}

Vector fetch_add() {
  Frame f = base("00:50:56:a7:12:9f", "00:50:56:a7:7d:03", "10.1.16.62", "10.1.16.61", 0xBC2B,
                 0xC668, Opcode::kRcFetchAdd, 0x28, 0xA3F2C7);
  f.bth.ack_request = true;
  f.atomic = {0x00006320D6BE5000, 0x00001986, 1, 0};
  return {"FETCH ADD", f, "", 72, 0x49FD, "26a7e208"};
}

std::vector<Vector> vectors() {
  return {connectx4_cnp(),        uc_send_with_pad(), fpga_write(),  fpga_read_request(),
          write_with_immediate(), read_response(),    acknowledge(), fetch_add()};
}

TEST(CapturedPackets, EncoderComesToTheSendersIcrcLengthAndChecksum) {
  for (const Vector& vector : vectors()) {
    SCOPED_TRACE(vector.name);
    const auto payload = from_hex(vector.payload);
    std::vector<std::uint8_t> bytes;
    encode(vector.frame, payload.data(), payload.size(), bytes, {false, false});
    ASSERT_EQ(bytes.size(), 14u + vector.ip_length);
    EXPECT_EQ(to_hex({bytes.end() - 4, bytes.end()}), vector.icrc);
    EXPECT_EQ(bytes[16] << 8 | bytes[17], vector.ip_length);
    EXPECT_EQ(bytes[24] << 8 | bytes[25], vector.ip_checksum);
  }
}

TEST(CapturedPackets, ParserReadsTheFieldsBack) {
  for (const Vector& vector : vectors()) {
    SCOPED_TRACE(vector.name);
    const auto payload = from_hex(vector.payload);
    std::vector<std::uint8_t> bytes;
    encode(vector.frame, payload.data(), payload.size(), bytes, {false, false});
    const ParseResult parsed = parse(bytes.data(), bytes.size(), false);
    ASSERT_TRUE(parsed.ok()) << describe(parsed);
    EXPECT_TRUE(parsed.icrc_ok);
    EXPECT_TRUE(parsed.canonical);
    EXPECT_TRUE(parsed.frame == vector.frame);
  }
}

TEST(CapturedPackets, CnpMakerRebuildsTheHardwaresCnp) {
  const Vector hardware = connectx4_cnp();
  Frame marked;  // as the CNP's sender saw it
  marked.ethernet = hardware.frame.ethernet;
  std::swap(marked.ethernet.source, marked.ethernet.destination);
  marked.ipv4.source = hardware.frame.ipv4.destination;
  marked.ipv4.destination = hardware.frame.ipv4.source;
  Frame cnp = cnp_frame(marked, 0x118);
  cnp.ipv4.identification = 0x718C;
  EXPECT_TRUE(cnp == hardware.frame);
}

}  // namespace
}  // namespace railyard::net
