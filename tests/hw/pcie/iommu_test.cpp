#include "hw/pcie/iommu.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/allocations.h"
#include "tlm/base/error.h"
#include "tlm/sim/random.h"

namespace railyard::pcie {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr DeviceId kNicId = DeviceId::of(1, 0);
constexpr DeviceId kGpu = DeviceId::of(2, 0);

IommuConfig config_of(unsigned entries, unsigned ways) {
  IommuConfig config;
  config.tlb_entries = entries;
  config.tlb_ways = ways;
  return config;
}

/// Page i of `device` at physical page 1000 + i, writable.
Iommu iommu_of(unsigned entries, unsigned ways, std::uint64_t pages, DeviceId device = kNicId) {
  Iommu iommu(config_of(entries, ways));
  EXPECT_EQ(iommu.map(device, 0, 1000 * kPage, pages * kPage, true), MapStatus::kDone);
  return iommu;
}

/// As the root complex does it; true if the TLB had it.
bool access(Iommu& iommu, DeviceId device, std::uint64_t page) {
  if (iommu.look_up(device, page * kPage, false)) return true;
  iommu.fill(device, page * kPage, iommu.walk(device, page * kPage, false));
  return false;
}

TEST(Iommu, AWalkFindsEachByteOfAMapping) {
  Iommu iommu(config_of(64, 4));
  ASSERT_EQ(iommu.map(kNicId, 0x10000, 0x7000000, 2 * kPage, true), MapStatus::kDone);
  EXPECT_EQ(iommu.walk(kNicId, 0x10000, true).physical, 0x7000000U);
  EXPECT_EQ(iommu.walk(kNicId, 0x11FFF, true).physical, 0x7001FFFU);
  EXPECT_EQ(iommu.walk(kNicId, 0x11FFF, true).fault, IommuFault::kNone);
  EXPECT_EQ(iommu.walk(kNicId, 0xFFFF, false).fault, IommuFault::kNotMapped);
  EXPECT_EQ(iommu.walk(kNicId, 0x12000, false).fault, IommuFault::kNotMapped);
  EXPECT_EQ(iommu.walk(kGpu, 0x10000, false).fault, IommuFault::kNotMapped) << "another's table";
}

TEST(Iommu, AReadOnlyMappingRefusesWrites) {
  Iommu iommu(config_of(64, 4));
  ASSERT_EQ(iommu.map(kNicId, 0, 0x5000, kPage, false), MapStatus::kDone);
  EXPECT_EQ(iommu.walk(kNicId, 8, true).fault, IommuFault::kReadOnly);
  const Iommu::Walk walk = iommu.walk(kNicId, 8, false);
  EXPECT_EQ(walk.fault, IommuFault::kNone);
  EXPECT_FALSE(walk.writable);
  iommu.fill(kNicId, 8, walk);
  EXPECT_EQ(iommu.look_up(kNicId, 16, true)->fault, IommuFault::kReadOnly);
  EXPECT_EQ(iommu.look_up(kNicId, 16, false)->physical, 0x5010U);
}

TEST(Iommu, OnlyWholePagesAreMappedAndNoneTwice) {
  Iommu iommu(config_of(64, 4));
  EXPECT_EQ(iommu.map(kNicId, 1, 0, kPage, true), MapStatus::kUnaligned);
  EXPECT_EQ(iommu.map(kNicId, 0, 1, kPage, true), MapStatus::kUnaligned);
  EXPECT_EQ(iommu.map(kNicId, 0, 0, kPage + 1, true), MapStatus::kUnaligned);
  EXPECT_EQ(iommu.map(kNicId, 0, 0, 0, true), MapStatus::kUnaligned);
  EXPECT_EQ(iommu.map(kNicId, ~(kPage - 1), 0, 2 * kPage, true), MapStatus::kUnaligned);
  EXPECT_EQ(iommu.unmap(kNicId, 1, kPage), MapStatus::kUnaligned);
  ASSERT_EQ(iommu.map(kNicId, 4 * kPage, 0, 4 * kPage, true), MapStatus::kDone);
  for (const std::uint64_t page : {3U, 4U, 5U, 7U}) {
    EXPECT_EQ(iommu.map(kNicId, page * kPage, 0, 2 * kPage, true), MapStatus::kOverlap) << page;
  }
  EXPECT_EQ(iommu.map(kNicId, 0, 0, 16 * kPage, true), MapStatus::kOverlap);
  EXPECT_EQ(iommu.map(kNicId, 2 * kPage, 0, 2 * kPage, true), MapStatus::kDone);
  EXPECT_EQ(iommu.map(kNicId, 8 * kPage, 0, kPage, true), MapStatus::kDone);
  EXPECT_EQ(iommu.map(kGpu, 4 * kPage, 0, kPage, true), MapStatus::kDone);
  EXPECT_EQ(iommu.map(kGpu, ~(kPage - 1), 0, kPage, true), MapStatus::kDone);
  EXPECT_EQ(iommu.walk(kGpu, ~0ULL, false).physical, kPage - 1);
}

TEST(Iommu, UnmappingTakesPagesOutOfTheMiddle) {
  Iommu iommu(config_of(64, 4));
  ASSERT_EQ(iommu.map(kNicId, 0, 100 * kPage, 10 * kPage, true), MapStatus::kDone);
  ASSERT_EQ(iommu.map(kNicId, 10 * kPage, 200 * kPage, 10 * kPage, false), MapStatus::kDone);
  ASSERT_EQ(iommu.unmap(kNicId, 3 * kPage, kPage), MapStatus::kDone);
  ASSERT_EQ(iommu.unmap(kNicId, 8 * kPage, 4 * kPage), MapStatus::kDone);
  std::string mapped;
  for (std::uint64_t page = 0; page < 20; ++page) {
    const Iommu::Walk walk = iommu.walk(kNicId, page * kPage, false);
    mapped += walk.fault == IommuFault::kNone ? 'x' : '.';
    if (walk.fault != IommuFault::kNone) continue;
    EXPECT_EQ(walk.physical / kPage, page < 10 ? 100 + page : 190 + page);
    EXPECT_EQ(walk.writable, page < 10);
  }
  EXPECT_EQ(mapped, "xxx.xxxx....xxxxxxxx");
  EXPECT_EQ(iommu.map(kNicId, 3 * kPage, 0, kPage, true), MapStatus::kDone);
}

TEST(Iommu, UnmappingAWholeMappingLeavesRoomForAnother) {
  Iommu iommu(config_of(64, 4));
  for (const std::uint64_t first : {std::uint64_t{0}, 7 * kPage}) {
    ASSERT_EQ(iommu.map(kNicId, first, 100 * kPage, 2 * kPage, true), MapStatus::kDone);
    ASSERT_EQ(iommu.unmap(kNicId, first, 2 * kPage), MapStatus::kDone);
    for (std::uint64_t page = 0; page < 4; ++page) {
      EXPECT_EQ(iommu.walk(kNicId, first + page * kPage, false).fault, IommuFault::kNotMapped);
    }
    ASSERT_EQ(iommu.map(kNicId, first, 300 * kPage, 4 * kPage, true), MapStatus::kDone);
    EXPECT_EQ(iommu.walk(kNicId, first, false).physical, 300 * kPage);
    EXPECT_EQ(iommu.walk(kNicId, first + 2 * kPage, false).physical, 302 * kPage);
    ASSERT_EQ(iommu.unmap(kNicId, first, 4 * kPage), MapStatus::kDone);
  }
}

TEST(Iommu, TheTlbHoldsWhatWasWalkedUntilItIsInvalidated) {
  Iommu iommu = iommu_of(64, 4, 100);
  EXPECT_FALSE(access(iommu, kNicId, 5));
  EXPECT_TRUE(access(iommu, kNicId, 5));
  EXPECT_EQ(iommu.look_up(kNicId, 5 * kPage + 7, true)->physical, 1005 * kPage + 7);
  EXPECT_FALSE(access(iommu, kNicId, 6));
  EXPECT_EQ(iommu.hits(), 2U);
  EXPECT_EQ(iommu.misses(), 2U);
  ASSERT_EQ(iommu.unmap(kNicId, 5 * kPage, kPage), MapStatus::kDone);
  EXPECT_TRUE(access(iommu, kNicId, 5)) << "as in hardware, it still does";
  iommu.invalidate(kNicId, 5 * kPage, kPage);
  EXPECT_FALSE(access(iommu, kNicId, 5));
  EXPECT_FALSE(access(iommu, kNicId, 5)) << "what is not mapped is not kept";
  EXPECT_TRUE(access(iommu, kNicId, 6)) << "another page";
}

TEST(Iommu, InvalidationTakesTheRangeOrTheDeviceOrAll) {
  Iommu iommu = iommu_of(64, 64, 100);
  ASSERT_EQ(iommu.map(kGpu, 0, 0, 100 * kPage, true), MapStatus::kDone);
  const auto cached = [&] {
    std::string text;
    for (const DeviceId device : {kNicId, kGpu}) {
      for (std::uint64_t page = 0; page < 4; ++page) {
        text += iommu.look_up(device, page * kPage, false) ? 'x' : '.';
      }
    }
    return text;
  };
  const auto fill = [&] {
    for (const DeviceId device : {kNicId, kGpu}) {
      for (std::uint64_t page = 0; page < 4; ++page) access(iommu, device, page);
    }
  };
  fill();
  EXPECT_EQ(cached(), "xxxxxxxx");
  iommu.invalidate(kNicId, kPage + 4095, 2);
  EXPECT_EQ(cached(), "x..xxxxx");
  iommu.invalidate(kGpu);
  EXPECT_EQ(cached(), "x..x....");
  fill();
  iommu.invalidate(kNicId, 0, 0);
  EXPECT_EQ(cached(), "xxxxxxxx");
  iommu.invalidate();
  EXPECT_EQ(cached(), "........");
}

TEST(Iommu, ASetGivesUpWhatWasUsedLeastRecently) {
  Iommu iommu = iommu_of(16, 4, 100);  // 4 sets: pages 0, 4, 8... share one
  for (const std::uint64_t page : {0U, 4U, 8U, 12U}) access(iommu, kNicId, page);
  access(iommu, kNicId, 1);  // another set
  EXPECT_TRUE(access(iommu, kNicId, 0));
  EXPECT_FALSE(access(iommu, kNicId, 16)) << "takes the place of 4";
  EXPECT_TRUE(access(iommu, kNicId, 8));
  EXPECT_TRUE(access(iommu, kNicId, 0));
  EXPECT_TRUE(access(iommu, kNicId, 12));
  EXPECT_TRUE(access(iommu, kNicId, 1));
  EXPECT_FALSE(access(iommu, kNicId, 4));
}

TEST(Iommu, APageThatIsFilledTwiceTakesOneEntry) {
  Iommu iommu = iommu_of(2, 2, 100);
  const Iommu::Walk walk = iommu.walk(kNicId, 0, false);
  access(iommu, kNicId, 1);
  iommu.fill(kNicId, 0, walk);
  iommu.fill(kNicId, 0, walk);
  EXPECT_TRUE(access(iommu, kNicId, 1));
}

TEST(Iommu, TheTlbIsTrueLruOnRandomAccesses) {
  for (const unsigned ways : {1U, 4U, 16U}) {
    Iommu iommu = iommu_of(16, ways, 64);
    const std::uint64_t sets = 16 / ways;
    std::map<std::uint64_t, std::list<std::uint64_t>> model;
    RandomStream random(7, "pages");
    const std::uint64_t before_warm = iommu.hits();
    unsigned wrong = 0;
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t page = random.below(40);
      std::list<std::uint64_t>& set = model[page % sets];
      const bool hit = std::find(set.begin(), set.end(), page) != set.end();
      set.remove(page);
      set.push_front(page);
      if (set.size() > ways) set.pop_back();
      wrong += access(iommu, kNicId, page) != hit ? 1 : 0;
    }
    EXPECT_EQ(wrong, 0U) << ways;
    EXPECT_GT(iommu.hits(), before_warm + 1'000);
    EXPECT_EQ(iommu.hits() + iommu.misses(), 20'000U);
  }
}

TEST(Iommu, DevicesThatUseTheSameAddressesDoNotMeetInOneSet) {
  Iommu iommu(config_of(16, 1));
  for (unsigned bus = 0; bus < 8; ++bus) {
    ASSERT_EQ(iommu.map(DeviceId::of(bus, 0), 0, 0, kPage, true), MapStatus::kDone);
    access(iommu, DeviceId::of(bus, 0), 0);
  }
  for (unsigned bus = 0; bus < 8; ++bus) EXPECT_TRUE(access(iommu, DeviceId::of(bus, 0), 0)) << bus;
}

TEST(Iommu, LargePagesCoverMoreWithOneEntry) {
  IommuConfig config;
  config.page_size = kibibytes(2048);
  Iommu iommu(config);
  const std::uint64_t page = 2ULL << 20;
  EXPECT_EQ(iommu.map(kNicId, kPage, 0, page, true), MapStatus::kUnaligned);
  ASSERT_EQ(iommu.map(kNicId, page, 5 * page, page, true), MapStatus::kDone);
  iommu.fill(kNicId, page + 9000, iommu.walk(kNicId, page + 9000, false));
  EXPECT_EQ(iommu.look_up(kNicId, 2 * page - 1, true)->physical, 6 * page - 1);
  EXPECT_FALSE(iommu.look_up(kNicId, 2 * page, true).has_value());
}

TEST(Iommu, TranslatesWithoutTheHeap) {
  Iommu iommu = iommu_of(64, 4, 1'000);
  const std::uint64_t before = support::allocations();
  for (std::uint64_t i = 0; i < 10'000; ++i) access(iommu, kNicId, i * 7 % 1'000);
  EXPECT_EQ(support::allocations(), before);
}

using Keys = std::vector<std::pair<std::string, std::string>>;

/// The configuration that these keys make.
IommuConfig bound(const Keys& keys) {
  Node root = Node::of_kind(Node::Kind::kMap);
  for (const auto& [key, value] : keys) {
    root.members.push_back({key, {}, Node::scalar(value, false)});
  }
  IommuConfig config;
  bind_config(root, config);
  return config;
}

TEST(IommuConfig, IsReadFromItsKeys) {
  const IommuConfig standard = bound({});
  EXPECT_FALSE(standard.enabled);
  EXPECT_EQ(standard.page_size, kPage);
  EXPECT_EQ(standard.tlb_entries, 64U);
  EXPECT_EQ(standard.miss_latency, 330 * kNanosecond);
  EXPECT_EQ(standard.walkers, 8U);
  const IommuConfig config = bound({{"enabled", "true"},
                                    {"page_size", "2MiB"},
                                    {"tlb_entries", "128"},
                                    {"tlb_ways", "128"},
                                    {"miss_latency", "500ns"},
                                    {"walkers", "2"}});
  EXPECT_TRUE(config.enabled);
  EXPECT_EQ(config.page_size, 2ULL << 20);
  EXPECT_EQ(config.tlb_entries, 128U);
  EXPECT_EQ(config.tlb_ways, 128U);
  EXPECT_EQ(config.miss_latency, 500 * kNanosecond);
  EXPECT_EQ(config.walkers, 2U);
}

TEST(IommuConfig, ATlbThatCannotBeIsRefused) {
  for (const Keys& keys : {Keys{{"tlb_ways", "128"}}, Keys{{"tlb_entries", "48"}},
                           Keys{{"tlb_ways", "3"}}, Keys{{"walkers", "0"}}}) {
    EXPECT_THROW(bound(keys), ConfigError) << keys.front().first;
  }
}

}  // namespace
}  // namespace railyard::pcie
