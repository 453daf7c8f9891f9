// What devices do in a run of pcie_bandwidth.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tlm/base/quantity.h"
#include "tlm/config/parameters.h"

namespace railyard::pcie_bandwidth {

enum class Pattern : std::uint8_t { kWrite, kRead, kBoth, kPeer, kPeerBoth, kLatency };

struct TrafficConfig {
  Pattern pattern = Pattern::kBoth;
  std::vector<Bytes> sizes = {64, 128, 256, 257, 512, 513, 1024, 2048, 4096};
  std::uint64_t transfers = 2000;
  std::optional<std::uint32_t> outstanding;
  Bytes offset = 0;
  std::optional<Bytes> stride;
  Bytes region = kibibytes(1024);
  unsigned memory_node = 0;
  bool relaxed = false;
  bool fenced = false;

  void declare(Parameters& p);

  bool peers() const { return pattern == Pattern::kPeer || pattern == Pattern::kPeerBoth; }
  /// Transfers of `size` that a stream keeps in flight.
  std::uint32_t outstanding_of(std::uint64_t size) const;
  /// From one transfer's first byte to the next one's.
  std::uint64_t stride_of(std::uint64_t size) const;
  /// Transfers of `size` that a region has room for.
  std::uint64_t slots_of(std::uint64_t size) const;
};

}  // namespace railyard::pcie_bandwidth
