// A program's memory in its host's: ranges of its own, and the process's pages.
#include "hw/host/address_space.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <numeric>
#include <stdexcept>

#include "tests/hw/host/core_bench.h"

namespace railyard::host {
namespace {

using support::Asker;
using support::CoreBench;
using support::kNs;
using support::MemoryBench;
using testing::Each;
using testing::ElementsAre;

constexpr Address kBase = 0x10'0000;
constexpr std::uint64_t kBytes = 0x10'0000;
constexpr std::uint64_t kPage = AddressSpace::kPageBytes;

struct FreeLater {
  void operator()(std::uint8_t* memory) const { std::free(memory); }
};

/// Bytes that begin where a page of the process does.
struct ProcessPages {
  explicit ProcessPages(std::size_t pages)
      : bytes(static_cast<std::uint8_t*>(std::aligned_alloc(kPage, pages * kPage))) {
    std::fill(bytes.get(), bytes.get() + pages * kPage, std::uint8_t{0});
  }
  std::uint8_t* at(std::size_t offset) const { return bytes.get() + offset; }
  std::unique_ptr<std::uint8_t, FreeLater> bytes;
};

struct SpaceBench : MemoryBench {
  HostAddressSpace space{memory, kBase, kBytes};
  std::vector<std::uint8_t> read(Address address, std::size_t n) const {
    std::vector<std::uint8_t> bytes(n);
    memory.read(address, bytes.data(), n);
    return bytes;
  }
};

TEST(AddressSpace, RangesAreApartAndAligned) {
  SpaceBench bench;
  const Address a = bench.space.allocate(100, 64);
  const Address b = bench.space.allocate(8, 4096);
  const Address c = bench.space.allocate(8, 8);
  EXPECT_EQ(a, kBase);
  EXPECT_EQ(b, kBase + 4096);
  EXPECT_EQ(c, kBase + 104);  // the gap is used
  EXPECT_EQ(bench.space.free_bytes(), kBytes - 116);
}

TEST(AddressSpace, WhatIsReleasedIsGivenAgainAsZeroes) {
  SpaceBench bench;
  const Address a = bench.space.allocate(5000, 8);
  const Address behind = bench.space.allocate(64, 8);
  const std::vector<std::uint8_t> ones(5064, 1);
  bench.memory.write(a, ones.data(), ones.size());
  bench.space.release(a);
  EXPECT_EQ(bench.space.allocate(5000, 8), a);
  EXPECT_THAT(bench.read(a, 5000), Each(0));
  EXPECT_THAT(bench.read(behind, 64), Each(1));
}

TEST(AddressSpace, IsExhaustedAndWholeAgainWhenAllIsReleased) {
  SpaceBench bench;
  const Address a = bench.space.allocate(kBytes / 2, 1);
  const Address b = bench.space.allocate(kBytes / 4, 1);
  const Address c = bench.space.allocate(kBytes / 4, 1);
  EXPECT_THROW(bench.space.allocate(1, 1), std::bad_alloc);
  bench.space.release(a);
  bench.space.release(c);
  EXPECT_THROW(bench.space.allocate(kBytes / 2 + 1, 1), std::bad_alloc);
  bench.space.release(b);  // joins its neighbours
  EXPECT_EQ(bench.space.allocate(kBytes, 1), kBase);
}

TEST(AddressSpace, RefusesWhatMakesNoSense) {
  SpaceBench bench;
  EXPECT_THROW(bench.space.allocate(0, 1), std::invalid_argument);
  EXPECT_THROW(bench.space.allocate(8, 3), std::invalid_argument);
  EXPECT_THROW(bench.space.release(kBase), std::invalid_argument);
  int x = 0;
  EXPECT_THROW(bench.space.unmap(&x, sizeof x), std::invalid_argument);
  EXPECT_THROW(HostAddressSpace(bench.memory, 1, 4096), std::invalid_argument);
  EXPECT_THROW(HostAddressSpace(bench.memory, 0, 4097), std::invalid_argument);
  EXPECT_THROW(HostAddressSpace(bench.memory, bench.memory.config().end(), 4096),
               std::invalid_argument);
}

TEST(AddressSpace, NothingIsAtAddressZero) {
  MemoryBench bench;
  HostAddressSpace space(bench.memory, 0, kBytes);
  EXPECT_EQ(space.allocate(1, 1), kPage);
}

TEST(AddressSpace, AMappedPageIsTheProcesssPageBothWays) {
  SpaceBench bench;
  const ProcessPages process(3);
  std::iota(process.at(0), process.at(3 * kPage), std::uint8_t{0});
  // From an odd byte of the first page to one byte of the third.
  const auto pages = bench.space.map(process.at(0x123), 2 * kPage - 0x122);
  EXPECT_THAT(pages, ElementsAre(kBase, kBase + kPage, kBase + 2 * kPage));
  EXPECT_EQ(bench.read(kBase + 0x123, 2), (std::vector<std::uint8_t>{0x23, 0x24}));
  const std::vector<std::uint8_t> data{9, 8, 7};
  bench.memory.write(kBase + kPage - 1, data.data(), 3);  // over a page's end
  EXPECT_EQ(*process.at(kPage - 1), 9);
  EXPECT_EQ(*process.at(kPage), 8);
  EXPECT_EQ(*process.at(kPage + 1), 7);
  *process.at(0x200) = 0xAA;
  EXPECT_EQ(bench.read(kBase + 0x200, 1)[0], 0xAA);
}

TEST(AddressSpace, DevicesWriteAndReadAProgramsBytes) {
  SpaceBench bench;
  Asker device(bench);
  const ProcessPages process(1);
  const auto pages = bench.space.map(process.at(10), 100);
  *process.at(20) = 5;
  bench.at(kNs, [&] { device.write(pages[0] + 12, {1, 2, 3, 4, 5}); });
  bench.at(kMicrosecond, [&] { device.read(pages[0] + 20, 1); });
  bench.run();
  EXPECT_EQ(std::vector<std::uint8_t>(process.at(11), process.at(18)),
            (std::vector<std::uint8_t>{0, 1, 2, 3, 4, 5, 0}));
  ASSERT_EQ(device.done.size(), 2U);
  EXPECT_THAT(device.done[1].bytes, ElementsAre(5));
}

TEST(AddressSpace, RangesThatOverlapShareTheirPagesUntilTheLastIsUnmapped) {
  SpaceBench bench;
  const ProcessPages process(4);
  const auto first = bench.space.map(process.at(kPage), kPage);
  const auto all = bench.space.map(process.at(0), 4 * kPage);
  EXPECT_EQ(all[1], first[0]);
  EXPECT_EQ(bench.space.mapped_pages(), 4U);
  // The run behind the shared page is consecutive.
  EXPECT_EQ(all[3], all[2] + kPage);
  bench.space.unmap(process.at(kPage), kPage);
  *process.at(kPage) = 7;
  EXPECT_EQ(bench.read(first[0], 1)[0], 7);
  bench.space.unmap(process.at(0), 4 * kPage);
  EXPECT_EQ(bench.space.mapped_pages(), 0U);
  EXPECT_EQ(bench.read(first[0], 1)[0], 0);
  EXPECT_EQ(bench.space.free_bytes(), kBytes);
}

TEST(AddressSpace, AMapThatDoesNotFitLeavesNothing) {
  MemoryBench bench;
  HostAddressSpace space(bench.memory, kBase, 4 * kPage);
  const ProcessPages process(6);
  (void)space.map(process.at(kPage), 1);
  EXPECT_THROW(space.map(process.at(0), 6 * kPage), std::bad_alloc);
  EXPECT_EQ(space.mapped_pages(), 1U);
  EXPECT_EQ(space.free_bytes(), 3 * kPage);
}

TEST(AddressSpace, ACoreSeesWhatADeviceWritesToAMappedPage) {
  CoreBench bench;
  HostAddressSpace space(bench.memory, kBase, kBytes);
  const ProcessPages process(1);
  const Address flag = space.map(process.at(64), 8)[0] + 64;
  Time seen = 0;
  bench.core([&](Core& core) {
    core.poll(flag, 1, [](std::uint64_t v) { return v == 3; });
    seen = core.now();
  });
  bench.dma(5 * kMicrosecond, flag, 3);
  bench.run();
  EXPECT_GE(seen, 5 * kMicrosecond);
  EXPECT_LE(seen, 5 * kMicrosecond + 100 * kNs);
  EXPECT_EQ(*process.at(64), 3);
}

}  // namespace
}  // namespace railyard::host
