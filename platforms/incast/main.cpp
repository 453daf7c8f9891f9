#include "platforms/common/fabric/fabric_platform.h"

int sc_main(int argc, char** argv) {
  railyard::FabricConfig defaults;
  defaults.topology.hosts = 9;
  railyard::FabricPlatform platform(
      "incast", "Many senders to one receiver: a shared buffer, PFC and ECN under pressure",
      RAILYARD_SOURCE_DIR "/platforms/incast/incast.yaml", defaults);
  return railyard::run_platform(platform, argc, argv);
}

int main(int argc, char** argv) { return railyard::main_of_platform(argc, argv); }
