#include "hw/congestion/qp_context.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace railyard {
namespace {

/// Each field all ones, and nothing else.
QpCongestionContext full() {
  QpCongestionContext c;
  unsigned n = 0;
  const auto fill = [&](const char* /*name*/, auto& member, unsigned bits) {
    using Member = std::remove_reference_t<decltype(member)>;
    member = static_cast<Member>((std::uint64_t{1} << bits) - 1);
    ++n;
  };
  rtl::DcqcnContext::fields(c.reaction, fill);
  fill("", c.pacer_next, 56);
  fill("", c.np_stamp, 32);
  c.pacer_valid = c.np_valid = true;
  return c;
}

TEST(QpContext, FieldsFollowEachOtherWithoutOverlap) {
  std::array<std::uint64_t, 8> used{};
  unsigned bits = 0;
  for (const QpContextField& f : qp_context_layout()) {
    ASSERT_LT(f.word, used.size()) << f.name;
    ASSERT_LE(f.low + f.bits, 64U) << f.name;
    const std::uint64_t mask = ((std::uint64_t{1} << f.bits) - 1) << f.low;
    EXPECT_EQ(used[f.word] & mask, 0U) << f.name;
    used[f.word] |= mask;
    bits += f.bits;
  }
  // 295 of dcqcn_rp, 57 of pacer, 33 of dcqcn_np, as their READMEs say.
  EXPECT_EQ(bits, 385U);
  EXPECT_EQ(pack(full()), used);
}

TEST(QpContext, WhatIsPackedIsUnpacked) {
  EXPECT_EQ(unpack(pack(full())), full());
  QpCongestionContext c;
  c.reaction.traffic_class = 5;
  c.reaction.bytes = 0x1234'5678;
  c.reaction.alpha_at = 0xABCD'EF01'2345;
  c.reaction.target = 0x3'0000'0001;
  c.reaction.rate = 7;
  c.pacer_next = 0x12'3456'789A'BCDE;
  c.np_stamp = 99;
  EXPECT_EQ(unpack(pack(c)), c);
}

TEST(QpContext, LiesAsTheReadmeSays) {
  std::ifstream file(RAILYARD_SOURCE_DIR "/hw/README.md");
  std::stringstream readme;
  readme << file.rdbuf();
  std::string rows = "| word | bits | field |\n|---|---|---|\n";
  for (const QpContextField& f : qp_context_layout()) {
    rows += "| " + std::to_string(f.word) + " | " + std::to_string(f.low + f.bits - 1) + ":" +
            std::to_string(f.low) + " | `" + f.name + "` |\n";
  }
  EXPECT_NE(readme.str().find(rows), std::string::npos) << rows;
}

}  // namespace
}  // namespace railyard
