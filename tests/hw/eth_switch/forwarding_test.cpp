#include "hw/eth_switch/forwarding.h"

#include <gmock/gmock.h>

#include <stdexcept>
#include <utility>

#include "tests/support/allocations.h"
#include "tlm/sim/random.h"

namespace railyard {
namespace {

const std::vector<std::uint64_t> kQueued(512);

Forwarding switch_of(std::size_t ports, LoadBalancing kind = LoadBalancing::kEcmp) {
  LoadBalanceConfig config;
  config.load_balance = kind;
  config.spray_order = SprayOrder::kRoundRobin;
  return Forwarding(ports, make_load_balancer(config, 1, "sw0", kQueued));
}

net::MacAddress mac(std::uint8_t last) { return {{2, 0, 0, 0, 0, last}}; }

net::Frame to(net::Ipv4Address ip, std::uint16_t source_port = 0xC000) {
  net::Frame frame;
  frame.ethernet.type = net::EtherType::kIpv4;
  frame.ethernet.destination = mac(99);
  frame.ipv4.destination = ip;
  frame.udp.source_port = source_port;
  return frame;
}

net::Frame to(const net::Ipv6Address& ip) {
  net::Frame frame;
  frame.ethernet.type = net::EtherType::kIpv6;
  frame.ethernet.destination = mac(99);
  frame.ipv6.destination = ip;
  return frame;
}

net::Frame to(const net::MacAddress& address) {
  net::Frame frame;
  frame.ethernet.type = static_cast<net::EtherType>(0x88CC);
  frame.ethernet.destination = address;
  return frame;
}

/// The port of a frame that is routed.
int port_of(Forwarding& forwarding, const net::Frame& frame) {
  const Route route = forwarding.route(frame, 0);
  return route.result == RouteResult::kRouted ? route.port : -1;
}

TEST(Forwarding, FindsEachKindOfAddress) {
  Forwarding f = switch_of(8);
  const net::Ipv6Address v6 = *net::parse_ipv6("::ffff:10.0.0.1");  // not the IPv4 address
  f.add_route(net::Ipv4Address{0x0A000001}, f.add_group({1}));
  f.add_route(v6, f.add_group({2}));
  f.add_route(mac(1), f.add_group({3}));
  f.add_route(net::Ipv4Address{0}, f.add_group({4}));
  f.add_route(net::MacAddress{}, f.add_group({5}));
  EXPECT_EQ(port_of(f, to(net::Ipv4Address{0x0A000001})), 1);
  EXPECT_EQ(port_of(f, to(v6)), 2);
  EXPECT_EQ(port_of(f, to(mac(1))), 3);
  EXPECT_EQ(port_of(f, to(net::Ipv4Address{0})), 4);
  EXPECT_EQ(port_of(f, to(net::MacAddress{})), 5);
  f.add_route(mac(1), f.add_group({6}));
  EXPECT_EQ(port_of(f, to(mac(1))), 6) << "the latest route holds";
}

TEST(Forwarding, AnIpFrameWithoutIpRouteGoesByItsMacAddress) {
  Forwarding f = switch_of(8);
  EXPECT_EQ(f.route(to(net::Ipv4Address{1}), 0).result, RouteResult::kUnknownDestination);
  EXPECT_EQ(f.route(to(net::Ipv6Address{}), 0).result, RouteResult::kUnknownDestination);
  EXPECT_EQ(f.route(to(mac(99)), 0).result, RouteResult::kUnknownDestination);
  f.add_route(mac(99), f.add_group({7}));
  EXPECT_EQ(port_of(f, to(net::Ipv4Address{1})), 7);
  EXPECT_EQ(port_of(f, to(net::Ipv6Address{})), 7);
}

TEST(Forwarding, ManyRoutesAreAllFound) {
  Forwarding f = switch_of(512);
  RandomStream random(1, "addresses");
  std::vector<std::pair<net::Ipv4Address, PortId>> routes;
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    const std::uint32_t scattered =
        i % 2 == 0 ? i : i | static_cast<std::uint32_t>(random.next() << 20);
    const auto port = static_cast<PortId>(random.below(512));
    routes.push_back({net::Ipv4Address{scattered}, port});
    f.add_route(routes.back().first, f.add_group({port}));
  }
  for (const auto& [ip, port] : routes) ASSERT_EQ(port_of(f, to(ip)), port) << ip.value;
  EXPECT_EQ(f.route(to(net::Ipv4Address{0x000FFFFF}), 0).result, RouteResult::kUnknownDestination);
}

TEST(Forwarding, ALinkThatIsDownIsLeftOut) {
  Forwarding f = switch_of(8);
  const net::Ipv4Address host{1};
  f.add_route(host, f.add_group({2, 3, 5}));
  const auto ports = [&] {
    std::vector<int> used;
    for (unsigned i = 0; i < 1000; ++i) {
      used.push_back(port_of(f, to(host, static_cast<std::uint16_t>(i))));
    }
    return used;
  };
  const std::vector<int> before = ports();
  EXPECT_THAT(before, testing::IsSupersetOf({2, 3, 5}));
  EXPECT_THAT(before, testing::Each(testing::AnyOf(2, 3, 5)));
  f.set_link(3, false);
  EXPECT_FALSE(f.link_up(3));
  EXPECT_THAT(ports(), testing::IsSupersetOf({2, 5}));
  EXPECT_THAT(ports(), testing::Each(testing::AnyOf(2, 5)));
  f.set_link(2, false);
  EXPECT_THAT(ports(), testing::Each(5));
  f.set_link(5, false);
  EXPECT_EQ(f.route(to(host), 0).result, RouteResult::kLinksDown);
  for (const PortId port : {PortId{5}, PortId{2}, PortId{3}, PortId{3}}) f.set_link(port, true);
  EXPECT_EQ(ports(), before);
}

TEST(Forwarding, AGroupMadeWhileALinkIsDownLeavesItOut) {
  Forwarding f = switch_of(4);
  f.set_link(1, false);
  f.add_route(mac(1), f.add_group({1}));
  EXPECT_EQ(f.route(to(mac(1)), 0).result, RouteResult::kLinksDown);
  f.set_link(1, true);
  EXPECT_EQ(port_of(f, to(mac(1))), 1);
}

TEST(Forwarding, GroupsOfTheSamePortsAreOne) {
  Forwarding f = switch_of(8, LoadBalancing::kSpray);
  EXPECT_EQ(f.add_group({1, 2}), f.add_group({2, 1}));
  EXPECT_NE(f.add_group({1, 2}), f.add_group({1, 3}));
  // so destinations behind the same links take turns at them together
  f.add_route(mac(1), f.add_group({1, 2}));
  f.add_route(mac(2), f.add_group({2, 1}));
  EXPECT_EQ(port_of(f, to(mac(1))), 1);
  EXPECT_EQ(port_of(f, to(mac(2))), 2);
}

TEST(Forwarding, MisuseIsRefused) {
  Forwarding f = switch_of(8);
  EXPECT_THROW(f.add_group({}), std::invalid_argument);
  EXPECT_THROW(f.add_group({8}), std::invalid_argument);
  EXPECT_THROW(f.add_group({1, 2, 1}), std::invalid_argument);
  EXPECT_THROW(f.add_route(mac(1), 0), std::invalid_argument);
}

TEST(Forwarding, RoutingAllocatesNothing) {
  for (const auto kind : {LoadBalancing::kEcmp, LoadBalancing::kFlowlet, LoadBalancing::kAdaptive,
                          LoadBalancing::kSpray}) {
    Forwarding f = switch_of(64, kind);
    f.add_route(net::Ipv4Address{1}, f.add_group({1, 2, 3, 4}));
    port_of(f, to(net::Ipv4Address{1}));
    const std::uint64_t before = support::allocations();
    for (unsigned i = 0; i < 1000; ++i) {
      if (i % 100 == 0) f.set_link(2, i % 200 != 0);
      EXPECT_GE(port_of(f, to(net::Ipv4Address{1}, static_cast<std::uint16_t>(i))), 1);
    }
    EXPECT_EQ(support::allocations(), before);
  }
}

}  // namespace
}  // namespace railyard
