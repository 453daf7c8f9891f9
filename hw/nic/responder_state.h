// What the responder keeps of a queue pair.
#pragma once

#include <cstdint>

namespace railyard::nic {

struct ResponderState {
  std::uint32_t expected_psn = 0;  // set by INIT2RTR
  std::uint32_t msn = 0;           // messages completed, 24 bits
};

}  // namespace railyard::nic
