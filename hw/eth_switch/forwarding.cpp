#include "hw/eth_switch/forwarding.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "hw/eth_switch/load_balance_hash.h"

namespace railyard {

namespace {

std::uint64_t word_of(const std::uint8_t* bytes, std::size_t size) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < size; ++i) word = word << 8 | bytes[i];
  return word;
}

}  // namespace

Forwarding::Forwarding(std::size_t ports, std::unique_ptr<LoadBalancer> balancer)
    : balancer_(std::move(balancer)), link_up_(ports, true), table_(64) {}

Forwarding::GroupId Forwarding::add_group(std::vector<PortId> members) {
  std::sort(members.begin(), members.end());
  if (std::adjacent_find(members.begin(), members.end()) != members.end()) {
    throw std::invalid_argument("a group names a port twice");
  }
  if (members.empty() || members.back() >= link_up_.size()) {
    throw std::invalid_argument("a group needs ports, below " + std::to_string(link_up_.size()));
  }
  const auto same = std::find_if(groups_.begin(), groups_.end(),
                                 [&](const Group& group) { return group.members == members; });
  if (same != groups_.end()) return same->live.id;
  Group group;
  group.live.id = groups_.size();
  group.live.ports.reserve(members.size());
  group.members = std::move(members);
  refresh(group);
  groups_.push_back(std::move(group));
  return groups_.size() - 1;
}

void Forwarding::add_route(const net::MacAddress& destination, GroupId group) {
  add(address_of(destination), group);
}

void Forwarding::add_route(net::Ipv4Address destination, GroupId group) {
  add(address_of(destination), group);
}

void Forwarding::add_route(const net::Ipv6Address& destination, GroupId group) {
  add(address_of(destination), group);
}

void Forwarding::set_link(PortId port, bool up) {
  if (link_up_[port] == up) return;
  link_up_[port] = up;
  for (Group& group : groups_) {
    if (std::binary_search(group.members.begin(), group.members.end(), port)) refresh(group);
  }
}

Route Forwarding::route(const net::Frame& frame, Time now) {
  const Entry& entry = find(frame);
  if (entry.address.family == Family::kNone) return {RouteResult::kUnknownDestination, 0};
  const LivePorts& live = groups_[entry.group].live;
  if (live.ports.empty()) return {RouteResult::kLinksDown, 0};
  if (live.ports.size() == 1) return {RouteResult::kRouted, live.ports.front()};
  return {RouteResult::kRouted, balancer_->choose(live, frame, now)};
}

Forwarding::Address Forwarding::address_of(const net::MacAddress& mac) {
  return {0, word_of(mac.bytes.data(), 6), Family::kMac};
}

Forwarding::Address Forwarding::address_of(net::Ipv4Address ip) {
  return {0, ip.value, Family::kIpv4};
}

Forwarding::Address Forwarding::address_of(const net::Ipv6Address& ip) {
  return {word_of(ip.bytes.data(), 8), word_of(ip.bytes.data() + 8, 8), Family::kIpv6};
}

void Forwarding::add(const Address& address, GroupId group) {
  if (group >= groups_.size()) {
    throw std::invalid_argument("a route to group " + std::to_string(group) + " of " +
                                std::to_string(groups_.size()));
  }
  Entry& entry = place_of(address);
  const bool is_new = entry.address.family == Family::kNone;
  entry = {address, group};
  if (!is_new || ++used_ <= table_.size() / 2) return;
  std::vector<Entry> old(table_.size() * 2);
  old.swap(table_);
  for (const Entry& e : old) {
    if (e.address.family != Family::kNone) place_of(e.address) = e;
  }
}

Forwarding::Entry& Forwarding::place_of(const Address& address) {
  std::size_t i =
      mix_bits(address.high * 0x9e3779b97f4a7c15ULL + address.low) & (table_.size() - 1);
  while (table_[i].address.family != Family::kNone && !(table_[i].address == address)) {
    i = (i + 1) & (table_.size() - 1);
  }
  return table_[i];
}

const Forwarding::Entry& Forwarding::find(const net::Frame& frame) {
  if (frame.is_ip()) {
    const Entry& entry = place_of(frame.is_ipv4() ? address_of(frame.ipv4.destination)
                                                  : address_of(frame.ipv6.destination));
    if (entry.address.family != Family::kNone) return entry;
  }
  return place_of(address_of(frame.ethernet.destination));
}

void Forwarding::refresh(Group& group) const {
  group.live.ports.clear();
  for (const PortId port : group.members) {
    if (link_up_[port]) group.live.ports.push_back(port);
  }
}

}  // namespace railyard
