// From an address to a place in the device. Within a stack each bit of each field is the exclusive
// or of some bits of the address: a bit list. Stacks, of which there need not be a power of two,
// take turns in granules.
#pragma once

#include <array>
#include <cstdint>
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
/// number, "+" for exclusive or: row "28 27 26", bank "14+20 13+19"; "28-15" is 28 down to 15.
struct AddressMapConfig {
  // none: fields from the lowest bit up: byte, pseudo-channel, group, column (low part) ... as
  // default_map() makes it for an organisation.
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

class AddressMap {
 public:
  /// Throws a ConfigError (without a place) that names the field unless the bits are as many as the
  /// organisation needs, and no two addresses meet.
  AddressMap(const Organisation& organisation, const AddressMapConfig& config);

  /// Of an address below the capacity.
  Place place(std::uint64_t address) const;
  /// The first byte of a place: the inverse.
  std::uint64_t address(const Place& place) const;

 private:
  struct Impl;
};

}  // namespace railyard::hbm
