#include "hw/eth_switch/shared_buffer.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tlm/base/error.h"

namespace railyard {
namespace {

constexpr std::uint32_t kCell = 192;
constexpr PortClass kIn{0, 3};
constexpr PortClass kLossy{0, 0};
constexpr PortClass kOut{0, 5};

/// `ports` ports whose group 3 is lossless as given, all others lossy without a bound of their own.
SharedBufferShape shape_of(std::size_t ports, std::uint32_t cells, GroupShape lossless) {
  SharedBufferShape shape;
  shape.cell = kCell;
  shape.cells = cells;
  shape.ports.resize(ports);
  for (PortShape& port : shape.ports) {
    port.groups.fill({false, Alpha{3}, 0, 0, 0});
    port.groups[3] = lossless;
    port.queue_alpha.fill(Alpha{3});
  }
  return shape;
}

GroupShape lossless(Alpha alpha, std::uint32_t reserved, std::uint32_t headroom,
                    std::uint32_t xon_offset = 0) {
  return {true, alpha, reserved, headroom, xon_offset};
}

/// Admits `cells` frames of one cell.
void fill(SharedBuffer& buffer, PortClass in, std::uint32_t cells) {
  for (std::uint32_t i = 0; i < cells; ++i) ASSERT_TRUE(buffer.admit(in, kOut, kCell).accepted);
}

TEST(SharedBuffer, AFrameTakesWholeCells) {
  SharedBuffer buffer(shape_of(2, 1000, lossless(Alpha{0}, 0, 0)));
  EXPECT_EQ(buffer.admit(kIn, kOut, 1).cells, 1U);
  EXPECT_EQ(buffer.admit(kIn, kOut, kCell).cells, 1U);
  EXPECT_EQ(buffer.admit(kIn, kOut, kCell + 1).cells, 2U);
  EXPECT_EQ(buffer.admit(kIn, kOut, 9216).cells, 48U);
  EXPECT_EQ(buffer.held(), 52U);
}

TEST(SharedBuffer, ReservedThenSharedThenHeadroomAndBack) {
  // 2 * (4 + 10) apart; alpha 1 of 60 shared cells: 30
  SharedBuffer buffer(shape_of(2, 88, lossless(Alpha{0}, 4, 10)));
  ASSERT_EQ(buffer.shared_cells(), 60U);
  fill(buffer, kIn, 4);
  EXPECT_EQ(buffer.reserved_used(kIn), 4U);
  EXPECT_EQ(buffer.shared_used(kIn), 0U);
  fill(buffer, kIn, 30);
  EXPECT_EQ(buffer.shared_used(kIn), 30U);
  EXPECT_EQ(buffer.threshold(kIn), 30U);
  EXPECT_FALSE(buffer.paused(kIn));

  const Admission crossing = buffer.admit(kIn, kOut, kCell);
  EXPECT_TRUE(crossing.accepted && crossing.xoff);
  EXPECT_EQ(buffer.headroom_used(kIn), 1U);
  const Admission next = buffer.admit(kIn, kOut, 2 * kCell);
  EXPECT_TRUE(next.accepted);
  EXPECT_FALSE(next.xoff) << "an edge is told once";
  EXPECT_EQ(buffer.headroom_used(kIn), 3U);

  EXPECT_FALSE(buffer.release(kIn, kOut, 2));
  EXPECT_EQ(buffer.headroom_used(kIn), 1U);
  EXPECT_TRUE(buffer.release(kIn, kOut, 1)) << "at the threshold, without an offset";
  EXPECT_FALSE(buffer.release(kIn, kOut, 30));
  EXPECT_EQ(buffer.shared_used(kIn), 0U);
  EXPECT_EQ(buffer.reserved_used(kIn), 4U);
  EXPECT_EQ(buffer.check(), std::nullopt);
}

TEST(SharedBuffer, TheFrameThatCrossesIsSplitAtTheThreshold) {
  SharedBuffer buffer(shape_of(1, 80, lossless(Alpha{0}, 0, 20)));  // 30 of 60
  fill(buffer, kIn, 27);
  EXPECT_TRUE(buffer.admit(kIn, kOut, 8 * kCell).xoff);
  EXPECT_EQ(buffer.shared_used(kIn), 30U);
  EXPECT_EQ(buffer.headroom_used(kIn), 5U);
}

TEST(SharedBuffer, HeadroomHoldsItsLastCellAndNotOneMore) {
  SharedBuffer buffer(shape_of(1, 70, lossless(Alpha{0}, 0, 10)));
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(buffer.admit(kIn, kOut, kCell).accepted);
  EXPECT_EQ(buffer.headroom_used(kIn), 10U);
  const Admission over = buffer.admit(kIn, kOut, kCell);
  EXPECT_FALSE(over.accepted);
  EXPECT_EQ(over.drop, BufferDrop::kHeadroom);
  EXPECT_EQ(buffer.held(), 40U);
  EXPECT_EQ(buffer.check(), std::nullopt);
}

TEST(SharedBuffer, AFrameIsKeptWholeOrNotAtAll) {
  SharedBuffer buffer(shape_of(1, 70, lossless(Alpha{0}, 0, 10)));
  for (int i = 0; i < 29; ++i) ASSERT_TRUE(buffer.admit(kIn, kOut, kCell).accepted);
  const Admission over = buffer.admit(kIn, kOut, 12 * kCell);  // 1 shared, 11 > 10
  EXPECT_FALSE(over.accepted);
  EXPECT_TRUE(over.xoff) << "the threshold is crossed though the frame is lost";
  EXPECT_EQ(buffer.held(), 29U);
}

TEST(SharedBuffer, AGroupThatHoldsNothingIsNeverPaused) {
  SharedBuffer buffer(shape_of(1, 100, lossless(Alpha{-7}, 0, 0)));  // threshold below one cell
  const Admission drop = buffer.admit(kIn, kOut, kCell);
  EXPECT_EQ(drop.drop, BufferDrop::kHeadroom);
  EXPECT_FALSE(drop.xoff) << "nobody would ever send XON";
}

TEST(SharedBuffer, XonComesExactlyTheOffsetBelowTheThreshold) {
  SharedBuffer buffer(shape_of(1, 80, lossless(Alpha{0}, 0, 20, 6)));
  for (int i = 0; i < 31; ++i) ASSERT_TRUE(buffer.admit(kIn, kOut, kCell).accepted);
  ASSERT_TRUE(buffer.paused(kIn));
  // XON at use + 6 <= 60 - use: at 27
  EXPECT_FALSE(buffer.release(kIn, kOut, 3));  // 28
  EXPECT_TRUE(buffer.release(kIn, kOut, 1));
  EXPECT_FALSE(buffer.paused(kIn));
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(buffer.admit(kIn, kOut, kCell).xoff) << "below XOFF again";
  EXPECT_TRUE(buffer.admit(kIn, kOut, kCell).xoff);
}

TEST(SharedBuffer, XonMovesTheHeadroomThatIsLeftIntoTheSharedPool) {
  SharedBuffer buffer(shape_of(2, 100, lossless(Alpha{0}, 0, 20)));  // 60 shared
  fill(buffer, {1, 0}, 40);
  for (int i = 0; i < 15; ++i) ASSERT_TRUE(buffer.admit(kIn, kOut, kCell).accepted);
  EXPECT_EQ(buffer.shared_used(kIn), 10U);
  EXPECT_EQ(buffer.headroom_used(kIn), 5U);
  for (int i = 0; i < 40; ++i) buffer.release({1, 0}, kOut, 1);
  EXPECT_TRUE(buffer.paused(kIn)) << "evaluated with the group's own events";
  EXPECT_TRUE(buffer.release(kIn, kOut, 1));
  EXPECT_EQ(buffer.headroom_used(kIn), 0U);
  EXPECT_EQ(buffer.shared_used(kIn), 14U);
  EXPECT_EQ(buffer.check(), std::nullopt);
}

TEST(SharedBuffer, APausedGroupThatRunsEmptyGetsXonWhateverTheThreshold) {
  // alpha 1/8 of 4 shared cells, an offset that no threshold reaches, others that hold the rest
  for (const std::uint32_t reserved : {0U, 2U}) {
    SharedBuffer buffer(shape_of(1, 24 + reserved, lossless(Alpha{-3}, reserved, 20, 1000)));
    fill(buffer, kLossy, 3);
    for (std::uint32_t i = 0; i < 9 + reserved; ++i)
      ASSERT_TRUE(buffer.admit(kIn, kOut, kCell).accepted);
    ASSERT_EQ(buffer.headroom_used(kIn), 9U);
    EXPECT_FALSE(buffer.release(kIn, kOut, 8));
    EXPECT_TRUE(buffer.release(kIn, kOut, 1)) << "nothing beyond the reserve";
    EXPECT_EQ(buffer.held(kIn), reserved);
  }
}

TEST(SharedBuffer, WithoutSharedCellsAGroupLivesOnItsHeadroom) {
  SharedBuffer buffer(shape_of(1, 20, lossless(Alpha{0}, 0, 20)));
  ASSERT_EQ(buffer.shared_cells(), 0U);
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(buffer.admit(kIn, kOut, kCell).xoff);
    EXPECT_TRUE(buffer.release(kIn, kOut, 1));
  }
}

TEST(SharedBuffer, ASinkingThresholdPausesWithTheNextFrame) {
  SharedBuffer buffer(shape_of(2, 100, lossless(Alpha{0}, 0, 20)));
  fill(buffer, kIn, 25);
  fill(buffer, {1, 0}, 20);  // 15 cells free
  EXPECT_LT(buffer.threshold(kIn), buffer.shared_used(kIn));
  EXPECT_FALSE(buffer.paused(kIn));
  EXPECT_TRUE(buffer.admit(kIn, kOut, 4 * kCell).xoff);
  EXPECT_EQ(buffer.headroom_used(kIn), 4U) << "all of it";
}

TEST(SharedBuffer, APoolOfHeadroomIsOneForAPortsGroups) {
  SharedBufferShape shape = shape_of(1, 12, lossless(Alpha{0}, 0, 0));
  shape.ports[0].groups[4] = lossless(Alpha{0}, 0, 0);
  shape.ports[0].headroom_pool = 12;
  SharedBuffer buffer(shape);
  const PortClass other{0, 4};
  EXPECT_TRUE(buffer.admit(kIn, kIn, 5 * kCell).accepted);
  EXPECT_TRUE(buffer.admit(other, other, 7 * kCell).accepted);
  EXPECT_EQ(buffer.headroom_used(0), 12U);
  EXPECT_EQ(buffer.admit(other, other, kCell).drop, BufferDrop::kHeadroom);
  EXPECT_TRUE(buffer.release(kIn, kIn, 5));
  EXPECT_TRUE(buffer.admit(other, other, 5 * kCell).accepted);
  EXPECT_EQ(buffer.check(), std::nullopt);
}

TEST(SharedBuffer, LossyFramesAreDroppedAtEitherThresholdAndNeverPaused) {
  SharedBufferShape shape = shape_of(2, 92, lossless(Alpha{0}, 0, 1));  // 90 shared
  shape.ports[0].groups[0] = {false, Alpha{0}, 0, 0, 0};                // 45
  shape.ports[0].queue_alpha[5] = Alpha{-1};                            // 30
  SharedBuffer buffer(shape);
  fill(buffer, kLossy, 30);
  const Admission queue = buffer.admit(kLossy, kOut, kCell);
  EXPECT_EQ(queue.drop, BufferDrop::kQueueThreshold);
  EXPECT_FALSE(queue.accepted || queue.xoff);
  EXPECT_EQ(buffer.queue_used(kOut), 30U);
  const PortClass elsewhere{1, 2};
  for (int i = 0; i < 15; ++i) ASSERT_TRUE(buffer.admit(kLossy, elsewhere, kCell).accepted);
  EXPECT_EQ(buffer.admit(kLossy, elsewhere, kCell).drop, BufferDrop::kGroupThreshold);
  EXPECT_EQ(buffer.held(kLossy), 45U);
  EXPECT_FALSE(buffer.release(kLossy, kOut, 30));
  EXPECT_EQ(buffer.queue_used(kOut), 0U);
  EXPECT_EQ(buffer.check(), std::nullopt);
}

TEST(SharedBuffer, ALossyReserveIsAGuaranteeAtTheEgressToo) {
  SharedBufferShape shape = shape_of(2, 12, lossless(Alpha{0}, 0, 0));
  shape.ports[0].groups[0].reserved = 10;
  shape.ports[0].queue_alpha[5] = Alpha{-7};
  SharedBuffer buffer(shape);
  fill(buffer, kLossy, 10);
  EXPECT_EQ(buffer.admit(kLossy, kOut, kCell).drop, BufferDrop::kQueueThreshold);
}

TEST(SharedBuffer, LosslessFramesDoNotCountInAQueuesLimit) {
  SharedBuffer buffer(shape_of(2, 100, lossless(Alpha{3}, 0, 10)));
  fill(buffer, kIn, 40);
  EXPECT_EQ(buffer.queue_used(kOut), 0U);
}

TEST(SharedBuffer, MoreReservesAndHeadroomsThanCellsAreRefusedWithTheSum) {
  SharedBufferShape shape = shape_of(2, 59, lossless(Alpha{0}, 10, 20));  // 2 * 30
  shape.place = "switch.yaml:3:1";
  try {
    SharedBuffer buffer(shape);
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.place(), "switch.yaml:3:1");
    EXPECT_EQ(error.problem(),
              "reserves of 3840B and headrooms of 7680B sum to 11520B, more than the buffer's "
              "11328B");
  }
  shape.cells = 60;
  EXPECT_EQ(SharedBuffer(shape).shared_cells(), 0U);
}

TEST(SharedBuffer, ReleasingWhatIsNotHeldIsRefused) {
  SharedBuffer buffer(shape_of(2, 100, lossless(Alpha{0}, 0, 10)));
  fill(buffer, kIn, 2);
  fill(buffer, kLossy, 2);
  EXPECT_THROW(buffer.release(kIn, kOut, 3), std::logic_error);
  EXPECT_THROW(buffer.release(kLossy, {1, 4}, 1), std::logic_error);
}

}  // namespace
}  // namespace railyard
