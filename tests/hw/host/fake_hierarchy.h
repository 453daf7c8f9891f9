// A PCIe hierarchy made of configuration spaces alone, with a router of configuration requests by
// bus numbers as bridges have them (PCI Express Base Specification 5.0, 7.3.3).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hw/host/enumeration.h"
#include "hw/pcie/config_space.h"

namespace railyard::host::fake {

namespace cfg = pcie::config;

constexpr std::uint64_t kMiB = 1ULL << 20;
constexpr std::uint64_t kGiB = 1ULL << 30;

struct FakeFunction {
  FakeFunction(unsigned number, pcie::ConfigSpace configuration)
      : device(number), space(std::move(configuration)) {}

  unsigned device;
  pcie::ConfigSpace space;
  std::vector<std::unique_ptr<FakeFunction>> behind;

  FakeFunction& add(unsigned number, pcie::ConfigSpace configuration) {
    behind.push_back(std::make_unique<FakeFunction>(number, std::move(configuration)));
    return *behind.back();
  }
};

/// Where BARs go unless a test says so.
const AddressPools kPools = {{0x8000'0000, 1ULL << 30}, {0x1000'0000'0000, 1ULL << 42}};

constexpr std::uint16_t kNicDevice = 0x1021;
constexpr std::uint16_t kPortDevice = 0x0001;

inline pcie::ConfigSpace port(pcie::PortType type, pcie::ExpressShape shape = {}) {
  auto space = pcie::ConfigSpace::bridge("port", {0x1D0F, kPortDevice, 0x060400, 0, false});
  shape.type = type;
  space.add_express(shape);
  space.add_error_reporting();
  if (type != pcie::PortType::kSwitchUpstream) space.add_access_control();
  return space;
}

inline pcie::ConfigSpace endpoint(const pcie::BarShapes& bars,
                                  const pcie::ExpressShape& shape = {}) {
  auto space = pcie::ConfigSpace::endpoint("nic", {0x15B3, kNicDevice, 0x020000, 0, false}, bars);
  space.add_express(shape);
  space.add_error_reporting();
  return space;
}

/// One 64-bit prefetchable BAR at 0 and one 32-bit at 2; sizes of 0: none.
inline pcie::BarShapes bars(std::uint64_t prefetchable, std::uint64_t memory = 0) {
  pcie::BarShapes shapes;
  shapes[0] = {prefetchable, true, true};
  shapes[2] = {memory, false, false};
  return shapes;
}

class FakeHierarchy : public ConfigAccess {
 public:
  std::vector<std::unique_ptr<FakeFunction>> roots;
  unsigned accesses = 0;
  /// Accesses to devices other than 0 behind a link, which must not be made.
  unsigned stray = 0;

  FakeFunction& root(unsigned number, const pcie::ExpressShape& shape = {}) {
    roots.push_back(std::make_unique<FakeFunction>(number, port(pcie::PortType::kRootPort, shape)));
    return *roots.back();
  }
  /// A switch behind a port: its upstream port, with `ports` downstream ports.
  static FakeFunction& add_switch(FakeFunction& above, unsigned ports) {
    FakeFunction& upstream = above.add(0, port(pcie::PortType::kSwitchUpstream));
    for (unsigned i = 0; i < ports; ++i) {
      upstream.add(i, port(pcie::PortType::kSwitchDownstream));
    }
    return upstream;
  }

  std::uint32_t read(pcie::DeviceId id, unsigned offset) override {
    ++accesses;
    const FakeFunction* function = route(id);
    return function == nullptr ? ~0U : function->space.read(offset);
  }
  void write(pcie::DeviceId id, unsigned offset, std::uint32_t value) override {
    ++accesses;
    FakeFunction* function = route(id);
    if (function != nullptr) function->space.write(offset, value);
  }

  /// The function that a configuration request reaches, or null.
  FakeFunction* route(pcie::DeviceId id) {
    if (id.function() != 0) return nullptr;
    if (id.bus() == 0) return at(roots, id.device());
    FakeFunction* bridge = through(roots, id.bus());
    while (bridge != nullptr && bridge->space.secondary_bus() != id.bus()) {
      bridge = through(bridge->behind, id.bus());
    }
    if (bridge == nullptr) return nullptr;
    const bool link = bridge->space.type() != pcie::PortType::kSwitchUpstream;
    if (link && id.device() != 0) ++stray;
    return at(bridge->behind, id.device());
  }

  /// The device that a memory request from the root reaches by enabled BARs and bridge windows.
  FakeFunction* at_address(std::uint64_t address) { return at_address(roots, address); }

 private:
  using List = std::vector<std::unique_ptr<FakeFunction>>;

  static FakeFunction* at(const List& list, unsigned device) {
    for (const auto& function : list) {
      if (function->device == device) return function.get();
    }
    return nullptr;
  }
  static FakeFunction* through(const List& list, unsigned bus) {
    for (const auto& function : list) {
      if (function->space.has_bus(bus)) return function.get();
    }
    return nullptr;
  }
  static FakeFunction* at_address(const List& list, std::uint64_t address) {
    for (const auto& function : list) {
      if (function->space.bar_at(address)) return function.get();
      if (function->space.in_window(address)) return at_address(function->behind, address);
    }
    return nullptr;
  }
};

}  // namespace railyard::host::fake
