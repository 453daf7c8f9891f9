// CRC-32 of IEEE 802.3 clause 3.2.9: polynomial 0x04C11DB7, reflected, initial value and final
// exclusive-or all ones. The FCS of Ethernet and the ICRC of RoCE both use it, and both are sent
// least significant byte first.
#pragma once

#include <cstddef>
#include <cstdint>

namespace railyard::net {

/// Incremental: update() any number of times, then value().
class Crc32 {
 public:
  constexpr Crc32() = default;
  /// Goes on from a register that state() gave.
  constexpr explicit Crc32(std::uint32_t state) : state_(state) {}

  void update(const std::uint8_t* data, std::size_t size);
  /// The register, before the final exclusive-or.
  std::uint32_t state() const { return state_; }
  std::uint32_t value() const { return ~state_; }

 private:
  std::uint32_t state_ = 0xFFFFFFFF;
};

inline std::uint32_t crc32(const std::uint8_t* data, std::size_t size) {
  Crc32 crc;
  crc.update(data, size);
  return crc.value();
}

}  // namespace railyard::net
