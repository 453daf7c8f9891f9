#include "hw/pcie/address_route.h"

#include <gmock/gmock.h>

#include <string>

#include "tests/support/allocations.h"
#include "tlm/base/error.h"
#include "tlm/sim/random.h"

namespace railyard::pcie {
namespace {

std::string refusal(AddressRoute& route, std::uint64_t base, std::uint64_t bytes) {
  try {
    route.add("new", base, bytes, 9);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(AddressRoute, FindsTheWindowThatAnAddressIsIn) {
  AddressRoute route;
  EXPECT_EQ(route.find(0), AddressRoute::kNone);
  route.add("b", 0x2000, 0x1000, 2);
  route.add("a", 0x1000, 0x1000, 1);
  route.add("top", ~0ULL - 0xFFF, 0x1000, 3);
  EXPECT_EQ(route.size(), 3U);
  for (int i = 0; i < 2; ++i) {  // the second time each window was found before another
    EXPECT_EQ(route.find(0xFFF), AddressRoute::kNone);
    EXPECT_EQ(route.find(0x1000), 1);
    EXPECT_EQ(route.find(0x1FFF), 1);
    EXPECT_EQ(route.find(0x2000), 2);
    EXPECT_EQ(route.find(0x2FFF), 2);
    EXPECT_EQ(route.find(0x3000), AddressRoute::kNone);
    EXPECT_EQ(route.find(~0ULL), 3);
  }
}

TEST(AddressRoute, ARangeIsInOneWindowAsAWhole) {
  AddressRoute route;
  route.add("a", 0x1000, 0x1000, 1);
  route.add("b", 0x2000, 0x1000, 1);
  EXPECT_EQ(route.find(0x1FC0, 64), 1);
  EXPECT_EQ(route.find(0x1FC1, 64), AddressRoute::kNone);
  EXPECT_EQ(route.find(0x2FFF, 1), 1);
  EXPECT_EQ(route.find(0x2FFF, 2), AddressRoute::kNone);
  EXPECT_EQ(route.find(0x2FFF, ~0ULL), AddressRoute::kNone);
}

TEST(AddressRoute, OverlapIsRefusedWithBothNames) {
  AddressRoute route;
  route.add("nic0 BAR 0", 0x2000, 0x1000, 1);
  route.add("far", 0x8000, 0x1000, 1);
  for (const auto& [base, bytes] : {std::pair<std::uint64_t, std::uint64_t>{0x2000, 0x1000},
                                    {0x1000, 0x1001},
                                    {0x2FFF, 1},
                                    {0x2800, 0x10},
                                    {0, 0x10000},
                                    {0x2FFF, 0x100}}) {
    const std::string text = refusal(route, base, bytes);
    EXPECT_THAT(text, testing::StartsWith("new: ")) << base;
    EXPECT_THAT(text, testing::HasSubstr("nic0 BAR 0, 0x2000 to 0x2fff")) << base;
  }
  EXPECT_EQ(refusal(route, 0x1000, 0x1000), "");
  EXPECT_EQ(refusal(route, 0x3000, 0x5000), "");
  EXPECT_THAT(refusal(route, 0x8FFF, 1), testing::HasSubstr("far"));
}

TEST(AddressRoute, AWindowThatIsEmptyOrEndsNowhereIsRefused) {
  AddressRoute route;
  EXPECT_THAT(refusal(route, 0x1000, 0), testing::HasSubstr("empty"));
  EXPECT_THAT(refusal(route, ~0ULL, 2), testing::HasSubstr("beyond the last"));
  EXPECT_EQ(refusal(route, ~0ULL, 1), "");
}

TEST(AddressRoute, ClearingForgetsAllWindows) {
  AddressRoute route;
  route.add("low", 0, 0x1000, 0);
  route.add("a", 0x1000, 0x1000, 1);
  EXPECT_EQ(route.find(0x1000), 1);
  route.clear();
  EXPECT_EQ(route.find(0x1000), AddressRoute::kNone);
  route.add("b", 0x1000, 0x1000, 4);
  EXPECT_EQ(route.find(0x1000), 4);
  route.add("c", 0x2000, 0x1000, 5);
  EXPECT_THAT(refusal(route, 0x2000, 1), testing::HasSubstr("that of c,"));
}

TEST(AddressRoute, ManyWindowsAreAllFoundWithoutTheHeap) {
  constexpr std::uint64_t kSlot = 1ULL << 20;
  RandomStream random(1, "windows");
  AddressRoute route;
  std::vector<std::uint64_t> lengths(500);
  std::vector<std::uint64_t> order;
  for (std::uint64_t i = 0; i < lengths.size(); ++i) {
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(random.below(i + 1)), i);
  }
  for (const std::uint64_t i : order) {
    lengths[i] = 1 + random.below(kSlot);
    route.add("w" + std::to_string(i), i * kSlot, lengths[i], static_cast<int>(i));
  }
  const std::uint64_t before = support::allocations();
  unsigned wrong = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t address = random.below(lengths.size() * kSlot);
    const std::uint64_t slot = address / kSlot;
    const int expected =
        address % kSlot < lengths[slot] ? static_cast<int>(slot) : AddressRoute::kNone;
    wrong += route.find(address) != expected ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(support::allocations(), before);
}

}  // namespace
}  // namespace railyard::pcie
