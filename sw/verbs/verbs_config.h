// What verbs take beside what their accesses to memory and device take.
#pragma once

#include "tlm/base/time.h"
#include "tlm/config/parameters.h"

namespace railyard::verbs {

struct VerbsConfig {
  Time registration = 2 * kMicrosecond;
  Time registration_page = 100 * kNanosecond;
  Time empty_poll = kMicrosecond;
  bool blue_field = true;
  unsigned completion_vectors = 1;

  void declare(Parameters& p);
};

}  // namespace railyard::verbs
