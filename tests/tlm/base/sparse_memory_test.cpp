#include "tlm/base/sparse_memory.h"

#include <gmock/gmock.h>

#include <map>
#include <random>
#include <vector>

namespace railyard {
namespace {

using testing::Each;

std::vector<std::uint8_t> read(const SparseMemory& memory, std::uint64_t address, std::size_t n) {
  std::vector<std::uint8_t> bytes(n, 0x5A);
  memory.read(address, bytes.data(), n);
  return bytes;
}

TEST(SparseMemory, UnwrittenBytesReadAsZeroAndMakeNoPage) {
  const SparseMemory memory;
  EXPECT_THAT(read(memory, 12345, 9000), Each(0));
  EXPECT_EQ(memory.pages(), 0U);
}

TEST(SparseMemory, APageIsMadeWhenItIsFirstWritten) {
  SparseMemory memory;
  const std::uint8_t one = 7;
  memory.write(8191, &one, 1);
  EXPECT_EQ(memory.pages(), 1U);
  const std::vector<std::uint8_t> two{1, 2};
  memory.write(8191, two.data(), 2);  // over the page's end
  EXPECT_EQ(memory.pages(), 2U);
  EXPECT_EQ(read(memory, 8190, 4), (std::vector<std::uint8_t>{0, 1, 2, 0}));
}

TEST(SparseMemory, AnElidedRangeReadsAsAFunctionOfTheAddressAndDropsWrites) {
  SparseMemory memory;
  const std::vector<std::uint8_t> ones(100, 1);
  memory.elide(4090, 20);
  memory.write(4050, ones.data(), ones.size());
  const std::vector<std::uint8_t> got = read(memory, 4050, 100);
  for (std::uint64_t i = 0; i < 100; ++i) {
    const std::uint64_t address = 4050 + i;
    const bool elided = address >= 4090 && address < 4110;
    EXPECT_EQ(memory.elided(address), elided) << address;
    EXPECT_EQ(got[i], elided ? SparseMemory::elided_byte(address) : 1) << address;
  }
  EXPECT_NE(SparseMemory::elided_byte(4090), SparseMemory::elided_byte(4091));
}

TEST(SparseMemory, APagesBytesAreItsOwnUnlessAnyOfItIsElided) {
  SparseMemory memory;
  const std::uint8_t seven = 7;
  memory.write(4097, &seven, 1);
  std::uint8_t* const page = memory.page(5000);
  ASSERT_NE(page, nullptr);
  EXPECT_EQ(page[1], 7);
  page[2] = 8;
  EXPECT_EQ(read(memory, 4096, 4), (std::vector<std::uint8_t>{0, 7, 8, 0}));
  EXPECT_THAT(std::vector<std::uint8_t>(memory.page(0), memory.page(0) + 4096), Each(0));
  EXPECT_EQ(memory.pages(), 2U);
  memory.elide(8192 + 4095, 2);
  EXPECT_EQ(memory.page(8192), nullptr);
  EXPECT_EQ(memory.page(12288), nullptr);
  EXPECT_EQ(memory.page(4096), page);
}

// Against a map of bytes, with elided ranges that touch and overlap.
TEST(SparseMemory, AgreesWithAMapOfBytesOverRandomAccesses) {
  SparseMemory memory;
  std::map<std::uint64_t, std::uint8_t> expected;
  std::mt19937_64 random(1);
  memory.elide(5000, 1000);
  memory.elide(9000, 10);
  memory.elide(6000, 50);
  memory.elide(5500, 100);
  const auto elided = [](std::uint64_t a) {
    return (a >= 5000 && a < 6050) || (a >= 9000 && a < 9010);
  };
  for (int round = 0; round < 500; ++round) {
    const std::uint64_t address = random() % 12000;
    std::vector<std::uint8_t> bytes(random() % 5000 + 1);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
    memory.write(address, bytes.data(), bytes.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) expected[address + i] = bytes[i];
    const std::uint64_t from = random() % 12000;
    const std::vector<std::uint8_t> got = read(memory, from, 3000);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const std::uint64_t a = from + i;
      ASSERT_EQ(got[i], elided(a) ? SparseMemory::elided_byte(a) : expected[a]) << a;
    }
  }
}

}  // namespace
}  // namespace railyard
