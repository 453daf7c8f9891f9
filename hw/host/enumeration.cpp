#include "hw/host/enumeration.h"

#include <algorithm>
#include <string>
#include <utility>

#include "hw/host/function_settings.h"
#include "tlm/base/error.h"
#include "tlm/base/format.h"

namespace railyard::host {

namespace {

namespace cfg = pcie::config;
using pcie::DeviceId;
using pcie::PortType;

constexpr unsigned kBuses = 256;
constexpr unsigned kDevices = 32;
constexpr unsigned kFunctions = 8;

bool leads_downstream(const FoundFunction& function) {
  return function.type == PortType::kRootPort || function.type == PortType::kSwitchDownstream;
}

/// Numbers buses and finds what is there; sizes BARs. Gives no addresses.
class Scan {
 public:
  explicit Scan(ConfigAccess& access) : access_(access) {}

  std::vector<FoundFunction> bus(unsigned bus, unsigned devices) {
    std::vector<FoundFunction> found;
    for (unsigned device = 0; device < devices; ++device) {
      const DeviceId first = DeviceId::of(bus, device);
      if (!present(first)) continue;
      const bool many = (access_.read(first, cfg::kCacheLine) & cfg::kMultiFunction) != 0;
      for (unsigned function = 0; function < (many ? kFunctions : 1); ++function) {
        const DeviceId id = DeviceId::of(bus, device, function);
        if (function == 0 || present(id)) found.push_back(one(id));
      }
    }
    return found;
  }

 private:
  bool present(DeviceId id) {
    return (access_.read(id, cfg::kVendorId) & 0xFFFFU) != cfg::kNoVendor;
  }

  FoundFunction one(DeviceId id) {
    FoundFunction f;
    f.id = id;
    const std::uint32_t identity = access_.read(id, cfg::kVendorId);
    f.vendor = static_cast<std::uint16_t>(identity);
    f.device = static_cast<std::uint16_t>(identity >> 16);
    f.class_code = access_.read(id, cfg::kRevision) >> 8;
    f.is_bridge = (access_.read(id, cfg::kCacheLine) & cfg::kHeaderTypeMask) != 0;
    find_capabilities(f);
    if (const unsigned express = f.capability(cfg::kExpressCapability); express != 0) {
      f.type = static_cast<PortType>(access_.read(id, express) >> 20 & 15U);
    }
    // Nothing answers while BARs hold all ones.
    access_.write(id, cfg::kCommand, 0);
    size_bars(f);
    if (f.is_bridge) behind(f);
    return f;
  }

  void find_capabilities(FoundFunction& f) {
    if ((access_.read(f.id, cfg::kCommand) & cfg::kCapabilityList) == 0) return;
    // A list that is longer than the space goes round in it.
    unsigned offset = access_.read(f.id, cfg::kCapabilityPointer) & 0xFCU;
    for (unsigned i = 0; offset >= 0x40 && i < 48; ++i) {
      const std::uint32_t header = access_.read(f.id, offset);
      f.capabilities.push_back({header & 0xFFU, offset, false});
      offset = header >> 8 & 0xFCU;
    }
    offset = cfg::kExtendedCapabilities;
    for (unsigned i = 0; offset >= cfg::kExtendedCapabilities && i < 960; ++i) {
      const std::uint32_t header = access_.read(f.id, offset);
      if (header == 0 || header == ~0U) break;
      f.capabilities.push_back({header & 0xFFFFU, offset, true});
      offset = header >> 20 & 0xFFCU;
    }
  }

  void size_bars(FoundFunction& f) {
    const unsigned registers = f.is_bridge ? 2 : cfg::kBars;
    for (unsigned index = 0; index < registers; ++index) {
      const unsigned offset = cfg::kBar0 + 4 * index;
      const std::uint32_t low = all_ones(f.id, offset);
      if (low == 0) continue;
      if ((low & cfg::kBarIo) != 0) {
        throw ConfigError(
            pcie::format_id(f.id),
            "BAR " + std::to_string(index) + " asks for I/O space, which there is not",
            "use memory BARs");
      }
      FoundBar bar;
      bar.index = index;
      bar.is_64_bit = (low & cfg::kBar64) != 0;
      bar.prefetchable = (low & cfg::kBarPrefetchable) != 0;
      std::uint64_t ones = low & cfg::kBarAddress;
      ones |= (bar.is_64_bit ? std::uint64_t{all_ones(f.id, offset + 4)} : ~0U) << 32;
      bar.size = ~ones + 1;
      if (ones == 0 || (bar.size & (bar.size - 1)) != 0) {
        throw ConfigError(pcie::format_id(f.id),
                          "BAR " + std::to_string(index) +
                              " keeps other bits of all ones than a size's, a power of two",
                          "check the device's BARs");
      }
      f.bars.push_back(bar);
      if (bar.is_64_bit) ++index;
    }
  }

