// What enumeration found: functions, where their registers are, and what is behind bridges.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/pcie/config_space.h"

namespace railyard::host {

struct FoundBar {
  unsigned index = 0;  // of its register
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  bool is_64_bit = false;
  bool prefetchable = false;
};

struct FoundCapability {
  unsigned id = 0;
  unsigned offset = 0;
  bool extended = false;
};

/// Addresses that a bridge passes on.
struct BridgeWindow {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;  // 0: closed
};

struct FoundFunction {
  pcie::DeviceId id;
  std::uint16_t vendor = 0;
  std::uint16_t device = 0;
  std::uint32_t class_code = 0;
  bool is_bridge = false;
  pcie::PortType type = pcie::PortType::kEndpoint;  // by its PCI Express capability
  std::vector<FoundCapability> capabilities;        // in the order of their lists
  std::vector<FoundBar> bars;                       // by register

  unsigned secondary_bus = 0;  // a bridge's, and what follows
  unsigned subordinate_bus = 0;
  BridgeWindow memory;
  BridgeWindow prefetchable;
  std::vector<FoundFunction> children;  // on the secondary bus

  /// Offset of a capability in configuration space; 0: it is not there.
  unsigned capability(unsigned capability_id) const {
    return find_capability(capability_id, false);
  }
  unsigned extended_capability(unsigned capability_id) const {
    return find_capability(capability_id, true);
  }
  /// By register; null: there is none.
  const FoundBar* bar(unsigned index) const;

 private:
  unsigned find_capability(unsigned capability_id, bool extended) const;
};

struct DeviceTree {
  std::vector<FoundFunction> functions;  // on bus 0
  std::uint32_t max_payload = 0;         // set everywhere
  bool extended_tags = false;            // likewise
  bool ten_bit_tags = false;             // enabled in all requesters that can
  std::uint64_t memory_left = 0;         // bytes at the end of the pools
  std::uint64_t prefetchable_left = 0;

  /// All functions, each before what is behind it.
  std::vector<FoundFunction*> all();
  std::vector<const FoundFunction*> all() const;
  /// Null: no such function.
  const FoundFunction* find(pcie::DeviceId id) const;
  /// The function with this vendor and device that is number `index` from 0 in the order of all().
  const FoundFunction* find(std::uint16_t vendor, std::uint16_t device, unsigned index = 0) const;
  /// A line a function, indented by its depth, in the manner of `lspci -t`.
  std::string text() const;
};

}  // namespace railyard::host
