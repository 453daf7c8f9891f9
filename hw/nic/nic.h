// A NIC: a PCIe function whose registers and queues software drives, and a port on the fabric.
//
//   doorbell -> scheduler -> context -> wqe -> translation -> dma_read -> packetiser -> transmit
//   receive -> context -> transport -> translation -> dma_write -> acknowledge, completion -> event
//
// Each is a stage with a latency and an initiation interval (stage.h), in the file of the unit that
// it is of: requester, responder, completions, memory_keys, qp_contexts, transmitter,
// receive_pipeline, mac; registers and commands are what software sees (nic_abi.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hw/nic/completions.h"
#include "hw/nic/dma_engine.h"
#include "hw/nic/mac.h"
#include "hw/nic/memory_keys.h"
#include "hw/nic/qp_contexts.h"
#include "hw/nic/receive_pipeline.h"
#include "hw/nic/requester.h"
#include "hw/nic/responder.h"
#include "hw/nic/transmitter.h"
#include "hw/nic/units.h"
#include "hw/pcie/dma.h"
#include "hw/pcie/endpoint_config.h"

namespace railyard::nic {

/// How a NIC's function is configured: its identity, BARs, vectors.
pcie::EndpointConfig function_config(const NicConfig& config);

class Nic : public sc_core::sc_module, public pcie::DeviceRegisters {
 public:
  /// `function` is the NIC's way to memory (an Endpoint made of function_config(), or an
  /// IdealFunction with its BARs); the caller gives it these registers.
  Nic(sc_core::sc_module_name name, Partition& partition, const NicConfig& config,
      const NicAddress& address, pcie::Function& function, Rate line_rate, const std::string& peer,
      Blocks& blocks);
  ~Nic() override;

  /// Its port, to be bound to a link's end.
  Mac& mac();
  /// Before the run.
  void set_observer(Observer& observer);
  void set_delivery_observer(DeliveryObserver& observer);

  void register_write(unsigned bar, std::uint64_t offset, const std::uint8_t* data,
                      std::uint32_t bytes, std::uint8_t byte_enables) override;
  pcie::Status register_read(unsigned bar, std::uint64_t offset, std::uint8_t* data,
                             std::uint32_t bytes) override;

  /// Bytes that the NIC keeps for each queue pair that exists.
  static std::size_t bytes_a_queue_pair();

 private:
  void start_of_simulation() override;

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace railyard::nic
