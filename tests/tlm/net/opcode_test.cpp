#include "tlm/net/opcode.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/tlm/net/random_frame.h"

namespace railyard::net {
namespace {

TEST(Opcode, ThirtyEightAreKnown) {
  EXPECT_EQ(all_opcodes().size(), 38u);
  EXPECT_STREQ(opcode_name(static_cast<Opcode>(0x15)), "unknown");
  EXPECT_EQ(transport(static_cast<Opcode>(0x2C)), Transport::kNone);
}

TEST(Opcode, HeadersAddUpToTheSizesOfTheSpecification) {
  EXPECT_EQ(extension_bytes(Opcode::kRcSendOnly), 0u);
  EXPECT_EQ(extension_bytes(Opcode::kRcRdmaWriteFirst), 16u);
  EXPECT_EQ(extension_bytes(Opcode::kRcRdmaWriteMiddle), 0u);
  EXPECT_EQ(extension_bytes(Opcode::kRcRdmaWriteOnlyWithImmediate), 20u);
  EXPECT_EQ(extension_bytes(Opcode::kRcRdmaReadRequest), 16u);
  EXPECT_EQ(extension_bytes(Opcode::kRcRdmaReadResponseFirst), 4u);
  EXPECT_EQ(extension_bytes(Opcode::kRcRdmaReadResponseMiddle), 0u);
  EXPECT_EQ(extension_bytes(Opcode::kRcAcknowledge), 4u);
  EXPECT_EQ(extension_bytes(Opcode::kRcAtomicAcknowledge), 12u);
  EXPECT_EQ(extension_bytes(Opcode::kRcCompareSwap), 28u);
  EXPECT_EQ(extension_bytes(Opcode::kRcSendOnlyWithInvalidate), 4u);
  EXPECT_EQ(extension_bytes(Opcode::kUdSendOnly), 8u);
  EXPECT_EQ(extension_bytes(Opcode::kUdSendOnlyWithImmediate), 12u);
  EXPECT_EQ(extension_bytes(Opcode::kCnp), 16u);
}

TEST(Opcode, NameSaysTransportPositionAndImmediate) {
  for (const Opcode opcode : all_opcodes()) {
    const std::string name = opcode_name(opcode);
    const auto says = [&name](const char* word) { return name.find(word) != std::string::npos; };
    EXPECT_EQ(transport(opcode) == Transport::kRc, name.rfind("RC_", 0) == 0) << name;
    EXPECT_EQ(transport(opcode) == Transport::kUc, name.rfind("UC_", 0) == 0) << name;
    EXPECT_EQ(transport(opcode) == Transport::kUd, name.rfind("UD_", 0) == 0) << name;
    EXPECT_EQ(is_first(opcode), says("_FIRST")) << name;
    EXPECT_EQ(is_middle(opcode), says("_MIDDLE")) << name;
    EXPECT_EQ(is_last(opcode), says("_LAST")) << name;
    const bool whole = says("_ONLY") || says("READ_REQUEST") || is_atomic(opcode);
    EXPECT_EQ(is_only(opcode), whole) << name;
    EXPECT_EQ(has_immediate(opcode), says("_WITH_IMMEDIATE")) << name;
    EXPECT_EQ((extension_headers(opcode) & extension::kIeth) != 0, says("_WITH_INVALIDATE"))
        << name;
    EXPECT_EQ(is_read_response(opcode), says("READ_RESPONSE")) << name;
    EXPECT_EQ(is_send(opcode), says("SEND")) << name;
    EXPECT_EQ(is_write(opcode), says("WRITE")) << name;
    EXPECT_EQ(is_response(opcode), says("RESPONSE") || says("ACKNOWLEDGE")) << name;
    EXPECT_EQ(has_payload(opcode), says("SEND") || says("WRITE") || says("RESPONSE")) << name;
  }
}

TEST(Opcode, UcMirrorsRc) {
  for (int low = 0; low <= 0x0B; ++low) {
    const OpcodeInfo& rc = opcode_info(static_cast<Opcode>(low));
    const OpcodeInfo& uc = opcode_info(static_cast<Opcode>(0x20 + low));
    EXPECT_STREQ(rc.name + 2, uc.name + 2);
    EXPECT_EQ(rc.extensions, uc.extensions) << uc.name;
    EXPECT_EQ(rc.position, uc.position) << uc.name;
    EXPECT_EQ(rc.operation, uc.operation) << uc.name;
  }
}

}  // namespace
}  // namespace railyard::net
