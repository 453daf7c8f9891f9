// A NIC's parameters: what is refused, and with what remedy; which numbers a profile gives.
#include "hw/nic/nic_config.h"

#include <gmock/gmock.h>

#include "tests/tlm/config/trees.h"
#include "tlm/base/error.h"

namespace railyard::nic {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

NicConfig bound(const Node& tree) {
  NicConfig config;
  bind_config(tree, config);
  return config;
}

/// What binding is refused with, or "".
std::string refusal(const Node& tree) {
  try {
    bound(tree);
  } catch (const ConfigError& error) {
    return error.remedy().empty() ? "no remedy" : error.what();
  }
  return "";
}

TEST(NicConfig, DefaultsOfEveryProfileAreAcceptedAsTheyAreWritten) {
  for (const char* profile : {"custom", "connectx5_100g", "connectx6_200g", "connectx7_400g"}) {
    const NicConfig config = bound(map({{"profile", text(profile)}}));
    NicConfig again;
    bind_config(dump_config(config), again);
    EXPECT_EQ(again.receive.xoff, config.receive.xoff) << profile;
  }
}

TEST(NicConfig, EachKeyHasADoc) {
  for (const ParameterRow& row : describe_config<NicConfig>()) {
    EXPECT_FALSE(row.doc.empty()) << row.path;
  }
}

TEST(NicConfig, AnUnknownProfileIsRefused) {
  EXPECT_THAT(refusal(map({{"profile", text("connectx9")}})), HasSubstr("connectx7_400g"));
}

TEST(NicConfig, XonAboveXoffIsRefusedAndXoffBeyondTheBufferToo) {
  EXPECT_THAT(refusal(map({{"receive", map({{"xon", text("600KiB")}})}})),
              AllOf(HasSubstr("receive.xon"), HasSubstr("512KiB")));
  EXPECT_THAT(refusal(map({{"receive", map({{"xoff", text("1MiB")}})}})),
              AllOf(HasSubstr("receive.xoff"), HasSubstr("pfc: false")));
  EXPECT_EQ(refusal(map({{"receive", map({{"xoff", text("1MiB")}, {"pfc", text("false")}})}})), "");
}

TEST(NicConfig, WaysThatMakeNoSetsAreRefused) {
  for (const char* cache : {"qp_cache", "key_cache", "translation_cache"}) {
    EXPECT_THAT(refusal(map({{cache, map({{"ways", text("3")}})}})),
                HasSubstr(std::string(cache) + ".ways"));
    EXPECT_EQ(refusal(map({{cache, map({{"ways", text("1024")}})}})), "");
  }
}

TEST(NicConfig, AReadOfMoreWqesThanAreReadAheadIsRefused) {
  EXPECT_THAT(refusal(map({{"send", map({{"wqe_fetch", text("9")}})}})),
              HasSubstr("send.wqe_fetch"));
}

TEST(NicConfig, WhatIsOutOfRangeIsRefused) {
  EXPECT_NE(refusal(map({{"clock", text("50ps")}})), "");
  EXPECT_NE(refusal(map({{"stages", map({{"wqe", map({{"interval", text("0")}})}})}})), "");
  EXPECT_NE(refusal(map({{"dma", map({{"payload_bytes", text("4095B")}})}})), "");
  EXPECT_NE(refusal(map({{"limits", map({{"log_wqes", text("16")}})}})), "");
  EXPECT_NE(refusal(map({{"limits", map({{"vectors", text("1025")}})}})), "");
  EXPECT_NE(refusal(map({{"interface_mtu", text("351")}})), "");
}

}  // namespace
}  // namespace railyard::nic
