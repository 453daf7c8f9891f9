#include "hw/eth_switch/switch_profile.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "hw/eth_switch/buffer_config.h"
#include "tests/tlm/config/trees.h"

namespace railyard {
namespace {

struct ProfileConfig {
  SwitchProfile profile = SwitchProfile::kCustom;
  void declare(Parameters& p) {
    p.choice("profile", profile, switch_profile_names()).doc("Class of switch");
  }
};

TEST(SwitchProfile, EachNameIsAcceptedAsAParameter) {
  for (const auto& [name, profile] : switch_profile_names()) {
    ProfileConfig config;
    bind_config(map({{"profile", text(name)}}), config);
    EXPECT_EQ(config.profile, profile);
  }
}

TEST(SwitchProfile, PortsTimesTheirRateAreTheCapacityInTheName) {
  for (const auto& [name, profile] : switch_profile_names()) {
    const SwitchProfileValues v = switch_profile(profile);
    const double capacity = v.ports.value * v.rate.value.bits_per_second();
    const double named = profile == SwitchProfile::kCustom ? 12.8 : std::stod(name);
    EXPECT_NEAR(capacity, named * 1e12, named * 1e9) << name;
    EXPECT_EQ(v.ports.value % v.slices.value, 0U) << name;
  }
}

TEST(SwitchProfile, A64ByteFrameTakesAsLongAsMeasuredWhereThereIsNoFabric) {
  for (const auto& [name, profile] : switch_profile_names()) {
    const SwitchProfileValues v = switch_profile(profile);
    if (profile == SwitchProfile::k25TVoq) {
      EXPECT_GT(v.store_and_forward(), 960 * kNanosecond);
      continue;
    }
    // From the last bit in, and from the first bit in.
    EXPECT_GE(v.store_and_forward(), 800 * kNanosecond) << name;
    EXPECT_LE(v.store_and_forward() + v.rate.value.time_of(64), 960 * kNanosecond) << name;
  }
}

TEST(SwitchProfile, TheBufferIsOneThatTheParametersTakeAndPortsHaveAResponseTime) {
  for (const auto& [name, profile] : switch_profile_names()) {
    const SwitchProfileValues v = switch_profile(profile);
    BufferConfig config;
    bind_config(map({{"buffer", text(std::to_string(v.buffer.value) + "B")},
                     {"cell", text(std::to_string(v.cell.value))}}),
                config);
    EXPECT_EQ(config.buffer, v.buffer.value) << name;
    EXPECT_EQ(own_response_quanta(config, v.rate.value), 905U) << name;
  }
}

TEST(SwitchProfile, CustomIsTheDefaultsOfTheParameters) {
  const SwitchProfileValues v = switch_profile(SwitchProfile::kCustom);
  EXPECT_EQ(v.buffer.value, BufferConfig{}.buffer);
  EXPECT_EQ(v.cell.value, BufferConfig{}.cell);
}

TEST(SwitchProfile, EveryNumberOfEveryProfileHasASource) {
  std::map<std::string, std::set<std::string>> quantities;
  for (const SwitchProfileRow& row : switch_profile_rows()) {
    EXPECT_NE(row.value, "") << row.profile << " " << row.quantity;
    EXPECT_NE(row.source, "") << row.profile << " " << row.quantity;
    EXPECT_TRUE(quantities[row.profile].insert(row.quantity).second) << row.quantity;
  }
  ASSERT_EQ(quantities.size(), switch_profile_names().size());
  // As many as the struct has members: a new one must have its row.
  constexpr std::size_t kMembers = 15;
  for (const auto& [name, all] : quantities) EXPECT_EQ(all.size(), kMembers) << name;
}

TEST(SwitchProfile, RowsAreReadable) {
  const auto rows = switch_profile_rows();
  const auto value = [&](const char* profile, const char* quantity) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const SwitchProfileRow& row) {
      return row.profile == profile && row.quantity == quantity;
    });
    return found == rows.end() ? "none" : found->value;
  };
  EXPECT_EQ(value("51.2t", "rate"), "800Gbps");
  EXPECT_EQ(value("12.8t", "buffer"), "64MB");
  EXPECT_EQ(value("25.6t", "clock"), "1ns");
  EXPECT_EQ(value("25.6t_voq", "arbitration"), "per_ingress");
}

/// The profiles as a table.
std::string value_table() {
  std::vector<std::string> quantities;
  std::map<std::string, std::string> cells;  // by quantity, in the order of the profiles
  for (const SwitchProfileRow& row : switch_profile_rows()) {
    if (cells.count(row.quantity) == 0) quantities.push_back(row.quantity);
    cells[row.quantity] += " " + row.value + " |";
  }
  std::string head = "| |";
  std::string rule = "|---|";
  for (const auto& [name, profile] : switch_profile_names()) {
    head += " `" + name + "` |";
    rule += "---|";
  }
  std::string table = head + "\n" + rule + "\n";
  for (const auto& quantity : quantities) table += "| " + quantity + " |" + cells[quantity] + "\n";
  return table;
}

/// Each source with the numbers that are from it; profiles that take the same ones are named once.
std::string source_table() {
  std::vector<std::string> sources;
  std::map<std::string, std::map<std::string, std::string>> taken;  // [source][profile]: quantities
  for (const SwitchProfileRow& row : switch_profile_rows()) {
    if (taken.count(row.source) == 0) sources.push_back(row.source);
    std::string& quantities = taken[row.source][row.profile];
    quantities += (quantities.empty() ? "" : ", ") + row.quantity;
  }
  std::string table = "| profile | numbers | source |\n|---|---|---|\n";
  for (const auto& source : sources) {
    std::map<std::string, std::string> alike;  // [quantities]: profiles
    for (const auto& [profile, quantities] : taken[source]) {
      std::string& profiles = alike[quantities];
      profiles += (profiles.empty() ? "`" : ", `") + profile + "`";
    }
    for (const auto& [quantities, profiles] : alike) {
      table += "| " + profiles + " | " + quantities + " | " + source + " |\n";
    }
  }
  return table;
}

TEST(SwitchProfile, TheReadmeHasTheNumbersAndTheirSources) {
  std::ifstream file(RAILYARD_SOURCE_DIR "/hw/eth_switch/README.md");
  const std::string readme{std::istreambuf_iterator<char>(file), {}};
  for (const std::string& table : {value_table(), source_table()}) {
    EXPECT_NE(readme.find(table), std::string::npos) << "it should say:\n" << table;
  }
}

}  // namespace
}  // namespace railyard
