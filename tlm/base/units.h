// The units of each kind of quantity, and exact ratios of wide integers: what parsing and
// formatting share.
#pragma once

#include <cstddef>
#include <string>

namespace railyard {

__extension__ using Wide = unsigned __int128;

/// Digits after the point that a quantity may have, trailing zeros aside.
constexpr std::size_t kMaxFractionDigits = 18;

/// num/den, in lowest terms.
struct Ratio {
  Wide num = 0;
  Wide den = 1;
};

Ratio reduced(Ratio value);
/// value *= by; false if it does not fit.
bool multiply_exactly(Ratio& value, Ratio by);

namespace units {

struct Unit {
  const char* name;
  Wide scale;  // in the base unit, which is the table's first
};

struct Table {
  const Unit* units;
  std::size_t size;
  std::size_t usual;  // the index of the unit to suggest

  const Unit* begin() const { return units; }
  const Unit* end() const { return units + size; }
  /// "ps, ns, us, ms, s"
  std::string names() const;
};

Table time();    // ps
Table rate();    // bits a second
Table bytes();   // bytes
Table length();  // micrometres

}  // namespace units

}  // namespace railyard
