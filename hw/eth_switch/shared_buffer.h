// The shared buffer of a switch, as counts of cells: who may keep a frame, and when a priority
// group pauses its peer. Each (ingress port, priority group) has reserved cells, a share of the
// common pool up to a dynamic threshold, and, if it is lossless, headroom. A frame takes reserved
// cells first, then shared ones, then headroom; it gives them back in the opposite order.
//
// Threshold (Choudhury, Hahne 1998): what a group holds beyond its reserve <= alpha * free shared
// cells. The first cell that would exceed it raises XOFF and goes, with the rest of its frame, into
// headroom; so shared cells are never overdrawn and the crossing frame is part of the headroom
// (exact_headroom with counted_whole). XON: what is held beyond the reserve, headroom included,
// lies xon_offset below the threshold, or is nothing. Remaining headroom cells then become shared
// ones, so that a group that is not paused has its whole headroom free.
//
// Every event of one group moves the threshold of all. A group is compared with it at its own
// events only, as hardware does. That is safe: a group that the sinking threshold has passed raises
// XOFF with its next frame, which headroom covers. And it is live: a paused group holds cells, so
// it has a release to come, and the one that returns its last cell gives XON whatever the threshold
// is.
//
// Lossy frames are kept whole in reserved and shared cells or dropped, and those that take shared
// cells are also bounded at their egress queue by a dynamic threshold.
//
// Not modelled: fragmentation of cells, read and write bandwidth of the memory.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hw/congestion/pfc_levels.h"

namespace railyard {

/// The share of the free cells that one user may hold: 2^exponent, exponent -7 to 3.
struct Alpha {
  std::int8_t exponent = 0;

  std::uint32_t num() const { return exponent < 0 ? 1U : 1U << exponent; }
  std::uint32_t den() const { return exponent < 0 ? 1U << -exponent : 1U; }
  bool operator==(Alpha o) const { return exponent == o.exponent; }
};

/// Limits of a priority group, in cells.
struct GroupShape {
  bool lossless = false;
  Alpha alpha;
  std::uint32_t reserved = 0;
  std::uint32_t headroom = 0;
  std::uint32_t xon_offset = 0;
};

struct PortShape {
  static constexpr std::size_t kClasses = 8;
  std::array<GroupShape, kClasses> groups;
  std::array<Alpha, kClasses> queue_alpha;  // of lossy frames at the egress
  /// Headroom that the port's groups share, instead of each group's own.
  std::optional<std::uint32_t> headroom_pool;
};

struct SharedBufferShape {
  std::uint32_t cells = 0;
  std::uint32_t cell = 192;  // bytes
  std::vector<PortShape> ports;
  // For messages: "file:line:column", and what the cells are.
  std::string place;
  std::string what = "the buffer";
};

/// An ingress port and priority group, or an egress port and traffic class.
struct PortClass {
  std::uint16_t port = 0;
  std::uint8_t index = 0;  // 0-7
};

enum class BufferDrop : std::uint8_t {
  kNone,
  kGroupThreshold,  // lossy: its priority group's share is used up
  kQueueThreshold,  // lossy: its egress queue's share is used up
  kHeadroom,        // lossless: the headroom is full
};

struct Admission {
  bool accepted = false;
  bool xoff = false;  // the group is paused from now on; also possible with a drop
  BufferDrop drop = BufferDrop::kNone;
  std::uint32_t cells = 0;  // that the frame takes or would take
};

/// Cells that a priority group holds.
struct GroupUse {
  std::uint32_t reserved = 0;
  std::uint32_t shared = 0;
  std::uint32_t headroom = 0;
};

/// The stage that keeps a switch's accounts: whether a frame is kept, and who is paused.
class BufferManager {
 public:
  BufferManager() = default;
  virtual ~BufferManager() = default;
  BufferManager(const BufferManager&) = delete;
  BufferManager& operator=(const BufferManager&) = delete;

  /// A frame of `bytes` from `in`, to wait in queue `out`.
  virtual Admission admit(PortClass in, PortClass out, std::uint32_t bytes) = 0;
  /// A frame that was accepted from `in` to `out` leaves; `cells` as at its admission. True: XON.
  virtual bool release(PortClass in, PortClass out, std::uint32_t cells) = 0;

