// Large and random hierarchies: addresses that do not overlap, are aligned, and are reached through
// every bridge above them.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "hw/host/enumeration.h"
#include "tests/hw/host/fake_hierarchy.h"
#include "tlm/sim/random.h"

namespace railyard::host {
namespace {

using fake::bars;
using fake::endpoint;
using fake::FakeFunction;
using fake::FakeHierarchy;

using Range = std::pair<std::uint64_t, std::uint64_t>;  // first, last

bool inside(const Range& range, const BridgeWindow& window) {
  return window.bytes != 0 && window.base <= range.first &&
         range.second <= window.base + window.bytes - 1;
}

/// Checks all BARs below `functions`, and collects them.
class Check {
 public:
  Check(FakeHierarchy& fake, const AddressPools& pools) : fake_(fake), pools_(pools) {}

  void all(const std::vector<FoundFunction>& functions, const FoundFunction* above) {
    for (const FoundFunction& f : functions) one(f, above);
  }
  void no_overlap() {
    std::sort(ranges_.begin(), ranges_.end());
    for (std::size_t i = 1; i < ranges_.size(); ++i) {
      EXPECT_LT(ranges_[i - 1].second, ranges_[i].first);
    }
  }
  std::size_t bars() const { return ranges_.size(); }

 private:
  void one(const FoundFunction& f, const FoundFunction* above) {
    FakeFunction* const fake = fake_.route(f.id);
    ASSERT_NE(fake, nullptr) << pcie::format_id(f.id);
    unsigned there = 0;
    for (unsigned i = 0; i < pcie::config::kBars; ++i) {
      if (fake->space.bar(i).size != 0) ++there;
    }
    EXPECT_EQ(f.bars.size(), there);
    for (const FoundBar& bar : f.bars) check_bar(f, bar, *fake, above);
    if (!f.is_bridge) return;
    window(f.memory, fake->space.memory_window());
    window(f.prefetchable, fake->space.prefetchable_window());
    if (above != nullptr) {
      contained(f.memory, above->memory);
      contained(f.prefetchable, above->prefetchable);
      EXPECT_LT(above->secondary_bus, f.secondary_bus);
      EXPECT_LE(f.subordinate_bus, above->subordinate_bus);
    }
    siblings(f.children);
    all(f.children, &f);
  }

  void check_bar(const FoundFunction& f, const FoundBar& bar, FakeFunction& fake,
                 const FoundFunction* above) {
    EXPECT_EQ(fake.space.bar(bar.index).size, bar.size);
    EXPECT_EQ(fake.space.bar(bar.index).base, bar.base);
    EXPECT_EQ(bar.base % bar.size, 0U) << pcie::format_id(f.id);
    const Range range = {bar.base, bar.base + bar.size - 1};
    ranges_.push_back(range);
    const bool prefetchable = in_prefetchable_pool(bar);
    const AddressPool& pool = prefetchable ? pools_.prefetchable : pools_.memory;
    EXPECT_TRUE(inside(range, {pool.base, pool.bytes}));
    ASSERT_NE(above, nullptr);
    EXPECT_TRUE(inside(range, prefetchable ? above->prefetchable : above->memory));
    EXPECT_EQ(fake_.at_address(range.first), &fake);
    EXPECT_EQ(fake_.at_address(range.second), &fake);
  }

  static void window(const BridgeWindow& found, const pcie::ConfigSpace::Window& set) {
    if (found.bytes == 0) {
      EXPECT_GT(set.first, set.last);
      return;
    }
    EXPECT_EQ(found.base % fake::kMiB, 0U);
    EXPECT_EQ(found.base, set.first);
    EXPECT_EQ(found.base + found.bytes - 1, set.last);
  }

  static void contained(const BridgeWindow& inner, const BridgeWindow& outer) {
    if (inner.bytes == 0) return;
    EXPECT_TRUE(inside({inner.base, inner.base + inner.bytes - 1}, outer));
  }

