// The part of LinkChecker that knows a transmit queue: what leaves it passes only what table 2-40
// lets it pass.
#pragma once

#include <array>
#include <cstdint>

#include "hw/pcie/check_place.h"
#include "hw/pcie/tlp_image.h"
#include "tlm/base/ring.h"

namespace railyard::pcie {

class OrderCheck {
 public:
  explicit OrderCheck(const CheckPlace& place) : place_(place) {}

  void queued(const Tlp& tlp, Time now);
  void left(const Tlp& tlp, Time now);
  void at_end(Time now);

 private:
  struct Entry {
    TlpImage image;
    std::uint64_t order = 0;
  };

  Entry take(Ring<Entry>& ring, const Tlp& tlp, Time now);

  const CheckPlace& place_;
  std::array<Ring<Entry>, kFlowClasses> rings_;
  std::uint64_t next_order_ = 0;
};

}  // namespace railyard::pcie