  virtual bool paused(PortClass in) const = 0;
  /// What the PFC generator compares; it must come to the same pauses as this does.
  virtual PfcLevels levels(PortClass in) const = 0;
  virtual GroupUse use(PortClass in) const = 0;
  /// Cells of all frames held.
  virtual std::uint32_t held() const = 0;
  /// What is wrong with the accounts; nothing if parts and sums agree and no limit is exceeded.
  virtual std::optional<std::string> check() const = 0;
};

class SharedBuffer : public BufferManager {
 public:
  /// Throws ConfigError if reserves and headrooms exceed the cells.
  explicit SharedBuffer(const SharedBufferShape& shape);

  std::uint32_t cells_of(std::uint32_t bytes) const { return (bytes + cell_ - 1) / cell_; }

  Admission admit(PortClass in, PortClass out, std::uint32_t bytes) override;
  /// std::logic_error if the group or the queue does not hold as many.
  bool release(PortClass in, PortClass out, std::uint32_t cells) override;

  bool paused(PortClass in) const override { return group(in).paused; }
  PfcLevels levels(PortClass in) const override;
  GroupUse use(PortClass in) const override {
    return {group(in).reserved, group(in).shared, group(in).headroom};
  }
  std::uint32_t reserved_used(PortClass in) const { return group(in).reserved; }
  std::uint32_t shared_used(PortClass in) const { return group(in).shared; }
  std::uint32_t headroom_used(PortClass in) const { return group(in).headroom; }
  std::uint32_t held(PortClass in) const { return group(in).held(); }
  /// What a group may hold beyond its reserve at this moment.
  std::uint64_t threshold(PortClass in) const {
    return std::uint64_t{free_shared_} * group(in).limits.alpha.num() /
           group(in).limits.alpha.den();
  }
  /// Headroom cells that the port's groups hold together.
  std::uint32_t headroom_used(std::uint16_t port) const { return ports_[port].headroom; }
  /// Cells of lossy frames in an egress queue.
  std::uint32_t queue_used(PortClass out) const { return queue(out).used; }

  std::uint32_t cell_bytes() const { return cell_; }
  std::uint32_t total_cells() const { return total_; }
  std::uint32_t shared_cells() const { return shared_total_; }
  std::uint32_t free_shared() const { return free_shared_; }
  std::uint32_t held() const override { return held_; }

  std::optional<std::string> check() const override;

 private:
  struct Group {
    GroupShape limits;
    std::uint32_t reserved = 0;
    std::uint32_t shared = 0;
    std::uint32_t headroom = 0;
    bool paused = false;
    // Of the latest event that could end or begin a pause: the free cells that it was compared
    // with, and those of the frame that began the pause and was dropped.
    std::uint32_t compared_free = 0;
    std::uint32_t refused = 0;

    std::uint32_t beyond_reserve() const { return shared + headroom; }
    std::uint32_t held() const { return reserved + shared + headroom; }
  };
  struct Queue {
    Alpha alpha;
    std::uint32_t used = 0;
  };
  struct Port {
    std::optional<std::uint32_t> headroom_pool;
    std::uint32_t headroom = 0;
  };

  static std::size_t at(PortClass c) { return c.port * PortShape::kClasses + c.index; }
  Group& group(PortClass in) { return groups_[at(in)]; }
  const Group& group(PortClass in) const { return groups_[at(in)]; }
  const Queue& queue(PortClass out) const { return queues_[at(out)]; }

  /// Whether a user that would hold `use` keeps to its threshold when `taken` more shared cells
  /// are gone.
  bool within(Alpha alpha, std::uint64_t use, std::uint32_t taken) const {
    return taken <= free_shared_ &&
           use * alpha.den() <= std::uint64_t{free_shared_ - taken} * alpha.num();
  }
  std::uint32_t headroom_left(const Group& group, const Port& port) const {
    return port.headroom_pool ? *port.headroom_pool - port.headroom
                              : group.limits.headroom - group.headroom;
  }

  Admission admit_lossless(Group& group, Port& port, std::uint32_t cells);
  Admission admit_lossy(Group& group, Queue& queue, std::uint32_t cells);
  bool give_xon(Group& group, Port& port);
  void take(Group& group, std::uint32_t reserved, std::uint32_t shared);
  std::optional<std::string> check_group(const Group& group) const;

  std::uint32_t cell_;
  std::uint32_t total_;
  std::uint32_t shared_total_ = 0;
  std::uint32_t free_shared_ = 0;
  std::uint32_t held_ = 0;
  std::vector<Group> groups_;  // [port][priority group]
  std::vector<Queue> queues_;  // [port][traffic class]
  std::vector<Port> ports_;
};

}  // namespace railyard
