#include "hw/host/address_map.h"

#include <gmock/gmock.h>

#include "tlm/base/error.h"

namespace railyard::host {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::uint64_t kGiB = 1ULL << 30;

std::string refusal(const AddressMapConfig& config, const std::vector<AddressRange>& memory) {
  try {
    const AddressMap map(config, memory);
    return "accepted";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

TEST(AddressMap, AnOverlapNamesBothRangesTheirSumsAndItsSize) {
  EXPECT_THAT(refusal({}, {{"memory", kGiB, 3 * kGiB}}),
              AllOf(HasSubstr("memory (0x40000000 + 3GiB = 0x100000000)"),
                    HasSubstr("the 32-bit MMIO window (0xc0000000 + 512MiB = 0xe0000000)"),
                    HasSubstr("overlap by 512MiB")));
  EXPECT_EQ(refusal({}, {{"memory", 0, 3 * kGiB}}), "accepted");
}

TEST(AddressMap, EachPairOfRangesIsChecked) {
  AddressMapConfig config;
  config.ecam_base = 0xFE00'0000;  // 256 MiB: over the interrupt window
  EXPECT_THAT(refusal(config, {}), AllOf(HasSubstr("the configuration window"),
                                         HasSubstr("the interrupt window (0xfee00000 + 1MiB")));
  EXPECT_THAT(refusal({}, {{"node 0", 0, kGiB}, {"node 1", kGiB - 1, 1}}),
              AllOf(HasSubstr("node 0"), HasSubstr("node 1"), HasSubstr("overlap by 1B")));
  // A range of no byte hides nothing.
  EXPECT_THAT(refusal({}, {{"long", 0, 1000}, {"empty", 10, 0}, {"third", 500, 10}}),
              AllOf(HasSubstr("long"), HasSubstr("third")));
}

TEST(AddressMap, WindowsLieOnTheirSideOf4GiB) {
  AddressMapConfig config;
  config.mmio32_base = 0xFFF0'0000;
  EXPECT_THAT(refusal(config, {}), HasSubstr("does not end at 4GiB or below"));
  config = {};
  config.mmio64_base = 0x8000'0000;
  config.mmio64_size = 1 << 20;
  EXPECT_THAT(refusal(config, {}), HasSubstr("begins below 4GiB"));
}

TEST(AddressMap, ConfigurationAddressesGoBothWays) {
  const AddressMap map({}, {});
  const pcie::DeviceId id = pcie::DeviceId::of(3, 5, 1);
  const Address address = map.config_address(id, 0x104);
  EXPECT_EQ(address, 0xE000'0000U + (3U << 20) + (5U << 15) + (1U << 12) + 0x104);
  const auto back = map.config_register(address);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->id, id);
  EXPECT_EQ(back->offset, 0x104U);
  EXPECT_FALSE(map.config_register(0xDFFF'FFFF));
  EXPECT_FALSE(map.config_register(0xF000'0000));
}

TEST(AddressMap, KnowsItsWindows) {
  const AddressMap map({}, {});
  EXPECT_TRUE(map.is_mmio(0xC000'0000));
  EXPECT_TRUE(map.is_mmio(0xDFFF'FFF8, 8));
  EXPECT_FALSE(map.is_mmio(0xDFFF'FFF9, 8));
  EXPECT_TRUE(map.is_mmio(1ULL << 38));
  EXPECT_TRUE(map.is_interrupt(0xFEE0'0000));
  EXPECT_TRUE(map.is_interrupt(0xFEEF'FFFF));
  EXPECT_FALSE(map.is_interrupt(0xFEF0'0000));
}

}  // namespace
}  // namespace railyard::host
