// A host with a NIC on a fabric: cores, memory, PCIe, the NIC, and the software on core 0 that
// brings it up for verbs programs. Module names: "h0" with "h0.host", "h0.pcie" (the NIC's
// function), "h0.nic0", "h0.link0".
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "hw/congestion/blocks.h"
#include "hw/host/address_space.h"
#include "hw/host/host.h"
#include "hw/nic/nic.h"
#include "hw/pcie/endpoint.h"
#include "hw/pcie/ideal.h"
#include "platforms/common/fabric/network.h"
#include "platforms/common/rdma/rdma_host_config.h"
#include "sw/verbs/machine.h"
#include "tlm/link/link.h"

namespace railyard::rdma {

/// What a NIC is called on the fabric: the addresses of endpoint number n (fabric_config.h).
nic::NicAddress nic_address(std::uint32_t endpoint, IpVersion version);

/// What address resolution would find of so many endpoints.
verbs::Neighbours neighbours_of(std::size_t endpoints, IpVersion version);

class RdmaHost : public sc_core::sc_module, public HostNode {
 public:
  /// A program on core 0, while verbs find the NIC.
  using Program = std::function<void(Core& core, AddressSpace& memory)>;

  RdmaHost(sc_core::sc_module_name name, const RdmaHostConfig& config, const HostPort& port,
           const nic::NicAddress& address, Blocks& blocks, bool checks);
  ~RdmaHost() override;

  LinkEnd& link(std::uint32_t port) override;
  const PauseLog& pause_log(std::uint32_t port) override;

  host::Host& host() { return *host_; }
  nic::Nic& nic() { return *nic_; }

  /// Before the run: what core 0 does once the NIC is up.
  void set_program(Program program, verbs::Neighbours neighbours);

 private:
  /// The host's number of the NIC's interrupt vector 0.
  static constexpr unsigned kFirstVector = 32;

  void add_function(const HostPort& port, bool checks);
  void run(Core& core);
  driver::DevicePlace find_device(Core& core);
  std::uint64_t bar(unsigned index) const { return placed_->config_space().bar(index).base; }

  RdmaHostConfig config_;
  std::unique_ptr<host::Host> host_;
  std::unique_ptr<pcie::Endpoint> endpoint_;  // or
  std::unique_ptr<pcie::IdealFunction> ideal_;
  pcie::Function* function_ = nullptr;
  const pcie::PlacedFunction* placed_ = nullptr;
  std::unique_ptr<nic::Nic> nic_;
  std::unique_ptr<LinkEnd> link_;
  Program program_;
  verbs::Neighbours neighbours_;
};

}  // namespace railyard::rdma
