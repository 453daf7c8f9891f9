#include "platforms/pcie_bandwidth/traffic_config.h"

#include <algorithm>
#include <set>
#include <string>

namespace railyard::pcie_bandwidth {

namespace {

void check(const TrafficConfig& config, const Bound& bound) {
  std::set<std::uint64_t> seen;
  for (std::size_t i = 0; i < config.sizes.size(); ++i) {
    const std::uint64_t size = config.sizes[i];
    if (!seen.insert(size).second) {
      bound.fail("sizes", std::to_string(size) + "B stands there twice", "write each size once");
    }
    const std::uint64_t stride = config.stride_of(size);
    if (stride < size) {
      bound.fail("stride", "transfers of " + std::to_string(size) + "B overlap",
                 "write at least the largest of sizes, or no stride");
    }
    if (config.offset + size > config.region) {
      bound.fail("region",
                 "a transfer of " + std::to_string(size) + "B at offset " +
                     std::to_string(config.offset) + "B ends beyond it",
                 "write at least " + std::to_string(config.offset + size) + "B, or smaller sizes");
    }
  }
  const bool reads = config.pattern == Pattern::kRead || config.pattern == Pattern::kBoth;
  if (!reads) bound.needs("fenced", config.fenced, "pattern: read or both");
}

}  // namespace

void TrafficConfig::declare(Parameters& p) {
  p.choice("pattern", pattern,
           {{"write", Pattern::kWrite},
            {"read", Pattern::kRead},
            {"both", Pattern::kBoth},
            {"peer", Pattern::kPeer},
            {"peer_both", Pattern::kPeerBoth},
            {"latency", Pattern::kLatency}})
      .doc(
          "Devices write host memory, read it, or both at once; devices 0, 2, ... write into the "
          "memory of 1, 3, ..., or each into the other's; or doorbells, register reads and reads "
          "of memory by device 0, one at a time");
  p.list("sizes", sizes)
      .size(1, 64)
      .range(1, 1ULL << 20)
      .doc("Bytes of a transfer, one size after another");
  p.add("transfers", transfers)
      .range(1, 100'000'000)
      .doc(
          "Transfers of each size that each stream does while it is measured; it goes on until all "
          "streams have");
  p.add("outstanding", outstanding)
      .range(1, 65536)
      .doc("Transfers of a stream in flight; none: 256 KiB of them, at least 16, at most 1024");
  p.add("offset", offset).max(1ULL << 20).doc("Of the first transfer's first byte in its region");
  p.add("stride", stride)
      .range(1, 1ULL << 30)
      .doc(
          "From a transfer's first byte to the next one's; none: the next power of two from size "
          "on, at least 64 B, so that none crosses a boundary that it need not");
  p.add("region", region)
      .range(64, 1ULL << 40)
      .doc("Each stream walks round in a region of its own; a multiple of 4 KiB")
      .accept("is not a multiple of 4KiB", "multiples of 4KiB",
              [](const Bytes& value) { return value % kibibytes(4) == 0; });
  p.add("memory_node", memory_node).max(15).doc("NUMA node whose memory devices use");
  p.add("relaxed", relaxed).doc("Transfers ask for relaxed ordering");
  p.add("fenced", fenced).doc("Reads wait for the writes that their device was given before");
  p.check([this](const Bound& bound) { check(*this, bound); });
}

std::uint32_t TrafficConfig::outstanding_of(std::uint64_t size) const {
  if (outstanding) return *outstanding;
  constexpr std::uint64_t kLeast = 16;
  constexpr std::uint64_t kMost = 1024;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(kibibytes(256) / size, kLeast, kMost));
}

std::uint64_t TrafficConfig::stride_of(std::uint64_t size) const {
  if (stride) return *stride;
  std::uint64_t power = 64;
  while (power < size) power *= 2;
  return power;
}

std::uint64_t TrafficConfig::slots_of(std::uint64_t size) const {
  return (region - offset - size) / stride_of(size) + 1;
}

}  // namespace railyard::pcie_bandwidth
