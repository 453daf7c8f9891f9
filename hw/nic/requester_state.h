// What the requester keeps of a queue pair.
#pragma once

#include <cstdint>

namespace railyard::nic {

struct RequesterState {
  std::uint32_t next_psn = 0;  // of the next new request packet; set by RTR2RTS
};

}  // namespace railyard::nic
