// Keys that every platform has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/common/expectations.h"
#include "tlm/base/time.h"
#include "tlm/config/parameters.h"
#include "tlm/sim/simulation.h"

namespace railyard {

struct RunConfig {
  std::string file;  // that the configuration was read from; no key

  std::uint64_t seed = 1;
  Time until = 10 * kSecond;
  Time warm_up = 0;
  DeadlockConfig deadlock;
  bool checks = true;
  std::vector<Expectation> expect;

  void declare(Parameters& p);
};

}  // namespace railyard
