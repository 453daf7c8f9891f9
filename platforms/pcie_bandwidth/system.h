// The hardware of a run: a host, its devices, and a switch between them if there is one; or, with
// ideal PCIe, a host and devices that have neither ports nor anything to be found.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hw/host/host.h"
#include "hw/pcie/switch.h"
#include "platforms/pcie_bandwidth/ceilings.h"
#include "platforms/pcie_bandwidth/device.h"
#include "platforms/pcie_bandwidth/pcie_config.h"
#include "tlm/sim/partition.h"

namespace railyard::pcie_bandwidth {

class System {
 public:
  /// The host's number of the interrupt that dev0 raises as its vector 0.
  static constexpr unsigned kInterrupt = 32;

  System(Partition& partition, const PcieConfig& config, bool checks);

  Partition& partition() { return host_.partition(); }
  host::Host& host() { return host_; }
  std::vector<std::unique_ptr<Device>>& devices() { return devices_; }
  /// Both ends of all links, each the transmitter of one direction.
  const std::vector<pcie::Port*>& ports() const { return ports_; }
  /// The ports whose lines all writes share out among them, and all completions of reads; none with
  /// ideal PCIe.
  std::vector<pcie::Port*> write_bottleneck();
  std::vector<pcie::Port*> read_bottleneck();

  /// On a core: finds the devices and sets them up. Those of ideal PCIe are from the beginning.
  void enumerate(Core& core);
  /// What the host has set, after enumerate().
  const TransferRules& rules() const { return rules_; }
  unsigned tags() const { return tags_; }

 private:
  void build_ports(bool checks);
  void join(pcie::Port& above, pcie::Port& below);
  void add_device(pcie::Port& above, bool checks);
  void map_memory();
  void enable_interrupt(Core& core, const host::DeviceTree& found);
  static std::vector<pcie::RootComplex::Line> lines(const PcieConfig& config);

  const PcieConfig& config_;
  std::unique_ptr<host::Host> made_;
  host::Host& host_;
  bool checks_;
  std::unique_ptr<pcie::Switch> switch_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<pcie::Port*> ports_;
  TransferRules rules_;
  unsigned tags_ = 0;
};

}  // namespace railyard::pcie_bandwidth
