// The host's parameters: what is refused, and that defaults are accepted as they are written.
#include <gmock/gmock.h>

#include "hw/host/address_map.h"
#include "hw/host/core_config.h"
#include "hw/host/memory_config.h"
#include "tests/tlm/config/trees.h"
#include "tlm/base/error.h"

namespace railyard::host {
namespace {

template <class Config>
void expect_round_trip() {
  Config config;
  bind_config(dump_config(Config{}), config);
  const std::vector<ParameterRow> rows = describe_config<Config>();
  EXPECT_FALSE(rows.empty());
  for (const ParameterRow& row : rows) EXPECT_FALSE(row.doc.empty()) << row.path;
}

TEST(HostConfig, DefaultsAreAccepted) {
  expect_round_trip<HostMemoryConfig>();
  expect_round_trip<CoreConfig>();
  expect_round_trip<AddressMapConfig>();
}

template <class Config>
bool accepted(const std::string& key, const std::string& value) {
  Config config;
  try {
    bind_config(map({{key, text(value)}}), config);
    return true;
  } catch (const ConfigError&) {
    return false;
  }
}

TEST(HostConfig, WhatCannotBeIsRefused) {
  EXPECT_FALSE(accepted<HostMemoryConfig>("size", "5000B"));
  EXPECT_TRUE(accepted<HostMemoryConfig>("size", "8KiB"));
  EXPECT_FALSE(accepted<HostMemoryConfig>("base", "1B"));
  EXPECT_FALSE(accepted<HostMemoryConfig>("nodes", "0"));
  EXPECT_FALSE(accepted<HostMemoryConfig>("latency", "0ns"));
  EXPECT_FALSE(accepted<CoreConfig>("poll_interval", "0ns"));
  EXPECT_FALSE(accepted<CoreConfig>("combining_buffers", "0"));
  EXPECT_FALSE(accepted<AddressMapConfig>("mmio32_base", "4KiB"));
  EXPECT_FALSE(accepted<AddressMapConfig>("buses", "257"));
}

}  // namespace
}  // namespace railyard::host
