// Reading a stimulus, and what the table of blocks offers.
#include "platforms/cc_block/stimulus.h"

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "platforms/cc_block/setup.h"
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

std::set<std::string> names_in(const BlockType& block) {
  std::set<std::string> names;
  for (const auto* list : {&block.inputs, &block.outputs, &block.registers}) {
    for (const BlockPort& port : *list) {
      EXPECT_TRUE(names.insert(port.name).second) << port.name;
      EXPECT_GE(port.bits, 1U);
      EXPECT_LE(port.bits, 64U);
    }
  }
  return names;
}

TEST(Blocks, EachSaysWhenItNeedsItsClockAndOneThatWakesIsGivenTheTime) {
  std::set<std::string> names;
  std::set<std::string> timeless;
  for (const BlockType& block : shipped_blocks()) {
    EXPECT_TRUE(names.insert(block.name).second) << block.name;
    const std::set<std::string> ports = names_in(block);
    EXPECT_EQ(ports.count("quiet_o"), 1U) << block.name;
    EXPECT_EQ(ports.count("wake_valid_o"), ports.count("wake_o")) << block.name;
    EXPECT_EQ(ports.count("now_i"), ports.count("wake_o")) << block.name;
    if (ports.count("now_i") == 0) timeless.insert(block.name);
  }
  EXPECT_THAT(timeless, ElementsAre("ecn_marker"));
}

unsigned bits_of(const std::vector<BlockPort>& ports, const std::string& name) {
  for (const BlockPort& port : ports) {
    if (port.name == name) return port.bits;
  }
  return 0;
}

TEST(Contexts, PortsThatNameOneAreAsWideAsTheSizeClass) {
  std::set<std::string> found;
  for (const BlockType& block : shipped_blocks()) {
    if (!block.with_contexts) continue;
    for (const auto& [contexts, bits] : {std::pair{16U, 4U}, {256U, 8U}, {4096U, 12U}}) {
      const BlockType type = block.with_contexts({contexts, std::nullopt});
      for (const auto* ports : {&type.inputs, &type.outputs}) {
        for (const BlockPort& port : *ports) {
          // The twin's structs have the largest class's.
          const auto& largest = ports == &type.inputs ? block.with_contexts({4096, {}}).inputs
                                                      : block.with_contexts({4096, {}}).outputs;
          if (bits_of(largest, port.name) != 12) continue;
          EXPECT_EQ(port.bits, bits) << block.name << " " << port.name;
          found.insert(port.name);
        }
      }
    }
  }
  EXPECT_THAT(found, ElementsAre("ce_index_i", "cnp_index_o", "cnp_qp_i", "next_index_o",
                                 "out_qp_o", "tx_index_i", "tx_qp_i"));
}

BlockType shipped(const std::string& name) {
  for (const BlockType& block : shipped_blocks()) {
    if (block.name == name) return block;
  }
  return {};
}

TEST(Contexts, AWatchedOneIsAmongTheRegistersByTheNamesOfTheMemories) {
  for (const auto& [name, memory, bits] :
       {std::tuple{"dcqcn_rp", "rate_mem[200]", 32U}, std::tuple{"dcqcn_rp", "class[200]", 3U},
        std::tuple{"dcqcn_np", "contexts[200]", 33U}, std::tuple{"pacer", "contexts[200]", 57U}}) {
    const BlockType type = shipped(name).with_contexts({256, 200});
    EXPECT_EQ(bits_of(type.registers, memory), bits) << name;
    EXPECT_EQ(bits_of(shipped(name).registers, memory), 0U);
    BlockView view;
    type.make_model()->settle(Values(type.inputs.size()), view);
    EXPECT_EQ(view.registers.size(), type.registers.size()) << name;
    names_in(type);
  }
}

TEST(Setup, WritesEveryRegisterOfEveryClassOnceInCyclesOfTheClock) {
  const BlockType type = shipped("dcqcn_rp");
  ASSERT_TRUE(has_setup(type));
  EXPECT_FALSE(has_setup(shipped("pacer")));
  const auto value = [&](const Values& inputs, const std::string& name) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (type.inputs[i].name == name) return inputs[i];
    }
    return ~std::uint64_t{0};
  };
  CongestionConfig congestion;
  congestion.dcqcn = DcqcnParameters::of(DcqcnSet::kHardware);
  congestion.classes.resize(1);
  congestion.classes[0].traffic_class = 6;
  congestion.classes[0].dcqcn.rp_ai_rate = 77;
  const auto edges = setup_edges(type, congestion, 2 * kNanosecond, Rate::gbps(400));
  EXPECT_EQ(edges.size(), 8U * 273U);
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> written;
  for (const Values& edge : edges) {
    EXPECT_EQ(value(edge, "cfg_valid_i"), 1U);
    EXPECT_EQ(value(edge, "tx_valid_i") + value(edge, "cnp_valid_i"), 0U);
    const std::pair at{value(edge, "cfg_class_i"), value(edge, "cfg_addr_i")};
    EXPECT_TRUE(written.emplace(at, value(edge, "cfg_data_i")).second);
  }
  for (unsigned k = 0; k < 8; ++k) {
    EXPECT_EQ((written[{k, 8}]), k == 6 ? 77U : 5U);  // rp_ai_rate
    if (k == 6) continue;
    EXPECT_EQ((written[{k, 2}]), 150'000U);                          // rp_time_reset of 300 us
    EXPECT_EQ((written[{k, 10}]), 400'000U << 12);                   // the line
    EXPECT_EQ((written[{k, 384}]), 1U << 24);                        // (1-g)^0
    EXPECT_EQ((written[{k, 257}]), (1U << 24) - (5U << 24) / 1024);  // (1-g)^1
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
