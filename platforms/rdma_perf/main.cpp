#include "platforms/rdma_perf/rdma_perf_platform.h"

int sc_main(int argc, char** argv) {
  railyard::RdmaPerfPlatform platform;
  return railyard::run_platform(platform, argc, argv);
}

int main(int argc, char** argv) { return railyard::main_of_platform(argc, argv); }
