#include "hw/host/host.h"

namespace railyard::host {

namespace {

std::vector<AddressRange> memory_ranges(const HostMemoryConfig& config) {
  std::vector<AddressRange> ranges;
  for (unsigned i = 0; i < config.nodes; ++i) {
    ranges.push_back(
        {"the memory of node " + std::to_string(i), config.base + i * config.size, config.size});
  }
  return ranges;
}

pcie::RootComplex::Windows windows_of(const AddressMap& map) {
  pcie::RootComplex::Windows windows;
  windows.interrupts = AddressMap::kInterruptBase;
  windows.interrupt_bytes = AddressMap::kInterruptBytes;
  windows.devices = {{map.mmio32().base, map.mmio32().size},
                     {map.mmio64().base, map.mmio64().size}};
  return windows;
}

/// Configuration space as programs reach it: by loads and stores.
class EcamAccess : public ConfigAccess {
 public:
  EcamAccess(Core& core, const AddressMap& map) : core_(core), map_(map) {}
  std::uint32_t read(pcie::DeviceId id, unsigned offset) override {
    return static_cast<std::uint32_t>(core_.load(map_.config_address(id, offset), 4));
  }
  void write(pcie::DeviceId id, unsigned offset, std::uint32_t value) override {
    core_.store(map_.config_address(id, offset), value, 4);
  }

 private:
  Core& core_;
  const AddressMap& map_;
};

}  // namespace

Host::Host(sc_core::sc_module_name name, Partition& partition, const HostConfig& config,
           HostData data, const std::vector<pcie::RootComplex::Line>& lines,
           const std::vector<unsigned>& cores)
    : sc_module(name),
      partition_(partition),
      config_(config),
      map_(config.map, memory_ranges(config.memory)),
      hierarchy_("pcie", partition),
      memory_(std::string(this->name()) + ".memory", hierarchy_.scheduler(), config.memory, data),
      interrupts_(std::string(this->name()) + ".interrupts", hierarchy_.scheduler()),
      errors_(partition.statistics(), this->name()),
      root_("root", hierarchy_, config.root, lines, memory_.side(config.root_node), interrupts_,
            windows_of(map_)),
      port_(root_.name(), partition, root_) {
  memory_.on_watch_added([this](std::uint64_t, std::uint64_t) { hierarchy_.watch_added(); });
  const CoreSurroundings surroundings{memory_, map_, port_, interrupts_, errors_};
  for (std::size_t i = 0; i < cores.size(); ++i) {
    cores_.push_back(std::make_unique<HostCore>(("core" + std::to_string(i)).c_str(), config.core,
                                                surroundings, cores[i]));
  }
}

Host::~Host() = default;

DeviceTree Host::enumerate(Core& core) const {
  EcamAccess access(core, map_);
  const AddressPools pools{{map_.mmio32().base, map_.mmio32().size},
                           {map_.mmio64().base, map_.mmio64().size}};
  return host::enumerate(access, config_.enumeration, pools);
}

}  // namespace railyard::host
