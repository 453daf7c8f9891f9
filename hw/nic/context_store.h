// QP contexts: lines of kContextBytes in host memory, of which a cache holds some. What a context
// says is known at all times (Qp); whether the NIC may use it at the moment is the cache's matter.
#pragma once

#include <cstdint>

#include "tlm/base/time.h"

namespace railyard::nic {

class ContextClient {
 public:
  virtual ~ContextClient() = default;
  virtual void context_ready(std::uint32_t slot, std::uint64_t ticket) = 0;
};

class ContextStore {
 public:
  static constexpr std::uint32_t kContextBytes = 256;

  virtual ~ContextStore() = default;
  /// Wants the context in `slot` for something of class `cls` that comes at `at` (not before now).
  /// Returns when it leaves the stage; kForever: it must be read first, and `client` is told. One
  /// slot's are answered in the order of asking: none passes one that waits.
  virtual Time want(std::uint32_t slot, Time at, unsigned cls, ContextClient& client,
                    std::uint64_t ticket) = 0;
};

}  // namespace railyard::nic
