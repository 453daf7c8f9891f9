// What a controller is asked for: a run of bytes, from one access of the device (32 B) to a bulk of
// megabytes, which is spread over channels and rows as its accesses one by one would be.
#pragma once

#include <cstdint>

#include "tlm/base/time.h"

namespace railyard::hbm {

struct Access;

class Client {
 public:
  virtual ~Client() = default;
  /// All is done, at the current time: a read's data is there; a write is taken (see
  /// ControllerConfig::write_response). Never within the call that gave the access. The access
  /// belongs to its client again, which may give it, or others, anew within this call.
  virtual void access_done(Access& access) = 0;
};

/// Owned by its client; the controller's from access() until access_done(). Timing alone: the bytes
/// are the owner's business (hbm.h keeps them in order of arrival).
struct Access {
  bool write = false;
  std::uint64_t address = 0;  // of the first byte; the device's first is 0
  std::uint32_t bytes = 0;    // at least 1; accesses that it only touches are done whole
  Client* client = nullptr;
  std::uint64_t ticket = 0;  // the client's

  // The controller's.
  std::uint32_t left = 0;      // accesses of the device that are not done
  std::uint32_t bulk = 0;      // number of its record, if it is more than one
  std::int64_t done_tick = 0;  // of what is done so far, the last
  Time given_at = 0;
};

}  // namespace railyard::hbm
