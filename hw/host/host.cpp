#include "hw/host/host.h"

#include "hw/pcie/config_registers.h"
#include "tlm/base/error.h"
#include "tlm/base/format.h"

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

std::unique_ptr<pcie::RootComplex> root_of(pcie::Hierarchy& hierarchy, const HostConfig& config,
                                           const std::vector<pcie::RootComplex::Line>* lines,
                                           pcie::MemoryPort& memory,
                                           pcie::InterruptSink& interrupts, const AddressMap& map) {
  if (lines == nullptr) return nullptr;
  return std::make_unique<pcie::RootComplex>("root", hierarchy, config.root, *lines, memory,
                                             interrupts, windows_of(map));
}

std::unique_ptr<pcie::IdealPcie> ideal_of(pcie::Hierarchy& hierarchy, const HostConfig& config,
                                          const pcie::MemoryPort& memory,
                                          pcie::InterruptSink& interrupts, const AddressMap& map) {
  hierarchy.set_memory(memory, false);
  std::vector<pcie::IdealPcie::Window> windows = {{map.mmio32().base, map.mmio32().size},
                                                  {map.mmio64().base, map.mmio64().size}};
  return std::make_unique<pcie::IdealPcie>("ideal", hierarchy, config.ideal, interrupts,
                                           std::move(windows));
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
           DataMode data, const std::vector<pcie::RootComplex::Line>& lines,
           const std::vector<unsigned>& cores)
    : Host(name, partition, config, data, &lines, cores) {}

Host::Host(sc_core::sc_module_name name, Partition& partition, const HostConfig& config,
           DataMode data, const std::vector<unsigned>& cores)
    : Host(name, partition, config, data, nullptr, cores) {}

Host::Host(sc_core::sc_module_name name, Partition& partition, const HostConfig& config,
           DataMode data, const std::vector<pcie::RootComplex::Line>* lines,
           const std::vector<unsigned>& cores)
    : sc_module(name),
      partition_(partition),
      config_(config),
      map_(config.map, memory_ranges(config.memory)),
      hierarchy_("pcie", partition),
      memory_(std::string(this->name()) + ".memory", hierarchy_.scheduler(), config.memory, data),
      interrupts_(std::string(this->name()) + ".interrupts", hierarchy_.scheduler()),
      errors_(partition.statistics(), this->name()),
      root_(root_of(hierarchy_, config, lines, device_memory(), interrupts_, map_)),
      ideal_(root_ ? nullptr : ideal_of(hierarchy_, config, device_memory(), interrupts_, map_)),
      port_(root_ ? root_->name() : ideal_->name(), partition, cpu_port()),
      next32_(map_.mmio32().base),
      next64_(map_.mmio64().base) {
  memory_.on_watch_added([this](std::uint64_t address, std::uint64_t bytes) {
    hierarchy_.watch_added(address, bytes);
  });
  const CoreSurroundings surroundings{memory_, map_, port_, interrupts_, errors_};
  for (std::size_t i = 0; i < cores.size(); ++i) {
    cores_.push_back(std::make_unique<HostCore>(("core" + std::to_string(i)).c_str(), config.core,
                                                surroundings, cores[i]));
  }
}

Host::~Host() = default;

pcie::CpuPort& Host::cpu_port() {
  if (root_) return *root_;
  return *ideal_;
}

DeviceTree Host::enumerate(Core& core) const {
  EcamAccess access(core, map_);
  const AddressPools pools{{map_.mmio32().base, map_.mmio32().size},
                           {map_.mmio64().base, map_.mmio64().size}};
  return host::enumerate(access, config_.enumeration, pools);
}

void Host::place(pcie::IdealFunction& function) {
  constexpr std::uint32_t kWide = pcie::config::kBar64 | pcie::config::kBarPrefetchable;
  for (unsigned bar = 0; bar < pcie::config::kBars; ++bar) {
    const std::uint64_t size = function.config_space().bar(bar).size;
    if (size == 0) continue;
    const std::uint32_t shape = function.config_space().read(pcie::config::kBar0 + 4 * bar);
    const bool wide = (shape & kWide) == kWide;
    const AddressRange& window = wide ? map_.mmio64() : map_.mmio32();
    Address& next = wide ? next64_ : next32_;
    const Address base = (next + size - 1) / size * size;
    if (!window.contains(base, size)) {
      throw ConfigError("",
                        "BAR " + std::to_string(bar) + " of " + function.name() + " asks for " +
                            format_bytes(size) + ", more than is left of " + format_range(window),
                        "enlarge the window, or use fewer devices");
    }
    function.place(bar, base);
    next = base + size;
  }
}

}  // namespace railyard::host
