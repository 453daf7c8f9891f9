#include "tlm/net/address.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>

namespace railyard::net {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Up to eight groups of an IPv6 address, from one side of "::" or from all of the text.
struct Groups {
  std::array<std::uint16_t, 8> value{};
  std::size_t count = 0;

  bool add(std::uint32_t group) {
    if (count == value.size()) return false;
    value[count++] = static_cast<std::uint16_t>(group);
    return true;
  }
};

bool add_group(std::string_view text, Groups& groups) {
  if (text.empty() || text.size() > 4) return false;
  std::uint32_t group = 0;
  for (const char c : text) {
    const int digit = hex_digit(c);
    if (digit < 0) return false;
    group = group << 4 | static_cast<std::uint32_t>(digit);
  }
  return groups.add(group);
}

/// Groups with ':' between; the last may be a dotted IPv4 address if `dotted_tail`.
bool parse_groups(std::string_view text, bool dotted_tail, Groups& groups) {
  if (text.empty()) return true;
  for (;;) {
    const std::size_t colon = text.find(':');
    const std::string_view group = text.substr(0, colon);
    if (colon != std::string_view::npos) {
      if (!add_group(group, groups)) return false;
      text.remove_prefix(colon + 1);
      continue;
    }
    if (!dotted_tail || group.find('.') == std::string_view::npos) return add_group(group, groups);
    const auto tail = parse_ipv4(group);
    return tail && groups.add(tail->value >> 16) && groups.add(tail->value & 0xFFFF);
  }
}

std::string join_hex(const std::uint16_t* groups, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    char group[6];
    std::snprintf(group, sizeof group, i == 0 ? "%x" : ":%x", groups[i]);
    text += group;
  }
  return text;
}

}  // namespace

std::optional<MacAddress> parse_mac(std::string_view text) {
  MacAddress address;
  if (text.size() != 17 || (text[2] != ':' && text[2] != '-')) return std::nullopt;
  for (std::size_t i = 0; i < 6; ++i) {
    const int high = hex_digit(text[3 * i]);
    const int low = hex_digit(text[3 * i + 1]);
    if (high < 0 || low < 0 || (i > 0 && text[3 * i - 1] != text[2])) return std::nullopt;
    address.bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return address;
}

std::optional<Ipv4Address> parse_ipv4(std::string_view text) {
  std::uint32_t value = 0;
  for (int part = 0; part < 4; ++part) {
    const std::size_t dot = text.find('.');
    if ((dot == std::string_view::npos) != (part == 3)) return std::nullopt;
    const std::string_view digits = text.substr(0, dot);
    if (digits.empty() || digits.size() > 3 || (digits.size() > 1 && digits[0] == '0')) {
      return std::nullopt;
    }
    std::uint32_t number = 0;
    for (const char c : digits) {
      if (c < '0' || c > '9') return std::nullopt;
      number = number * 10 + static_cast<std::uint32_t>(c - '0');
    }
    if (number > 255) return std::nullopt;
    value = value << 8 | number;
    if (part < 3) text.remove_prefix(dot + 1);
  }
  return Ipv4Address{value};
}

std::optional<Ipv6Address> parse_ipv6(std::string_view text) {
  Groups head;
  Groups tail;
  const std::size_t gap = text.find("::");
  if (gap == std::string_view::npos) {
    if (!parse_groups(text, true, head) || head.count != 8) return std::nullopt;
  } else {
    // "::" stands for at least one group of zeros.
    if (!parse_groups(text.substr(0, gap), false, head) ||
        !parse_groups(text.substr(gap + 2), true, tail) || head.count + tail.count > 7) {
      return std::nullopt;
    }
    std::copy_n(tail.value.begin(), tail.count, head.value.end() - tail.count);
  }
  Ipv6Address address;
  for (std::size_t i = 0; i < 8; ++i) {
    address.bytes[2 * i] = static_cast<std::uint8_t>(head.value[i] >> 8);
    address.bytes[2 * i + 1] = static_cast<std::uint8_t>(head.value[i]);
  }
  return address;
}

std::string to_string(const MacAddress& address) {
  const auto& b = address.bytes;
  char text[18];
  std::snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4],
                b[5]);
  return text;
}

std::string to_string(Ipv4Address address) {
  const std::uint32_t v = address.value;
  return std::to_string(v >> 24) + '.' + std::to_string(v >> 16 & 0xFF) + '.' +
         std::to_string(v >> 8 & 0xFF) + '.' + std::to_string(v & 0xFF);
}

std::string to_string(const Ipv6Address& address) {
  std::array<std::uint16_t, 8> groups{};
  for (std::size_t i = 0; i < 8; ++i) {
    groups[i] = static_cast<std::uint16_t>(address.bytes[2 * i] << 8 | address.bytes[2 * i + 1]);
  }
  const bool mapped = groups[5] == 0xFFFF && std::all_of(groups.begin(), groups.begin() + 5,
                                                         [](auto group) { return group == 0; });
  if (mapped) {
    return "::ffff:" + to_string(Ipv4Address{std::uint32_t{groups[6]} << 16 | groups[7]});
  }
  std::size_t gap = 0;
  std::size_t gap_length = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    std::size_t end = i;
    while (end < 8 && groups[end] == 0) ++end;
    if (end - i > gap_length) {
      gap = i;
      gap_length = end - i;
    }
  }
  if (gap_length < 2) return join_hex(groups.data(), 8);
  const std::size_t after = gap + gap_length;
  return join_hex(groups.data(), gap) + "::" + join_hex(groups.data() + after, 8 - after);
}

}  // namespace railyard::net
