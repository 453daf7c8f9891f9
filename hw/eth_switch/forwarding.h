// From a frame's destination to its egress port: a table of exact addresses, each with a group of
// ports of equal cost, and a load balancer that chooses among those whose links are up. IP frames
// are found by IP address, then, like all others, by MAC address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "hw/eth_switch/load_balance.h"
#include "tlm/base/time.h"
#include "tlm/net/address.h"
#include "tlm/net/frame.h"

namespace railyard {

enum class RouteResult : std::uint8_t { kRouted, kUnknownDestination, kLinksDown };

/// `port` is meaningful if routed; otherwise `result` is the reason to drop.
struct Route {
  RouteResult result;
  PortId port;
};

class Forwarding {
 public:
  using GroupId = std::size_t;

  /// All links of a switch with `ports` ports are up.
  Forwarding(std::size_t ports, std::unique_ptr<LoadBalancer> balancer);

  /// `members` are ports of the switch, each once. A group of the same members is shared. Throws
  /// std::invalid_argument on anything else.
  GroupId add_group(std::vector<PortId> members);
  /// The latest route to an address holds. Throws std::invalid_argument if there is no such group.
  void add_route(const net::MacAddress& destination, GroupId group);
  void add_route(net::Ipv4Address destination, GroupId group);
  void add_route(const net::Ipv6Address& destination, GroupId group);

  void set_link(PortId port, bool up);
  bool link_up(PortId port) const { return link_up_[port]; }

  Route route(const net::Frame& frame, Time now);

 private:
  enum class Family : std::uint8_t { kNone, kMac, kIpv4, kIpv6 };
  struct Address {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    Family family = Family::kNone;

    bool operator==(const Address& o) const {
      return low == o.low && high == o.high && family == o.family;
    }
  };
  struct Entry {
    Address address;  // kNone: free
    GroupId group = 0;
  };
  struct Group {
    std::vector<PortId> members;
    LivePorts live;
  };

  static Address address_of(const net::MacAddress& mac);
  static Address address_of(net::Ipv4Address ip);
  static Address address_of(const net::Ipv6Address& ip);

  void add(const Address& address, GroupId group);
  /// Where the address is, or the free place where it belongs.
  Entry& place_of(const Address& address);
  const Entry& find(const net::Frame& frame);
  void refresh(Group& group) const;

  std::unique_ptr<LoadBalancer> balancer_;
  std::vector<bool> link_up_;
  std::vector<Group> groups_;
  std::vector<Entry> table_;  // open addressing, linear probing, a power of two, at most half full
  std::size_t used_ = 0;
};

}  // namespace railyard
