// Profiles: every number has a source, reaches the key that it is for, and gives way to one that is
// written.
#include "hw/nic/nic_profile.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "hw/nic/nic_config.h"
#include "tests/tlm/config/trees.h"

namespace railyard::nic {
namespace {

NicConfig config_of(const Node& tree) {
  NicConfig config;
  bind_config(tree, config);
  return config;
}

const ProfileNumber& number(const std::string& profile, const std::string& key) {
  for (const ProfileNumber& n : nic_profile(profile)) {
    if (key == n.key) return n;
  }
  throw std::logic_error(profile + " has no " + key);
}

std::vector<std::string> profiles() {
  return {nic_profile_names().begin() + 1, nic_profile_names().end()};
}

TEST(NicProfile, EveryNumberHasASourceAndStandsOnce) {
  for (const std::string& profile : profiles()) {
    std::set<std::string> seen;
    for (const ProfileNumber& n : nic_profile(profile)) {
      EXPECT_NE(std::string(n.source), "") << profile << " " << n.key;
      EXPECT_TRUE(seen.insert(n.key).second) << profile << " " << n.key;
    }
  }
}

TEST(NicProfile, EveryNumberOfTheNicIsUsed) {
  constexpr std::size_t kOfTheSlot = 9;
  for (const std::string& profile : profiles()) {
    const NicConfig config = config_of(map({{"profile", text(profile)}}));
    const std::vector<UsedNumber> used = used_numbers(config);
    EXPECT_EQ(used.size() + kOfTheSlot, nic_profile(profile).size()) << profile;
    for (const UsedNumber& u : used) EXPECT_EQ(u.value, u.profile.value) << u.profile.key;
  }
}

TEST(NicProfile, AKeyThatIsWrittenStands) {
  const NicConfig config =
      config_of(map({{"profile", text("connectx5_100g")},
                     {"stages", map({{"wqe", map({{"interval", text("7")}})}})}}));
  EXPECT_EQ(config.stages.wqe.interval, 7U);
  EXPECT_EQ(config.stages.wqe.latency, number("connectx5_100g", "stages.wqe.latency").value);
  bool found = false;
  for (const UsedNumber& u : used_numbers(config)) {
    if (std::string(u.profile.key) != "stages.wqe.interval") continue;
    found = true;
    EXPECT_EQ(u.value, 7U);
    EXPECT_NE(u.profile.value, 7U);
  }
  EXPECT_TRUE(found);
}

TEST(NicProfile, CustomLeavesTheDefaults) {
  const NicConfig config = config_of(map({{"profile", text("custom")}}));
  EXPECT_EQ(config.stages.wqe.latency, StageConfig{}.latency);
  EXPECT_TRUE(used_numbers(config).empty());
}

TEST(NicProfile, TheHostSlotIsAsTheProductBriefsSay) {
  EXPECT_EQ(host_slot("connectx5_100g").rate, Rate::gbps(100));
  EXPECT_EQ(host_slot("connectx5_100g").generation, 3U);
  EXPECT_EQ(host_slot("connectx6_200g").rate, Rate::gbps(200));
  EXPECT_EQ(host_slot("connectx6_200g").generation, 4U);
  EXPECT_EQ(host_slot("connectx7_400g").rate, Rate::gbps(400));
  EXPECT_EQ(host_slot("connectx7_400g").generation, 5U);
  for (const std::string& profile : profiles()) EXPECT_EQ(host_slot(profile).lanes, 16U);
}

// The knee of 7.2 M messages/s is nobody's parameter: one stage's interval gives it.
TEST(NicProfile, TheSlowestStageOfConnectx5IsTheOneThatWasFitted) {
  const NicConfig config = config_of(map({{"profile", text("connectx5_100g")}}));
  std::uint64_t slowest = 0;
  for (const UsedNumber& u : used_numbers(config)) {
    const std::string key = u.profile.key;
    if (key.find(".interval") == std::string::npos) continue;
    slowest = std::max(slowest, u.value);
    EXPECT_EQ(u.profile.origin == Origin::kFitted, key == "stages.wqe.interval") << key;
  }
  EXPECT_EQ(slowest, config.stages.wqe.interval);
}

/// The profiles as a table: a number with its unit, "A" assumed, "F" fitted, "P" published.
std::string value_table() {
  std::string table = "| key |";
  std::string rule = "|---|";
  for (const std::string& profile : profiles()) {
    table += " `" + profile + "` |";
    rule += "---|";
  }
  table += "\n" + rule + "\n";
  for (const ProfileNumber& row : nic_profile(profiles().front())) {
    table += std::string("| `") + row.key + "` |";
    for (const std::string& profile : profiles()) {
      const ProfileNumber& n = number(profile, row.key);
      const std::string unit = n.unit;
      table += " " + std::to_string(n.value) + (unit.empty() ? "" : " " + unit) + " (" +
               (n.origin == Origin::kFitted      ? "FITTED"
                : n.origin == Origin::kPublished ? "published"
                                                 : "assumed") +
               ") |";
    }
    table += "\n";
  }
  return table;
}

/// Each source with the keys that are from it, profile by profile; intervals and latencies of all
/// stages together.
std::string source_table() {
  std::string table = "| profile | keys | origin | source |\n|---|---|---|---|\n";
  for (const std::string& profile : profiles()) {
    std::vector<std::pair<std::string, const ProfileNumber*>> rows;  // keys, one with the source
    for (const ProfileNumber& n : nic_profile(profile)) {
      const auto found = std::find_if(rows.begin(), rows.end(), [&](const auto& row) {
        return std::string(row.second->source) == n.source && row.second->origin == n.origin;
      });
      if (found == rows.end()) {
        rows.emplace_back(std::string("`") + n.key + "`", &n);
      } else {
        found->first += std::string(", `") + n.key + "`";
      }
    }
    for (const auto& [keys, n] : rows) {
      table +=
          "| `" + profile + "` | " + keys + " | " + name_of(n->origin) + " | " + n->source + " |\n";
    }
  }
  return table;
}

TEST(NicProfile, TheReadmeHasTheNumbersAndTheirSources) {
  std::ifstream file(RAILYARD_SOURCE_DIR "/platforms/rdma_perf/README.md");
  const std::string readme{std::istreambuf_iterator<char>(file), {}};
  for (const std::string& table : {value_table(), source_table()}) {
    EXPECT_NE(readme.find(table), std::string::npos) << "it should say:\n" << table;
  }
}

}  // namespace
}  // namespace railyard::nic
