// Keys that would silently do nothing are refused, with the setting that they need.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "hw/eth_switch/switch_config.h"
#include "tests/tlm/config/trees.h"
#include "tlm/base/error.h"

namespace railyard {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal(const Node& root) {
  SwitchConfig config;
  try {
    bind_config(root, config);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

using Keys = std::vector<std::pair<std::string, Node>>;

/// A key that differs from its default, and the keys with which it acts.
struct IdleKey {
  std::string path;
  Keys written;      // the key alone
  Keys with_remedy;  // the key and what it needs
  std::string needs;
};

std::vector<IdleKey> idle_keys() {
  const auto both = [](const char* key, const char* value, const char* mode, const char* setting,
                       const char* needs) {
    return IdleKey{key, {{key, text(value)}}, {{mode, text(setting)}, {key, text(value)}}, needs};
  };
  const auto in_group = [](const char* group, const char* key, const char* value, const Keys& off,
                           const Keys& on, const char* needs) {
    Keys written = off;
    Keys remedy = on;
    written.push_back({key, text(value)});
    remedy.push_back({key, text(value)});
    return IdleKey{
        std::string(group) + "." + key, {{group, map(written)}}, {{group, map(remedy)}}, needs};
  };
  const Keys by_hand = {{"rule", text("by_hand")}, {"size", text("96KiB")}};
  return {
      both("flowlet_gap", "20us", "load_balance", "flowlet", "load_balance: flowlet"),
      both("flowlet_entries", "16", "load_balance", "flowlet", "load_balance: flowlet"),
      both("spray_order", "round_robin", "load_balance", "spray", "load_balance: spray"),
      both("cut_through_bytes", "128", "switching", "cut_through", "switching: cut_through"),
      in_group("ecn", "average_frame", "500B", {}, {{"average_weight", text("3")}},
               "average_weight: 1 or more"),
      in_group("watchdog", "retrain_time", "1ms", {{"enabled", text("true")}},
               {{"enabled", text("true")}, {"action", text("retrain")}}, "action: retrain"),
      in_group("headroom", "small_packet_percent", "20", {}, {{"rule", text("sonic")}},
               "rule: sonic"),
      in_group("headroom", "interface_delay", "100B", by_hand, {}, "rule: exact or sonic"),
      in_group("headroom", "response_quanta", "905", by_hand, {}, "rule: exact or sonic"),
  };
}

TEST(SwitchIdleKeys, AKeyThatWouldDoNothingIsRefusedWithItsPlaceAndWhatItNeeds) {
  for (const IdleKey& key : idle_keys()) {
    EXPECT_THAT(refusal(map(key.written)),
                AllOf(HasSubstr("f.yaml:"), HasSubstr(key.path + ": does nothing without"),
                      HasSubstr("write " + key.needs)));
    EXPECT_EQ(refusal(map(key.with_remedy)), "accepted") << key.path;
  }
}

TEST(SwitchIdleKeys, ASprayingSwitchHasNoHashToSeed) {
  const Keys seed = {{"hash_seed", text("7")}};
  for (const char* mode : {"ecmp", "flowlet", "adaptive"}) {
    EXPECT_EQ(refusal(map({{"load_balance", text(mode)}, seed[0]})), "accepted") << mode;
  }
  EXPECT_THAT(refusal(map({{"load_balance", text("spray")}, seed[0]})),
              HasSubstr("hash_seed: does nothing without load_balance: ecmp"));
}

TEST(SwitchIdleKeys, DefaultsThatAreWrittenOutStand) {
  SwitchConfig defaults;
  EXPECT_EQ(refusal(dump_config(defaults)), "accepted");
}

TEST(SwitchIdleKeys, AGroupThatIsSwitchedOffKeepsItsKeys) {
  EXPECT_EQ(refusal(map({
                {"ecn", map({{"enabled", text("false")}, {"kmin", text("10KB")}})},
                {"pfc", map({{"enabled", text("false")}, {"quanta", text("2048")}})},
                {"watchdog", map({{"enabled", text("false")}, {"retrain_time", text("1ms")}})},
            })),
            "accepted");
}

}  // namespace
}  // namespace railyard
