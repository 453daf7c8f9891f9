// What a priority group holds, and what it is compared with.
#pragma once

#include <cstdint>

namespace railyard {

/// Cells. The thresholds are those of the latest event that could cross them: in a pause a release,
/// else an admission; so a threshold that others move pauses nobody before its next frame.
struct PfcLevels {
  std::uint32_t depth = 0;  // beyond the reserve
  std::uint32_t xoff = 0;   // above it the peer is paused
  std::uint32_t xon = 0;    // at or below it, let go
};

/// The buffer behind a port.
class PfcLevelSource {
 public:
  virtual ~PfcLevelSource() = default;
  virtual PfcLevels pfc_levels(unsigned priority) const = 0;
  /// Bit n: by the buffer's own accounts priority n is paused. The block must come to the same.
  virtual std::uint8_t pfc_wanted() const = 0;
};

}  // namespace railyard
