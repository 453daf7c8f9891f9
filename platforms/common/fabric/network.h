// The part of a fabric that does not depend on what its hosts are: switches, cables, routes. Who
// composes a fabric says how a host is made. Module names: switch "sw0" with "sw0.port3" and
// "sw0.link3"; hosts have ports "h0.nic0", and halves of links of their own.
//
// Every switch has a route to every endpoint's address. A switch and the ports of its hosts are in
// one partition; switches are dealt to partitions in their order (without switches, hosts are).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "hw/congestion/blocks.h"
#include "hw/congestion/pause_log.h"
#include "hw/eth_switch/switch_config.h"
#include "platforms/common/congestion/congestion_monitor.h"
#include "platforms/common/topology/routes.h"
#include "platforms/common/topology/topology.h"
#include "tlm/link/link_config.h"
#include "tlm/net/address.h"
#include "tlm/sim/simulation.h"

namespace railyard {

class EthSwitch;
class LinkEnd;

/// What a host's port is made from.
struct HostPort {
  std::uint32_t number;    // at its host
  std::uint32_t endpoint;  // of the topology
  Partition& partition;
  LinkConfig link;
  std::string peer;  // hierarchical name of the port at the other end
};

/// A host as the network sees it.
class HostNode {
 public:
  virtual ~HostNode() = default;
  /// The half of the cable at a port that has one.
  virtual LinkEnd& link(std::uint32_t port) = 0;
  virtual const PauseLog& pause_log(std::uint32_t port) = 0;
};

class Network {
 public:
  using MakeHost = std::function<std::unique_ptr<HostNode>(const std::string& name,
                                                           const std::vector<HostPort>& ports)>;
  using IpOf = std::function<std::variant<net::Ipv4Address, net::Ipv6Address>(std::uint32_t)>;

  /// What is given by reference outlives it. ConfigError for a switch that cannot be built.
  Network(const Topology& topology, const LinkConfig& link, const SwitchConfig& switches,
          Simulation& simulation, Blocks& blocks);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// Makes the hosts, once, in their order, and connects all cables.
  void add_hosts(const MakeHost& make, bool checks);
  /// `ip_of`: of an endpoint.
  void add_routes(const Routes& routes, const IpOf& ip_of);

  const std::vector<EthSwitch*>& switches() const { return views_; }
  HostNode& host(std::uint32_t node) { return *hosts_[node]; }
  std::uint64_t dropped_frames() const;
  std::string port_name(Topology::Port port) const;

  /// All cabled ports, for the analysis of congestion, numbered by port_number().
  std::vector<PausePort> pause_ports();
  std::size_t port_number(Topology::Port port) const { return port_numbers_.at(port); }
  /// The ports on all routes from one endpoint to another: which of them load balancing takes is
  /// not known.
  std::vector<std::size_t> egresses(const Routes& routes, std::uint32_t source,
                                    std::uint32_t destination) const;

 private:
  struct Switch;

  void add_switches(const SwitchConfig& config, Blocks& blocks);
  Partition& partition_of(std::uint32_t node);
  LinkConfig link_config(const Topology::Link& link) const;
  LinkEnd& link_end(Topology::Port port);

  const Topology& topology_;
  LinkConfig link_;
  Simulation& simulation_;
  std::vector<std::unique_ptr<HostNode>> hosts_;
  std::vector<std::unique_ptr<Switch>> switches_;
  std::vector<EthSwitch*> views_;
  std::map<Topology::Port, std::size_t> port_numbers_;
};

/// Says the topology in the log, with a warning if pauses can deadlock there. Egress ports in a
/// cyclic buffer dependency of the routes; 0: there is none.
std::size_t say_topology(const Topology& topology, const Routes& routes, bool pauses);

}  // namespace railyard
