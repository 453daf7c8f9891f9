// The keys of pcie_bandwidth.
#pragma once

#include "hw/host/host_config.h"
#include "hw/host/memory.h"
#include "hw/pcie/endpoint_config.h"
#include "hw/pcie/link_config.h"
#include "hw/pcie/switch.h"
#include "platforms/pcie_bandwidth/traffic_config.h"
#include "tlm/base/rate.h"

namespace railyard::pcie_bandwidth {

enum class Pcie : std::uint8_t { kModelled, kIdeal };
enum class Topology : std::uint8_t { kDirect, kSwitch };

/// A device's memory, behind a BAR: what peers write to.
struct DeviceMemoryConfig {
  Bytes size = Bytes{1U << 24};
  Time latency = 150 * kNanosecond;
  Rate bandwidth = Rate::gbps(3200);

  void declare(Parameters& p);
};

struct PcieConfig {
  DataMode data = DataMode::kElided;
  Pcie pcie = Pcie::kModelled;
  Topology topology = Topology::kDirect;
  unsigned devices = 1;
  pcie::LinkConfig link;
  host::HostConfig host;
  pcie::SwitchConfig pcie_switch;
  pcie::EndpointConfig device;
  DeviceMemoryConfig device_memory;
  TrafficConfig traffic;

  void declare(Parameters& p);

  bool carried() const { return data == DataMode::kCarried; }
  bool ideal() const { return pcie == Pcie::kIdeal; }
  bool below_switch() const { return topology == Topology::kSwitch; }
};

}  // namespace railyard::pcie_bandwidth
