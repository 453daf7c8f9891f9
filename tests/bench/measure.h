// Measuring in a process of its own: the kernel starts once a process, and a heap that another case
// has torn up is not this one's matter.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "hw/congestion/blocks.h"

namespace railyard::bench {

/// One measurement: so much processor time for so many operations, or so many bytes.
struct Sample {
  double seconds = 0;
  std::uint64_t operations = 0;
  std::uint64_t bytes = 0;          // a case that measures these measures no time
  std::uint64_t kernel_events = 0;  // times that the kernel woke our scheduler
  std::uint64_t changes = 0;        // of traced signals
  std::array<std::uint64_t, kBlockKinds> block_cycles{};  // of the clocked blocks, by kind

  double ns_each() const { return seconds * 1e9 / static_cast<double>(operations); }
  double kernel_events_each() const {
    return static_cast<double>(kernel_events) / static_cast<double>(operations);
  }
};

/// Runs `work` in a forked child and returns what it measured. Throws std::runtime_error if the
/// child fails.
Sample in_child(const std::function<Sample()>& work);

/// Processor time of `action`: what others take of the machine is not in it.
double seconds_of(const std::function<void()>& action);

}  // namespace railyard::bench
