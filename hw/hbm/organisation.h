// How an HBM device is divided. Its capacity is the product of the fields.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tlm/config/parameters.h"

namespace railyard::hbm {

struct Organisation {
  unsigned stacks = 5;
  unsigned channels = 16;        // of a stack
  unsigned pseudo_channels = 2;  // of a channel
  unsigned sids = 2;             // stack IDs (ranks) of a pseudo-channel
  unsigned groups = 4;           // bank groups of a SID
  unsigned banks = 4;            // of a group
  unsigned rows = 16384;         // of a bank; a power of two, or three quarters of one
  unsigned columns = 32;         // accesses of a row
  unsigned access_bytes = 32;    // pins of a pseudo-channel x burst length / 8
  unsigned pins = 32;            // DQ of a pseudo-channel

  /// The keys. What holds between them is check()'s, which whoever fills in a preset calls then.
  void declare(Parameters& p);
  /// Fails at "<prefix><key>" if keys contradict each other.
  void check(const std::string& prefix, const Bound& bound) const;

  unsigned banks_per_sid() const { return groups * banks; }
  /// Of a pseudo-channel, all SIDs. At most 64.
  unsigned banks_per_pseudo_channel() const { return sids * banks_per_sid(); }
  unsigned total_channels() const { return stacks * channels; }
  unsigned total_pseudo_channels() const { return total_channels() * pseudo_channels; }
  std::uint64_t pseudo_channel_bytes() const {
    return std::uint64_t{banks_per_pseudo_channel()} * rows * columns * access_bytes;
  }
  std::uint64_t stack_bytes() const {
    return std::uint64_t{channels} * pseudo_channels * pseudo_channel_bytes();
  }
  std::uint64_t capacity() const { return stacks * stack_bytes(); }

  // Of a flat bank of a pseudo-channel.
  unsigned sid_of(unsigned bank) const { return bank / banks_per_sid(); }
  /// Flat within the pseudo-channel: sid * groups + group.
  unsigned group_of(unsigned bank) const { return bank / banks; }
  unsigned first_bank_of_sid(unsigned sid) const { return sid * banks_per_sid(); }
  /// The banks of the SID that begins with `first_bank`, a bit each.
  std::uint64_t banks_of_sid(unsigned first_bank) const {
    return (~std::uint64_t{0} >> (64 - banks_per_sid())) << first_bank;
  }
};

/// A key of Organisation.
struct OrganisationField {
  const char* key;
  unsigned Organisation::*member;
  unsigned min;
  unsigned max;
  const char* doc;
};
const std::vector<OrganisationField>& organisation_fields();

}  // namespace railyard::hbm
