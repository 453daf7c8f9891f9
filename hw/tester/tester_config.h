// Parameters of a tester port.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "hw/congestion/cnp_config.h"
#include "hw/congestion/congestion_config.h"
#include "tlm/base/quantity.h"
#include "tlm/base/rate.h"
#include "tlm/base/time.h"
#include "tlm/config/parameters.h"
#include "tlm/link/stall.h"
#include "tlm/net/address.h"

namespace railyard {

/// An address of either family.
using IpAddress = std::variant<net::Ipv4Address, net::Ipv6Address>;

/// Who a port is.
struct TesterAddress {
  net::MacAddress mac;
  IpAddress ip;
};

inline bool operator==(const TesterAddress& a, const TesterAddress& b) {
  return a.mac == b.mac && a.ip == b.ip;
}

/// PFC towards the peer: thresholds on the bytes in the receive buffer.
struct PfcConfig {
  bool enabled = true;
  Bytes xoff = kibibytes(64);
  Bytes xon = kibibytes(32);
  std::uint16_t quanta = 0xFFFF;

  void declare(Parameters& p);
};

/// The receiver takes nothing from `at` for `lasts`; 0: for good.
struct StuckWindow {
  Time at = 0;
  Time lasts = 0;

  void declare(Parameters& p);
  Time end() const { return lasts == 0 ? kForever : at + lasts; }
};

/// What a platform's tester ports have in common.
struct TesterConfig {
  Bytes receive_buffer = kibibytes(256);
  std::optional<Rate> drain_rate;
  PfcConfig pfc;
  std::uint64_t response_quanta = 0;
  StallConfig receive_stall;
  StallConfig send_stall;
  std::vector<StuckWindow> stuck;
  CnpConfig cnp;
  CongestionConfig congestion;  // not a key here: the platform's

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
