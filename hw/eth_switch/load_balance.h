// Which of several ports of equal cost a frame takes. Strategies behind one method:
//   ecmp      by a hash of the flow: one flow, one port, in order
//   flowlet   a random port for each burst of a flow (LetFlow, NSDI 2017)
//   adaptive  the port with the least bytes queued
//   spray     a port for each frame, at random or in turn
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "tlm/base/time.h"
#include "tlm/config/parameters.h"
#include "tlm/net/frame.h"

namespace railyard {

/// A port of the switch, from 0.
using PortId = std::uint16_t;

enum class LoadBalancing : std::uint8_t { kEcmp, kFlowlet, kAdaptive, kSpray };
enum class SprayOrder : std::uint8_t { kRandom, kRoundRobin };

struct LoadBalanceConfig {
  LoadBalancing load_balance = LoadBalancing::kEcmp;
  std::optional<std::uint64_t> hash_seed;
  Time flowlet_gap = 50 * kMicrosecond;
  std::uint32_t flowlet_entries = 4096;
  SprayOrder spray_order = SprayOrder::kRandom;

  void declare(Parameters& p);
};

/// The ports of a group whose links are up, in order; `id` counts groups from 0.
struct LivePorts {
  std::size_t id = 0;
  std::vector<PortId> ports;
};

class LoadBalancer {
 public:
  LoadBalancer() = default;
  virtual ~LoadBalancer() = default;
  LoadBalancer(const LoadBalancer&) = delete;
  LoadBalancer& operator=(const LoadBalancer&) = delete;

  /// One of `live.ports`, which are two or more. Called once a frame, in order of time.
  virtual PortId choose(const LivePorts& live, const net::Frame& frame, Time now) = 0;
};

/// Hash and random numbers follow from the run's seed and the switch's name, so two switches choose
/// independently: were it otherwise, a tier would use only those of its links that the tier before
/// has not already sorted its flows by. `queued_bytes`, by port, is read by adaptive alone; it
/// outlives the balancer.
std::unique_ptr<LoadBalancer> make_load_balancer(const LoadBalanceConfig& config,
                                                 std::uint64_t run_seed,
                                                 std::string_view switch_name,
                                                 const std::vector<std::uint64_t>& queued_bytes);

}  // namespace railyard
