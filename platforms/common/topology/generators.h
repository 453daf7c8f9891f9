// The regular topologies. Included by topology_config.cpp alone.
//
// Ports of a switch: those to hosts (or to the tier below) first, then those to the tier above or
// to peers. Hosts are numbered switch by switch. Ports that the switches have beyond these are
// spare.
//
//   back_to_back    no switch: port 0 of h0 and of h1
//   star            sw0; host i at port i
//   leaf_spine      leaf<l> port i: host, port hosts_per_switch + s: spine<s> port l
//   fat_tree        k pods of k/2 edge and k/2 agg switches, (k/2)^2 core switches (Al-Fares et
//   al.,
//                   SIGCOMM 2008): edge port k/2 + a: agg a of the pod; agg a port k/2 + c: core
//                   a k/2 + c; core port p: pod p
//   rail_optimised  rail<i> port j: port i of host j; port hosts + s: spine<s> port i
//   ring, torus     sw<x + dx (y + dy z)>; behind the hosts' ports, for each dimension, the port to
//                   the next switch up, then, if it has 3 switches or more, the one down
//   dragonfly       sw<group routers + router>: hosts, the other routers of the group in order,
//   then
//                   global links (Kim et al., ISCA 2008). Global port j of a group, counted over
//                   its routers, goes to the (j mod (groups - 1) + 1)-th group after it; what is
//                   left over by a last incomplete round of the groups is spare.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/common/topology/topology_config.h"

namespace railyard {

/// How large a generated topology is, in closed form. No sum overflows for keys in range.
struct TopologySize {
  struct Switch {
    std::string name;     // the first of its sort
    std::uint64_t ports;  // that are cabled
    const char* key;      // that gives most of them
  };
  std::uint64_t hosts = 0;
  std::uint64_t host_ports = 0;
  std::uint64_t switches = 0;
  std::vector<Switch> sorts;
  const char* key = "";  // that gives most of the size
};

/// Of any kind but kExplicit, whose keys are all there.
TopologySize size_of(const TopologyConfig& config);

/// Of any kind but kExplicit; the configuration has been checked.
Topology generate_topology(const TopologyConfig& config, const LinkConfig& link);

}  // namespace railyard
