// Reading a stimulus, and what the table of blocks offers.
#include "platforms/cc_block/stimulus.h"

#include <gmock/gmock.h>

#include <set>

#include "tlm/base/error.h"

namespace railyard {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> changes_of(const std::string& text, const BlockType& block) {
  std::vector<std::string> all;
  for (const Stimulus::Change& change : parse_stimulus(text, "s.csv", block).changes) {
    all.push_back(std::to_string(change.cycle) + " " + block.inputs[change.input].name + " " +
                  std::to_string(change.value));
  }
  return all;
}

BlockType pfc_gen() { return shipped_blocks().front(); }

TEST(Stimulus, ARowHoldsFromItsCycleAndWhatIsEmptyStays) {
  EXPECT_THAT(changes_of("cycle,enable_i,depth_i[7]\n3,0xFf,\n7,,4294967295\n", pfc_gen()),
              ElementsAre("3 enable_i 255", "7 depth_i[7] 4294967295"));
}

TEST(Stimulus, APulseReturnsToTheLevelThatWas) {
  EXPECT_THAT(changes_of("cycle,enable_i\n0,1\n5,2!\n9,\n", pfc_gen()),
              ElementsAre("0 enable_i 1", "5 enable_i 2", "6 enable_i 1"));
}

TEST(Stimulus, WhatFollowsAPulseAtOnceCounts) {
  EXPECT_THAT(
      changes_of("cycle,enable_i\n5,2!\n6,3!\n7,4\n", pfc_gen()),
      ElementsAre("5 enable_i 2", "6 enable_i 0", "6 enable_i 3", "7 enable_i 0", "7 enable_i 4"));
}

TEST(Stimulus, TheLastRowIsToldAndTheWidestValueFits) {
  const Stimulus s =
      parse_stimulus("cycle,refresh_i\n1,281474976710655\n999999999999,\n", "s.csv", pfc_gen());
  EXPECT_EQ(s.last_cycle, kMostCycles - 1);
  EXPECT_EQ(s.last_place, "s.csv:3:1");
  try {
    parse_stimulus("cycle,refresh_i\n1,281474976710656\n", "s.csv", pfc_gen());
    FAIL() << "49 bits fit into 48";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.place(), "s.csv:2:3");
    EXPECT_THAT(error.problem(), HasSubstr("too large for 48 bits"));
  }
}

TEST(Blocks, EachSaysWhenItNeedsItsClockAndIsGivenTheTime) {
  std::set<std::string> names;
  for (const BlockType& block : shipped_blocks()) {
    EXPECT_TRUE(names.insert(block.name).second) << block.name;
    std::set<std::string> ports;
    for (const auto* list : {&block.inputs, &block.outputs, &block.registers}) {
      for (const BlockPort& port : *list) {
        EXPECT_TRUE(ports.insert(port.name).second) << port.name;
        EXPECT_GE(port.bits, 1U);
        EXPECT_LE(port.bits, 64U);
      }
    }
    for (const char* port : {"now_i", "quiet_o", "wake_valid_o", "wake_o"}) {
      EXPECT_EQ(ports.count(port), 1U) << block.name << " " << port;
    }
  }
}

TEST(Blocks, NumbersGoToThePortsOfTheirNames) {
  const BlockType type = pfc_gen();
  const auto block = type.make_model();
  Values inputs(type.inputs.size());
  const auto set = [&](const std::string& name, std::uint64_t value) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (type.inputs[i].name == name) inputs[i] = value;
    }
  };
  set("enable_i", 1U << 5);
  set("depth_i[5]", 11);
  set("xoff_th_i[5]", 10);
  BlockView view;
  block->settle(inputs, view);
  EXPECT_FALSE(view.quiet);
  block->clock(inputs, view);
  EXPECT_EQ(type.registers[0].name, "want_q");
  EXPECT_EQ(view.registers[0], 1U << 5);
}

}  // namespace
}  // namespace railyard
