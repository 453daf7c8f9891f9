#include "platforms/pcie_bandwidth/pcie_platform.h"

int sc_main(int argc, char** argv) {
  railyard::PciePlatform platform;
  return railyard::run_platform(platform, argc, argv);
}

int main(int argc, char** argv) { return railyard::main_of_platform(argc, argv); }
