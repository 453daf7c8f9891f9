// Parameters of a tester port, and of the traffic that a platform's testers send.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "tlm/base/quantity.h"
#include "tlm/base/rate.h"
#include "tlm/base/time.h"
#include "tlm/config/parameters.h"
#include "tlm/link/stall.h"
#include "tlm/net/address.h"

namespace railyard {

/// An address of either family.
using IpAddress = std::variant<net::Ipv4Address, net::Ipv6Address>;

/// PFC towards the peer: thresholds on the bytes in the receive buffer.
struct PfcConfig {
  bool enabled = true;
  Bytes xoff = kibibytes(64);
  Bytes xon = kibibytes(32);
  std::uint16_t quanta = 0xFFFF;

  void declare(Parameters& p);
};

struct TesterConfig {
  net::MacAddress mac;
  IpAddress ip;
  bool sends = true;
  Time start = 0;
  Bytes receive_buffer = kibibytes(256);
  std::optional<Rate> drain_rate;
  PfcConfig pfc;
  StallConfig receive_stall;
  StallConfig send_stall;

  void declare(Parameters& p);
};

enum class DataMode : std::uint8_t { kCarried, kElided };

/// What a sending tester sends: `messages` RDMA writes of `message_size`, back to back.
struct TrafficConfig {
  std::uint64_t messages = 16;
  Bytes message_size = kibibytes(64);
  std::uint32_t path_mtu = 4096;
  std::uint8_t priority = 3;
  std::uint8_t dscp = 26;
  std::optional<std::uint16_t> vlan;

  void declare(Parameters& p);
};

template <>
struct ScalarType<net::MacAddress> {
  static constexpr bool kText = true;
  static std::string name() { return "MAC address"; }
  static std::string example() { return "02:00:00:00:00:01"; }
  static net::MacAddress parse(const std::string& text);
  static std::string format(const net::MacAddress& value) { return net::to_string(value); }
};

template <>
struct ScalarType<IpAddress> {
  static constexpr bool kText = true;
  static std::string name() { return "IPv4 or IPv6 address"; }
  static std::string example() { return "10.0.0.1"; }
  static IpAddress parse(const std::string& text);
  static std::string format(const IpAddress& value);
};

}  // namespace railyard
