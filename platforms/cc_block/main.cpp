#include "platforms/cc_block/cc_block_platform.h"

int sc_main(int argc, char** argv) {
  const std::string folder = RAILYARD_SOURCE_DIR "/platforms/cc_block";
  railyard::CcBlockPlatform platform(railyard::shipped_blocks(), folder + "/cc_block.yaml",
                                     folder + "/stimuli");
  return railyard::run_platform(platform, argc, argv);
}

int main(int argc, char** argv) { return railyard::main_of_platform(argc, argv); }
