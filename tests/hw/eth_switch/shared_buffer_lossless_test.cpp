// Peers that keep to the bound of exact_headroom never lose a lossless frame, wherever the moving
// threshold stands, and each pause ends.
#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "hw/eth_switch/headroom.h"
#include "hw/eth_switch/shared_buffer.h"
#include "tlm/sim/random.h"

namespace railyard {
namespace {

constexpr std::size_t kLosslessPorts = 4;
constexpr std::uint32_t kCellBytes = 192;
constexpr std::uint32_t kLargestFrame = 9216;
constexpr std::uint32_t kLargestCells = kLargestFrame / kCellBytes;
constexpr PortClass kAnyOut{0, 0};

std::uint32_t headroom() {
  LosslessLine line;
  line.rate = Rate::gbps(10);
  line.propagation = 15 * kNanosecond;
  line.response_quanta = 67;
  static const auto cells = static_cast<std::uint32_t>(exact_headroom(line));
  return cells;
}

/// Groups 0 and 1 lossy, the others lossless.
SharedBufferShape random_shape(RandomStream& random, bool pooled) {
  SharedBufferShape shape;
  shape.cell = kCellBytes;
  shape.ports.resize(kLosslessPorts);
  shape.cells = static_cast<std::uint32_t>(random.below(2000));
  for (PortShape& port : shape.ports) {
    for (std::uint8_t c = 0; c < 8; ++c) {
      const Alpha alpha{static_cast<std::int8_t>(static_cast<int>(random.below(11)) - 7)};
      port.groups[c] = {c >= 2, alpha, static_cast<std::uint32_t>(random.below(10)), headroom(),
                        static_cast<std::uint32_t>(random.below(40))};
      shape.cells += port.groups[c].reserved + (c >= 2 ? headroom() : 0);
    }
    if (pooled) port.headroom_pool = 6 * headroom();
    port.queue_alpha.fill(Alpha{3});
  }
  return shape;
}

/// One peer's priority: sends what it likes until it is paused, and then at most what the headroom
/// was computed for, without the crossing frame.
class Source {
 public:
  Source(SharedBuffer& buffer, PortClass in) : buffer_(buffer), in_(in) {}

  void send(RandomStream& random) {
    const bool small = random.below(2) == 0;
    const auto bytes =
        static_cast<std::uint32_t>(small ? 64 : 64 + random.below(kLargestFrame - 63));
    const std::uint32_t cells = buffer_.cells_of(bytes);
    const bool was_paused = buffer_.paused(in_);
    if (was_paused && cells > budget_) return;
    const Admission result = buffer_.admit(in_, kAnyOut, bytes);
    EXPECT_TRUE(result.accepted || in_.index < 2);
    if (result.accepted) frames_.push_back(cells);
    if (was_paused) budget_ -= cells;
    if (result.xoff) budget_ = headroom() - kLargestCells;
    pauses_ += result.xoff ? 1 : 0;
  }
  void drain() {
    if (frames_.empty()) return;
    const bool xon = buffer_.release(in_, kAnyOut, frames_.front());
    frames_.pop_front();
    EXPECT_EQ(xon, pauses_ != resumes_ && !buffer_.paused(in_));
    resumes_ += xon ? 1 : 0;
    EXPECT_TRUE(!frames_.empty() || !buffer_.paused(in_)) << "paused without a frame";
  }
  bool empty() const { return frames_.empty(); }
  std::uint64_t pauses() const { return pauses_; }
  std::uint64_t resumes() const { return resumes_; }

 private:
  SharedBuffer& buffer_;
  PortClass in_;
  std::deque<std::uint32_t> frames_;
  std::uint32_t budget_ = 0;
  std::uint64_t pauses_ = 0, resumes_ = 0;
};

std::vector<Source> sources_of(SharedBuffer& buffer) {
  std::vector<Source> sources;
  for (std::uint16_t p = 0; p < kLosslessPorts; ++p) {
    for (std::uint8_t c = 0; c < 8; ++c) sources.emplace_back(buffer, PortClass{p, c});
  }
  return sources;
}

void play(std::uint64_t seed, bool pooled) {
  RandomStream random(seed, "sources");
  SharedBuffer buffer(random_shape(random, pooled));
  std::vector<Source> sources = sources_of(buffer);
  std::uint64_t pauses = 0;
  for (int i = 0; i < 20'000; ++i) {
    // spells in which one group is stuck, so that others move the threshold under it
    const std::size_t stuck = static_cast<std::size_t>(i / 1000) % sources.size();
    sources[random.below(sources.size())].send(random);
    const std::size_t served = random.below(sources.size());
    if (served != stuck && i % 2000 < 1500) sources[served].drain();
    if (i % 100 == 0) {
      ASSERT_EQ(buffer.check(), std::nullopt);
    }
  }
  for (Source& source : sources) {
    while (!source.empty()) source.drain();
    EXPECT_EQ(source.pauses(), source.resumes());
    pauses += source.pauses();
  }
  EXPECT_GT(pauses, 100U);
  EXPECT_EQ(buffer.held(), 0U);
}

TEST(SharedBufferLossless, NoDropAndNoPauseWithoutEndWithHeadroomOfEachPriority) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) play(seed, false);
}

TEST(SharedBufferLossless, NoDropAndNoPauseWithoutEndWithAPoolOfAllHeadroom) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) play(seed, true);
}

}  // namespace
}  // namespace railyard
