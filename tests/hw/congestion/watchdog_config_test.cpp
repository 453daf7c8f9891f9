#include "hw/congestion/watchdog_config.h"

#include <gmock/gmock.h>

#include <string>

#include "tests/tlm/config/trees.h"
#include "tlm/base/error.h"

namespace railyard {
namespace {

using testing::HasSubstr;

std::string watchdog_refusal(const Node& root) {
  WatchdogConfig config;
  try {
    bind_config(root, config);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(WatchdogConfig, APollLongerThanTheDetectionTimeIsRefused) {
  EXPECT_EQ(watchdog_refusal(map({{"detection", text("1ms")}, {"poll", text("1ms")}})), "accepted");
  EXPECT_THAT(watchdog_refusal(map({{"detection", text("1ms")}})),
              HasSubstr("at most the detection time"));
  EXPECT_THAT(watchdog_refusal(map({{"detection", text("99us")}, {"poll", text("99us")}})),
              HasSubstr("100us to 5s"));
  EXPECT_THAT(watchdog_refusal(map({{"action", text("retain")}})), HasSubstr("retrain"));
}

}  // namespace
}  // namespace railyard
