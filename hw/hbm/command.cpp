#include "hw/hbm/command.h"

#include <array>

namespace railyard::hbm {

const char* name_of(Command command) {
  static constexpr std::array<const char*, kCommands> kNames = {
      "ACT", "PRE", "PREA", "RD", "RDA", "WR", "WRA", "REFab", "REFpb"};
  return kNames[static_cast<std::size_t>(command)];
}

const char* metric_name_of(Command command) {
  static constexpr std::array<const char*, kCommands> kNames = {
      "act", "pre", "prea", "rd", "rda", "wr", "wra", "refab", "refpb"};
  return kNames[static_cast<std::size_t>(command)];
}

}  // namespace railyard::hbm
