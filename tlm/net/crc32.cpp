#include "tlm/net/crc32.h"

#include <array>

#include "tlm/net/bytes.h"

namespace railyard::net {

namespace {

constexpr std::uint32_t kReflectedPolynomial = 0xEDB88320;

// tables[k][b] is the register after byte b and then k zero bytes: eight bytes make one step of
// eight independent look-ups.
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? kReflectedPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t zeros = 1; zeros < 8; ++zeros) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t crc = tables[zeros - 1][byte];
      tables[zeros][byte] = (crc >> 8) ^ tables[0][crc & 0xFF];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

}  // namespace

void Crc32::update(const std::uint8_t* data, std::size_t size) {
  std::uint32_t crc = state_;
  for (; size >= 8; size -= 8, data += 8) {
    const std::uint32_t low = crc ^ get_le32(data);
    const std::uint32_t high = get_le32(data + 4);
    crc = kTables[7][low & 0xFF] ^ kTables[6][(low >> 8) & 0xFF] ^ kTables[5][(low >> 16) & 0xFF] ^
          kTables[4][low >> 24] ^ kTables[3][high & 0xFF] ^ kTables[2][(high >> 8) & 0xFF] ^
          kTables[1][(high >> 16) & 0xFF] ^ kTables[0][high >> 24];
  }
  for (; size > 0; --size, ++data) crc = (crc >> 8) ^ kTables[0][(crc ^ *data) & 0xFF];
  state_ = crc;
}

}  // namespace railyard::net
