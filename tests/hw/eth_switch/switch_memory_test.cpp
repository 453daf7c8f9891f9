// What queued frames take of the host's memory.
#include <sys/resource.h>

#include "tests/hw/eth_switch/switch_tools.h"

namespace railyard {
namespace {

using bench::link_of;
using bench::SwitchBench;

#ifdef __SANITIZE_ADDRESS__
constexpr bool kShadowed = true;
#else
constexpr bool kShadowed = false;
#endif

constexpr unsigned kManyPorts = 64;

std::uint64_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

/// Fills 64 ports, all paused by their peers, with `each` elided frames of 200 B; peak RSS then.
std::uint64_t peak_with_queued(std::uint64_t each, Bytes buffer) {
  SwitchConfig config;
  config.buffers.buffer = buffer;
  config.buffers.lossy.alpha = config.buffers.lossy.queue_alpha = {3};
  config.buffers.pfc.response_quanta = 0;
  config.ecn.enabled = false;
  SwitchBench bench(config, std::vector<LinkConfig>(kManyPorts, link_of(400, 3)));
  std::vector<std::uint64_t> left(kManyPorts, each);
  std::vector<std::unique_ptr<bench::Timer>> starts;
  for (unsigned s = 0; s < kManyPorts; ++s) {
    auto& station = bench.station(s);
    // Frames are made when they are sent: only those in the switch take memory.
    const auto send = [&bench, &station, &left, s] {
      if (left[s] == 0) return;
      --left[s];
      Ref<net::Packet> packet = bench.partition.packets().packets.acquire();
      packet->frame = station.frame_to((s + 1) % kManyPorts, 200, 0);
      packet->id = station.sent++;
      packet->seal();
      EXPECT_TRUE(packet->elided());
      station.stub.send_now(*packet);
    };
    std::array<std::uint16_t, 8> quanta{};
    quanta.fill(0xFFFF);
    const auto pause = [&bench, &station, quanta] {
      Ref<net::Packet> packet = bench.partition.packets().packets.acquire();
      packet->frame = net::pfc_frame({}, 0xFF, quanta);
      packet->id = station.sent++;
      packet->seal();
      station.stub.send_now(*packet);
    };
    // A pause lasts 83 us, 1,890 frames of the line: one goes before each 1,000 frames.
    station.stub.on_line = [&left, s, send, pause](const PacketPhase& phase) {
      if (phase.kind != PacketPhase::Kind::kTransmitDone) return;
      static_cast<void>(left[s] % 1000 == 1 ? (--left[s], pause()) : send());
    };
    starts.push_back(std::make_unique<bench::Timer>(bench.partition, 0, pause));
  }
  const Time fill = Rate::gbps(400).time_of(each * 220) + 5 * kMicrosecond;
  bench.simulation.run(fill);
  std::uint64_t held = 0;
  for (unsigned s = 0; s < kManyPorts; ++s) {
    held += bench.device->port(static_cast<PortId>(s)).held_frames();
  }
  EXPECT_GE(held, (each - each / 1000 - 1) * kManyPorts);
  EXPECT_EQ(bench.metric("sw.dropped_frames"), 0);
  EXPECT_EQ(bench.device->check(), std::nullopt);
  return peak_bytes();
}

TEST(SwitchMemory, A64PortSwitchWith10000QueuedFramesTakesLessThan64MB) {
  if (kShadowed) GTEST_SKIP() << "the sanitizer's own memory counts";
  const std::uint64_t peak = peak_with_queued(157, kibibytes(65'536));
  RecordProperty("peak_bytes", std::to_string(peak));
  EXPECT_LT(peak, 64'000'000U);
}

TEST(SwitchMemory, A640000FramesTakeLessThan600BytesEach) {
  if (kShadowed) GTEST_SKIP() << "the sanitizer's own memory counts";
  const std::uint64_t before = peak_bytes();
  const std::uint64_t peak = peak_with_queued(10'000, kibibytes(524'288));
  RecordProperty("peak_bytes", std::to_string(peak));
  EXPECT_LT((peak - before) / 640'000, 600U);
}

}  // namespace
}  // namespace railyard
