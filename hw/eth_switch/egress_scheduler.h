// Which of a port's eight traffic classes sends next: strict priority (IEEE 802.1Q 8.6.8.1), below
// it deficit weighted round robin (Shreedhar and Varghese 1996).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "tlm/base/quantity.h"
#include "tlm/config/parameters.h"

namespace railyard {

struct TrafficClassConfig {
  std::uint8_t traffic_class = 0;
  bool strict = false;
  std::optional<std::uint32_t> weight;  // none: that of a class that is not listed

  void declare(Parameters& p);
};

/// The default is that of a shipping RoCE-lossless profile: CNPs strict in class 6, the others
/// alike (so that class 3 has 50 % beside class 0).
struct EgressSchedulerConfig {
  std::vector<TrafficClassConfig> classes = {{6, true, {}}};
  Bytes quantum = 9216;

  void declare(Parameters& p);
};

class EgressScheduler {
 public:
  static constexpr unsigned kClasses = 8;
  static constexpr std::uint32_t kDefaultWeight = 50;
  /// Bytes of the first frame of each class, as they are to be shared; 0: the class is empty.
  using Heads = std::array<std::uint32_t, kClasses>;

  explicit EgressScheduler(const EgressSchedulerConfig& config);

  /// The class whose first frame is sent now; none only if no class is eligible. Bit n of
  /// `eligible`: class n has a frame and may send it (no pause, no lack of credit).
  ///
  /// Of strict classes the highest goes first. The others take turns of a quantum each; what a turn
  /// leaves is kept for the next one unless the class ran empty. A class that is not eligible is
  /// passed over and gets no quantum; if it lost the rest of a turn so, it keeps that rest, up to a
  /// quantum (or its first frame, if that is larger). Takes a step a class, if no frame is larger
  /// than the smallest quantum.
  std::optional<unsigned> pick(std::uint8_t eligible, const Heads& head_bytes) {
    const unsigned strict = eligible & strict_;
    if (strict != 0) return 31U - static_cast<unsigned>(__builtin_clz(strict));
    if (head_bytes[turn_] == 0) deficit_[turn_] = 0;
    if (eligible == 0) return std::nullopt;
    if ((eligible >> turn_ & 1U) == 0) {
      const std::uint32_t most = std::max(quantum_[turn_], head_bytes[turn_]);
      deficit_[turn_] = std::min(deficit_[turn_], most);
      advance(eligible);
    }
    while (head_bytes[turn_] > deficit_[turn_]) advance(eligible);
    deficit_[turn_] -= head_bytes[turn_];
    return turn_;
  }

  bool is_strict(unsigned traffic_class) const { return (strict_ >> traffic_class & 1U) != 0; }
  /// Bytes a turn: the weights' shares, the least of which gets the configured quantum. 0 if
  /// strict.
  std::uint32_t quantum(unsigned traffic_class) const { return quantum_[traffic_class]; }
  /// What is left to the class of its turns.
  std::uint32_t deficit(unsigned traffic_class) const { return deficit_[traffic_class]; }

 private:
  /// The turn goes to the next class of those, which may be the same one.
  void advance(unsigned classes) {
    const unsigned later = classes & 0xFEU << turn_;
    turn_ = static_cast<unsigned>(__builtin_ctz(later != 0 ? later : classes));
    deficit_[turn_] += quantum_[turn_];
  }

  unsigned strict_ = 0;  // a bit a class
  unsigned turn_ = kClasses - 1;
  std::array<std::uint32_t, kClasses> quantum_{};
  std::array<std::uint32_t, kClasses> deficit_{};
};

}  // namespace railyard
