#include "hw/hbm/hbm.h"

#include <limits>
#include <stdexcept>
#include <string>

#include "tlm/base/error.h"

namespace railyard::hbm {

void HbmDeviceConfig::declare(Parameters& p) {
  p.add("base", base).doc("Address of the device's first byte");
  p.add("ports", ports).range(1, 64).doc("Target sockets, each of which sees the whole device");
  target.declare(p);
}

Hbm::Hbm(sc_core::sc_module_name name, Partition& partition, const HbmConfig& config,
         const HbmDeviceConfig& device, DataMode data)
    : sc_core::sc_module(name),
      controller_(this->name(), partition, config),
      memory_(device.base, controller_.capacity(), data) {
  if (device.base > std::numeric_limits<std::uint64_t>::max() - controller_.capacity()) {
    throw ConfigError("", "the device ends beyond the 64-bit addresses", "lower `base`");
  }
  for (unsigned i = 0; i < device.ports; ++i) {
    const std::string port = "port" + std::to_string(i);
    ports_.push_back(
        std::make_unique<TlmTarget>(port.c_str(), partition, controller_, memory_, device.target));
  }
}

Hbm::~Hbm() = default;

void Hbm::check(std::uint64_t address, std::uint64_t bytes) const {
  if (!memory_.covers(address, bytes))
    throw std::out_of_range(std::string(name()) + " ends before");
}

void Hbm::load(std::uint64_t address, const std::uint8_t* from, std::uint64_t bytes) {
  check(address, bytes);
  memory_.write(address, from, bytes);
}

void Hbm::read(std::uint64_t address, std::uint8_t* to, std::uint64_t bytes) const {
  check(address, bytes);
  memory_.read(address, to, bytes);
}

}  // namespace railyard::hbm
