// The shared buffer against a model that counts cell by cell and keeps no sum.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "hw/eth_switch/shared_buffer.h"
#include "tlm/sim/random.h"

namespace railyard {
namespace {

constexpr std::size_t kRandomPorts = 3;
constexpr std::uint32_t kRandomCell = 192;

struct Held {
  std::uint32_t reserved = 0, shared = 0, headroom = 0;
  bool paused = false;

  std::uint32_t total() const { return reserved + shared + headroom; }
};

class Naive {
 public:
  explicit Naive(const SharedBufferShape& shape) : shape_(shape) {}

  Admission admit(PortClass in, PortClass out, std::uint32_t cells) {
    const Naive before = *this;
    Held& group = held(in);
    const GroupShape& limits = limits_of(in);
    bool over = false;
    std::uint32_t used_shared = 0;
    for (std::uint32_t i = 0; i < cells; ++i) {
      if (group.reserved < limits.reserved) {
        ++group.reserved;
      } else if (!over && keeps(limits.alpha, group.shared + group.headroom + 1, 1)) {
        ++group.shared;
        ++used_shared;
      } else {
        over = true;
        ++group.headroom;
      }
    }
    Admission result{true, false, BufferDrop::kNone, cells};
    if (!limits.lossless) {
      queue_[out.port][out.index] += cells;
      const Alpha alpha = shape_.ports[out.port].queue_alpha[out.index];
      if (over) {
        result.drop = BufferDrop::kGroupThreshold;
      } else if (used_shared != 0 && !keeps(alpha, queue_[out.port][out.index], 0)) {
        result.drop = BufferDrop::kQueueThreshold;
      }
    } else if (over && headroom_exceeded(in)) {
      result.drop = BufferDrop::kHeadroom;
    }
    result.accepted = result.drop == BufferDrop::kNone;
    if (!result.accepted) *this = before;
    if (limits.lossless && over && held(in).total() > 0) {
      result.xoff = !held(in).paused;
      held(in).paused = true;
    }
    return result;
  }

  bool release(PortClass in, PortClass out, std::uint32_t cells) {
    Held& group = held(in);
    for (std::uint32_t i = 0; i < cells; ++i) {
      --(group.headroom != 0 ? group.headroom : group.shared != 0 ? group.shared : group.reserved);
    }
    const GroupShape& limits = limits_of(in);
    if (!limits.lossless) queue_[out.port][out.index] -= cells;
    if (!group.paused) return false;
    const std::uint32_t use = group.shared + group.headroom;
    if (use != 0 && !keeps(limits.alpha, use + limits.xon_offset, group.headroom)) return false;
    group = {group.reserved, use, 0, false};
    return true;
  }

  const Held& held(PortClass in) const { return held_[in.port][in.index]; }
  Held& held(PortClass in) { return held_[in.port][in.index]; }
  std::uint32_t queued(PortClass out) const { return queue_[out.port][out.index]; }

  std::int64_t free_shared() const {
    std::int64_t free = shape_.cells;
    for (std::size_t p = 0; p < kRandomPorts; ++p) {
      free -= shape_.ports[p].headroom_pool.value_or(0);
      for (std::size_t c = 0; c < PortShape::kClasses; ++c) {
        const GroupShape& limits = shape_.ports[p].groups[c];
        const bool own = limits.lossless && !shape_.ports[p].headroom_pool;
        free -= limits.reserved + (own ? limits.headroom : 0) + held_[p][c].shared;
      }
    }
    return free;
  }

 private:
  const GroupShape& limits_of(PortClass in) const { return shape_.ports[in.port].groups[in.index]; }
  /// Powers of two times small integers are exact in a double.
  bool keeps(Alpha alpha, std::uint32_t use, std::uint32_t taken) const {
    const std::int64_t free = free_shared() - taken;
    return free >= 0 && std::ldexp(static_cast<double>(free), alpha.exponent) >= use;
  }
  bool headroom_exceeded(PortClass in) const {
    const PortShape& port = shape_.ports[in.port];
    if (!port.headroom_pool) return held(in).headroom > limits_of(in).headroom;
    std::uint32_t sum = 0;
    for (const Held& group : held_[in.port]) sum += group.headroom;
    return sum > *port.headroom_pool;
  }

