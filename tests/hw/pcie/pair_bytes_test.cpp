// Which bytes reads bring and writes change: every length, offset and byte enable.
#include <gtest/gtest.h>

#include "tests/hw/pcie/pair_bench.h"
#include "tests/support/fresh_kernel.h"

namespace railyard::pcie::bench {
namespace {

constexpr std::uint64_t kBytesBase = (1ULL << 32) - 8192;  // both kinds of headers are used

std::uint8_t byte_at(std::uint64_t address) {
  return static_cast<std::uint8_t>(address * 167 + (address >> 8) * 13 + 5);
}

PairConfig pair_across_4_gib() {
  PairConfig config;
  config.memory_base = kBytesBase;
  config.memory_bytes = 16384;
  return config;
}

void fill(PairBench& bench) {
  for (std::uint64_t i = 0; i < 16384; ++i)
    bench.memory.byte(kBytesBase + i) = byte_at(kBytesBase + i);
}

// Reads of every length of 1 to 512 B at `offsets` from `first` on.
void read_all(const PairConfig& config, std::uint64_t first, unsigned offsets) {
  constexpr std::uint32_t kLongest = 512;
  const support::FreshKernel kernel;
  PairBench bench{config};
  bench.keeps = false;
  fill(bench);
  const std::uint64_t total = std::uint64_t{offsets} * kLongest;
  std::uint64_t given = 0, answered = 0, wrong = 0;
  const auto address_of = [&](std::uint64_t ticket) { return first + ticket / kLongest; };
  const auto give = [&] {
    if (given == total) return;
    const std::uint64_t ticket = given++;
    bench.read(address_of(ticket), static_cast<std::uint32_t>(ticket % kLongest) + 1);
  };
  bench.on_done = [&](const DmaDone& done) {
    ++answered;
    const std::uint32_t bytes = static_cast<std::uint32_t>(done.ticket % kLongest) + 1;
    ASSERT_TRUE(done.payload);
    ASSERT_EQ(done.payload->size(), bytes);
    for (std::uint32_t i = 0; i < bytes; ++i) {
      if (done.payload->data()[i] != byte_at(address_of(done.ticket) + i)) ++wrong;
    }
    give();
  };
  bench.run([&] {
    for (int i = 0; i < 64; ++i) give();
  });
  EXPECT_EQ(answered, total);
  EXPECT_EQ(wrong, 0U);
}

TEST(PcieBytes, EveryReadLengthAtEveryOffsetBringsItsBytes) {
  read_all(pair_across_4_gib(), kBytesBase, 64);
  read_all(pair_across_4_gib(), 1ULL << 32, 64);
}

TEST(PcieBytes, EveryReadLengthAroundAPageBoundaryBringsItsBytes) {
  read_all(pair_across_4_gib(), kBytesBase + 4096 - 64, 128);
  // There the header grows by a dword.
  read_all(pair_across_4_gib(), (1ULL << 32) - 64, 128);
}

TEST(PcieBytes, EveryReadLengthHoldsForEveryWayToSplit) {
  for (const CompletionSplit split : {CompletionSplit::kMaxPayload, CompletionSplit::kBoundary}) {
    for (const std::uint32_t boundary : {64U, 128U}) {
      PairConfig config = pair_across_4_gib();
      config.max_payload = 128;
      config.completer.split = split;
      config.completer.boundary = boundary;
      read_all(config, kBytesBase + 4096 - 32, 64);
    }
  }
}

TEST(PcieBytes, AReadOfManyPagesBringsItsBytes) {
  PairBench bench{pair_across_4_gib()};
  fill(bench);
  bench.run([&] { bench.read(kBytesBase + 3, 16000); });
  ASSERT_EQ(bench.done.size(), 1U);
  ASSERT_EQ(bench.done[0].bytes.size(), 16000U);
  for (std::uint64_t i = 0; i < 16000; ++i) {
    ASSERT_EQ(bench.done[0].bytes[i], byte_at(kBytesBase + 3 + i)) << i;
  }
}

// A request of one dword may have holes between the bytes that it means.
TEST(PcieBytes, EveryByteEnablePatternWritesItsBytesAlone) {
  PairBench bench{pair_across_4_gib()};
  fill(bench);
  std::vector<std::uint8_t> image = bench.memory.bytes();
  bench.run([&] {
    for (std::uint8_t enables = 0; enables < 16; ++enables) {
      unsigned first = 0, end = 4;
      while (first < 4 && (enables >> first & 1U) == 0) ++first;
      while (end > 0 && (enables >> (end - 1) & 1U) == 0) --end;
      const std::uint64_t dword = kBytesBase + 64 + std::uint64_t{12} * enables;
      const TlpRef tlp = bench.hierarchy.tlps().acquire();
      tlp->type = TlpType::kMemoryWrite;
      tlp->byte_enables = enables;
      tlp->address = enables == 0 ? dword : dword + first;
      tlp->bytes = enables == 0 ? 0 : end - first;
      tlp->payload = bench.hierarchy.payloads().acquire();
      tlp->payload->resize(4);
      for (unsigned i = 0; i < 4; ++i) {
        const auto value = static_cast<std::uint8_t>(0xA0 + enables + i * 16);
        tlp->payload->data()[i] = value;
        if ((enables >> i & 1U) != 0) image[dword + i - kBytesBase] = value;
      }
      tlp->payload_offset = first % 4;
      bench.checker->requested(*tlp, bench.hierarchy.now());
      bench.send(bench.device_port, tlp);
    }
  });
  EXPECT_EQ(bench.memory.bytes(), image);
}

// Their first and last dwords have every pattern without holes.
TEST(PcieBytes, UnalignedWritesChangeTheirBytesAlone) {
  PairBench bench{pair_across_4_gib()};
  fill(bench);
  std::vector<std::uint8_t> image = bench.memory.bytes();
  bench.keeps = false;
  std::vector<std::array<bool, 16>> seen(2);
  bench.root_takes = [&](TlpRef& tlp) {
    const ByteEnables enables = byte_enables(*tlp);
    seen[0][enables.first] = true;
    seen[1][enables.last] = true;
    return false;
  };
  std::uint64_t wrong = 0, commits = 0;
  std::vector<std::pair<std::uint64_t, std::vector<std::uint8_t>>> writes;
  // At each write's end the neighbours must be as before.
  bench.memory.on_commit = [&](const MemoryAccess& access) {
    for (std::uint32_t i = 0; i < access.bytes; ++i) {
      image[access.address + i - kBytesBase] = access.payload->data()[access.payload_offset + i];
    }
    const std::uint64_t from = access.address - kBytesBase - 64;
    for (std::uint64_t i = from; i < from + 256; ++i) {
      if (bench.memory.bytes()[i] != image[i]) ++wrong;
    }
    ++commits;
  };
  bench.run([&] {
    for (std::uint32_t bytes = 1; bytes <= 64; ++bytes) {
      for (std::uint64_t offset = 0; offset < 64; ++offset) {
        std::vector<std::uint8_t> data(bytes);
        for (std::uint32_t i = 0; i < bytes; ++i) {
          data[i] = static_cast<std::uint8_t>(std::uint64_t{31} * bytes + offset * 7 + i);
        }
        bench.write(kBytesBase + 4096 - 32 + offset, data);
        writes.emplace_back(offset, std::move(data));
      }
    }
  });
  EXPECT_GE(commits, writes.size());
  EXPECT_EQ(wrong, 0U);
  // The same writes, one after the other, to an image that no model wrote.
  std::vector<std::uint8_t> plain(16384);
  for (std::uint64_t i = 0; i < 16384; ++i) plain[i] = byte_at(kBytesBase + i);
  for (const auto& [offset, data] : writes) {
    std::copy(data.begin(), data.end(), plain.begin() + 4096 - 32 + static_cast<long>(offset));
  }
  EXPECT_EQ(bench.memory.bytes(), plain);
  for (const unsigned first : {0xFU, 0xEU, 0xCU, 0x8U}) EXPECT_TRUE(seen[0][first]);
  for (const unsigned one : {1U, 2U, 3U, 4U, 6U, 7U}) EXPECT_TRUE(seen[0][one]);
  for (const unsigned last : {0U, 0x1U, 0x3U, 0x7U, 0xFU}) EXPECT_TRUE(seen[1][last]);
}

// It is answered when all writes that were given before it can be seen.
TEST(PcieBytes, AReadOfNoByteFlushesTheWritesBeforeIt) {
  PairBench bench{pair_across_4_gib()};
  bench.memory.slow = [](const MemoryAccess& access) { return access.write; };
  unsigned committed = 0, committed_when_read = 0;
  bench.memory.on_commit = [&](const MemoryAccess&) { ++committed; };
  bench.on_done = [&](const DmaDone& done) {
    if (done.ticket == 1) committed_when_read = committed;
  };
  bench.run([&] {
    bench.write(kBytesBase, std::vector<std::uint8_t>(1024, 7));
    bench.read(kBytesBase, 0, false, true);
  });
  ASSERT_EQ(bench.done.size(), 2U);
  EXPECT_EQ(bench.done[1].status, Status::kSuccess);
  EXPECT_TRUE(bench.done[1].bytes.empty());
  EXPECT_EQ(committed_when_read, 4U);
  EXPECT_EQ(bench.hierarchy.error_count(), 0U);
}

}  // namespace
}  // namespace railyard::pcie::bench
