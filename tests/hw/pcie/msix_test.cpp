#include "hw/pcie/msix.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace railyard::pcie {
namespace {

/// All vectors unmasked, with address 0x1'fee00000 + 16 x vector and data 100 + vector.
MsixTable table_of(unsigned vectors) {
  MsixTable table(vectors);
  table.set_control(true, false);
  for (unsigned i = 0; i < vectors; ++i) {
    table.write_table(16 * i, 0xFEE00000 + 16 * i);
    table.write_table(16 * i + 4, 1);
    table.write_table(16 * i + 8, 100 + i);
    table.write_table(16 * i + 12, 0);
  }
  return table;
}

TEST(Msix, EntriesStartMaskedAndEmpty) {
  MsixTable table(2);
  table.set_control(true, false);
  EXPECT_EQ(table.read_table(0), 0U);
  EXPECT_EQ(table.read_table(12), 1U);
  EXPECT_EQ(table.read_table(28), 1U);
  EXPECT_FALSE(table.raise(0).has_value());
  EXPECT_TRUE(table.pending(0));
}

TEST(Msix, AnEntryHoldsWhatIsThereOfIt) {
  MsixTable table(2);
  for (unsigned offset = 16; offset < 32; offset += 4) table.write_table(offset, ~0U);
  EXPECT_EQ(table.read_table(16), ~3U) << "messages are aligned";
  EXPECT_EQ(table.read_table(20), ~0U);
  EXPECT_EQ(table.read_table(24), ~0U);
  EXPECT_EQ(table.read_table(28), 1U) << "vector control has the mask alone";
  EXPECT_EQ(table.read_table(0), 0U);
  table.write_table(24, 0, 0x5);
  EXPECT_EQ(table.read_table(24), 0xFF00FF00U);
}

TEST(Msix, BeyondTheTableThereIsNothing) {
  MsixTable table(2);
  EXPECT_EQ(table.table_bytes(), 32U);
  EXPECT_FALSE(table.write_table(32, 5).has_value());
  EXPECT_EQ(table.read_table(32), 0U);
  EXPECT_EQ(table.read_pending(8), 0U);
  EXPECT_EQ(table.pending_bytes(), 8U);
  EXPECT_EQ(MsixTable(64).pending_bytes(), 8U);
  EXPECT_EQ(MsixTable(65).pending_bytes(), 16U);
  EXPECT_EQ(MsixTable(2048).table_bytes(), 32'768U);
  EXPECT_THROW(MsixTable(0), std::invalid_argument);
  EXPECT_THROW(MsixTable(2049), std::invalid_argument);
  EXPECT_THROW(table.raise(2), std::out_of_range);
}

TEST(Msix, RaisingSendsTheEntrysMessage) {
  MsixTable table = table_of(3);
  const auto message = table.raise(2);
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(message->address, 0x1FEE00020U);
  EXPECT_EQ(message->data, 102U);
  EXPECT_FALSE(table.pending(2));
  EXPECT_FALSE(table.release().has_value());
}

TEST(Msix, AMaskedVectorIsPendingAndSentOnceWhenItIsUnmasked) {
  MsixTable table = table_of(40);
  table.write_table(16 * 37 + 12, 1);
  EXPECT_FALSE(table.raise(37).has_value());
  EXPECT_FALSE(table.raise(37).has_value());
  EXPECT_EQ(table.read_pending(0), 0U);
  EXPECT_EQ(table.read_pending(4), 1U << 5);
  EXPECT_FALSE(table.write_table(16 * 37 + 8, 7).has_value()) << "still masked";
  EXPECT_FALSE(table.write_table(16 * 36 + 12, 0).has_value()) << "another vector";
  const auto message = table.write_table(16 * 37 + 12, 0);
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(message->data, 7U);
  EXPECT_EQ(table.read_pending(4), 0U);
  EXPECT_FALSE(table.write_table(16 * 37 + 12, 0).has_value());
}

TEST(Msix, AWriteThatLeavesTheMasksByteOutDoesNotUnmask) {
  MsixTable table = table_of(1);
  table.write_table(12, 1);
  table.raise(0);
  EXPECT_FALSE(table.write_table(12, 0, 0xE).has_value());
  EXPECT_TRUE(table.write_table(12, 0, 0x1).has_value());
}

TEST(Msix, WhatIsRaisedWhileTheFunctionIsMaskedOrDisabledWaits) {
  for (const bool enabled : {false, true}) {
    MsixTable table = table_of(70);
    table.set_control(enabled, enabled);  // masked, or disabled
    EXPECT_FALSE(table.raise(69).has_value());
    EXPECT_FALSE(table.raise(3).has_value());
    table.write_table(16 * 5 + 12, 1);
    EXPECT_FALSE(table.raise(5).has_value());
    EXPECT_FALSE(table.release().has_value());
    EXPECT_FALSE(table.write_table(16 * 3 + 12, 0).has_value()) << "not through its entry either";
    table.set_control(true, false);
    EXPECT_EQ(table.release()->data, 103U);
    EXPECT_EQ(table.release()->data, 169U);
    EXPECT_FALSE(table.release().has_value()) << "5 is masked by itself";
    EXPECT_TRUE(table.pending(5));
  }
}

}  // namespace
}  // namespace railyard::pcie
