// The keys of a platform whose fabric is switches between testers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/congestion/blocks.h"
#include "hw/eth_switch/switch_config.h"
#include "hw/tester/flow.h"
#include "hw/tester/patterns.h"
#include "hw/tester/patterns_names.h"
#include "hw/tester/tester_config.h"
#include "platforms/common/topology/topology_config.h"
#include "tlm/config/parameters.h"
#include "tlm/link/link_config.h"

namespace railyard {

enum class IpVersion : std::uint8_t { k4, k6 };

/// What all hosts' ports have alike, whatever stands behind them.
struct NicConfig {
  std::uint32_t path_mtu = 4096;
  IpVersion ip = IpVersion::k4;

  void declare(Parameters& p);
};

/// A receiver that takes nothing from its buffer for a time.
struct StuckPort {
  std::string port;  // as EndpointNames takes it
  Time at = 0;
  Time lasts = 0;  // 0: for good
  Mark mark;

  void declare(Parameters& p);
};

struct FabricConfig {
  DataMode data = DataMode::kCarried;
  LinkConfig link;
  TopologyConfig topology;
  CongestionConfig congestion;
  SwitchConfig switches;
  TesterConfig tester;
  NicConfig nic;
  PatternConfig traffic;
  std::vector<StuckPort> stuck;

  void declare(Parameters& p);
  /// For who has keys of his own beside these: the keys that do not depend on what hosts are, and,
  /// in a check of his, what is checked of all.
  void declare_network(Parameters& p);
  void declare_traffic(Parameters& p);
  /// A star whose `hosts` is not written has as many as an incast's `senders` need.
  Topology resolve(const Bound& bound);
  /// What testers have, beyond that.
  void resolve_testers(const Topology& built, const Bound& bound);

 private:
  void check_capacity(const Topology& built, const Bound& bound) const;
  void control_congestion(const Topology& built, const Bound& bound);
  void check_stuck(const EndpointNames& names) const;
};

/// The hosts' ports in their order, as patterns see them.
std::vector<PatternEndpoint> endpoints_of(const Topology& topology);

/// Refuses links of hosts that are faster than DCQCN's rates reach.
void check_controlled_rates(const Topology& built, const Bound& bound);

/// The endpoint that gets stuck. ConfigError at its place if there is none of that name.
std::uint32_t endpoint_of(const StuckPort& stuck, const EndpointNames& names);

/// The addresses of endpoint number n: 02:00:00:xx:xx:xx, and 10.x.y.z or fd00::x:y, of n + 1.
TesterAddress address_of(std::uint32_t endpoint, IpVersion version);

}  // namespace railyard
