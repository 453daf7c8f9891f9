#include "platforms/link/link_platform.h"

int sc_main(int argc, char** argv) {
  railyard::LinkPlatform platform;
  return railyard::run_platform(platform, argc, argv);
}

int main(int argc, char** argv) { return railyard::main_of_platform(argc, argv); }
