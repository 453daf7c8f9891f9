// Routing tables: for every switch and destination the equal-cost ports of egress.
//
// shortest         every port on a path of the fewest hops. May have cyclic buffer dependencies,
// and
//                  so deadlock under PFC, wherever the graph has cycles (a ring of 4 switches).
// up_down          as Autonet (Schroeder et al., IEEE JSAC 1991): switches are ordered by their
//                  hops from the roots, then by node; a link goes up towards the lower one. A
//                  switch from which a path of down links alone leads to the destination takes the
//                  shortest of those; any other takes the shortest way up. So no route turns up
//                  after it went down, and there is no cyclic dependency. Roots are the switches of
//                  the highest tier if tiers differ (in a tree the routes are then the shortest
//                  ones); if that leaves a pair without a route, or tiers are all alike, the first
//                  switch of each part of the fabric.
// dimension_order  torus only: coordinates are corrected in the order of the dimensions, each the
//                  shorter way round, both ways at equal distance. No dependency leads back to an
//                  earlier dimension, so a cycle can lie only within the ring of one dimension, and
//                  only if it has 4 switches or more. Such a ring needs a second virtual channel (a
//                  second lossless priority) from its wrap link on, which the tables do not choose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platforms/common/topology/topology.h"

namespace railyard {

enum class RoutingMode : std::uint8_t { kShortest, kUpDown, kDimensionOrder };

/// Port numbers of one switch, ascending. Points into the Routes it came from.
class PortList {
 public:
  using value_type = std::uint16_t;
  using const_iterator = const std::uint16_t*;

  PortList(const std::uint16_t* first, std::size_t size) : first_(first), size_(size) {}

  const std::uint16_t* begin() const { return first_; }
  const std::uint16_t* end() const { return first_ + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::uint16_t operator[](std::size_t i) const { return first_[i]; }

 private:
  const std::uint16_t* first_;
  std::size_t size_;
};

/// The tables of all switches. Endpoints of one switch share their routes, and a switch has few
/// different port lists: two bytes for every pair of a switch and a switch with hosts.
class Routes {
 public:
  /// Throws std::invalid_argument if kDimensionOrder is asked of what is no torus.
  Routes(const Topology& topology, RoutingMode mode);

  /// Two endpoints that reach each other, by switches or back to back.
  bool join(const Topology& topology, std::uint32_t source, std::uint32_t destination) const {
    const Topology::Port at = topology.endpoints()[source].at;
    if (at.node < hosts_) return at == topology.endpoints()[destination].nic;
    return !ports(at.node, destination).empty();
  }

  /// Where `node`, a switch, sends frames for topology.endpoints()[endpoint]. Empty if it cannot be
  /// reached: a NIC of another rail, or, with up_down, from a switch that no route passes.
  PortList ports(std::uint32_t node, std::uint32_t endpoint) const {
    const Destination& to = destinations_[endpoint];
    if (to.node == node) return {&to.port, 1};
    const std::size_t at = node - hosts_;
    const Lists& lists = lists_[at];
    const std::size_t list = list_of_[at * groups_ + to.group];
    return {lists.ports.data() + lists.first[list], lists.first[list + 1] - lists.first[list]};
  }

  RoutingMode mode() const { return mode_; }
  /// The most links between switches on a route from host to host.
  std::uint32_t longest() const { return longest_; }
  /// Different port lists of all switches.
  std::size_t list_count() const;

 private:
  struct Destination {
    std::uint32_t node;   // its switch
    std::uint16_t group;  // number of the switch among those with hosts
    std::uint16_t port;   // there
  };
  struct Lists {
    std::vector<std::uint16_t> ports;
    std::vector<std::uint32_t> first = {0, 0};  // list 0 is empty
  };
  class Interner;

  template <class Router>
  bool fill(const Topology& topology, Router& router);

  RoutingMode mode_;
  std::uint32_t hosts_;
  std::uint32_t longest_ = 0;
  std::size_t groups_ = 0;
  std::vector<std::uint32_t> group_nodes_;  // the switches with hosts
  std::vector<Destination> destinations_;
  std::vector<std::uint16_t> list_of_;  // [switch][group]
  std::vector<Lists> lists_;            // [switch]
};

}  // namespace railyard
