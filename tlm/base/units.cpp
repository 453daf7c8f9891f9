#include "tlm/base/units.h"

namespace railyard {

namespace {

Wide gcd(Wide a, Wide b) {
  while (b != 0) {
    const Wide r = a % b;
    a = b;
    b = r;
  }
  return a;
}

constexpr Wide kKilo = 1'000;
constexpr Wide kMega = 1'000 * kKilo;
constexpr Wide kGiga = 1'000 * kMega;
constexpr Wide kTera = 1'000 * kGiga;
constexpr Wide kKibi = 1'024;

constexpr units::Unit kTime[] = {
    {"ps", 1}, {"ns", kKilo}, {"us", kMega}, {"ms", kGiga}, {"s", kTera}};
constexpr units::Unit kRate[] = {
    {"bps", 1}, {"Kbps", kKilo},     {"Mbps", kMega},     {"Gbps", kGiga},     {"Tbps", kTera},
    {"Bps", 8}, {"KBps", 8 * kKilo}, {"MBps", 8 * kMega}, {"GBps", 8 * kGiga}, {"TBps", 8 * kTera}};
constexpr units::Unit kBytes[] = {{"B", 1},
                                  {"KB", kKilo},
                                  {"MB", kMega},
                                  {"GB", kGiga},
                                  {"TB", kTera},
                                  {"KiB", kKibi},
                                  {"MiB", kKibi* kKibi},
                                  {"GiB", kKibi* kKibi* kKibi},
                                  {"TiB", kKibi* kKibi* kKibi* kKibi}};
constexpr units::Unit kLength[] = {
    {"um", 1}, {"mm", kKilo}, {"cm", 10 * kKilo}, {"m", kMega}, {"km", kGiga}};

template <std::size_t kSize>
constexpr units::Table table(const units::Unit (&units)[kSize], std::size_t usual) {
  return {units, kSize, usual};
}

}  // namespace

Ratio reduced(Ratio value) {
  const Wide common = gcd(value.num, value.den);
  return {value.num / common, value.den / common};
}

bool multiply_exactly(Ratio& value, Ratio by) {
  // Across first, so that only a result that does not fit overflows.
  const Wide left = gcd(value.num, by.den);
  const Wide right = gcd(by.num, value.den);
  return !__builtin_mul_overflow(value.num / left, by.num / right, &value.num) &&
         !__builtin_mul_overflow(value.den / right, by.den / left, &value.den);
}

namespace units {

std::string Table::names() const {
  std::string text;
  for (const Unit& unit : *this) text += (text.empty() ? "" : ", ") + std::string(unit.name);
  return text;
}

Table time() { return table(kTime, 2); }
Table rate() { return table(kRate, 3); }
Table bytes() { return table(kBytes, 2); }
Table length() { return table(kLength, 3); }

}  // namespace units

}  // namespace railyard
