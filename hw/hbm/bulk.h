// Accesses of more than one piece: how many of each are left in which pseudo-channel.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/hbm/access.h"
#include "tlm/sim/event.h"

namespace railyard::hbm {

class Controller;

struct Bulk {
  Bulk(Controller& controller, Endpoint& endpoint, std::size_t pseudo_channels);

  void look();

  Event event;  // its end, or a time that is not after it
  Controller& owner;
  Access* access = nullptr;
  std::vector<std::uint32_t> left;      // by pseudo-channel
  std::vector<std::uint16_t> channels;  // that it touches
  std::uint32_t number = 0;
};

}  // namespace railyard::hbm
