// The keys of a platform whose flows come from NICs or from testers.
#pragma once

#include <cstdint>
#include <vector>

#include "platforms/common/fabric/fabric_config.h"
#include "platforms/common/rdma/rdma_host_config.h"
#include "platforms/common/verbs/flow_book.h"
#include "tlm/config/parameters.h"
#include "tlm/sim/random.h"

namespace railyard::rdma {

/// What stands at the ends of the fabric.
enum class Source : std::uint8_t {
  kNic,    // hosts: software posts work requests to NICs
  kTester  // ports that make packets by themselves
};

struct NicFabricConfig {
  Source source = Source::kNic;
  FabricConfig fabric;
  RdmaHostConfig hosts;
  RequestsConfig requests;

  void declare(Parameters& p);

 private:
  void resolve(const Bound& bound);
  void resolve_nics(const Bound& bound);
  void resolve_testers(const Bound& bound);
};

/// The flows that `traffic` describes, as programs post them. ConfigError for a list of flows that
/// is wrong.
std::vector<Flow> flows_of(const NicFabricConfig& config,
                           const std::vector<PatternEndpoint>& endpoints, RandomStream random);

}  // namespace railyard::rdma