  /// What a register keeps of all ones; it is zero afterwards.
  std::uint32_t all_ones(DeviceId id, unsigned offset) {
    access_.write(id, offset, ~0U);
    const std::uint32_t kept = access_.read(id, offset);
    access_.write(id, offset, 0);
    return kept;
  }

  void behind(FoundFunction& f) {
    check_link(f);
    if (next_bus_ == kBuses) {
      throw ConfigError(pcie::format_id(f.id), "this bridge asks for a bus, and all 256 are taken",
                        "use fewer switches or devices");
    }
    f.secondary_bus = next_bus_++;
    // Until it is known what comes last, all buses beyond are behind this bridge.
    number(f, kBuses - 1);
    // Behind a link there is one device, number 0 (7.3.1).
    f.children = bus(f.secondary_bus, leads_downstream(f) ? 1 : kDevices);
    f.subordinate_bus = next_bus_ - 1;
    number(f, f.subordinate_bus);
  }

  void number(const FoundFunction& f, unsigned subordinate) {
    access_.write(f.id, cfg::kBusNumbers, f.id.bus() | f.secondary_bus << 8 | subordinate << 16);
  }

  void check_link(const FoundFunction& f) {
    const unsigned express = f.capability(cfg::kExpressCapability);
    if (express == 0) return;
    const std::uint32_t status =
        access_.read(f.id, express + cfg::kLinkControl) >> cfg::kLinkStatusShift;
    if ((status >> cfg::kLinkWidthShift & cfg::kLinkWidthMask) != 0) return;
    const std::uint32_t wanted = access_.read(f.id, express + cfg::kLinkCapabilities);
    throw ConfigError(pcie::format_id(f.id),
                      "this bridge's link has no lanes of the " +
                          std::to_string(wanted >> cfg::kLinkWidthShift & cfg::kLinkWidthMask) +
                          " it could have",
                      "connect something to it, or leave it out");
  }

  ConfigAccess& access_;
  unsigned next_bus_ = 1;
};

/// What is wrong with a pool; nothing if it may be used.
std::string problem_of(const AddressPool& pool, bool below_4_gib) {
  constexpr std::uint64_t kLimit = 1ULL << 32;
  if (pool.base % cfg::kWindowGranularity != 0) return "does not begin at a multiple of 1MiB";
  if (pool.bytes > ~0ULL - pool.base) return "ends beyond 64-bit addresses";
  if (below_4_gib && (pool.base > kLimit || pool.bytes > kLimit - pool.base)) {
    return "ends beyond 4GiB";
  }
  return "";
}

void check(const EnumerationConfig& config, const AddressPools& pools) {
  const auto refuse = [](const std::string& name, const std::string& problem) {
    if (!problem.empty()) {
      throw ConfigError("", "the " + name + " window " + problem, "move it or make it smaller");
    }
  };
  refuse("memory", problem_of(pools.memory, true));
  refuse("prefetchable", problem_of(pools.prefetchable, false));
  const std::uint64_t request = config.max_read_request;
  if (request < 128 || request > 4096 || (request & (request - 1)) != 0) {
    throw ConfigError("", "a largest read request of " + format_bytes(request),
                      "it takes a power of two from 128B to 4KiB");
  }
}

}  // namespace

void EnumerationConfig::declare(Parameters& p) {
  p.add("max_read_request", max_read_request)
      .range(128, 4096)
      .accept("is not a power of two", "a power of two",
              [](const Bytes& bytes) { return (bytes & (bytes - 1)) == 0; })
      .doc("Largest read request (MRRS) of all functions");
  p.add("relaxed_ordering", relaxed_ordering).doc("Functions may ask for relaxed ordering");
  p.add("extended_tags", extended_tags).doc("8-bit tags, if all functions support them");
  p.add("ten_bit_tags", ten_bit_tags).doc("10-bit tags, if all functions can complete them");
  p.add("acs_redirect", acs_redirect)
      .doc("Access control sends peer-to-peer requests below a switch up to the root complex");
}

DeviceTree enumerate(ConfigAccess& access, const EnumerationConfig& config,
                     const AddressPools& pools) {
  check(config, pools);
  DeviceTree tree;
  tree.functions = Scan(access).bus(0, kDevices);
  assign_addresses(tree, pools);
  apply_settings(access, config, tree);
  return tree;
}

}  // namespace railyard::host