  /// Windows of bridges on one bus do not overlap.
  static void siblings(const std::vector<FoundFunction>& functions) {
    for (const auto member : {&FoundFunction::memory, &FoundFunction::prefetchable}) {
      std::vector<Range> ranges;
      for (const FoundFunction& f : functions) {
        const BridgeWindow& window = f.*member;
        if (window.bytes != 0) ranges.emplace_back(window.base, window.base + window.bytes - 1);
      }
      std::sort(ranges.begin(), ranges.end());
      for (std::size_t i = 1; i < ranges.size(); ++i) {
        EXPECT_LT(ranges[i - 1].second, ranges[i].first);
      }
    }
  }

  FakeHierarchy& fake_;
  const AddressPools& pools_;
  std::vector<Range> ranges_;
};

TEST(EnumerationTrees, FortyEndpointsBelowThreeLevelsOfSwitches) {
  FakeHierarchy fake;
  unsigned endpoints = 0;
  for (unsigned root = 0; root < 2; ++root) {
    FakeFunction& first = FakeHierarchy::add_switch(fake.root(root), 2);
    for (const auto& port : first.behind) {
      FakeFunction& second = FakeHierarchy::add_switch(*port, 2);
      for (const auto& middle : second.behind) {
        for (const auto& leaf : FakeHierarchy::add_switch(*middle, 5).behind) {
          leaf->add(0, endpoint(bars(64 * fake::kMiB, 1U << 16)));
          ++endpoints;
        }
      }
    }
  }
  ASSERT_EQ(endpoints, 40U);
  const AddressPools& pools = fake::kPools;
  const DeviceTree found = enumerate(fake, {}, pools);
  Check check(fake, pools);
  check.all(found.functions, nullptr);
  check.no_overlap();
  EXPECT_EQ(check.bars(), 80U);
  EXPECT_EQ(fake.stray, 0U);
  // 40 x 64 MiB without a gap; each endpoint's port has a memory window of 1 MiB.
  EXPECT_EQ(found.prefetchable_left, pools.prefetchable.bytes - 40 * 64 * fake::kMiB);
  EXPECT_EQ(found.memory_left, pools.memory.bytes - 40 * fake::kMiB);
}

pcie::BarShapes random_bars(RandomStream& random) {
  pcie::BarShapes shapes;
  for (unsigned i = 0; i < pcie::config::kBars; ++i) {
    if (random.below(2) == 0) continue;
    const bool is_64_bit = i + 1 < pcie::config::kBars && random.below(2) == 0;
    const bool prefetchable = random.below(2) == 0;
    const unsigned most = is_64_bit && prefetchable ? 30 : 18;
    shapes[i] = {1ULL << (7 + random.below(most)), is_64_bit, prefetchable};
    if (is_64_bit) ++i;
  }
  return shapes;
}

void grow(FakeFunction& port, unsigned levels, RandomStream& random) {
  const std::uint64_t what = random.below(4);
  if (what == 0) return;  // nothing is connected
  if (what < 3 || levels == 0) {
    port.add(0, endpoint(random_bars(random)));
    return;
  }
  FakeFunction& upstream = FakeHierarchy::add_switch(port, 0);
  for (unsigned device = 0; device < 32; ++device) {
    if (random.below(8) != 0) continue;
    grow(upstream.add(device, fake::port(pcie::PortType::kSwitchDownstream)), levels - 1, random);
  }
}

TEST(EnumerationTrees, RandomHierarchiesAreReachedEverywhere) {
  AddressPools pools = fake::kPools;
  pools.memory = {0x4000'0000, 3ULL << 30};
  pools.prefetchable = {0x1000'0010'0000, 1ULL << 46};
  std::size_t total = 0;
  std::size_t deepest = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomStream random(seed, "hierarchy");
    FakeHierarchy fake;
    for (unsigned device = 0; device < 32; ++device) {
      if (random.below(8) == 0) grow(fake.root(device), 3, random);
    }
    SCOPED_TRACE(seed);
    const DeviceTree found = enumerate(fake, {}, pools);
    Check check(fake, pools);
    check.all(found.functions, nullptr);
    check.no_overlap();
    total += check.bars();
    deepest = std::max(deepest, found.all().size());
    ASSERT_EQ(fake.stray, 0U);
    if (HasFailure()) break;
  }
  EXPECT_GT(total, 2'000U);
  EXPECT_GT(deepest, 50U);
}

}  // namespace
}  // namespace railyard::host
