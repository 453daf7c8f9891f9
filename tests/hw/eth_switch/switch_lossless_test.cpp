// No lossless frame is ever dropped, whatever is offered: random switches, cables, frames and
// loads, with peers that answer a pause at the last moment that the standard allows. Stations and
// switch have no delay of MAC and PHY here, so the headroom is told so: nothing is left to spare.
#include <gtest/gtest.h>

#include "tests/hw/eth_switch/switch_bench.h"
#include "tests/support/fresh_kernel.h"

namespace railyard {
namespace {

using bench::Station;
using bench::SwitchBench;

struct LosslessCase {
  SwitchConfig config;
  std::vector<LinkConfig> links;
  std::uint32_t response = 0;
};

std::uint64_t pick(RandomStream& random, std::initializer_list<std::uint64_t> values) {
  return values.begin()[random.below(values.size())];
}

/// One rate for all ports, so that one response time is the limit of each.
LosslessCase random_case(RandomStream& random) {
  LosslessCase c;
  const std::uint64_t gbps = pick(random, {10, 25, 40, 100, 200, 400, 800});
  const std::size_t ports = 4 + random.below(9);
  for (std::size_t i = 0; i < ports; ++i) {
    // Lengths of every magnitude from 1 m to 2 km.
    const std::uint64_t magnitude = pick(random, {3, 20, 150, 2000});
    c.links.push_back(bench::link_of(gbps, 1 + random.below(magnitude)));
  }
  BufferConfig& b = c.config.buffers;
  b.cell = static_cast<std::uint32_t>(pick(random, {80, 144, 192, 208, 256}));
  b.headroom.interface_delay = 0;
  b.headroom.largest_frame = static_cast<std::uint32_t>(pick(random, {1522, 4200, 9216}));
  b.headroom.largest_lossless_frame = b.headroom.largest_frame;
  b.lossless.alpha = {static_cast<std::int8_t>(static_cast<int>(random.below(7)) - 5)};
  b.lossless.reserved = random.below(3) * 2048;
  b.pfc.priorities.clear();
  for (std::uint8_t p = 0; p < 8; ++p) {
    if (random.below(2) == 0) b.pfc.priorities.push_back(p);
  }
  if (b.pfc.priorities.empty()) b.pfc.priorities.push_back(3);
  b.pfc.latency = static_cast<std::uint32_t>(random.below(20));
  b.headroom.scope = random.below(3) == 0 ? HeadroomScope::kPort : HeadroomScope::kPriority;
  c.config.clock = static_cast<Time>(pick(random, {500, 800, 1000, 3333}));
  c.config.switching = random.below(3) == 0 ? Switching::kCutThrough : Switching::kStoreAndForward;
  c.config.arbitration = random.below(3) == 0 ? Arbitration::kPerIngress : Arbitration::kFifo;
  c.config.ecn.kmin = 20'000;
  c.config.ecn.kmax = 200'000;
  c.response = *standard_response_quanta(Rate::gbps(gbps));
  // The least buffer that the headrooms and reserves leave something of.
  std::uint64_t cells = 0;
  for (const LinkConfig& link : c.links) {
    cells += b.pfc.priorities.size() *
             (headroom_cells(b, c.config.port_line(link)) + b.lossless.reserved / b.cell + 1);
  }
  b.buffer = (cells + 200 + random.below(3000)) * b.cell;
  return c;
}

std::uint32_t frame_size(RandomStream& random, std::uint32_t largest, std::uint32_t cell) {
  switch (random.below(4)) {
    case 0:
      return 64;
    case 1:
      return std::max<std::uint32_t>(64, std::min(largest, cell + 1));
    case 2:
      return largest;
    default:
      return 64 + static_cast<std::uint32_t>(random.below(largest - 63));
  }
}

/// Bursts to random ports, or all to one, of one priority or all, at random times.
void offer(SwitchBench& b, const LosslessCase& c, RandomStream& random) {
  const std::size_t ports = c.links.size();
  const auto hot = static_cast<unsigned>(random.below(ports));
  const bool incast = random.below(2) == 0;
  const Rate rate = c.links[0].rate;
  for (unsigned from = 0; from < ports; ++from) {
    if (incast && from == hot) continue;
    Time at = 0;
    for (int burst = 0; burst < 6; ++burst) {
      const auto priority = static_cast<unsigned>(random.below(8));
      const std::uint32_t largest = c.config.buffers.headroom.largest_frame;
      const bool mixed = random.below(2) == 0;
      const std::uint32_t size = frame_size(random, largest, c.config.buffers.cell);
      auto to = incast ? hot : static_cast<unsigned>(random.below(ports));
      if (to == from) to = (to + 1) % static_cast<unsigned>(ports);
      const std::uint64_t bytes = 40'000 + random.below(200'000);
      for (std::uint64_t sent = 0; sent < bytes;) {
        const std::uint32_t length =
            mixed ? frame_size(random, largest, c.config.buffers.cell) : size;
        b.station(from).queue(b.station(from).frame_to(to, length, priority), at);
        sent += length;
      }
      if (random.below(3) == 0) at += rate.time_of(random.below(200'000));
    }
  }
  // A receiver that pauses the switch now and then, so that congestion spreads to its ingresses.
  if (random.below(2) == 0)
    b.station(hot).send_pfc(0xFF, static_cast<std::uint16_t>(2000 + random.below(20'000)));
}

std::uint64_t lossless_drops(const SwitchBench& b) {
  return static_cast<std::uint64_t>(b.metric("sw.dropped_headroom"));
}

void try_cases(std::uint64_t first_seed, int count) {
  std::uint64_t paused = 0;
  for (int i = 0; i < count; ++i) {
    const support::FreshKernel kernel;
    RandomStream random(first_seed + static_cast<std::uint64_t>(i), "lossless");
    const LosslessCase c = random_case(random);
    SCOPED_TRACE("seed " + std::to_string(first_seed + static_cast<std::uint64_t>(i)));
    SwitchBench b(c.config, c.links, c.response);
    for (auto& station : b.stations) station->keeps = false;
    offer(b, c, random);
    // An overflow, or accounts that do not add up, would throw.
    ASSERT_EQ(b.run(), RunEnd::kDrained);
    ASSERT_EQ(lossless_drops(b), 0U);
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    for (auto& station : b.stations) {
      sent += station->sent;
      received += station->received;
    }
    const auto dropped = static_cast<std::uint64_t>(b.metric("sw.dropped_frames"));
    ASSERT_GT(received, 0U);
    ASSERT_LE(received + dropped, sent);  // PFC frames of a station are sent and go no further
    ASSERT_GE(received + dropped + 1, sent);
    paused += b.device->pause_log().sent().size();
  }
  EXPECT_GT(paused, static_cast<std::uint64_t>(count));  // it was put to the test
}

TEST(SwitchLossless, NoOfferedLoadDropsALosslessFrame) { try_cases(1, 60); }
TEST(SwitchLossless, NoOfferedLoadDropsALosslessFrameOtherSeeds) { try_cases(1000, 60); }

}  // namespace
}  // namespace railyard
