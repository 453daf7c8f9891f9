// Integers as they lie in memory and in registers: big endian (nic_abi.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace railyard::nic::abi {

/// An integer in big-endian bytes, without alignment: structs of them are images of memory.
template <class T>
class BigEndian {
 public:
  constexpr BigEndian() = default;
  constexpr BigEndian(T value) { set(value); }  // NOLINT(google-explicit-constructor)
  constexpr operator T() const {                // NOLINT(google-explicit-constructor)
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) value = static_cast<T>(value << 8 | bytes_[i]);
    return value;
  }

 private:
  constexpr void set(T value) {
    for (std::size_t i = sizeof(T); i-- > 0; value = static_cast<T>(value >> 8)) {
      bytes_[i] = static_cast<std::uint8_t>(value);
    }
  }
  std::array<std::uint8_t, sizeof(T)> bytes_{};
};
using Be16 = BigEndian<std::uint16_t>;
using Be32 = BigEndian<std::uint32_t>;
using Be64 = BigEndian<std::uint64_t>;
// A shift by 8 of one byte is none of BigEndian's: single bytes are plain.
using Byte = std::uint8_t;

}  // namespace railyard::nic::abi
