// A PFC frame with one time for all of its priorities.
#pragma once

#include <array>
#include <cstdint>

#include "tlm/net/frame.h"

namespace railyard::test {

inline net::Frame pfc_of(std::uint8_t vector, std::uint16_t quanta) {
  std::array<std::uint16_t, 8> all{};
  all.fill(quanta);
  return net::pfc_frame({}, vector, all);
}

}  // namespace railyard::test
