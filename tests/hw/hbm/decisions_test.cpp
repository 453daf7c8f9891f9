// What a controller decides: which command comes first, and that none is forgotten.
#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/hw/hbm/script.h"

namespace railyard::hbm::bench {
namespace {

HbmConfig without_refresh() {
  HbmConfig config = one_channel();
  config.controller.refresh.mode = RefreshMode::kOff;
  return config;
}

/// "ACT0 RD0 RD0 PRE ACT1 RD1": the commands of channel 0, with their rows; runs of a column
/// command of one row once, with how many there were.
std::string text(const Script& script) {
  std::string text;
  std::string last;
  unsigned run = 0;
  const auto flush = [&] {
    if (run > 0)
      text += (text.empty() ? "" : " ") + last + (run > 1 ? "x" + std::to_string(run) : "");
    run = 0;
  };
  const auto found = script.record.of.find(0);
  if (found == script.record.of.end()) return text;
  for (const Record::Entry& entry : found->second) {
    const auto command = static_cast<Command>(entry[1]);
    const bool rowless = command == Command::kPrecharge || command == Command::kPrechargeAll;
    const std::string name = name_of(command) + (rowless ? "" : std::to_string(entry[4]));
    if (name != last) flush();
    last = name;
    ++run;
  }
  flush();
  return text;
}

/// Reads at time 0 of one bank: a hit, one of another row, and `hits` more of the first row.
std::vector<Script::Step> reads_across_a_conflict(const AddressMap& map, unsigned hits) {
  const auto at = [&map](std::uint32_t row, std::uint32_t column) {
    return map.address({0, 0, 0, row, column});
  };
  std::vector<Script::Step> steps = {{0, false, at(0, 0), 32}, {0, false, at(1, 0), 32}};
  for (unsigned i = 1; i <= hits; ++i) steps.push_back({0, false, at(0, i), 32});
  return steps;
}

TEST(HbmDecisions, ARowIsNotClosedWhileItsHitsWaitForTheDataBus) {
  Script script(without_refresh());
  script.run(reads_across_a_conflict(script.map(), 20));
  EXPECT_EQ(text(script), "ACT0 RD0x21 PRE ACT1 RD1");
}

TEST(HbmDecisions, ARequestThatIsOldGoesBeforeHits) {
  HbmConfig config = without_refresh();
  config.controller.age_limit = 50 * kNanosecond;
  Script script(config);
  script.run(reads_across_a_conflict(script.map(), 20));
  EXPECT_THAT(text(script),
              testing::MatchesRegex("ACT0 RD0x[0-9]+ PRE ACT1 RD1 PRE ACT0 RD0x[0-9]+"));
}

TEST(HbmDecisions, InOrderOfArrivalNoHitPasses) {
  HbmConfig config = without_refresh();
  config.controller.scheduling = Scheduling::kFcfs;
  Script script(config);
  script.run(reads_across_a_conflict(script.map(), 3));
  EXPECT_EQ(text(script), "ACT0 RD0 PRE ACT1 RD1 PRE ACT0 RD0x3");
}

TEST(HbmDecisions, TheLastHitClosesARowOfAClosedPage) {
  HbmConfig config = without_refresh();
  config.controller.page.policy = PagePolicy::kClosed;
  Script script(config);
  script.run(reads_across_a_conflict(script.map(), 3));
  EXPECT_EQ(text(script), "ACT0 RD0x3 RDA0 ACT1 RDA1");
}

TEST(HbmDecisions, WritesBelowTheWatermarkAreWritten) {
  Script script(without_refresh());
  script.run({{0, true, 0, 32}, {0, true, 64 * 1024, 32}, {0, true, 128 * 1024, 32}});
  unsigned written = 0;
  for (const Record::Entry& entry : script.record.of[0]) {
    if (static_cast<Command>(entry[1]) == Command::kWrite) ++written;
  }
  EXPECT_EQ(written, 3U);
}

TEST(HbmDecisions, AChannelsBandwidthIsOverItsOwnTime) {
  HbmConfig config = without_refresh();
  config.organisation.channels = 2;
  Script script(config);
  // One channel streams, later the other one has a single read.
  std::vector<Script::Step> steps;
  for (std::uint32_t i = 0; i < 16 * 32; ++i) {
    for (std::uint8_t pc = 0; pc < 2; ++pc) {
      const auto group = static_cast<std::uint8_t>(i % 4 * 4);
      steps.push_back({0, false, script.map().address({0, pc, group, i / 128, i / 4 % 32}), 32});
    }
  }
  steps.push_back({100 * kMicrosecond, false, script.map().address({1, 0, 0, 0, 0}), 32});
  script.run(steps);
  const std::string name = "memory.stack0.channel";
  EXPECT_GT(script.metric(name + "0.busy_utilisation"), 80);
  EXPECT_LT(script.metric(name + "0.utilisation"), 2);
  EXPECT_LT(script.metric(name + "1.busy_utilisation"), 10);
}

}  // namespace
}  // namespace railyard::hbm::bench
