// The worst case of a pause, played byte by byte between two stations on simulated times, into a
// shared buffer. It shares no formula with exact_headroom.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <ostream>
#include <vector>

#include "hw/eth_switch/headroom.h"
#include "hw/eth_switch/shared_buffer.h"
#include "tlm/sim/random.h"

namespace railyard {

std::ostream& operator<<(std::ostream& out, const LosslessLine& line) {
  return out << line.rate.bits_per_second() / 1e9 << "G, " << line.propagation << " ps, frames to "
             << line.largest_frame << " and " << line.largest_lossless_frame << ", cells of "
             << line.cell << ", decision " << line.decision_delay;
}

namespace {

constexpr Time kPreamble = 8;  // bytes
constexpr Time kGap = 12;

class Exchange {
 public:
  explicit Exchange(const LosslessLine& line)
      : line_(line), byte_(line.rate.time_of(1)), interface_(line.interface_delay * byte_) {}

  /// When the peer may last begin a frame, if our count crossed the threshold at 0, our transmitter
  /// began its largest frame when XOFF was ready to go, and the peer responds at its limit.
  Time last_begin() const {
    Time now = line_.decision_delay;
    now += (kPreamble + line_.largest_frame + kGap) * byte_;  // the frame just begun
    now += (kPreamble + 64) * byte_;                          // XOFF
    now += transmit_side() + line_.propagation + receive_side();
    return now + static_cast<Time>(line_.response_quanta) * 64 * byte_;
  }

  /// Frames that the peer begins; `choose` gives the size of the next from the time that is left
  /// to begin another, in bytes; 0: wait a byte.
  std::vector<std::uint32_t> frames(const std::function<std::uint32_t(Time)>& choose) const {
    std::vector<std::uint32_t> sizes;
    const Time stop = last_begin();
    // what our receiver counts at 0 left the peer's transmitter so much earlier
    Time now = -(transmit_side() + line_.propagation + receive_side());
    now += (line_.counted_whole ? kGap : -kPreamble) * byte_;
    while (now <= stop) {
      const std::uint32_t size = choose((stop - now) / byte_);
      if (size != 0) sizes.push_back(size);
      now += size == 0 ? byte_ : (kPreamble + size + kGap) * byte_;
    }
    return sizes;
  }

  /// `odd` first (if any), then frames of `small`, and the largest at the last moment.
  std::vector<std::uint32_t> arranged(std::uint32_t odd, std::uint32_t small) const {
    bool first = odd != 0;
    return frames([&](Time left) {
      const std::uint32_t next = first ? odd : small;
      first = false;
      return left < kPreamble + next + kGap ? line_.largest_lossless_frame : next;
    });
  }

 private:
  // A side's interface delay, split unevenly between its directions.
  Time transmit_side() const { return interface_ / 3; }
  Time receive_side() const { return interface_ - interface_ / 3; }

