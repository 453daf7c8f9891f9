// MAC, IPv4 and IPv6 addresses and their text forms.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace railyard::net {

/// IEEE 802 address, in wire order.
struct MacAddress {
  std::array<std::uint8_t, 6> bytes{};
  bool is_multicast() const { return (bytes[0] & 1) != 0; }
};

/// As an integer: 10.0.0.1 is 0x0A000001.
struct Ipv4Address {
  std::uint32_t value = 0;
};

/// In wire order.
struct Ipv6Address {
  std::array<std::uint8_t, 16> bytes{};
};

inline bool operator==(const MacAddress& a, const MacAddress& b) { return a.bytes == b.bytes; }
inline bool operator!=(const MacAddress& a, const MacAddress& b) { return !(a == b); }
inline bool operator<(const MacAddress& a, const MacAddress& b) { return a.bytes < b.bytes; }
inline bool operator==(Ipv4Address a, Ipv4Address b) { return a.value == b.value; }
inline bool operator!=(Ipv4Address a, Ipv4Address b) { return !(a == b); }
inline bool operator<(Ipv4Address a, Ipv4Address b) { return a.value < b.value; }
inline bool operator==(const Ipv6Address& a, const Ipv6Address& b) { return a.bytes == b.bytes; }
inline bool operator!=(const Ipv6Address& a, const Ipv6Address& b) { return !(a == b); }
inline bool operator<(const Ipv6Address& a, const Ipv6Address& b) { return a.bytes < b.bytes; }

/// Nothing on text that is not exactly one address. MAC: six hex pairs with ':' or '-' between.
/// IPv4: four decimal numbers without leading zeros. IPv6: RFC 4291 2.2, all three forms.
std::optional<MacAddress> parse_mac(std::string_view text);
std::optional<Ipv4Address> parse_ipv4(std::string_view text);
std::optional<Ipv6Address> parse_ipv6(std::string_view text);

/// Lower case. IPv6 as RFC 5952 has it: the longest run of zeros shortened, and an IPv4-mapped
/// address (what a RoCE GID of an IPv4 interface is) with a dotted tail.
std::string to_string(const MacAddress& address);
std::string to_string(Ipv4Address address);
std::string to_string(const Ipv6Address& address);

}  // namespace railyard::net
