// Many bytes over a link at one rate. The time of every frame is compared with the exact rational
// by the link's checker, and that of the last one here.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "tests/support/link_bench.h"

namespace railyard::support {

/// A rate as numerator and denominator of bits a second.
class LinkRates : public testing::TestWithParam<std::pair<std::uint64_t, std::uint64_t>> {
 protected:
  static Rate rate() { return {GetParam().first, GetParam().second}; }
};

/// Ethernet's, and PCIe Gen5 x16's.
inline auto every_rate() {
  constexpr std::uint64_t kG = 1'000'000'000;
  return testing::Values(std::pair(25 * kG, 1), std::pair(100 * kG, 1), std::pair(400 * kG, 1),
                         std::pair(800 * kG, 1), std::pair(1600 * kG, 1),
                         std::pair(32 * kG * 16 * 128, 130));
}

inline void expect_no_drift(const Rate& rate, std::uint64_t bytes) {
  LinkConfig config;
  config.rate = rate;
  config.length = Length{0};
  LinkBench bench(config);
  Time last = 0;
  bench.right.on_packet = [&](net::Packet&, const PacketPhase& phase) { last = phase.last_bit; };
  constexpr std::uint64_t kLineBytes = 8 + 9018 + 12;
  const std::uint64_t frames = bytes / kLineBytes + 1;
  bench.run(frames, 9000);
  __extension__ using Wide = unsigned __int128;
  const Wide num = Wide{frames * kLineBytes - 12} * 8'000'000'000'000ULL * rate.denominator();
  EXPECT_EQ(last, static_cast<Time>((num * 2 + rate.numerator()) / (Wide{rate.numerator()} * 2)));
}

}  // namespace railyard::support
