// Memory keys: who may do what to which virtual addresses, and where these are on the bus.
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/base/time.h"

namespace railyard::nic {

/// A wish to access memory by key.
struct KeyedRange {
  std::uint32_t key = 0;
  std::uint64_t address = 0;  // virtual
  std::uint32_t bytes = 0;    // at most a path MTU, or a WQE's segment that is to be checked
  std::uint32_t right = 0;    // of abi::access, all bits needed; 0: a local read
  std::uint32_t pd = 0;
};

enum class KeyError : std::uint8_t { kNone, kNoSuchKey, kDomain, kRight, kBounds, kMemory };

struct BusSegment {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
};

/// A KeyedRange on the bus: neighbouring pages are joined.
struct Mapping {
  KeyError error = KeyError::kNone;
  std::uint32_t count = 0;
  BusSegment segments[3];  // 4 KiB pages, at most 8 KiB
  bool relaxed = false;    // the key allows relaxed ordering
};

class TranslationClient {
 public:
  virtual ~TranslationClient() = default;
  virtual void translated(std::uint64_t ticket, const Mapping& mapping) = 0;
};

class AddressTranslation {
 public:
  virtual ~AddressTranslation() = default;
  /// Translates for something of class `cls` that comes at `at` (not before now). Returns when the
  /// answer, in `mapping`, leaves the stage; kForever: what it needs must be read first, and
  /// `client` is told, in the order of asking for one key.
  virtual Time translate(const KeyedRange& range, Time at, unsigned cls, TranslationClient& client,
                         std::uint64_t ticket, Mapping& mapping) = 0;
};

}  // namespace railyard::nic
