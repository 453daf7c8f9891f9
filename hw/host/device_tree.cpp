#include "hw/host/device_tree.h"

#include "tlm/base/format.h"

namespace railyard::host {

namespace {

template <class Function, class Functions>
void collect(Functions& functions, std::vector<Function*>& into) {
  for (auto& function : functions) {
    into.push_back(&function);
    collect(function.children, into);
  }
}

std::string hex(std::uint64_t value, unsigned digits) {
  std::string text;
  for (unsigned i = 0; i < digits || value != 0; ++i) {
    text.insert(text.begin(), "0123456789abcdef"[value & 15]);
    value >>= 4;
  }
  return text;
}

std::string range(std::uint64_t base, std::uint64_t bytes) {
  return hex(base, 8) + "-" + hex(base + (bytes - 1), 8);
}

const char* name_of(const FoundFunction& function) {
  switch (function.type) {
    case pcie::PortType::kRootPort:
      return "root port";
    case pcie::PortType::kSwitchUpstream:
      return "switch upstream port";
    case pcie::PortType::kSwitchDownstream:
      return "switch downstream port";
    case pcie::PortType::kEndpoint:
      break;
  }
  return function.is_bridge ? "bridge" : "endpoint";
}

std::string details(const FoundFunction& function) {
  std::string text;
  if (function.is_bridge) {
    text += ", bus " + hex(function.secondary_bus, 2);
    if (function.subordinate_bus != function.secondary_bus) {
      text += "-" + hex(function.subordinate_bus, 2);
    }
  }
  if (function.memory.bytes != 0) {
    text += ", memory " + range(function.memory.base, function.memory.bytes);
  }
  if (function.prefetchable.bytes != 0) {
    text += ", prefetchable " + range(function.prefetchable.base, function.prefetchable.bytes);
  }
  for (const FoundBar& bar : function.bars) {
    text += ", BAR " + std::to_string(bar.index) + " " + range(bar.base, bar.size) + " (" +
            format_bytes(bar.size) + (bar.is_64_bit ? ", 64-bit" : ", 32-bit") +
            (bar.prefetchable ? ", prefetchable)" : ")");
  }
  return text;
}

void print(const std::vector<FoundFunction>& functions, const std::string& indent,
           std::string& text) {
  for (const FoundFunction& function : functions) {
    text += indent + "+-" + pcie::format_id(function.id) + " " + name_of(function) + " " +
            hex(function.vendor, 4) + ":" + hex(function.device, 4) + details(function) + "\n";
    const bool last = &function == &functions.back();
    print(function.children, indent + (last ? "  " : "| "), text);
  }
}

}  // namespace

const FoundBar* FoundFunction::bar(unsigned index) const {
  for (const FoundBar& bar : bars) {
    if (bar.index == index) return &bar;
  }
  return nullptr;
}

unsigned FoundFunction::find_capability(unsigned capability_id, bool extended) const {
  for (const FoundCapability& capability : capabilities) {
    if (capability.id == capability_id && capability.extended == extended) return capability.offset;
  }
  return 0;
}

std::vector<FoundFunction*> DeviceTree::all() {
  std::vector<FoundFunction*> found;
  collect(functions, found);
  return found;
}

std::vector<const FoundFunction*> DeviceTree::all() const {
  std::vector<const FoundFunction*> found;
  collect(functions, found);
  return found;
}

const FoundFunction* DeviceTree::find(pcie::DeviceId id) const {
  for (const FoundFunction* function : all()) {
    if (function->id == id) return function;
  }
  return nullptr;
}

const FoundFunction* DeviceTree::find(std::uint16_t vendor, std::uint16_t device,
                                      unsigned index) const {
  for (const FoundFunction* function : all()) {
    if (function->vendor == vendor && function->device == device && index-- == 0) return function;
  }
  return nullptr;
}

std::string DeviceTree::text() const {
  std::string text;
  print(functions, "", text);
  return text;
}

}  // namespace railyard::host
