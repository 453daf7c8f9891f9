#include "platforms/common/fabric/fabric_platform.h"

int sc_main(int argc, char** argv) {
  railyard::FabricConfig defaults;
  defaults.topology.kind = railyard::TopologyKind::kRing;
  defaults.topology.switches = 5;
  defaults.topology.hosts_per_switch = 1;
  defaults.traffic.pattern = railyard::Pattern::kRing;
  defaults.traffic.hops = 2;
  railyard::FabricPlatform platform(
      "pfc_storm", "Pauses that spread, and pauses that wait for each other: a PFC deadlock",
      RAILYARD_SOURCE_DIR "/platforms/pfc_storm/pfc_storm.yaml", defaults);
  return railyard::run_platform(platform, argc, argv);
}

int main(int argc, char** argv) { return railyard::main_of_platform(argc, argv); }
