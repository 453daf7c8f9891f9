#include "hw/pcie/tlp_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "hw/pcie/link_config.h"

namespace railyard::pcie {
namespace {

struct Piece {
  std::uint64_t address;
  std::uint32_t bytes;
  std::uint64_t end() const { return address + bytes; }
  std::uint64_t dwords() const { return (end() + 3) / 4 - address / 4; }
};

std::vector<Piece> requests(std::uint64_t address, std::uint64_t bytes, std::uint32_t limit) {
  std::vector<Piece> pieces;
  while (const std::uint32_t piece = next_request(address, bytes, limit)) {
    pieces.push_back({address, piece});
    address += piece;
    bytes -= piece;
  }
  EXPECT_EQ(bytes, 0U);
  return pieces;
}

std::vector<Piece> completions(std::uint64_t address, std::uint32_t bytes,
                               const CompletionRule& rule) {
  std::vector<Piece> pieces;
  while (const std::uint32_t piece = next_completion(address, bytes, rule)) {
    pieces.push_back({address, piece});
    address += piece;
    bytes -= piece;
  }
  EXPECT_EQ(bytes, 0U);
  return pieces;
}

TEST(NextRequest, IsWithinLimitAndBoundaryAndAsLargeAsTheyAllow) {
  for (const std::uint32_t limit : {128U, 256U, 512U, 4096U}) {
    for (std::uint64_t address = 0xFFFF'F000 - 300; address < 0xFFFF'F000 + 300; ++address) {
      for (const std::uint64_t bytes : {1, 2, 3, 4, 5, 127, 128, 129, 255, 256, 257, 4096, 9001}) {
        const std::vector<Piece> pieces = requests(address, bytes, limit);
        std::uint64_t next = address;
        for (const Piece& p : pieces) {
          ASSERT_EQ(p.address, next);
          next = p.end();
          ASSERT_LE(p.dwords() * 4, limit);
          ASSERT_EQ(p.address / 4096, (p.end() - 1) / 4096);
          // One byte more would not have been allowed, or there was none.
          const Piece more{p.address, p.bytes + 1};
          ASSERT_TRUE(p.end() == address + bytes || more.dwords() * 4 > limit ||
                      p.end() % 4096 == 0);
        }
        ASSERT_EQ(next, address + bytes);
      }
    }
  }
}

TEST(NextRequest, IsShorterWhenItBeginsWithinADword) {
  EXPECT_EQ(next_request(0x1000, 1000, 256), 256U);
  EXPECT_EQ(next_request(0x1001, 1000, 256), 255U);
  EXPECT_EQ(next_request(0x1003, 1000, 256), 253U);
  EXPECT_EQ(next_request(0x1004, 1000, 256), 256U);
  EXPECT_EQ(next_request(0x1FFE, 1000, 256), 2U);
  EXPECT_EQ(next_request(0x1001, 0, 256), 0U);
}

TEST(NextCompletion, EndsAtReadCompletionBoundaries) {
  for (const CompletionSplit split : {CompletionSplit::kMaxPayload, CompletionSplit::kBoundary}) {
    for (const std::uint32_t boundary : {64U, 128U}) {
      for (const std::uint32_t max_payload : {128U, 256U, 512U}) {
        const CompletionRule rule{split, max_payload, boundary};
        for (std::uint64_t address = 0; address < 512; ++address) {
          for (std::uint32_t bytes = 1; bytes <= 1100; bytes += bytes % 64 < 4 ? 1 : 7) {
            const std::vector<Piece> pieces = completions(address, bytes, rule);
            for (std::size_t i = 0; i < pieces.size(); ++i) {
              ASSERT_LE(pieces[i].dwords() * 4, max_payload);
              const bool last = i + 1 == pieces.size();
              ASSERT_TRUE(last || pieces[i].end() % boundary == 0);
              const std::uint64_t more = (pieces[i].end() / boundary + 1) * boundary;
              const Piece longer{
                  pieces[i].address,
                  static_cast<std::uint32_t>(std::min(more, address + bytes) - pieces[i].address)};
              ASSERT_TRUE(last || split == CompletionSplit::kBoundary ||
                          longer.dwords() * 4 > max_payload);
              ASSERT_TRUE(split == CompletionSplit::kMaxPayload ||
                          pieces[i].address / boundary == (pieces[i].end() - 1) / boundary);
            }
          }
        }
      }
    }
  }
}

TEST(NextCompletion, ExamplesOfBothPolicies) {
  const CompletionRule large{CompletionSplit::kMaxPayload, 256, 64};
  EXPECT_EQ(next_completion(0x1000, 512, large), 256U);
  EXPECT_EQ(next_completion(0x1010, 512, large), 0xF0U);  // ends at 0x1100, 0x1110 is no boundary
  EXPECT_EQ(next_completion(0x1010, 256, large), 256U);   // fits, so it needs no boundary
  EXPECT_EQ(next_completion(0x1011, 256, large), 0xEFU);  // would touch 65 dwords
  const CompletionRule small{CompletionSplit::kBoundary, 256, 64};
  EXPECT_EQ(next_completion(0x1000, 512, small), 64U);
  EXPECT_EQ(next_completion(0x103F, 512, small), 1U);
  EXPECT_EQ(next_completion(0x1000, 0, small), 0U);
}

TlpFields read_of(std::uint64_t address, std::uint32_t bytes, std::uint8_t enables = 0xF) {
  TlpFields tlp;
  tlp.address = address;
  tlp.bytes = bytes;
  tlp.byte_enables = enables;
  return tlp;
}

// Table 2-39, all of it: byte counts of one dword and of more.
TEST(ByteCount, IsThatOfTheTableForEveryPattern) {
  const std::uint32_t one_dword[16] = {1, 1, 1, 2, 1, 3, 2, 3, 1, 4, 3, 4, 2, 4, 3, 4};
  for (unsigned first = 0; first < 16; ++first) {
    EXPECT_EQ(byte_count({static_cast<std::uint8_t>(first), 0}, 1), one_dword[first]) << first;
  }
  // Rows: first 1xxx but for the lowest bit: 0, 1, 2, 3 bytes less; last likewise.
  const std::uint32_t before[16] = {0, 0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0};
  const std::uint32_t behind[16] = {0, 3, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0};
  for (unsigned first = 1; first < 16; ++first) {
    for (unsigned last = 1; last < 16; ++last) {
      for (const std::uint32_t dwords : {2U, 3U, 128U, 1024U}) {
        const ByteEnables enables{static_cast<std::uint8_t>(first),
                                  static_cast<std::uint8_t>(last)};
        EXPECT_EQ(byte_count(enables, dwords), dwords * 4 - before[first] - behind[last]);
      }
    }
  }
}

TEST(ByteEnablesOf, MeanExactlyTheBytesOfTheRequest) {
  for (std::uint64_t address = 0x1000; address < 0x1004; ++address) {
    for (std::uint32_t bytes = 1; bytes < 40; ++bytes) {
      const TlpFields read = read_of(address, bytes);
      const ByteEnables enables = byte_enables(read);
      const std::uint32_t dwords = read.dwords();
      EXPECT_EQ(enables.last == 0, dwords == 1);
      for (std::uint32_t i = 0; i < dwords * 4; ++i) {
        const std::uint64_t place = 0x1000 + i;
        const bool meant = place >= address && place < address + bytes;
        bool enabled = true;
        if (i < 4) enabled = (enables.first >> i & 1U) != 0;
        if (i / 4 == dwords - 1 && dwords > 1) enabled = (enables.last >> i % 4 & 1U) != 0;
        EXPECT_EQ(enabled, meant) << address << ' ' << bytes << ' ' << i;
      }
      EXPECT_EQ(byte_count(read), bytes);
      EXPECT_EQ(lower_address(read), address & 0x7F);
    }
  }
}

TEST(ByteEnablesOf, KeepTheHolesOfOneDword) {
  const TlpFields holes = read_of(0x1010, 4, 0b1001);
  EXPECT_EQ(byte_enables(holes).first, 0b1001);
  EXPECT_EQ(byte_count(holes), 4U);
  const TlpFields upper = read_of(0x107D, 3, 0b1010);
  EXPECT_EQ(byte_enables(upper).first, 0b1010);
  EXPECT_EQ(byte_count(upper), 3U);
  EXPECT_EQ(lower_address(upper), 0x7D);
}

TEST(ByteEnablesOf, AReadOfNoByteCountsOne) {
  const TlpFields flush = read_of(0x1044, 0);
  EXPECT_EQ(byte_enables(flush).first, 0);
  EXPECT_EQ(byte_enables(flush).last, 0);
  EXPECT_EQ(byte_count(flush), 1U);
  EXPECT_EQ(lower_address(flush), 0x44);
}

TEST(ByteCount, IsFourForAllButMemoryReads) {
  TlpFields config = read_of(0x10, 2);
  config.type = TlpType::kConfigRead;
  EXPECT_EQ(byte_count(config), 4U);
  EXPECT_EQ(lower_address(config), 0U);
}

TlpFields of_type(TlpType type, bool relaxed, std::uint16_t requester = 1, std::uint16_t tag = 1) {
  TlpFields tlp;
  tlp.type = type;
  tlp.relaxed = relaxed;
  tlp.requester.value = requester;
  tlp.tag = tag;
  return tlp;
}

TEST(MayPass, IsTheOrderingTable) {
  const TlpType posted[] = {TlpType::kMemoryWrite};
  const TlpType non_posted[] = {TlpType::kMemoryRead, TlpType::kConfigRead, TlpType::kConfigWrite};
  const TlpType completion[] = {TlpType::kCompletion, TlpType::kCompletionData};
  for (const bool earlier_relaxed : {false, true}) {
    for (const bool relaxed : {false, true}) {
      const auto passes = [&](TlpType later, TlpType earlier, std::uint16_t tag = 2) {
        return may_pass(of_type(later, relaxed, 1, tag), of_type(earlier, earlier_relaxed));
      };
      for (const TlpType w : posted) {
        EXPECT_EQ(passes(w, w), relaxed);
        for (const TlpType n : non_posted) {
          EXPECT_TRUE(passes(w, n));
          EXPECT_FALSE(passes(n, w));
        }
        for (const TlpType c : completion) {
          EXPECT_TRUE(passes(w, c));
          EXPECT_EQ(passes(c, w), relaxed);
        }
      }
      for (const TlpType n : non_posted) {
        for (const TlpType other : non_posted) EXPECT_TRUE(passes(n, other));
        for (const TlpType c : completion) {
          EXPECT_TRUE(passes(n, c));
          EXPECT_TRUE(passes(c, n));
        }
      }
      for (const TlpType c : completion) {
        for (const TlpType other : completion) {
          EXPECT_TRUE(passes(c, other, 2));
          EXPECT_FALSE(passes(c, other, 1));  // of one request
        }
      }
    }
  }
  // The same tag of another requester is another request.
  EXPECT_TRUE(may_pass(of_type(TlpType::kCompletionData, false, 2, 1),
                       of_type(TlpType::kCompletionData, false, 1, 1)));
}

constexpr std::uint64_t kHigh = 0x1'0000'0000;  // needs the header with a 64-bit address

double gigabytes(double efficiency) {
  const Rate rate = LinkConfig{}.rate();
  return efficiency * static_cast<double>(rate.numerator()) /
         static_cast<double>(rate.denominator()) / 8e9;
}

// Max payload 256, max read request 512, generation 5 x16.
TEST(Efficiency, IsThatOfTheClosedForms) {
  const CompletionRule large{CompletionSplit::kMaxPayload, 256, 64};
  const CompletionRule small{CompletionSplit::kBoundary, 256, 64};
  const std::tuple<std::uint64_t, double, double> table[] = {
      {64, 45.83, 48.01}, {128, 53.07, 54.50}, {256, 57.61, 58.45}, {4096, 57.61, 58.45}};
  for (const auto& [bytes, write, read] : table) {
    EXPECT_NEAR(gigabytes(write_efficiency(kHigh, bytes, 256)), write, 0.005);
    EXPECT_NEAR(gigabytes(read_efficiency(kHigh, bytes, 512, large).down), read, 0.005);
    EXPECT_NEAR(gigabytes(read_efficiency(kHigh, bytes, 512, small).down), 48.01, 0.005);
  }
  EXPECT_DOUBLE_EQ(read_efficiency(kHigh, 4096, 512, large).up, 4096.0 / (8 * 24));
}

TEST(WireBytes, AreDataInDwordsAndOverheadAPiece) {
  const CompletionRule rule{CompletionSplit::kMaxPayload, 256, 64};
  for (std::uint64_t bytes = 1; bytes <= 4096; ++bytes) {
    const std::uint64_t data = (bytes + 3) / 4 * 4;
    const std::uint64_t pieces = (bytes + 255) / 256;
    ASSERT_EQ(write_wire_bytes(kHigh, bytes, 256), data + 24 * pieces);
    ASSERT_EQ(write_wire_bytes(0, bytes, 256), data + 20 * pieces);
    ASSERT_EQ(read_up_bytes(kHigh, bytes, 512), 24 * ((bytes + 511) / 512));
    ASSERT_EQ(read_down_bytes(kHigh, bytes, 512, rule), data + 20 * pieces);
  }
  // 255 B up to the dword, 1 B behind it.
  EXPECT_EQ(write_wire_bytes(kHigh + 1, 256, 256), 24U + 256 + 24 + 4);
  // A request on each side of the 4 KiB boundary, where addresses become long too.
  EXPECT_EQ(write_wire_bytes(kHigh - 64, 128, 256), 20U + 64 + 24 + 64);
  EXPECT_EQ(read_up_bytes(kHigh - 64, 128, 512), 20U + 24);
  // No byte: one request, one completion of a dword that means nothing.
  EXPECT_EQ(read_up_bytes(kHigh, 0, 512), 24U);
  EXPECT_EQ(read_down_bytes(kHigh, 0, 512, rule), 24U);
}

}  // namespace
}  // namespace railyard::pcie
