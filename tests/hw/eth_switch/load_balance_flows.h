// RoCE flows for the tests of load balancing.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "tlm/net/address.h"
#include "tlm/net/frame.h"

namespace railyard {

inline net::Frame roce(std::uint16_t source_port, bool v6 = false) {
  net::Frame frame;
  frame.ethernet.type = v6 ? net::EtherType::kIpv6 : net::EtherType::kIpv4;
  frame.ipv4.source = {0x0A000001};
  frame.ipv4.destination = {0x0A000102};
  frame.ipv6.source = *net::parse_ipv6("fd00::1");
  frame.ipv6.destination = *net::parse_ipv6("fd00::1:2");
  frame.udp.source_port = source_port;
  return frame;
}

/// Frames of `n` connections between two hosts, QPs numbered on from `qpn`, of different ports.
inline std::vector<net::Frame> connections(unsigned n, std::uint32_t qpn) {
  std::vector<net::Frame> frames;
  std::set<std::uint16_t> used;
  for (; frames.size() < n; ++qpn) {
    const std::uint16_t port = net::udp_source_port(qpn, qpn + 1);
    if (used.insert(port).second) frames.push_back(roce(port));
  }
  return frames;
}

}  // namespace railyard
