#include "hw/hbm/address_map.h"

#include "hw/hbm/bit_list.h"
#include "tlm/base/error.h"

namespace railyard::hbm {
namespace {

constexpr unsigned kAccessBits = 32;  // of the tables

/// Bits that count `n` values.
unsigned width_of(std::uint64_t n) {
  unsigned width = 0;
  while ((std::uint64_t{1} << width) < n) ++width;
  return width;
}

/// A field of a place, in the order from the lowest bit of the default map up.
struct Field {
  const char* key;
  const char* values;  // "rows"
  std::string AddressMapConfig::*text;
  unsigned Organisation::*size;
  unsigned width(const Organisation& o) const { return width_of(o.*size); }
};

constexpr std::size_t kFields = 7;
using Fields = std::array<Field, kFields>;

// The flat bank is SID, group and bank side by side: all are powers of two.
const Fields& inverse_order() {
  static const Fields kOrder = {
      {{"pseudo_channel", "pseudo-channels", &AddressMapConfig::pseudo_channel,
        &Organisation::pseudo_channels},
       {"channel", "channels", &AddressMapConfig::channel, &Organisation::channels},
       {"bank", "banks", &AddressMapConfig::bank, &Organisation::banks},
       {"group", "groups", &AddressMapConfig::group, &Organisation::groups},
       {"sid", "SIDs", &AddressMapConfig::sid, &Organisation::sids},
       {"column", "columns", &AddressMapConfig::column, &Organisation::columns},
       {"row", "rows", &AddressMapConfig::row, &Organisation::rows}}};
  return kOrder;
}

bool is_default(const AddressMapConfig& config) {
  for (const Field& field : inverse_order()) {
    if (!(config.*field.text).empty()) return false;
  }
  return true;
}

/// Which bits an address within a stack has above those of its bytes.
struct AddressBits {
  unsigned lowest;
  unsigned highest;
};

AddressBits address_bits(const Organisation& o) {
  AddressBits bits{width_of(o.access_bytes), width_of(o.access_bytes)};
  for (const Field& field : inverse_order()) bits.highest += field.width(o);
  --bits.highest;
  return bits;
}

std::string text(unsigned n) { return std::to_string(n); }

/// How many of a row's bits, most significant first, are the highest of the address, alone.
unsigned on_top(const std::vector<std::uint64_t>& row, unsigned highest) {
  unsigned count = 0;
  while (count < row.size() && row[count] == std::uint64_t{1} << (highest - count)) ++count;
  return count;
}

/// Rows that are three quarters of a power of two: addresses end with them only if the highest two
/// bits are the row's, for then both lack the last quarter.
void check_row(const Organisation& o, const std::vector<std::uint64_t>& row, unsigned highest,
               const AddressMap::Fail& fail) {
  if ((o.rows & (o.rows - 1)) == 0 || on_top(row, highest) >= 2) return;
  fail("row",
       text(o.rows) +
           " rows are three quarters of a power of two, so the two highest bits of the "
           "address must be the row's, alone",
       "begin row with \"" + text(highest) + " " + text(highest - 1) + "\"");
}

void check_granule(const Organisation& o, std::uint32_t granule, const AddressMap::Fail& fail) {
  if (o.stacks == 1) return;
  if (granule >= o.access_bytes && o.stack_bytes() % granule == 0) return;
  fail("stack_granule",
       "turns of " + text(granule) + " B do not fit accesses of " + text(o.access_bytes) +
           " B and stacks of " + std::to_string(o.stack_bytes()) + " B",
       "write a power of two between them that divides a stack");
}

/// The set of the address' bits that makes each bit of a field, least significant first.
std::vector<std::uint64_t> field_bits(const Organisation& o, const AddressMapConfig& config,
                                      const Field& field, const AddressMap::Fail& fail) {
  const AddressBits range = address_bits(o);
  const auto bits = parse_bits(config.*field.text, range.lowest, range.highest,
                               [&](const std::string& problem, const std::string& remedy) {
                                 fail(field.key, problem, remedy);
                               });
  const unsigned width = field.width(o);
  if (bits.size() != width) {
    fail(field.key,
         "has " + std::to_string(bits.size()) + " bits, and " + text(o.*field.size) + " " +
             field.values + " need " + text(width),
         "write as many, or no list of any field for the default map");
  }
  if (field.size == &Organisation::rows) check_row(o, bits, range.highest, fail);
  return {bits.rbegin(), bits.rend()};
}

/// The solved map; fails as the constructor.
struct Solved {
  std::vector<std::uint64_t> equations;  // in inverse_order(), of bits of an access' number
  std::vector<std::uint64_t> inverse;
};

Solved solve(const Organisation& o, const AddressMapConfig& config, const AddressMap::Fail& fail) {
  const AddressBits range = address_bits(o);
  std::array<std::vector<std::uint64_t>, kFields> fields;
  std::uint64_t used = 0;
  for (std::size_t f = 0; f < kFields; ++f) {
    fields[f] = field_bits(o, config, inverse_order()[f], fail);
    for (const std::uint64_t bits : fields[f]) used |= bits;
  }
  for (unsigned n = range.lowest; n <= range.highest; ++n) {
    if ((used >> n & 1U) != 0) continue;
    fail("row", "bit " + text(n) + " of the address is in no field, so that addresses meet",
         "write it in one of the fields");
  }
  Solved solved;
  BitEquations equations;
  for (std::size_t f = 0; f < kFields; ++f) {
    for (std::size_t i = 0; i < fields[f].size(); ++i) {
      const std::uint64_t bits = fields[f][i] >> range.lowest;
      solved.equations.push_back(bits);
      if (equations.add(bits)) continue;
      fail(inverse_order()[f].key,
           "bit " + std::to_string(i) +
               " (0 is the last that is written) follows from other bits "
               "of the map, so that addresses meet",
           "let each bit of the address be in one field alone, or first in one exclusive or");
    }
  }
  solved.inverse = equations.inverse();
  return solved;
}

}  // namespace

AddressMapConfig default_map(const Organisation& o) {
  AddressMapConfig config;
  unsigned bit = width_of(o.access_bytes);
  const auto add = [&bit](std::string& field, unsigned values) {
    const unsigned width = width_of(values);
    field = bit_run(bit, width);
    bit += width;
  };
  add(config.pseudo_channel, o.pseudo_channels);
  add(config.group, o.groups);
  add(config.channel, o.channels);
  add(config.column, o.columns);
  add(config.bank, o.banks);
  add(config.sid, o.sids);
  add(config.row, o.rows);
  return config;
}

unsigned row_bits_on_top(const Organisation& o, const AddressMapConfig& config) {
  const AddressBits range = address_bits(o);
  const AddressMapConfig map = is_default(config) ? default_map(o) : config;
  const auto row = parse_bits(map.row, range.lowest, range.highest,
                              [](const std::string& problem, const std::string& remedy) {
                                throw ConfigError("", "map.row: " + problem, remedy);
                              });
  return on_top(row, range.highest);
}

AddressMap::AddressMap(const Organisation& organisation, const AddressMapConfig& config)
    : AddressMap(
          organisation, config,
          [](const std::string& field, const std::string& problem, const std::string& remedy) {
            throw ConfigError("", "map." + field + ": " + problem, remedy);
          }) {}

void AddressMap::check(const Organisation& organisation, const AddressMapConfig& config,
                       const Fail& fail) {
  const AddressMap map(organisation, config, fail);
}

AddressMap::AddressMap(const Organisation& o, const AddressMapConfig& config, const Fail& fail)
    : access_shift_(width_of(o.access_bytes)), stacks_(o.stacks), channels_(o.channels) {
  check_granule(o, config.stack_granule, fail);
  const AddressBits range = address_bits(o);
  if (range.highest - range.lowest >= kAccessBits) {
    fail("row", "a stack has more than 2^" + text(kAccessBits) + " accesses", "write fewer rows");
  }
  const Solved solved = solve(o, is_default(config) ? default_map(o) : config, fail);

  // Where in a packed place each equation's bit is.
  std::vector<unsigned> at;
  const auto field_at = [&at](unsigned first, unsigned width) {
    for (unsigned i = 0; i < width; ++i) at.push_back(first + i);
  };
  const unsigned banks = width_of(o.banks_per_pseudo_channel());
  channel_at_ = width_of(o.pseudo_channels);
  bank_at_ = channel_at_ + width_of(o.channels);
  column_at_ = bank_at_ + banks;
  row_at_ = column_at_ + width_of(o.columns);
  field_at(kPseudoChannelAt, channel_at_);
  field_at(kChannelAt, width_of(o.channels));
  field_at(kBankAt, banks);
  field_at(kColumnAt, width_of(o.columns));
  field_at(0, width_of(o.rows));

  std::vector<std::uint64_t> columns(solved.equations.size(), 0);
  for (std::size_t i = 0; i < at.size(); ++i) {
    for (std::size_t bit = 0; bit < columns.size(); ++bit) {
      if ((solved.equations[i] >> bit & 1U) != 0) columns[bit] |= std::uint64_t{1} << at[i];
    }
  }
  fill(place_tables_, columns);
  fill(address_tables_, solved.inverse);

  if (stacks_ != 1) {
    granule_shift_ = width_of(config.stack_granule) - access_shift_;
    granule_mask_ = (std::uint64_t{1} << granule_shift_) - 1;
    reciprocal_ = ~std::uint64_t{0} / stacks_ + 1;
  }
}

void AddressMap::fill(Tables& tables, const std::vector<std::uint64_t>& columns) {
  for (std::size_t byte = 0; byte < tables.size(); ++byte) {
    for (std::size_t value = 0; value < 256; ++value) {
      std::uint64_t sum = 0;
      for (std::size_t bit = 0; bit < 8; ++bit) {
        const std::size_t column = byte * 8 + bit;
        if ((value >> bit & 1U) != 0 && column < columns.size()) sum ^= columns[column];
      }
      tables[byte][value] = sum;
    }
  }
}

std::uint64_t AddressMap::address(const Place& place) const {
  const std::uint64_t stack = place.channel / channels_;
  const std::uint64_t fields = place.pseudo_channel | (place.channel % channels_) << channel_at_ |
                               std::uint64_t{place.bank} << bank_at_ |
                               std::uint64_t{place.column} << column_at_ |
                               std::uint64_t{place.row} << row_at_;
  std::uint64_t access = apply(address_tables_, fields);
  if (stacks_ != 1) {
    const std::uint64_t turn = (access >> granule_shift_) * stacks_ + stack;
    access = turn << granule_shift_ | (access & granule_mask_);
  }
  return access << access_shift_;
}

}  // namespace railyard::hbm
