#include "platforms/common/fabric/fabric_platform.h"

int sc_main(int argc, char** argv) {
  railyard::FabricConfig defaults;
  defaults.topology.kind = railyard::TopologyKind::kLeafSpine;
  defaults.topology.leaves = 2;
  defaults.topology.spines = 8;
  defaults.topology.hosts_per_switch = 8;
  defaults.traffic.pattern = railyard::Pattern::kRing;
  defaults.traffic.hops = 8;
  railyard::FabricPlatform platform(
      "load_balance", "Flows over links of equal cost: hashing, flowlets, adaptive, spraying",
      RAILYARD_SOURCE_DIR "/platforms/load_balance/load_balance.yaml", defaults);
  return railyard::run_platform(platform, argc, argv);
}

int main(int argc, char** argv) { return railyard::main_of_platform(argc, argv); }
