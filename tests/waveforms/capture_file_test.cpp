#include "waveforms/capture_file.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "tests/waveforms/process.h"
#include "tlm/base/error.h"
#include "tlm/net/packet.h"

namespace railyard {
namespace {

using testing::ElementsAre;

const char* const kPath = "c.pcapng";

struct Taps {
  explicit Taps(const std::string& name = kPath)
      : file(test::scratch(name), [this] { return now; }) {
    registry.add(tx, {"sw0.port1", "to nic1", 400'000'000'000});
    registry.add(rx, {"nic1.port", "", 0});
    registry.seal();
    file.connect(registry);
  }
  Time now = 0;
  FrameTap tx, rx;
  ProbeRegistry registry;
  CaptureFile file;
};

net::PacketPool& pool() {
  static net::PacketPool packets;
  return packets;
}

Ref<net::Packet> roce(net::Opcode opcode, std::uint32_t payload_bytes, bool carried = true) {
  auto packet = pool().packets.acquire();
  net::Frame& frame = packet->frame;
  frame.ethernet.type = net::EtherType::kIpv4;
  frame.bth.opcode = opcode;
  frame.bth.destination_qp = 0x11;
  frame.payload_bytes = payload_bytes;
  if (carried && payload_bytes != 0) {
    packet->payload = pool().payloads.acquire();
    packet->payload->resize(payload_bytes);
    std::iota(packet->payload->data(), packet->payload->data() + payload_bytes, std::uint8_t{1});
  }
  packet->seal();
  return packet;
}

Ref<net::Packet> pfc() {
  auto packet = pool().packets.acquire();
  packet->frame = net::pfc_frame({}, 1 << 3, {0, 0, 0, 0xffff});
  packet->seal();
  return packet;
}

// One line a frame, the fields with | between. A malformed frame ends in a line of its own.
std::vector<std::string> tshark(const std::vector<std::string>& fields,
                                const std::string& name = kPath) {
  std::vector<std::string> command = {
      "tshark", "-r", test::scratch(name), "-o", "eth.check_fcs:TRUE", "-T",
      "fields", "-E", "separator=|"};
  for (const std::string& field : fields) command.insert(command.end(), {"-e", field});
  std::istringstream text(test::run(command));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

TEST(CaptureFile, TellsInterfaceDirectionLengthAndTime) {
  Taps t;
  t.tx.frame(Direction::kOutbound, *roce(net::Opcode::kRcRdmaWriteOnly, 1024), 1'234'567'891'234);
  t.rx.frame(Direction::kInbound, *pfc(), 1'234'567'892'000);
  t.file.close(2 * kSecond);
  EXPECT_THAT(
      tshark({"frame.interface_name", "frame.interface_description", "frame.packet_flags_direction",
              "frame.len", "frame.cap_len", "frame.time_epoch"}),
      ElementsAre("sw0.port1|to nic1|0x00000002|1102|1102|1.234567891",
                  "nic1.port||0x00000001|64|64|1.234567892"));
}

TEST(CaptureFile, HasGoodFramesThatWiresharkDissects) {
  Taps t;
  t.tx.frame(Direction::kOutbound, *roce(net::Opcode::kRcRdmaWriteOnly, 100), 1000);
  t.tx.frame(Direction::kOutbound, *roce(net::Opcode::kRcAcknowledge, 0), 2000);
  t.tx.frame(Direction::kOutbound, *pfc(), 3000);
  t.file.close(5000);
  EXPECT_THAT(tshark({"infiniband.bth.opcode", "infiniband.bth.destqp", "macc.opcode",
                      "eth.fcs.status", "_ws.malformed", "_ws.expert.severity"}),
              ElementsAre("10|0x000011||1||", "17|0x000011||1||", "||0x0101|1||"));
}

TEST(CaptureFile, MarksABadFcs) {
  Taps t;
  const auto packet = roce(net::Opcode::kRcRdmaWriteOnly, 100);
  t.tx.frame(Direction::kOutbound, *packet, 1000);
  packet->bad_fcs = true;
  t.rx.frame(Direction::kInbound, *packet, 2000);
  t.file.close(5000);
  EXPECT_THAT(tshark({"eth.fcs.status", "frame.packet_flags_crc_error",
                      "frame.packet_flags_fcs_length", "_ws.malformed"}),
              ElementsAre("1|0|4|", "0|1|4|"));
}

TEST(CaptureFile, CutsAnElidedPayloadAfterTheHeaders) {
  Taps t;
  const auto packet = roce(net::Opcode::kRcRdmaWriteOnly, 1024, false);
  t.tx.frame(Direction::kOutbound, *packet, 1000);
  packet->bad_fcs = true;
  t.tx.frame(Direction::kOutbound, *packet, 2000);
  t.tx.frame(Direction::kOutbound, *roce(net::Opcode::kRcAcknowledge, 0, false), 3000);
  t.file.close(5000);
  EXPECT_THAT(tshark({"frame.len", "frame.cap_len", "infiniband.bth.opcode",
                      "frame.packet_flags_crc_error", "_ws.malformed"}),
              ElementsAre("1102|70|10|0|", "1102|70|10|1|", "66|66|17|0|"));
}

// Scapy reads the blocks by its own code.
TEST(CaptureFile, HasNanosecondsThatScapyReads) {
  Taps t;
  const Time last = 10'000'000'000'001'999;
  t.rx.frame(Direction::kInbound, *pfc(), 7'999);
  t.tx.frame(Direction::kOutbound, *pfc(), last);
  t.file.close(last);
  const std::string text = test::run({"/usr/bin/python3", "-c",
                                      R"(
import sys
from scapy.utils import RawPcapNgReader
for data, m in RawPcapNgReader(sys.argv[1]):
  print(len(data), m.wirelen, m.linktype, m.tsresol, (m.tshigh << 32) | m.tslow)
)",
                                      test::scratch(kPath)});
  EXPECT_EQ(text,
            "64 64 1 1000000000 7\n"
            "64 64 1 1000000000 10000000000001\n");
}

TEST(CaptureFile, IsSortedByTimeThenInterfaceWhateverTheOrderOfCalls) {
  const auto frame = pfc();
  const auto write = [&](const std::string& name, bool other_order) {
    Taps t(name);
    for (t.now = 0; t.now < 1'000'000; t.now += 10'000) {
      if (other_order) t.tx.frame(Direction::kOutbound, *frame, t.now + 35'000);
      t.rx.frame(Direction::kInbound, *frame, t.now + 5'000);
      if (t.now % 30'000 == 0) t.rx.frame(Direction::kInbound, *frame, t.now + 305'000);
      if (!other_order) t.tx.frame(Direction::kOutbound, *frame, t.now + 35'000);
    }
    t.file.close(5'000'000);
  };
  write("a.pcapng", false);
  write("b.pcapng", true);
  EXPECT_EQ(test::read_file(test::scratch("a.pcapng")), test::read_file(test::scratch("b.pcapng")));
  const auto lines = tshark({"frame.time_epoch", "frame.interface_id"}, "a.pcapng");
  EXPECT_EQ(lines.size(), 234U);
  EXPECT_TRUE(std::is_sorted(lines.begin(), lines.end()));
}

TEST(CaptureFile, DropsFramesOfALinkThatIsCutBeforeTheirEnd) {
  Taps t;
  t.tx.frame(Direction::kOutbound, *pfc(), 1'000'000);
  t.tx.frame(Direction::kOutbound, *pfc(), 2'000'000);
  t.tx.frame(Direction::kOutbound, *pfc(), 3'000'000);
  t.rx.frame(Direction::kInbound, *pfc(), 3'000'000);
  t.now = 2'000'000;
  t.tx.cut(2'000'000);
  t.tx.frame(Direction::kOutbound, *pfc(), 4'000'000);
  t.file.close(9'000'000);
  EXPECT_THAT(tshark({"frame.interface_id", "frame.time_epoch"}),
              ElementsAre("1|0.000001000", "1|0.000002000", "0|0.000003000", "1|0.000004000"));
}

TEST(CaptureFile, DropsFramesThatTheRunDidNotFinish) {
  Taps t;
  t.tx.frame(Direction::kOutbound, *pfc(), 1'000'000);
  t.tx.frame(Direction::kOutbound, *pfc(), 2'000'000);
  t.file.close(1'000'000);
  t.file.close(3'000'000);
  EXPECT_THAT(tshark({"frame.time_epoch"}), ElementsAre("0.000001000"));
}

TEST(CaptureFile, FlushWritesWhatEndedBeforeNow) {
  Taps t;
  t.tx.frame(Direction::kOutbound, *pfc(), 1'000'000);
  t.tx.frame(Direction::kOutbound, *pfc(), 2'000'000);
  t.now = 2'000'000;
  t.file.flush();
  EXPECT_THAT(tshark({"frame.time_epoch"}), ElementsAre("0.000001000"));
}

TEST(CaptureFile, WithoutFramesIsACapture) {
  Taps t;
  t.file.close(0);
  EXPECT_THAT(tshark({"frame.time_epoch"}), ElementsAre());
}

TEST(CaptureFile, TellsOfAFullDiskOnceWithThePath) {
  std::filesystem::create_symlink("/dev/full", test::scratch("full.pcapng"));
  Taps t("full.pcapng");
  t.tx.frame(Direction::kOutbound, *pfc(), 5);
  try {
    t.file.flush();
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("full.pcapng: No space left on device"));
  }
  EXPECT_NO_THROW(t.file.flush());
  EXPECT_NO_THROW(t.file.close(10));
}

TEST(CaptureFile, RefusesOtherSuffixesAndFoldersThatAreMissing) {
  const auto clock = [] { return Time{0}; };
  EXPECT_THROW(CaptureFile(test::scratch("c.pcap"), clock), ConfigError);
  EXPECT_THROW(CaptureFile(test::scratch("missing/c.pcapng"), clock), ConfigError);
}

}  // namespace
}  // namespace railyard
