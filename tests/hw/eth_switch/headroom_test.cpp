#include "hw/eth_switch/headroom.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace railyard {
namespace {

// IEEE 802.3 31B.3.7
TEST(Headroom, StandardResponseQuantaAreThoseOf802Dot3) {
  const std::pair<unsigned, std::uint32_t> table[] = {
      {10, 67}, {25, 80}, {40, 118}, {50, 147}, {100, 394}, {200, 453}, {400, 905}, {800, 905}};
  for (const auto& [gbps, quanta] : table) {
    EXPECT_EQ(standard_response_quanta(Rate::gbps(gbps)), quanta) << gbps;
  }
}

TEST(Headroom, ASpeedBetweenTwoStandardOnesRespondsAsTheFasterOne) {
  EXPECT_EQ(standard_response_quanta(Rate::gbps(1)), 67U);
  EXPECT_EQ(standard_response_quanta(Rate::gbps(56)), 394U);
  EXPECT_EQ(standard_response_quanta(Rate::gbps(11)), 80U);
}

TEST(Headroom, NoStandardResponseAbove800G) {
  EXPECT_FALSE(standard_response_quanta(Rate::gbps(801)));
  EXPECT_FALSE(standard_response_quanta(Rate::gbps(1600)));
}

struct Worked {
  unsigned gbps;
  unsigned length;
  std::uint64_t bytes;
};
constexpr Worked kWorked[] = {
    {100, 40, 121'856}, {400, 5, 212'992}, {400, 40, 265'216}, {400, 300, 659'456}};

SonicHeadroom sonic(const Worked& worked) {
  SonicHeadroom inputs;
  inputs.rate = Rate::gbps(worked.gbps);
  inputs.length = metres(worked.length);
  inputs.response_quanta = *standard_response_quanta(inputs.rate);
  return inputs;
}

LosslessLine line_of(const Worked& worked) {
  LosslessLine line;
  line.rate = Rate::gbps(worked.gbps);
  line.propagation = worked.length * 5 * kNanosecond;
  line.response_quanta = *standard_response_quanta(line.rate);
  return line;
}

TEST(Headroom, SonicFormulaGivesItsWorkedExamples) {
  for (const Worked& worked : kWorked) {
    EXPECT_EQ(sonic_headroom_bytes(sonic(worked)), worked.bytes) << worked.gbps << "G";
  }
}

TEST(Headroom, SonicFormulaTakesSmallPacketsByTheirShareAndSmallCellsByTwo) {
  SonicHeadroom inputs = sonic(kWorked[0]);
  inputs.length = Length{0};
  // 9100 + 800 + 394 * 64 = 35,116 bytes, and 1,024 more
  inputs.small_packet_percent = 0;
  EXPECT_EQ(sonic_headroom_bytes(inputs), 36U * 1024);  // 36,140
  inputs.small_packet_percent = 50;                     // * 2
  EXPECT_EQ(sonic_headroom_bytes(inputs), 70U * 1024);  // 71,256
  inputs.small_packet_percent = 100;
  inputs.cell = 128;                                    // * 256 / 129
  EXPECT_EQ(sonic_headroom_bytes(inputs), 70U * 1024);  // 70,711.6
  inputs.cell = 129;                                    // * 129 / 64
  EXPECT_EQ(sonic_headroom_bytes(inputs), 71U * 1024);  // 71,804.7
}

TEST(Headroom, ExactLiesNearThreeQuartersOfSonicsFormula) {
  for (const Worked& worked : kWorked) {
    LosslessLine line = line_of(worked);
    line.largest_frame = 9100;
    line.largest_lossless_frame = 1024;
    const double ratio =
        static_cast<double>(exact_headroom(line)) * 192 / static_cast<double>(worked.bytes);
    EXPECT_GT(ratio, 0.74) << worked.gbps << "G " << worked.length << "m";
    EXPECT_LT(ratio, 0.80) << worked.gbps << "G " << worked.length << "m";
  }
}

// 400G, 40 m, cells of 192 B, frames to 9216 B, in bytes of line time: 2 * 10,000 on the cable,
// 9,236 for our frame, 72 for XOFF, 1,600 in the interfaces, 57,920 to respond; 12 of them are the
// gap behind the crossing frame. 88,816 / 84 = 1,057 frames of 64 B, a cell each; 48 cells for the
// frame that crosses and for the last.
TEST(Headroom, ExactEqualsAHandCalculation) {
  LosslessLine line = line_of(kWorked[2]);
  EXPECT_EQ(exact_headroom(line), 1057U + 2 * 48);
  line.decision_delay = 1680;  // 84 bytes
  EXPECT_EQ(exact_headroom(line), 1058U + 2 * 48);
  line.decision_delay = 0;
  line.counted_whole = false;  // 88,836 / 84 = 1,057
  EXPECT_EQ(exact_headroom(line), 1057U + 48);
}

TEST(Headroom, DensestFramesHaveOneByteMoreThanASmallCellOr64) {
  // 10 frames of exactly the line; a byte less loses one of the last frame's cells
  EXPECT_EQ(densest_packing(10 * 85, 9216, 64), 20U);
  EXPECT_EQ(densest_packing(10 * 85 - 1, 9216, 64), 19U);
  EXPECT_EQ(densest_packing(10 * 149, 9216, 128), 20U);
  EXPECT_EQ(densest_packing(10 * 84, 9216, 192), 10U);
  EXPECT_EQ(densest_packing(10 * 84 - 1, 9216, 192), 9U);
  EXPECT_EQ(densest_packing(83, 9216, 192), 0U);
}

// most[b]: cells of the best sequence of frames in b bytes, over all sizes
std::vector<std::uint64_t> best_by_exhaustion(std::size_t line_bytes, std::uint32_t largest,
                                              std::uint32_t cell) {
  std::vector<std::uint64_t> most(line_bytes + 1, 0);
  for (std::size_t b = 84; b <= line_bytes; ++b) {
    for (std::size_t size = 64; size <= largest && size + 20 <= b; ++size) {
      most[b] = std::max(most[b], most[b - size - 20] + (size + cell - 1) / cell);
    }
  }
  return most;
}

TEST(Headroom, DensestPackingIsTheBestOfAllSequences) {
  for (const std::uint32_t cell : {64U, 65U, 83U, 84U, 100U, 128U, 147U, 148U, 192U, 256U, 512U}) {
    for (const std::uint32_t largest : {64U, 65U, 130U, 300U, 1518U}) {
      const auto most = best_by_exhaustion(1600, largest, cell);
      for (std::size_t b = 0; b < most.size(); b += 1) {
        ASSERT_EQ(densest_packing(b, largest, cell), most[b])
            << b << " bytes, frames to " << largest << ", cells of " << cell;
      }
    }
  }
}

TEST(Headroom, AFractionOfAByteOnTheCableCountsWhole) {
  LosslessLine line;
  line.rate = Rate::gbps(10);  // 800 ps a byte
  line.response_quanta = 0;
  line.interface_delay = 0;
  line.largest_frame = 9216;
  // 9,236 + 72 - 12 = 9,296 bytes = 110 frames of 84 bytes and 56 bytes: 28 more make another
  line.propagation = 27 * 400;
  EXPECT_EQ(exact_headroom(line), 110U + 96);
  line.propagation += 1;
  EXPECT_EQ(exact_headroom(line), 111U + 96);
}

}  // namespace
}  // namespace railyard
