// A host: memory, cores, the way to its devices, and the software that finds them. The way is a
// root complex with root ports, or ideal PCIe, without packets and without configuration space:
// then the host itself places the BARs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hw/host/address_map.h"
#include "hw/host/core.h"
#include "hw/host/cpu_port_share.h"
#include "hw/host/device_tree.h"
#include "hw/host/enumeration.h"
#include "hw/host/error_log.h"
#include "hw/host/host_config.h"
#include "hw/host/interrupts.h"
#include "hw/host/memory.h"
#include "hw/pcie/hierarchy.h"
#include "hw/pcie/ideal.h"
#include "hw/pcie/msix.h"
#include "hw/pcie/root_complex.h"

namespace railyard::host {

class Host : public sc_core::sc_module {
 public:
  /// A root port for each of `lines`, a core at each of the NUMA nodes `cores`. Throws a
  /// ConfigError if the address map does not fit together.
  Host(sc_core::sc_module_name name, Partition& partition, const HostConfig& config, DataMode data,
       const std::vector<pcie::RootComplex::Line>& lines, const std::vector<unsigned>& cores);
  /// The same with ideal PCIe in place of the root complex.
  Host(sc_core::sc_module_name name, Partition& partition, const HostConfig& config, DataMode data,
       const std::vector<unsigned>& cores);
  ~Host() override;

  Partition& partition() { return partition_; }
  pcie::Hierarchy& hierarchy() { return hierarchy_; }
  const AddressMap& map() const { return map_; }
  HostMemory& memory() { return memory_; }
  /// What devices see of the memory: from the NUMA node that the way to them is at.
  pcie::MemoryPort& device_memory() { return memory_.side(config_.root_node); }
  /// Only of a host that has one.
  pcie::RootComplex& root() { return *root_; }
  /// Only of a host that has it.
  pcie::IdealPcie& ideal() { return *ideal_; }
  InterruptController& interrupts() { return interrupts_; }
  HostCore& core(unsigned index) { return *cores_.at(index); }
  unsigned cores() const { return static_cast<unsigned>(cores_.size()); }
  ErrorLog& errors() { return errors_; }

  /// Finds devices and sets them up, from a program on a core, which its accesses take time.
  DeviceTree enumerate(Core& core) const;
  /// Gives each BAR of a function of ideal PCIe the next address in its window that is a multiple
  /// of its size. Throws a ConfigError if the window is exhausted.
  void place(pcie::IdealFunction& function);
  /// The address and data of interrupt `vector` of this host, for a device's table.
  static pcie::MsixMessage message(unsigned vector) { return {AddressMap::kInterruptBase, vector}; }

 private:
  /// `lines`: null: ideal PCIe.
  Host(sc_core::sc_module_name name, Partition& partition, const HostConfig& config, DataMode data,
       const std::vector<pcie::RootComplex::Line>* lines, const std::vector<unsigned>& cores);
  pcie::CpuPort& cpu_port();

  Partition& partition_;
  HostConfig config_;
  AddressMap map_;
  pcie::Hierarchy hierarchy_;
  HostMemory memory_;
  InterruptController interrupts_;
  ErrorLog errors_;
  std::unique_ptr<pcie::RootComplex> root_;  // or
  std::unique_ptr<pcie::IdealPcie> ideal_;
  CpuPortShare port_;
  std::vector<std::unique_ptr<HostCore>> cores_;
  Address next32_, next64_;  // where the windows of place() are free
};

}  // namespace railyard::host
