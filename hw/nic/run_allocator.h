// Runs of neighbouring units of a space, first fit.
#pragma once

#include <cstdint>
#include <vector>

namespace railyard::nic {

class RunAllocator {
 public:
  static constexpr std::uint32_t kNone = ~0U;

  explicit RunAllocator(std::uint32_t units);

  /// The first of `count` units (not 0) that were free; kNone: there are not so many together.
  std::uint32_t take(std::uint32_t count);
  /// Gives back what was taken, in whole.
  void give(std::uint32_t first, std::uint32_t count);

 private:
  struct Run {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint32_t end() const { return first + count; }
  };
  std::vector<Run> free_;  // by `first`, none touches the next
};

}  // namespace railyard::nic
