// Ports and registers of a block by their names in the RTL. A struct of them has
//   template <class Self, class Visit> static void fields(Self& self, Visit&& visit)
// which calls visit(name, member, bits) for each; the member is an integer, a bool, or a std::array
// with an element a priority. From that come comparison, text, CSV columns and waveforms.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace railyard::rtl {

/// One scalar of a struct: an array has one an element, "depth_i[3]".
struct Field {
  std::string name;
  unsigned bits = 0;
  std::uint64_t value = 0;
};

namespace detail {
template <class T, class Use>
void each(const std::string& name, const T& value, Use&& use) {
  use(name, value);
}
template <class T, std::size_t N, class Use>
void each(const std::string& name, const std::array<T, N>& values, Use&& use) {
  for (std::size_t i = 0; i < N; ++i) use(name + "[" + std::to_string(i) + "]", values[i]);
}
}  // namespace detail

template <class Struct>
std::vector<Field> fields_of(const Struct& s) {
  std::vector<Field> all;
  Struct::fields(s, [&](const char* name, const auto& member, unsigned bits) {
    detail::each(name, member, [&](const std::string& n, const auto& value) {
      all.push_back({n, bits, static_cast<std::uint64_t>(value)});
    });
  });
  return all;
}

/// "name: this, that" of each that differs.
template <class Struct>
std::string differences(const Struct& a, const Struct& b) {
  std::string text;
  const std::vector<Field> x = fields_of(a);
  const std::vector<Field> y = fields_of(b);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i].value == y[i].value) continue;
    text +=
        x[i].name + ": " + std::to_string(x[i].value) + ", " + std::to_string(y[i].value) + "\n";
  }
  return text;
}

}  // namespace railyard::rtl
