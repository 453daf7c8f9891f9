#include "hw/hbm/organisation.h"

#include <cstdint>
#include <string>

namespace railyard::hbm {
namespace {

constexpr unsigned kMostBanks = 64;  // of a pseudo-channel: a word of bits

bool power_of_two(unsigned n) { return n != 0 && (n & (n - 1)) == 0; }

void declare_field(Parameters& p, const OrganisationField& field, unsigned& member) {
  Scalar<unsigned>& scalar = p.add(field.key, member).range(field.min, field.max);
  scalar.doc(field.doc);
  if (field.member == &Organisation::stacks) return;
  if (field.member == &Organisation::rows) {
    scalar.accept("is neither a power of two nor three quarters of one",
                  "a power of two, or three quarters of one", [](unsigned n) {
                    return power_of_two(n) || (n % 3 == 0 && power_of_two(n / 3));
                  });
    return;
  }
  scalar.accept("is no power of two", "a power of two", power_of_two);
}

}  // namespace

const std::vector<OrganisationField>& organisation_fields() {
  using O = Organisation;
  static const std::vector<OrganisationField> kFields = {
      {"stacks", &O::stacks, 1, 64, "Stacks of the device"},
      {"channels", &O::channels, 1, 64, "Channels of a stack"},
      {"pseudo_channels", &O::pseudo_channels, 1, 2, "Pseudo-channels of a channel"},
      {"sids", &O::sids, 1, 4, "Stack IDs (ranks) of a pseudo-channel"},
      {"groups", &O::groups, 1, 16, "Bank groups of a SID"},
      {"banks", &O::banks, 1, 16, "Banks of a group; a pseudo-channel has at most 64"},
      {"rows", &O::rows, 4, 1U << 20,
       "Rows of a bank; three quarters of a power of two is what dies of 12 and 24 Gb have"},
      {"columns", &O::columns, 2, 1024, "Accesses of a row: page size / access_bytes"},
      {"access_bytes", &O::access_bytes, 8, 256,
       "Bytes of an access: pins of a pseudo-channel x burst length / 8"},
      {"pins", &O::pins, 8, 256, "DQ of a pseudo-channel"}};
  return kFields;
}

void Organisation::declare(Parameters& p) {
  for (const OrganisationField& field : organisation_fields()) {
    declare_field(p, field, this->*field.member);
  }
}

void Organisation::check(const std::string& prefix, const Bound& bound) const {
  if (banks_per_pseudo_channel() > kMostBanks) {
    bound.fail(prefix + (bound.has(prefix + "sids") ? "sids" : "banks"),
               std::to_string(sids) + " SIDs of " + std::to_string(groups) + " groups of " +
                   std::to_string(banks) + " banks are " +
                   std::to_string(banks_per_pseudo_channel()) + " banks a pseudo-channel",
               "write fields whose product is at most " + std::to_string(kMostBanks));
  }
  // Accesses of a stack are counted in 32 bits, see address_map.h.
  if (stack_bytes() / access_bytes > std::uint64_t{1} << 32U) {
    bound.fail(prefix + "rows",
               "a stack has " + std::to_string(stack_bytes() / access_bytes) + " accesses",
               "write fields whose product, without access_bytes, is at most 2^32");
  }
}

}  // namespace railyard::hbm
