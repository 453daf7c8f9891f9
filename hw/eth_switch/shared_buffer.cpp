#include "hw/eth_switch/shared_buffer.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "tlm/base/error.h"
#include "tlm/base/format.h"

namespace railyard {

SharedBuffer::SharedBuffer(const SharedBufferShape& shape)
    : cell_(shape.cell), total_(shape.cells) {
  std::uint64_t reserved = 0;
  std::uint64_t headroom = 0;
  for (const PortShape& port : shape.ports) {
    ports_.push_back({port.headroom_pool, 0});
    headroom += port.headroom_pool.value_or(0);
    for (const GroupShape& limits : port.groups) {
      groups_.emplace_back().limits = limits;
      reserved += limits.reserved;
      if (limits.lossless && !port.headroom_pool) headroom += limits.headroom;
    }
    for (const Alpha alpha : port.queue_alpha) queues_.push_back({alpha, 0});
  }
  if (reserved + headroom > total_) {
    const auto size = [&](std::uint64_t cells) { return format_bytes(cells * cell_); };
    throw ConfigError(shape.place,
                      "reserves of " + size(reserved) + " and headrooms of " + size(headroom) +
                          " sum to " + size(reserved + headroom) + ", more than " + shape.what +
                          "'s " + size(total_),
                      "enlarge the buffer, or reduce lossless priorities, reserves, cable lengths "
                      "or the headroom");
  }
  shared_total_ = static_cast<std::uint32_t>(total_ - reserved - headroom);
  free_shared_ = shared_total_;
}

Admission SharedBuffer::admit(PortClass in, PortClass out, std::uint32_t bytes) {
  Group& from = group(in);
  const std::uint32_t cells = cells_of(bytes);
  if (from.limits.lossless) return admit_lossless(from, ports_[in.port], cells);
  return admit_lossy(from, queues_[at(out)], cells);
}

Admission SharedBuffer::admit_lossless(Group& group, Port& port, std::uint32_t cells) {
  const std::uint32_t reserved = std::min(cells, group.limits.reserved - group.reserved);
  const std::uint32_t rest = cells - reserved;
  const std::uint32_t use = group.beyond_reserve();
  const Alpha alpha = group.limits.alpha;
  if (rest != 0 && !group.paused) {
    group.compared_free = free_shared_ - std::min(rest, free_shared_);
  }
  if (rest == 0 || within(alpha, std::uint64_t{use} + rest, rest)) {
    take(group, reserved, rest);
    return {true, false, BufferDrop::kNone, cells};
  }
  // the most shared cells k with den * (use + k) <= num * (free - k)
  const std::uint64_t allowed = std::uint64_t{free_shared_} * alpha.num();
  const std::uint64_t owned = std::uint64_t{use} * alpha.den();
  const auto shared = static_cast<std::uint32_t>(
      allowed > owned ? (allowed - owned) / (alpha.num() + alpha.den()) : 0);
  const std::uint32_t beyond = rest - shared;
  const bool accepted = beyond <= headroom_left(group, port);
  if (accepted) {
    take(group, reserved, shared);
    group.headroom += beyond;
    port.headroom += beyond;
    held_ += beyond;
  }
  // A group that holds nothing is not paused: no release of its own could end the pause.
  const bool xoff = !group.paused && group.held() != 0;
  group.paused |= xoff;
  if (xoff && !accepted) group.refused = rest;
  return {accepted, xoff, accepted ? BufferDrop::kNone : BufferDrop::kHeadroom, cells};
}

Admission SharedBuffer::admit_lossy(Group& group, Queue& queue, std::uint32_t cells) {
  const std::uint32_t reserved = std::min(cells, group.limits.reserved - group.reserved);
  const std::uint32_t rest = cells - reserved;
  if (rest != 0) {
    if (!within(group.limits.alpha, std::uint64_t{group.shared} + rest, rest)) {
      return {false, false, BufferDrop::kGroupThreshold, cells};
    }
    if (!within(queue.alpha, std::uint64_t{queue.used} + cells, rest)) {
      return {false, false, BufferDrop::kQueueThreshold, cells};
    }
  }
  take(group, reserved, rest);
  queue.used += cells;
  return {true, false, BufferDrop::kNone, cells};
}

void SharedBuffer::take(Group& group, std::uint32_t reserved, std::uint32_t shared) {
  group.reserved += reserved;
  group.shared += shared;
  free_shared_ -= shared;
  held_ += reserved + shared;
}

bool SharedBuffer::release(PortClass in, PortClass out, std::uint32_t cells) {
  Group& from = group(in);
  Queue& to = queues_[at(out)];
  const bool lossy = !from.limits.lossless;
  if (cells > from.held() || (lossy && cells > to.used)) {
    throw std::logic_error("more cells released than are held");
  }
  Port& port = ports_[in.port];
  const std::uint32_t headroom = std::min(cells, from.headroom);
  const std::uint32_t shared = std::min(cells - headroom, from.shared);
  from.headroom -= headroom;
  port.headroom -= headroom;
  from.shared -= shared;
  free_shared_ += shared;
  from.reserved -= cells - headroom - shared;
  held_ -= cells;
  if (lossy) to.used -= cells;
  return from.paused && give_xon(from, port);
}

bool SharedBuffer::give_xon(Group& group, Port& port) {
  const std::uint32_t use = group.beyond_reserve();
  const std::uint32_t moved = group.headroom;
  group.compared_free = free_shared_ - std::min(moved, free_shared_);
  group.refused = 0;
  if (use != 0 &&
      !within(group.limits.alpha, std::uint64_t{use} + group.limits.xon_offset, moved)) {
    return false;
  }
  group.paused = false;
  group.headroom = 0;
  port.headroom -= moved;
  group.shared += moved;
  free_shared_ -= moved;
  return true;
}

PfcLevels SharedBuffer::levels(PortClass in) const {
  const Group& g = group(in);
  const std::uint64_t share =
      std::uint64_t{g.compared_free} * g.limits.alpha.num() / g.limits.alpha.den();
  PfcLevels levels;
  levels.depth = g.beyond_reserve() + g.refused;
  levels.xoff = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(share, std::numeric_limits<std::uint32_t>::max()));
  levels.xon = levels.xoff - std::min(levels.xoff, g.limits.xon_offset);
  return levels;
}

