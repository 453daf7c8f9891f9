// How a parameter of one value is written. ScalarType<T> says it for a type; a model's own types
// (addresses, masks) specialise it beside their declaration:
//
//   template <>
//   struct ScalarType<MacAddress> {
//     static constexpr bool kText = true;                  // false: a number or bool, never quoted
//     static std::string name() { return "MAC address"; }
//     static std::string example() { return "02:00:00:00:00:01"; }
//     static MacAddress parse(const std::string& text);    // throws ConfigError without a place
//     static std::string format(const MacAddress& value);  // parses back to the same value
//   };
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tlm/base/error.h"
#include "tlm/base/format.h"
#include "tlm/base/quantity.h"
#include "tlm/config/node.h"

namespace railyard {

template <class T, class = void>
struct ScalarType;

template <>
struct ScalarType<bool> {
  static constexpr bool kText = false;
  static std::string name() { return "bool"; }
  static std::string example() { return "true"; }
  static bool parse(const std::string& text) { return parse_bool(text); }
  static std::string format(bool value) { return value ? "true" : "false"; }
};

/// Counts and indices. (std::int64_t is Time; no other 64-bit signed parameter exists.)
template <class T>
struct ScalarType<
    T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool> &&
                        !std::is_same_v<T, char> && (std::is_unsigned_v<T> || sizeof(T) < 8)>> {
  static constexpr bool kText = false;
  static std::string name() { return std::is_unsigned_v<T> ? "count" : "integer"; }
  static std::string example() { return "8"; }
  static T parse(const std::string& text) {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::is_unsigned_v<T>) {
      return static_cast<T>(parse_unsigned(text, Limits::max()));
    } else {
      return static_cast<T>(parse_signed(text, Limits::min(), Limits::max()));
    }
  }
  static std::string format(T value) { return std::to_string(value); }
};

template <>
struct ScalarType<double> {
  static constexpr bool kText = false;
  static std::string name() { return "number"; }
  static std::string example() { return "0.5"; }
  static double parse(const std::string& text) { return parse_number(text); }
  static std::string format(double value) { return format_number(value); }
};

template <>
struct ScalarType<Time> {
  static constexpr bool kText = true;
  static std::string name() { return "time"; }
  static std::string example() { return "5us"; }
  static Time parse(const std::string& text) { return parse_time(text); }
  static std::string format(Time value) { return format_time(value); }
};

template <>
struct ScalarType<Rate> {
  static constexpr bool kText = true;
  static std::string name() { return "rate"; }
  static std::string example() { return "400Gbps"; }
  static Rate parse(const std::string& text) { return parse_rate(text); }
  static std::string format(Rate value) { return format_rate(value); }
};

template <>
struct ScalarType<Bytes> {
  static constexpr bool kText = true;
  static std::string name() { return "size"; }
  static std::string example() { return "9MB"; }
  static Bytes parse(const std::string& text) { return parse_bytes(text); }
  static std::string format(Bytes value) { return format_bytes(value); }
};

template <>
struct ScalarType<Length> {
  static constexpr bool kText = true;
  static std::string name() { return "length"; }
  static std::string example() { return "5m"; }
  static Length parse(const std::string& text) { return parse_length(text); }
  static std::string format(Length value) { return format_length(value); }
};

/// Text of printable ASCII, at most 4,096 characters.
template <>
struct ScalarType<std::string> {
  static constexpr bool kText = true;
  static std::string name() { return "text"; }
  static std::string example() { return "a name"; }
  static std::string parse(const std::string& text);
  static std::string format(const std::string& value) { return value; }
};

/// The scalar's text, or a ConfigError that begins with `path` and says that a `type` such as
/// `example` belongs there. `text_type`: quotes are accepted.
const std::string& scalar_text(const Node& node, const std::string& path, bool text_type,
                               const std::string& type, const std::string& example);

/// Adds place and path to a refusal of the value at `node`.
[[noreturn]] void refuse_value(const Node& node, const std::string& path, const ConfigError& error);

/// A type's values that one parameter accepts.
template <class T>
class ScalarRule {
 public:
  using Type = ScalarType<T>;

  /// Only values that satisfy `holds`. `problem` and `accepted` complete the message
  /// `"5" <problem>; accepted: <accepted>`.
  void accept(std::string problem, std::string accepted, std::function<bool(const T&)> holds) {
    conditions_.push_back({std::move(problem), std::move(accepted), std::move(holds)});
  }

  T read(const Node& node, const std::string& path) const {
    const std::string& text = scalar_text(node, path, Type::kText, Type::name(), Type::example());
    try {
      T value = Type::parse(text);
      for (const Condition& condition : conditions_) {
        if (condition.holds(value)) continue;
        throw ConfigError("", railyard::quoted(text) + " " + condition.problem,
                          "accepted: " + accepted());
      }
      return value;
    } catch (const ConfigError& error) {
      // An integer's parser knows the range of the type alone.
      const bool narrower = std::is_integral_v<T> && !Type::kText && !conditions_.empty();
      refuse_value(node, path,
                   narrower ? ConfigError("", error.problem(), "accepted: " + accepted()) : error);
    }
  }

  static Node dump(const T& value) { return Node::scalar(Type::format(value), Type::kText); }

  /// "1ns to 1s", or "" if all values are.
  std::string accepted() const {
    std::string text;
    for (const Condition& condition : conditions_) {
      text += (text.empty() ? "" : ", ") + condition.accepted;
    }
    return text;
  }

 private:
  struct Condition {
    std::string problem;
    std::string accepted;
    std::function<bool(const T&)> holds;
  };
  std::vector<Condition> conditions_;
};

}  // namespace railyard
