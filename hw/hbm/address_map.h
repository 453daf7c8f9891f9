// From an address to a place in the device. Within a stack each bit of each field is the exclusive
// or of some bits of the address: a bit list. Stacks, of which there need not be a power of two,
// take turns in granules.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hw/hbm/organisation.h"
#include "tlm/config/parameters.h"

namespace railyard::hbm {

struct Place {
  std::uint16_t channel = 0;  // of the device: stack * channels a stack + channel
  std::uint8_t pseudo_channel = 0;
  std::uint8_t bank = 0;  // flat within the pseudo-channel, see Organisation
  std::uint32_t row = 0;
  std::uint32_t column = 0;

  bool operator==(const Place& o) const {
    return channel == o.channel && pseudo_channel == o.pseudo_channel && bank == o.bank &&
           row == o.row && column == o.column;
  }
};

/// The fields as text, most significant bit of a field first, bits of the stack's address by
/// number, "+" for exclusive or: row "28 27 26", bank "14+20 13+19"; "28-15" is 28 down to 15. A
/// field of one value has no bits.
struct AddressMapConfig {
  // Without any: as default_map() makes them.
  std::string channel;
  std::string pseudo_channel;
  std::string sid;
  std::string group;
  std::string bank;
  std::string row;
  std::string column;
  std::uint32_t stack_granule = 4096;  // bytes of a stack's turn

  void declare(Parameters& p);
};

/// From the lowest bit up: byte, pseudo-channel, group, channel, column, bank, sid, row. So
/// accesses that follow each other go over data buses first, then over bank groups, as tCCD_S wants
/// it, then over channels, and meet open rows; and a bulk of a granule is on all channels of a
/// stack. Of one channel of one SID it is row[28:15] bank[14:13] column[12:8] group[7:6]
/// pseudo-channel[5].
AddressMapConfig default_map(const Organisation& organisation);

/// How many of the row's bits, from its most significant on, are the highest of the stack's address
/// in their order, alone. If they are n, the lowest k / 2^n of the addresses are the lowest k / 2^n
/// of the rows.
unsigned row_bits_on_top(const Organisation& organisation, const AddressMapConfig& config);

class AddressMap {
 public:
  /// Throws a ConfigError (without a place) that names the field unless the bits are as many as the
  /// organisation needs, and no two addresses meet.
  AddressMap(const Organisation& organisation, const AddressMapConfig& config);

  /// What is called, and does not return, with what the constructor throws.
  using Fail = std::function<void(const std::string& field, const std::string& problem,
                                  const std::string& remedy)>;
  static void check(const Organisation& organisation, const AddressMapConfig& config,
                    const Fail& fail);

  /// Of an address below the capacity.
  Place place(std::uint64_t address) const {
    std::uint64_t access = address >> access_shift_;
    std::uint64_t stack = 0;
    if (stacks_ != 1) {
      const std::uint64_t turn = access >> granule_shift_;
      const std::uint64_t round = turn_to_round(turn);
      stack = turn - round * stacks_;
      access = (round << granule_shift_) | (access & granule_mask_);
    }
    const std::uint64_t packed = apply(place_tables_, access);
    Place place;
    place.row = static_cast<std::uint32_t>(packed & kRowMask);
    place.column = static_cast<std::uint32_t>(packed >> kColumnAt & kColumnMask);
    place.bank = static_cast<std::uint8_t>(packed >> kBankAt & kBankMask);
    place.pseudo_channel = static_cast<std::uint8_t>(packed >> kPseudoChannelAt);
    place.channel =
        static_cast<std::uint16_t>(stack * channels_ + (packed >> kChannelAt & kChannelMask));
    return place;
  }
  /// The first byte of a place: the inverse.
  std::uint64_t address(const Place& place) const;

 private:
  // A linear map over GF(2) of 32 bits: the exclusive or of what each byte of the number gives.
  using Tables = std::array<std::array<std::uint64_t, 256>, 4>;
  // Fields of a place in one word.
  static constexpr unsigned kColumnAt = 32;
  static constexpr unsigned kBankAt = 44;
  static constexpr unsigned kChannelAt = 52;
  static constexpr unsigned kPseudoChannelAt = 60;
  static constexpr std::uint64_t kRowMask = 0xFFFF'FFFF;
  static constexpr std::uint64_t kColumnMask = 0xFFF;
  static constexpr std::uint64_t kBankMask = 0xFF;
  static constexpr std::uint64_t kChannelMask = 0xFF;

  AddressMap(const Organisation& organisation, const AddressMapConfig& config, const Fail& fail);

  static std::uint64_t apply(const Tables& tables, std::uint64_t n) {
    return tables[0][n & 0xFF] ^ tables[1][n >> 8U & 0xFF] ^ tables[2][n >> 16U & 0xFF] ^
           tables[3][n >> 24U & 0xFF];
  }
  static void fill(Tables& tables, const std::vector<std::uint64_t>& columns);
  /// turn / stacks, by its reciprocal: exact below 2^58, as stacks are at most 64.
  std::uint64_t turn_to_round(std::uint64_t turn) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(Wide{turn} * reciprocal_ >> 64U);
  }

  unsigned access_shift_ = 0;
  unsigned granule_shift_ = 0;  // in accesses
  std::uint64_t granule_mask_ = 0;
  std::uint64_t stacks_ = 1;
  std::uint64_t channels_ = 1;    // of a stack
  std::uint64_t reciprocal_ = 0;  // 2^64 / stacks, rounded up
  Tables place_tables_;           // of an access of a stack: its packed place
  Tables address_tables_;         // back, from the fields side by side:
  unsigned channel_at_ = 0;       // pseudo-channel lowest
  unsigned bank_at_ = 0;
  unsigned column_at_ = 0;
  unsigned row_at_ = 0;
};

}  // namespace railyard::hbm
