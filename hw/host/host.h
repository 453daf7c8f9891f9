// A host: memory, a root complex with root ports, cores, and the software that finds devices.
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
#include "hw/pcie/msix.h"
#include "hw/pcie/root_complex.h"

namespace railyard::host {

class Host : public sc_core::sc_module {
 public:
  /// A root port for each of `lines`, a core at each of the NUMA nodes `cores`. Throws a
  /// ConfigError if the address map does not fit together.
  Host(sc_core::sc_module_name name, Partition& partition, const HostConfig& config, HostData data,
       const std::vector<pcie::RootComplex::Line>& lines, const std::vector<unsigned>& cores);
  ~Host() override;

  Partition& partition() { return partition_; }
  pcie::Hierarchy& hierarchy() { return hierarchy_; }
  const AddressMap& map() const { return map_; }
  HostMemory& memory() { return memory_; }
  pcie::RootComplex& root() { return root_; }
  InterruptController& interrupts() { return interrupts_; }
  HostCore& core(unsigned index) { return *cores_.at(index); }
  unsigned cores() const { return static_cast<unsigned>(cores_.size()); }
  ErrorLog& errors() { return errors_; }

  /// Finds devices and sets them up, from a program on a core, which its accesses take time.
  DeviceTree enumerate(Core& core) const;
  /// The address and data of interrupt `vector` of this host, for a device's table.
  static pcie::MsixMessage message(unsigned vector) { return {AddressMap::kInterruptBase, vector}; }

 private:
  Partition& partition_;
  HostConfig config_;
  AddressMap map_;
  pcie::Hierarchy hierarchy_;
  HostMemory memory_;
  InterruptController interrupts_;
  ErrorLog errors_;
  pcie::RootComplex root_;
  CpuPortShare port_;
  std::vector<std::unique_ptr<HostCore>> cores_;
};

}  // namespace railyard::host
