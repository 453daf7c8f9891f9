#include "hw/nic/run_allocator.h"

#include <algorithm>

namespace railyard::nic {

RunAllocator::RunAllocator(std::uint32_t units) {
  if (units > 0) free_.push_back({0, units});
}

std::uint32_t RunAllocator::take(std::uint32_t count) {
  const auto run =
      std::find_if(free_.begin(), free_.end(), [count](const Run& r) { return r.count >= count; });
  if (run == free_.end()) return kNone;
  const std::uint32_t first = run->first;
  run->first += count;
  run->count -= count;
  if (run->count == 0) free_.erase(run);
  return first;
}

void RunAllocator::give(std::uint32_t first, std::uint32_t count) {
  auto next =
      std::find_if(free_.begin(), free_.end(), [first](const Run& r) { return r.first > first; });
  const bool meets_next = next != free_.end() && next->first == first + count;
  const bool meets_last = next != free_.begin() && std::prev(next)->end() == first;
  if (meets_last) {
    const auto last = std::prev(next);
    last->count += count + (meets_next ? next->count : 0);
    if (meets_next) free_.erase(next);
  } else if (meets_next) {
    next->first = first;
    next->count += count;
  } else {
    free_.insert(next, {first, count});
  }
}

}  // namespace railyard::nic