  SharedBufferShape shape_;
  Held held_[kRandomPorts][PortShape::kClasses];
  std::uint32_t queue_[kRandomPorts][PortShape::kClasses] = {};
};

Alpha random_alpha(RandomStream& random) {
  return {static_cast<std::int8_t>(static_cast<int>(random.below(11)) - 7)};
}

SharedBufferShape random_shape(RandomStream& random) {
  SharedBufferShape shape;
  shape.cell = kRandomCell;
  shape.ports.resize(kRandomPorts);
  const auto small = [&](std::uint64_t bound) {
    return static_cast<std::uint32_t>(random.below(bound));
  };
  shape.cells = small(1500);
  for (PortShape& port : shape.ports) {
    if (random.below(3) == 0) port.headroom_pool = small(200);
    shape.cells += port.headroom_pool.value_or(0);
    for (GroupShape& group : port.groups) {
      group = {random.below(2) == 0, random_alpha(random), small(2) * small(20), small(80),
               small(3) * small(30)};
      shape.cells += group.reserved + (group.lossless ? group.headroom : 0);
    }
    for (Alpha& alpha : port.queue_alpha) alpha = random_alpha(random);
  }
  return shape;
}

PortClass random_place(RandomStream& random) {
  return {static_cast<std::uint16_t>(random.below(kRandomPorts)),
          static_cast<std::uint8_t>(random.below(PortShape::kClasses))};
}

struct Frame {
  PortClass in, out;
  std::uint32_t cells;
};

/// The buffer and its model side by side, and the frames that they hold.
class Pair {
 public:
  explicit Pair(const SharedBufferShape& shape) : buffer_(shape), naive_(shape) {}

  void admit(RandomStream& random) {
    const PortClass in = random_place(random);
    const PortClass out = random_place(random);
    const auto bytes = static_cast<std::uint32_t>(64 + random.below(random.below(4) ? 400 : 9153));
    const Admission got = buffer_.admit(in, out, bytes);
    const Admission want = naive_.admit(in, out, (bytes + kRandomCell - 1) / kRandomCell);
    ASSERT_EQ(got.accepted, want.accepted);
    ASSERT_EQ(got.xoff, want.xoff);
    ASSERT_EQ(got.drop, want.drop);
    ASSERT_EQ(got.cells, want.cells);
    if (got.accepted) frames_.push_back({in, out, got.cells});
    ++outcomes_[static_cast<std::size_t>(got.drop)];
    xoffs_ += got.xoff ? 1 : 0;
    compare(in, out);
  }
  void release(RandomStream& random) {
    if (frames_.empty()) return;
    std::swap(frames_[random.below(frames_.size())], frames_.back());
    const Frame frame = frames_.back();
    frames_.pop_back();
    const bool xon = buffer_.release(frame.in, frame.out, frame.cells);
    ASSERT_EQ(xon, naive_.release(frame.in, frame.out, frame.cells));
    xons_ += xon ? 1 : 0;
    compare(frame.in, frame.out);
  }
  void compare(PortClass in, PortClass out) {
    const Held& group = naive_.held(in);
    ASSERT_EQ(buffer_.reserved_used(in), group.reserved);
    ASSERT_EQ(buffer_.shared_used(in), group.shared);
    ASSERT_EQ(buffer_.headroom_used(in), group.headroom);
    ASSERT_EQ(buffer_.paused(in), group.paused);
    ASSERT_EQ(buffer_.queue_used(out), naive_.queued(out));
    ASSERT_EQ(buffer_.free_shared(), naive_.free_shared());
    ASSERT_TRUE(!group.paused || group.total() != 0);
  }
  void expect_conserved() {
    std::uint64_t cells = 0;
    for (const Frame& frame : frames_) cells += frame.cells;
    ASSERT_EQ(buffer_.held(), cells);
    ASSERT_EQ(buffer_.check(), std::nullopt);
  }

  const SharedBuffer& buffer() const { return buffer_; }
  std::size_t frames() const { return frames_.size(); }
  std::uint64_t outcomes(BufferDrop drop) const {
    return outcomes_[static_cast<std::size_t>(drop)];
  }
  std::uint64_t pauses() const { return xoffs_; }
  std::uint64_t resumes() const { return xons_; }

 private:
  SharedBuffer buffer_;
  Naive naive_;
  std::vector<Frame> frames_;
  std::uint64_t outcomes_[4] = {};
  std::uint64_t xoffs_ = 0;
  std::uint64_t xons_ = 0;
};

TEST(SharedBufferRandom, AMillionOperationsEqualTheNaiveModel) {
  constexpr int kShapes = 50;
  constexpr int kOperations = 20'000;
  std::uint64_t outcomes[4] = {};
  for (std::uint64_t seed = 0; seed < kShapes; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed, "buffer");
    Pair pair(random_shape(random));
    std::uint64_t bias = 5;  // of 10: admissions
    for (int i = 0; i < kOperations; ++i) {
      if (i % 500 == 0) bias = 2 + random.below(7);
      random.below(10) < bias ? pair.admit(random) : pair.release(random);
      if (testing::Test::HasFatalFailure()) return;
      if (i % 100 == 0) pair.expect_conserved();
    }
    while (pair.frames() != 0) pair.release(random);
    pair.expect_conserved();
    EXPECT_EQ(pair.buffer().held(), 0U);
    EXPECT_EQ(pair.buffer().free_shared(), pair.buffer().shared_cells());
    EXPECT_EQ(pair.pauses(), pair.resumes()) << "each pause of an emptied buffer has ended";
    for (std::size_t o = 0; o < 4; ++o) outcomes[o] += pair.outcomes(static_cast<BufferDrop>(o));
  }
  for (const std::uint64_t count : outcomes) EXPECT_GT(count, 1000U) << "all outcomes are met";
}

}  // namespace
}  // namespace railyard