  LosslessLine line_;
  Time byte_;
  Time interface_;
};

std::uint64_t cells_of(const LosslessLine& line, const std::vector<std::uint32_t>& sizes) {
  std::uint64_t cells = 0;
  for (const std::uint32_t size : sizes) cells += (size + line.cell - 1) / line.cell;
  return cells;
}

std::vector<std::uint32_t> worst_frames(const LosslessLine& line) {
  const Exchange exchange(line);
  const std::uint32_t largest = line.largest_lossless_frame;
  std::vector<std::uint32_t> worst;
  for (const std::uint32_t small : {64U, std::min(line.cell + 1, largest)}) {
    for (const std::uint32_t odd : {0U, 64U, line.cell + 1, 2 * line.cell + 1}) {
      if (odd > largest) continue;
      auto sizes = exchange.arranged(odd, small);
      if (cells_of(line, sizes) > cells_of(line, worst)) worst = std::move(sizes);
    }
  }
  return worst;
}

/// Frames dropped by a buffer whose group stands exactly at its threshold when the largest frame
/// comes, and then `sizes`.
std::uint64_t drops(const LosslessLine& line, std::uint64_t headroom,
                    const std::vector<std::uint32_t>& sizes) {
  constexpr std::uint32_t kShared = 64;  // of which alpha = 1 lets one group have half
  SharedBufferShape shape;
  shape.cell = line.cell;
  shape.cells = static_cast<std::uint32_t>(headroom) + kShared;
  shape.ports.resize(1);
  shape.ports[0].groups[3] = {true, Alpha{0}, 0, static_cast<std::uint32_t>(headroom), 0};
  SharedBuffer buffer(shape);
  const PortClass place{0, 3};
  for (std::uint32_t i = 0; i < kShared / 2; ++i)
    EXPECT_TRUE(buffer.admit(place, place, 64).accepted);
  EXPECT_FALSE(buffer.paused(place));
  EXPECT_TRUE(buffer.admit(place, place, line.largest_lossless_frame).xoff);
  std::uint64_t dropped = 0;
  for (const std::uint32_t size : sizes)
    dropped += buffer.admit(place, place, size).accepted ? 0 : 1;
  EXPECT_EQ(buffer.check(), std::nullopt);
  return dropped;
}

constexpr unsigned kSpeeds[] = {10, 25, 40, 50, 100, 200, 400, 800};
constexpr unsigned kMetres[] = {1, 3, 40, 300, 2000};
constexpr std::uint32_t kCells[] = {64, 65, 84, 96, 128, 147, 148, 192, 208, 256, 512};
struct Frames {
  std::uint32_t any, lossless;
};
constexpr Frames kFrames[] = {{1518, 1518}, {9216, 1518}, {9216, 4178}, {9216, 9216}, {1518, 64}};

void for_each_line(const std::function<void(LosslessLine&)>& visit) {
  for (const unsigned speed : kSpeeds) {
    for (const unsigned length : kMetres) {
      for (const Frames frames : kFrames) {
        for (const std::uint32_t cell : kCells) {
          LosslessLine line;
          line.rate = Rate::gbps(speed);
          line.propagation = length * 5 * kNanosecond;
          line.largest_frame = frames.any;
          line.largest_lossless_frame = frames.lossless;
          line.cell = cell;
          line.response_quanta = *standard_response_quanta(line.rate);
          line.decision_delay = cell % 3 == 0 ? 12'345 : 0;
          visit(line);
        }
      }
    }
  }
}

TEST(HeadroomWorstCase, NothingIsDroppedAtTheExactHeadroomAndSomethingTwoCellsBelow) {
  for_each_line([](LosslessLine& line) {
    SCOPED_TRACE(testing::Message() << line);
    const std::uint64_t headroom = exact_headroom(line);
    const auto sizes = worst_frames(line);
    ASSERT_EQ(drops(line, headroom, sizes), 0U);
    ASSERT_GT(drops(line, headroom - 2, sizes), 0U);
  });
}

TEST(HeadroomWorstCase, CountedInCellsItIsExactToACell) {
  for_each_line([](LosslessLine& line) {
    SCOPED_TRACE(testing::Message() << line);
    line.counted_whole = false;
    const std::uint64_t arrived = cells_of(line, worst_frames(line));
    ASSERT_LE(arrived, exact_headroom(line));
    ASSERT_GE(arrived + 1, exact_headroom(line));
  });
}

TEST(HeadroomWorstCase, NoRandomPeerExceedsIt) {
  RandomStream random(7, "peer");
  for_each_line([&](LosslessLine& line) {
    SCOPED_TRACE(testing::Message() << line);
    if (line.propagation > kMicrosecond) return;  // as the others, but long
    const std::uint32_t spread = line.largest_lossless_frame - 63;
    const std::uint64_t idle = random.below(3);
    const std::uint64_t small = random.below(4);
    const auto sizes = Exchange(line).frames([&](Time left) -> std::uint32_t {
      if (left < 84) return line.largest_lossless_frame;
      if (random.below(8) < idle) return 0;
      if (random.below(4) < small) return 64;
      return 64 + static_cast<std::uint32_t>(random.below(spread));
    });
    ASSERT_EQ(drops(line, exact_headroom(line), sizes), 0U);
  });
}

}  // namespace
}  // namespace railyard
