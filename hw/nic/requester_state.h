// What the requester keeps of a queue pair, whether it has something to send or not; what it needs
// while it has is in send_queue.h.
#pragma once

#include <cstdint>

namespace railyard::nic {

struct RequesterState {
  std::uint32_t next_psn = 0;  // of the next new request packet; set by RTR2RTS
  // Of the send queue, in basic blocks, modulo 2^16 as WQEs are numbered.
  std::uint16_t posted = 0;
  std::uint16_t completed = 0;

  std::uint32_t open_blocks() const { return static_cast<std::uint16_t>(posted - completed); }
};

}  // namespace railyard::nic
