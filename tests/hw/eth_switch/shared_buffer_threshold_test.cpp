// Dynamic thresholds settle at alpha * S / (1 + n * alpha) (Choudhury, Hahne, "Dynamic Queue Length
// Thresholds for Shared-Memory Packet Switches", 1998).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ostream>
#include <vector>

#include "hw/eth_switch/shared_buffer.h"

namespace railyard {
namespace {

constexpr std::uint32_t kFrame = 1518;
constexpr std::uint32_t kFrameCells = 8;
constexpr std::uint32_t kShared = 50'000;

struct Case {
  bool lossless;
  std::uint32_t groups;
  int exponent;
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << (c.lossless ? "lossless" : "lossy") << ", " << c.groups << " groups, alpha 2^"
             << c.exponent;
}

/// n ports with one congested group each, whose sources are greedy: they send whenever they are not
/// paused.
class Incast {
 public:
  explicit Incast(const Case& c) : lossless_(c.lossless), buffer_(shape_of(c)), frames_(c.groups) {}

  /// One frame from `group`, unless it is paused; false if it was paused or dropped.
  bool offer(std::size_t group) {
    if (buffer_.paused(place(group))) return false;
    const bool accepted = buffer_.admit(place(group), out(group), kFrame).accepted;
    frames_[group] += accepted ? 1 : 0;
    EXPECT_TRUE(accepted || !lossless_);
    return accepted;
  }
  /// All in turn until none can send.
  void offer_all() {
    for (bool any = true; any;) {
      any = false;
      for (std::size_t g = 0; g < frames_.size(); ++g) any |= offer(g);
    }
  }
  void drain(std::size_t group) {
    if (frames_[group] == 0) return;
    --frames_[group];
    buffer_.release(place(group), out(group), kFrameCells);
  }
  void expect_settled(const Case& c) const {
    const double alpha = std::ldexp(1.0, c.exponent);
    const double settled = alpha * kShared / (1 + c.groups * alpha);
    const double margin = std::max<double>(0.02 * settled, kFrameCells);
    for (std::size_t g = 0; g < c.groups; ++g) {
      EXPECT_NEAR(buffer_.shared_used(place(g)), settled, margin) << "group " << g;
    }
    EXPECT_EQ(buffer_.check(), std::nullopt);
  }

 private:
  static SharedBufferShape shape_of(const Case& c) {
    SharedBufferShape shape;
    shape.cells = kShared + (c.lossless ? c.groups * kFrameCells : 0);
    shape.ports.resize(c.groups);
    for (PortShape& port : shape.ports) {
      const Alpha alpha{static_cast<std::int8_t>(c.exponent)};
      port.groups[3] = {c.lossless, alpha, 0, kFrameCells, 0};
      port.queue_alpha.fill(alpha);
    }
    return shape;
  }
  static PortClass place(std::size_t group) { return {static_cast<std::uint16_t>(group), 3}; }
  static PortClass out(std::size_t group) { return {static_cast<std::uint16_t>(group), 1}; }

  bool lossless_;
  SharedBuffer buffer_;
  std::vector<std::uint32_t> frames_;
};

template <class Visit>
void for_each_case(const std::vector<std::uint32_t>& groups, int largest_exponent, Visit visit) {
  for (const bool lossless : {true, false}) {
    for (const std::uint32_t n : groups) {
      for (int exponent = -7; exponent <= largest_exponent; ++exponent) {
        const Case c{lossless, n, exponent};
        SCOPED_TRACE(testing::Message() << c);
        visit(c);
      }
    }
  }
}

TEST(SharedBufferThreshold, GroupsThatFillTogetherSettleAtTheClosedForm) {
  std::vector<std::uint32_t> groups(32);
  std::iota(groups.begin(), groups.end(), 1U);
  for_each_case(groups, 3, [](const Case& c) {
    Incast incast(c);
    incast.offer_all();
    incast.expect_settled(c);
  });
}

// One frame that leaves lifts the threshold by alpha frames for all: with alpha > 1 and 32 groups
// more than 2 %, so alpha is at most 1 here.
TEST(SharedBufferThreshold, AGroupThatCameFirstGivesWayToTheOthers) {
  for_each_case({1, 8, 32}, 0, [](const Case& c) {
    Incast incast(c);
    for (std::size_t g = 0; g < c.groups; ++g) {
      while (incast.offer(g)) {
      }
    }
    for (std::uint32_t round = 0; round < 4000; ++round) {
      for (std::size_t g = 0; g < c.groups; ++g) {
        incast.drain(g);
        incast.offer_all();
      }
    }
    incast.expect_settled(c);
  });
}

}  // namespace
}  // namespace railyard
