#include "hw/eth_switch/load_balance.h"

#include <algorithm>
#include <limits>
#include <string>

#include "hw/eth_switch/load_balance_hash.h"
#include "tlm/sim/random.h"

namespace railyard {

namespace {

PortId port_of(std::uint64_t hash, const LivePorts& live) {
  return live.ports[index_of(hash, live.ports.size())];
}

class Ecmp : public LoadBalancer {
 public:
  explicit Ecmp(std::uint64_t hash_seed) : hash_seed_(hash_seed) {}

  PortId choose(const LivePorts& live, const net::Frame& frame, Time) override {
    return port_of(flow_hash(frame, hash_seed_), live);
  }

 private:
  std::uint64_t hash_seed_;
};

/// Flows share the buckets of a table, as in hardware; a bucket keeps a random number rather than a
/// port, so that it serves flows to any group.
class Flowlet : public LoadBalancer {
 public:
  Flowlet(std::uint64_t hash_seed, const RandomStream& random, Time gap, std::uint32_t entries)
      : hash_seed_(hash_seed), random_(random), gap_(gap), buckets_(entries) {}

  PortId choose(const LivePorts& live, const net::Frame& frame, Time now) override {
    Bucket& bucket = buckets_[index_of(flow_hash(frame, hash_seed_), buckets_.size())];
    if (bucket.last == kNever || now - bucket.last > gap_) bucket.choice = random_.next();
    bucket.last = now;
    return port_of(bucket.choice, live);
  }

 private:
  static constexpr Time kNever = -1;
  struct Bucket {
    Time last = kNever;
    std::uint64_t choice = 0;
  };

  std::uint64_t hash_seed_;
  RandomStream random_;
  Time gap_;
  std::vector<Bucket> buckets_;
};

/// Among ports with equally little queued, the flow's hash decides.
class Adaptive : public LoadBalancer {
 public:
  Adaptive(std::uint64_t hash_seed, const std::vector<std::uint64_t>& queued_bytes)
      : hash_seed_(hash_seed), queued_bytes_(queued_bytes) {}

  PortId choose(const LivePorts& live, const net::Frame& frame, Time) override {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (const PortId port : live.ports) least = std::min(least, queued_bytes_[port]);
    if (ties_.size() < live.ports.size()) ties_.resize(live.ports.size());
    std::size_t count = 0;
    for (const PortId port : live.ports) {
      ties_[count] = port;  // overwritten by the next one unless it counts: no branch
      count += queued_bytes_[port] == least ? 1 : 0;
    }
    return ties_[index_of(flow_hash(frame, hash_seed_), count)];
  }

 private:
  std::uint64_t hash_seed_;
  const std::vector<std::uint64_t>& queued_bytes_;
  std::vector<PortId> ties_;
};

class RandomSpray : public LoadBalancer {
 public:
  explicit RandomSpray(const RandomStream& random) : random_(random) {}

  PortId choose(const LivePorts& live, const net::Frame&, Time) override {
    return port_of(random_.next(), live);
  }

 private:
  RandomStream random_;
};

/// Each group has its own turn, so that groups do not take one another's.
class RoundRobinSpray : public LoadBalancer {
 public:
  PortId choose(const LivePorts& live, const net::Frame&, Time) override {
    if (live.id >= next_.size()) next_.resize(live.id + 1);
    std::size_t& next = next_[live.id];
    if (next >= live.ports.size()) next = 0;
    return live.ports[next++];
  }

 private:
  std::vector<std::size_t> next_;  // by group
};

}  // namespace

void LoadBalanceConfig::declare(Parameters& p) {
  p.choice("load_balance", load_balance,
           {{"ecmp", LoadBalancing::kEcmp},
            {"flowlet", LoadBalancing::kFlowlet},
            {"adaptive", LoadBalancing::kAdaptive},
            {"spray", LoadBalancing::kSpray}})
      .doc("How one of several ports of equal cost is chosen");
  p.add("hash_seed", hash_seed)
      .doc("Seed of the flow hash; none: by seed and name, so that no two switches hash alike");
  p.add("flowlet_gap", flowlet_gap)
      .range(0, kSecond)
      .doc("flowlet: a flow that was idle for longer may take another port");
  p.add("flowlet_entries", flowlet_entries)
      .range(1, 1U << 20)
      .doc("flowlet: entries of the table; flows that hash to one share it");
  p.choice("spray_order", spray_order,
           {{"random", SprayOrder::kRandom}, {"round_robin", SprayOrder::kRoundRobin}})
      .doc("spray: the port of the next frame");
  p.check([this](const Bound& bound) {
    const LoadBalanceConfig defaults;
    if (load_balance != LoadBalancing::kFlowlet) {
      const char* const setting = "load_balance: flowlet";
      bound.needs("flowlet_gap", flowlet_gap != defaults.flowlet_gap, setting);
      bound.needs("flowlet_entries", flowlet_entries != defaults.flowlet_entries, setting);
    }
    if (load_balance != LoadBalancing::kSpray) {
      bound.needs("spray_order", spray_order != defaults.spray_order, "load_balance: spray");
    } else {
      bound.needs("hash_seed", hash_seed.has_value(), "load_balance: ecmp, flowlet or adaptive");
    }
  });
}

std::unique_ptr<LoadBalancer> make_load_balancer(const LoadBalanceConfig& config,
                                                 std::uint64_t run_seed,
                                                 std::string_view switch_name,
                                                 const std::vector<std::uint64_t>& queued_bytes) {
  RandomStream random(run_seed, std::string(switch_name) + ".load_balance");
  const std::uint64_t own_seed = random.next();
  const std::uint64_t hash_seed = config.hash_seed.value_or(own_seed);
  switch (config.load_balance) {
    case LoadBalancing::kFlowlet:
      return std::make_unique<Flowlet>(hash_seed, random, config.flowlet_gap,
                                       config.flowlet_entries);
    case LoadBalancing::kAdaptive:
      return std::make_unique<Adaptive>(hash_seed, queued_bytes);
    case LoadBalancing::kSpray:
      if (config.spray_order == SprayOrder::kRandom) return std::make_unique<RandomSpray>(random);
      return std::make_unique<RoundRobinSpray>();
    case LoadBalancing::kEcmp:
      break;
  }
  return std::make_unique<Ecmp>(hash_seed);
}

}  // namespace railyard
