// The worst case of a pause, arranged on the device: it fits into the exact headroom, and not into
// two cells less. Frames fill the group exactly to its threshold; the largest frame crosses it just
// after a clock edge; our port begins its own largest frame just before it wishes to send XOFF; the
// peer sends the densest frames until the pause acts, and begins a largest one at the last moment.
#include <gtest/gtest.h>

#include <ostream>

#include "tests/hw/eth_switch/switch_bench.h"
#include "tests/support/fresh_kernel.h"

namespace railyard {
namespace {

constexpr std::uint32_t kJumbo = 9216;
constexpr std::uint32_t kSmall = 64;         // the densest in cells of 192 B
constexpr std::uint32_t kSharedCells = 400;  // of which alpha 1 lets one group have half
constexpr unsigned kPriority = 3;

struct Line {
  std::uint64_t gbps;
  std::uint64_t length_m;
};

std::ostream& operator<<(std::ostream& out, const Line& line) {
  return out << line.gbps << "G, " << line.length_m << " m";
}

class Arrangement {
 public:
  explicit Arrangement(Line line)
      : link_(bench::link_of(line.gbps, line.length_m)),
        response_(*standard_response_quanta(link_.rate)) {
    BufferConfig& b = config_.buffers;
    b.lossless.alpha = {0};
    b.lossy.reserved = kJumbo;       // our own frame takes nothing from the shared cells
    b.headroom.interface_delay = 0;  // stations and switch have none
    exact_ = headroom_cells(b, config_.port_line(link_));
    b.headroom.rule = HeadroomRule::kByHand;
  }

  std::uint64_t exact() const { return exact_; }

  /// Frames lost with a headroom of so many cells, at the worst that the peer can do.
  double lost(std::uint64_t headroom) {
    Play play{headroom, kStart, {}, 1000};
    // Alone, to see when the threshold is crossed: that shall be just after a clock edge.
    Time crossed = run(play).crossed;
    play.start += (config_.clock + 1 - crossed % config_.clock) % config_.clock;
    const Seen seen = run(play);
    EXPECT_EQ(seen.crossed % config_.clock, 1);
    // XOFF left an idle port: it was wished then. Our own frame begins 1 ps earlier.
    play.own_begins = seen.xoff_left - 1;
    const Seen with_own = run(play);
    // As many small frames as the peer can begin, and a largest one.
    const Time gap = link_.rate.time_of(net::line_bytes(kSmall));
    const Time first_small = seen.crossed - link_.propagation() + link_.rate.time_of(12);
    const Time acts = with_own.xoff_came + link_.rate.time_of(64ULL * response_);
    const auto fit = static_cast<int>((acts - first_small) / gap);
    double most = 0;
    for (int small = fit - 2; small <= fit + 2; ++small) {
      play.small = small;
      most = std::max(most, run(play).lost);
    }
    return most;
  }

 private:
  static constexpr Time kStart = 20 * kMicrosecond;

  struct Play {
    std::uint64_t headroom;
    Time start;
    std::optional<Time> own_begins;
    int small;
  };
  struct Seen {
    Time crossed = 0;
    Time xoff_left = 0;
    Time xoff_came = 0;
    double lost = 0;
  };

  Seen run(const Play& play) {
    const support::FreshKernel kernel;
    SwitchConfig config = config_;
    BufferConfig& b = config.buffers;
    b.headroom.size = play.headroom * b.cell;
    constexpr std::uint64_t kCables = 3;
    constexpr std::uint64_t kLossyGroups = 7;
    b.buffer = (kCables * (play.headroom + kLossyGroups * kJumbo / b.cell) + kSharedCells) * b.cell;
    bench::SwitchBench bench(config, {link_, link_, link_}, response_);
    bench.station(1).send_pfc(1U << kPriority, 0xFFFF);  // nothing leaves
    bench::Station& peer = bench.station(0);
    const auto send = [&](int count, std::uint32_t bytes) {
      for (int i = 0; i < count; ++i) peer.queue(peer.frame_to(1, bytes, kPriority), play.start);
    };
    send(kSharedCells / 2, kSmall);
    send(1, kJumbo);
    send(play.small, kSmall);
    send(1, kJumbo);
    send(1000, kSmall);
    if (play.own_begins) {
      bench::Station& other = bench.station(2);
      other.queue(other.frame_to(0, kJumbo, 0), *play.own_begins - time_to_egress());
    }
    bench.run(play.start + 80 * kMicrosecond);

    Seen seen;
    seen.lost = bench.metric("sw.dropped_headroom");
    seen.crossed = bench.device->pause_log().sent().front().begin;
    seen.xoff_came = peer.control.front().first;
    seen.xoff_left = seen.xoff_came - link_.propagation() - link_.rate.time_of(8 + 64);
    return seen;
  }

  /// From a largest frame's launch by its station to its launch by the switch.
  Time time_to_egress() const {
    const PipelineConfig& p = config_.pipeline;
    const std::uint32_t cycles = p.mac.latency + p.parser.latency + p.ingress.latency +
                                 p.buffer.latency + p.scheduler.latency + p.egress.latency;
    return link_.rate.time_of(8 + kJumbo) + link_.propagation() + config_.clock * cycles;
  }

  SwitchConfig config_;
  LinkConfig link_;
  std::uint32_t response_;
  std::uint64_t exact_ = 0;
};

class SwitchHeadroom : public ::testing::TestWithParam<Line> {};

TEST_P(SwitchHeadroom, TheExactOneHoldsTheWorstCase) {
  Arrangement arrangement(GetParam());
  EXPECT_EQ(arrangement.lost(arrangement.exact()), 0);
}

TEST_P(SwitchHeadroom, TwoCellsLessDropInTheWorstCase) {
  Arrangement arrangement(GetParam());
  EXPECT_GT(arrangement.lost(arrangement.exact() - 2), 0);
}

INSTANTIATE_TEST_SUITE_P(Lines, SwitchHeadroom,
                         ::testing::Values(Line{100, 1}, Line{100, 300}, Line{400, 1},
                                           Line{400, 40}, Line{400, 2000}, Line{800, 100}),
                         [](const auto& line) {
                           return std::to_string(line.param.gbps) + "G" +
                                  std::to_string(line.param.length_m) + "m";
                         });

}  // namespace
}  // namespace railyard
