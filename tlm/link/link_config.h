// Parameters of a point-to-point link, both directions alike.
#pragma once

#include <vector>

#include "tlm/base/quantity.h"
#include "tlm/base/rate.h"
#include "tlm/base/time.h"
#include "tlm/config/parameters.h"

namespace railyard {

/// The link is down from `at` for `lasts`; 0: for good.
struct Outage {
  Time at = 0;
  Time lasts = 0;

  void declare(Parameters& p);
  Time end() const { return lasts == 0 ? kForever : at + lasts; }
};

struct LinkConfig {
  Rate rate = Rate::gbps(400);
  Length length = metres(3);
  Time delay_per_metre = 5 * kNanosecond;
  double bit_error_rate = 0;
  double drop_probability = 0;
  std::vector<Outage> outages;

  void declare(Parameters& p);

  /// One-way delay, rounded to the nearest picosecond.
  Time propagation() const;
};

}  // namespace railyard