std::optional<std::string> SharedBuffer::check_group(const Group& group) const {
  if (group.reserved > group.limits.reserved) return "a reserve is exceeded";
  if (!group.paused && group.headroom != 0) return "headroom is held without a pause";
  if (group.paused && !group.limits.lossless) return "a lossy group is paused";
  if (group.paused && group.held() == 0) return "a group is paused that holds nothing";
  return std::nullopt;
}

std::optional<std::string> SharedBuffer::check() const {
  std::uint64_t shared = 0;
  std::uint64_t held = 0;
  std::uint64_t lossy = 0;
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    std::uint64_t headroom = 0;
    for (std::size_t c = 0; c < PortShape::kClasses; ++c) {
      const Group& group = groups_[p * PortShape::kClasses + c];
      if (auto problem = check_group(group)) return problem;
      if (!ports_[p].headroom_pool && group.headroom > group.limits.headroom) {
        return "a group's headroom is exceeded";
      }
      headroom += group.headroom;
      shared += group.shared;
      held += group.held();
      if (!group.limits.lossless) lossy += group.held();
    }
    if (headroom != ports_[p].headroom) return "a port's headroom is not its groups' sum";
    if (headroom > ports_[p].headroom_pool.value_or(total_)) return "a headroom pool is exceeded";
  }
  std::uint64_t queued = 0;
  for (const Queue& queue : queues_) queued += queue.used;
  if (shared + free_shared_ != shared_total_) return "shared and free cells are not the pool";
  if (held != held_) return "the cells held are not the groups' sum";
  if (held > total_) return "more cells are held than there are";
  if (queued != lossy) return "the queues' lossy cells are not the groups'";
  return std::nullopt;
}

}  // namespace railyard
