// What verbs take beside what their accesses to memory and device take.
#pragma once

#include <cstdint>

#include "tlm/base/time.h"
#include "tlm/config/parameters.h"

namespace railyard::verbs {

/// Which WQEs, of those that are posted alone, are written to the device whole.
enum class BlueField : std::uint8_t { kNever, kInline, kAlways };

struct VerbsConfig {
  Time registration = 2 * kMicrosecond;
  Time registration_page = 100 * kNanosecond;
  Time empty_poll = kMicrosecond;
  BlueField blue_field = BlueField::kAlways;
  unsigned completion_vectors = 1;

  void declare(Parameters& p);
};

}  // namespace railyard::verbs
