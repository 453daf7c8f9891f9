// Syndromes of an AETH (IBTA Vol 1 9.7.5.2.1), and what leads to them.
#pragma once

#include <cstdint>

#include "hw/nic/address_translation.h"

namespace railyard::nic {

namespace nak {
constexpr std::uint8_t kAck = 0x1F;  // without a credit limit
constexpr std::uint8_t kRnr = 0x20;  // | code of the timer
constexpr std::uint8_t kSequence = 0x60;
constexpr std::uint8_t kInvalidRequest = 0x61;
constexpr std::uint8_t kRemoteAccess = 0x62;
constexpr std::uint8_t kRemoteOperation = 0x63;
}  // namespace nak

/// Of a request by a key that cannot be used so; what the NIC could not read is its own fault.
inline std::uint8_t syndrome_of(KeyError error) {
  return error == KeyError::kMemory ? nak::kRemoteOperation : nak::kRemoteAccess;
}

/// Packets, and PSNs, that so much payload takes.
constexpr std::uint32_t packets_of(std::uint32_t bytes, std::uint32_t path_mtu) {
  return bytes == 0 ? 1 : (bytes - 1) / path_mtu + 1;
}

}  // namespace railyard::nic
