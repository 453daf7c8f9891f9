#include "tlm/net/crc32.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string_view>
#include <vector>

#include "tests/tlm/net/random_frame.h"

namespace railyard::net {
namespace {

TEST(Crc32, CheckValueOfTheCatalogue) {
  constexpr std::string_view kCheck = "123456789";
  EXPECT_EQ(crc32(reinterpret_cast<const std::uint8_t*>(kCheck.data()), kCheck.size()),
            0xCBF43926u);
}

TEST(Crc32, RegisterAfterEightOnesIsWhereAnIcrcStarts) {
  const std::vector<std::uint8_t> ones(8, 0xFF);
  Crc32 crc;
  crc.update(ones.data(), ones.size());
  EXPECT_EQ(crc.state(), 0xDEBB20E3u);
}

TEST(Crc32, EqualsZlibForEveryLengthAndAlignment) {
  TestRandom random(1);
  const auto bytes = random_bytes(random, 300);
  for (std::size_t begin = 0; begin < 9; ++begin) {
    for (std::size_t size = 0; begin + size <= bytes.size(); ++size) {
      ASSERT_EQ(crc32(bytes.data() + begin, size),
                ::crc32(0, bytes.data() + begin, static_cast<uInt>(size)))
          << "from " << begin << ", " << size << " bytes";
    }
  }
}

TEST(Crc32, PiecesGiveTheSameAsTheWhole) {
  TestRandom random(2);
  const auto bytes = random_bytes(random, 1000);
  for (int round = 0; round < 200; ++round) {
    Crc32 crc;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t piece = std::min(bytes.size() - at, random.below(40));
      crc.update(bytes.data() + at, piece);
      at += piece;
    }
    ASSERT_EQ(crc.value(), crc32(bytes.data(), bytes.size()));
  }
}

}  // namespace
}  // namespace railyard::net
