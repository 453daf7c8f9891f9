#include "platforms/hbm_bandwidth/hbm_platform.h"

int sc_main(int argc, char** argv) {
  railyard::HbmPlatform platform;
  return railyard::run_platform(platform, argc, argv);
}

int main(int argc, char** argv) { return railyard::main_of_platform(argc, argv); }
