// Slices of the buffer, numbers of ports, and rates.
#include "tests/hw/eth_switch/switch_tools.h"
#include "tests/support/fresh_kernel.h"
#include "tlm/base/error.h"

namespace railyard {
namespace {

using bench::link_of;
using bench::SwitchBench;

/// Cells that lossy floods from `sources` to the paused port 3 of four hold in the end, by source.
std::vector<std::uint32_t> held(std::uint32_t slices, const std::vector<unsigned>& sources) {
  const support::FreshKernel kernel;
  SwitchConfig config;
  config.slices = slices;
  config.buffers.buffer = kibibytes(1024);
  config.buffers.pfc.enabled = false;
  config.buffers.lossy.alpha = {0};
  config.buffers.lossy.queue_alpha = {3};
  config.ecn.enabled = false;
  bench::OpenBuffers open;
  SwitchBench bench(config, std::vector<LinkConfig>(4, link_of(100, 1)), 0, {}, open.stages());
  EXPECT_EQ(open.buffers.size(), slices);
  const bench::AccountWatch accounts(bench);
  for (const unsigned s : sources) {
    for (int i = 0; i < 800; ++i) bench.station(s).queue(bench.station(s).frame_to(3, 1500, 0));
  }
  bench.station(3).send_pfc(1, 0xFFFF);
  bench.run(200 * kMicrosecond);
  std::vector<std::uint32_t> cells;
  for (const unsigned s : sources) {
    const SharedBuffer& buffer = *open.buffers[s * slices / 4];
    cells.push_back(buffer.shared_used(PortClass{static_cast<std::uint16_t>(s), 0}));
  }
  return cells;
}

TEST(SwitchSlices, AFrameSeesTheShareOfItsIngressSliceAlone) {
  constexpr double kAllCells = 1024 * 1024 / 192.0;
  // With alpha 1 one group takes half, two take a third each.
  EXPECT_NEAR(held(1, {0})[0], kAllCells / 2, 8);
  EXPECT_NEAR(held(2, {0})[0], kAllCells / 4, 8);
  EXPECT_NEAR(held(4, {0})[0], kAllCells / 8, 8);
  for (const std::uint32_t cells : held(2, {0, 1})) EXPECT_NEAR(cells, kAllCells / 6, 8);
  for (const std::uint32_t cells : held(2, {0, 2})) EXPECT_NEAR(cells, kAllCells / 4, 8);
  for (const std::uint32_t cells : held(1, {0, 2})) EXPECT_NEAR(cells, kAllCells / 3, 8);
}

// Lossless frames from one slice to the other: headroom and pause are the ingress slice's.
TEST(SwitchSlices, LosslessFramesPauseAndCrossSlices) {
  SwitchConfig config;
  config.slices = 2;
  config.buffers.buffer = kibibytes(3072);
  SwitchBench bench(config, std::vector<LinkConfig>(4, link_of(100, 10)), 394);
  const bench::AccountWatch accounts(bench);
  for (const unsigned s : {0U, 1U, 2U}) {
    for (int i = 0; i < 1500; ++i) bench.station(s).queue(bench.station(s).frame_to(3, 1500, 3));
  }
  EXPECT_EQ(bench.run(), RunEnd::kDrained);
  EXPECT_EQ(bench.station(3).received, 4500U);
  EXPECT_GT(bench.metric("sw.port0.pfc_xoff_sent"), 0);
  EXPECT_EQ(bench.metric("sw.dropped_frames"), 0);
}

TEST(SwitchSlices, FourTo512PortsCarryFramesBetweenAllNeighbours) {
  for (const std::size_t ports : {4U, 5U, 128U, 512U}) {
    for (const std::uint32_t slices : {1U, 3U}) {
      SCOPED_TRACE(testing::Message() << ports << " ports, " << slices << " slices");
      const support::FreshKernel kernel;
      SwitchConfig config;
      config.slices = slices;
      config.arbitration = Arbitration::kPerIngress;
      config.buffers.buffer = kibibytes(131'072);
      SwitchBench bench(config, std::vector<LinkConfig>(ports, link_of(100, 1)));
      for (unsigned s = 0; s < ports; ++s) {
        auto& station = bench.station(s);
        for (unsigned i = 1; i <= 3; ++i) {
          station.queue(station.frame_to((s + i) % static_cast<unsigned>(ports), 1000, 3));
        }
      }
      EXPECT_EQ(bench.run(), RunEnd::kDrained);
      for (const auto& station : bench.stations) ASSERT_EQ(station->received, 3U);
    }
  }
}

TEST(SwitchSlices, RatesFrom10GTo800GNeedNothingMore) {
  for (const std::uint64_t gbps : {10, 25, 40, 50, 100, 200, 400, 800}) {
    const support::FreshKernel kernel;
    SwitchBench bench(SwitchConfig{}, {link_of(gbps, 3), link_of(gbps, 3)});
    bench.station(0).queue(bench.station(0).frame_to(1, 9216, 3));
    EXPECT_EQ(bench.run(), RunEnd::kDrained);
    EXPECT_EQ(bench.station(1).received, 1U);
  }
}

TEST(SwitchSlices, At1600GResponseTimesMustBeWritten) {
  const auto attempt = [](const SwitchConfig& config) -> std::string {
    const support::FreshKernel kernel;
    try {
      SwitchBench bench(config, {link_of(1600, 3), link_of(1600, 3)});
      bench.station(0).queue(bench.station(0).frame_to(1, 9216, 3));
      EXPECT_EQ(bench.run(), RunEnd::kDrained);
      EXPECT_EQ(bench.station(1).received, 1U);
    } catch (const ConfigError& error) {
      EXPECT_NE(error.problem().find("1.6Tbps"), std::string::npos) << error.what();
      return error.remedy();
    }
    return "";
  };
  SwitchConfig config;
  EXPECT_NE(attempt(config).find("headroom.response_quanta"), std::string::npos);
  config.buffers.headroom.response_quanta = 1800;
  EXPECT_NE(attempt(config).find("pfc.response_quanta"), std::string::npos);
  config.buffers.pfc.response_quanta = 1800;
  EXPECT_EQ(attempt(config), "");
}

}  // namespace
}  // namespace railyard
