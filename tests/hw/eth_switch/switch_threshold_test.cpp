// The dynamic threshold on ports: groups that are held up at a paused egress settle at
// alpha * S / (1 + n * alpha).
#include <cmath>

#include "tests/hw/eth_switch/switch_tools.h"
#include "tests/support/fresh_kernel.h"

namespace railyard {
namespace {

using bench::link_of;
using bench::SwitchBench;

constexpr std::uint32_t kThresholdFrame = 1518;
constexpr std::uint64_t kThresholdCells = 8;

/// n stations flood one port whose peer has paused their priority, and each group is compared.
void expect_settled(unsigned groups, int exponent) {
  SCOPED_TRACE(testing::Message() << groups << " groups, alpha 2^" << exponent);
  const support::FreshKernel kernel;
  SwitchConfig config;
  config.buffers.lossless.alpha = {static_cast<std::int8_t>(exponent)};
  config.buffers.pfc.response_quanta = 0;
  config.buffers.buffer = kibibytes(7168);
  bench::OpenBuffers open;
  SwitchBench bench(config, std::vector<LinkConfig>(groups + 1, link_of(100, 1)), 0, {},
                    open.stages());
  const SharedBuffer& buffer = *open.buffers.at(0);
  const double alpha = std::ldexp(1.0, exponent);
  const double shared = buffer.shared_cells();
  const double settled = alpha * shared / (1 + groups * alpha);
  const auto frames = static_cast<int>(settled / kThresholdCells) + 500;
  for (unsigned from = 0; from < groups; ++from) {
    auto& station = bench.station(from);
    for (int i = 0; i < frames; ++i) station.queue(station.frame_to(groups, kThresholdFrame, 3));
  }
  const bench::PauseStorm storm(bench, bench.station(groups), 1U << 3, 0xFFFF, 0,
                                200 * kMicrosecond, 900 * kMicrosecond);
  EXPECT_EQ(bench.run(kMillisecond), RunEnd::kUntil);
  const double margin = std::max<double>(0.02 * settled, kThresholdCells);
  for (unsigned from = 0; from < groups; ++from) {
    const PortClass group{static_cast<std::uint16_t>(from), 3};
    EXPECT_NEAR(buffer.shared_used(group), settled, margin) << "port " << from;
    EXPECT_TRUE(buffer.paused(group));
  }
  EXPECT_EQ(bench.station(groups).received, 0U);
  EXPECT_EQ(bench.metric("sw.dropped_frames"), 0);
}

TEST(SwitchThreshold, OneTo32GroupsSettleAtTheClosedFormForEightAlphas) {
  for (const int exponent : {-7, -5, -3, -2, -1, 0, 1, 3}) {
    for (unsigned n = 1; n <= 32; n += n < 4 ? 1 : n < 16 ? 4 : 8) expect_settled(n, exponent);
  }
}

TEST(SwitchThreshold, EveryNumberOfGroupsTo32SettlesAtAlphaOneEighth) {
  for (unsigned n = 1; n <= 32; ++n) expect_settled(n, -3);
}

}  // namespace
}  // namespace railyard
