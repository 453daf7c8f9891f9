#include "hw/nic/wqe_parser.h"

#include <gtest/gtest.h>

#include "tests/hw/nic/requester_bench.h"

namespace railyard::nic {
namespace {

using requester_test::WqeText;

struct Parsed {
  WqeFault fault = WqeFault::kNone;
  SendWqe wqe;
};

void parse(const WqeText& text, Parsed& parsed) {
  const std::vector<std::uint8_t> bytes = text.bytes(0x1234, 0x40);
  parsed.fault = parse_wqe(bytes.data(), bytes.size(), 0x1234, 0x40, parsed.wqe);
}

TEST(WqeParser, TakesEveryFieldOfAWrite) {
  WqeText text;
  text.opcode = abi::Opcode::kRdmaWriteImm;
  text.flags = abi::wqe_flag::kSolicited | abi::wqe_flag::kFence;
  text.immediate = 0xCAFE'F00D;
  text.remote = 0x1122'3344'5566'7788;
  text.rkey = 0xABCDEF;
  text.data = {{0x1000, 24, 7}, {0x2000, 40, 8}, {0x3000, 1, 9}};
  Parsed p;
  parse(text, p);
  ASSERT_EQ(p.fault, WqeFault::kNone);
  EXPECT_EQ(p.wqe.opcode, abi::Opcode::kRdmaWriteImm);
  EXPECT_EQ(p.wqe.flags, abi::wqe_flag::kSolicited | abi::wqe_flag::kFence);
  EXPECT_EQ(p.wqe.index, 0x1234);
  EXPECT_EQ(p.wqe.blocks, 2U);
  EXPECT_EQ(p.wqe.immediate, 0xCAFE'F00D);
  EXPECT_EQ(p.wqe.remote_address, 0x1122'3344'5566'7788U);
  EXPECT_EQ(p.wqe.rkey, 0xABCDEFU);
  EXPECT_EQ(p.wqe.length, 65U);
  ASSERT_EQ(p.wqe.data.size(), 3U);
  EXPECT_EQ(p.wqe.data[1].address, 0x2000U);
  EXPECT_EQ(p.wqe.data[1].key, 8U);
}

TEST(WqeParser, FindsWhereAPieceOfTheMessageLies) {
  WqeText text;
  text.data = {{0x1000, 24, 7}, {0x2000, 40, 8}};
  Parsed p;
  parse(text, p);
  const SendWqe::Data inside = p.wqe.piece(4, 100);
  EXPECT_EQ(inside.address, 0x1004U);
  EXPECT_EQ(inside.bytes, 20U);
  const SendWqe::Data second = p.wqe.piece(24, 16);
  EXPECT_EQ(second.address, 0x2000U);
  EXPECT_EQ(second.bytes, 16U);
  EXPECT_EQ(second.key, 8U);
}

TEST(WqeParser, TakesInlineBytesOfEverySize) {
  for (std::size_t size = 0; size <= abi::kMaxInline; ++size) {
    WqeText text;
    text.opcode = abi::Opcode::kSend;
    text.is_inline = true;
    for (std::size_t i = 0; i < size; ++i) text.inlined.push_back(static_cast<std::uint8_t>(i));
    Parsed p;
    parse(text, p);
    ASSERT_EQ(p.fault, WqeFault::kNone) << size;
    EXPECT_TRUE(p.wqe.is_inline);
    EXPECT_EQ(p.wqe.length, size);
    EXPECT_EQ(p.wqe.inlined, text.inlined);
  }
}

TEST(WqeParser, TakesALengthOfZeroAsTheLongestMessage) {
  WqeText text;
  text.data = {{0x1000, 0, 7}};
  Parsed p;
  parse(text, p);
  EXPECT_EQ(p.fault, WqeFault::kNone);
  EXPECT_EQ(p.wqe.length, 1U << 31);
}

TEST(WqeParser, SaysWhatIsWrong) {
  const auto fault = [](const std::function<void(WqeText&)>& spoil) {
    WqeText text;
    text.data = {{0x1000, 24, 7}};
    spoil(text);
    Parsed p;
    parse(text, p);
    return p.fault;
  };
  EXPECT_EQ(fault([](WqeText&) {}), WqeFault::kNone);
  EXPECT_EQ(fault([](WqeText& t) { t.ds_more = -3; }), WqeFault::kSegments);
  EXPECT_EQ(fault([](WqeText& t) { t.ds_more = 1; }), WqeFault::kSegments);
  EXPECT_EQ(fault([](WqeText& t) { t.ds_more = 61; }), WqeFault::kSegments);
  EXPECT_EQ(fault([](WqeText& t) { t.index_more = 1; }), WqeFault::kIndex);
  EXPECT_EQ(fault([](WqeText& t) { t.qpn_more = 1; }), WqeFault::kQueuePair);
  EXPECT_EQ(fault([](WqeText& t) { t.opcode = static_cast<abi::Opcode>(0x55); }),
            WqeFault::kOpcode);
  EXPECT_EQ(fault([](WqeText& t) { t.opcode = abi::Opcode::kFetchAdd; }), WqeFault::kOpcode);
  EXPECT_EQ(fault([](WqeText& t) { t.ds_more = -2; }), WqeFault::kTruncated);
  EXPECT_EQ(fault([](WqeText& t) { t.is_inline = true; }), WqeFault::kInline);
  EXPECT_EQ(fault([](WqeText& t) {
              t.data.clear();
              t.is_inline = true;
              t.opcode = abi::Opcode::kRdmaRead;
            }),
            WqeFault::kInline);
  EXPECT_EQ(fault([](WqeText& t) { t.data = {{0, 0, 7}, {0, 1, 7}}; }), WqeFault::kLength);
}

TEST(WqeParser, RefusesInlineBytesBeyondTheWqe) {
  WqeText text;
  text.opcode = abi::Opcode::kSend;
  text.is_inline = true;
  text.inlined.assign(12, 1);
  std::vector<std::uint8_t> bytes = text.bytes(0, 1);
  SendWqe wqe;
  ASSERT_EQ(parse_wqe(bytes.data(), bytes.size(), 0, 1, wqe), WqeFault::kNone);
  bytes[19] = 13;
  EXPECT_EQ(parse_wqe(bytes.data(), bytes.size(), 0, 1, wqe), WqeFault::kInline);
  bytes[16] = 0xFF;
  EXPECT_EQ(parse_wqe(bytes.data(), bytes.size(), 0, 1, wqe), WqeFault::kInline);
}

}  // namespace
}  // namespace railyard::nic
