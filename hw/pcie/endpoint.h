// A device's PCIe function: configuration space, BARs, DMA, MSI-X.
//
// Modelled: BARs of registers (DeviceRegisters) and of memory (MemoryPort); posted writes take
// effect in their order; configuration requests, by which the function learns its id; unsupported
// requests; what the device control and command registers allow. Not modelled: more functions than
// one, expansion ROM, power management, function-level reset.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "hw/pcie/completer.h"
#include "hw/pcie/config_space.h"
#include "hw/pcie/delay_line.h"
#include "hw/pcie/dma.h"
#include "hw/pcie/endpoint_config.h"
#include "hw/pcie/hierarchy.h"
#include "hw/pcie/msix.h"
#include "hw/pcie/port.h"
#include "hw/pcie/requester.h"

namespace railyard::pcie {

class Endpoint : public sc_core::sc_module,
                 public Function,
                 public PlacedFunction,
                 private PortClient,
                 private DmaListener {
 public:
  /// `peer` is the name of the port at the other end of the link.
  Endpoint(sc_core::sc_module_name name, Hierarchy& hierarchy, const EndpointConfig& config,
           const LinkConfig& link, const std::string& peer);
  ~Endpoint() override;

  /// What is behind the BARs that are not memory. Without it they read as 0.
  void set_registers(DeviceRegisters& registers) { registers_ = &registers; }
  /// Puts memory behind a BAR, from its address 0 on.
  void put_memory(unsigned bar, MemoryPort& memory);

  Port& port() { return port_; }
  Requester& requester() { return requester_; }
  ConfigSpace& config() { return config_space_; }
  DeviceId id() const override { return id_; }

  void dma(DmaRequest request, DmaListener& listener) override;
  void interrupt(unsigned vector) override;

  std::string function_name() const override { return name(); }
  const ConfigSpace& config_space() const override { return config_space_; }
  const MemoryPort* memory_behind(unsigned bar) const override;

 private:
  struct Target {
    unsigned bar = 0;
    std::uint64_t offset = 0;
  };
  struct Refused {
    std::uint64_t ticket = 0;
    DmaListener* listener = nullptr;
  };

  void received(Port& port, TlpRef tlp) override;
  void sending(Port& port, const Tlp& tlp) override;
  void dma_done(const DmaDone& /*done*/) override {}  // of interrupts

  void handle(TlpRef tlp);
  void handle_config(const TlpRef& tlp);
  std::optional<Target> find_registers(TlpRef& tlp);
  void handle_write(TlpRef tlp);
  void handle_read(TlpRef tlp);
  void write_registers(const Tlp& tlp, const Target& to);
  void read_registers(TlpRef tlp);
  bool read_msix(unsigned bar, std::uint64_t offset, std::uint32_t bytes, std::uint64_t& value);
  bool write_msix(unsigned bar, std::uint64_t offset, const Tlp& tlp);
  void send_message(const MsixMessage& message);
  void apply_config();
  /// The BAR that a request lies in as a whole.
  std::optional<Target> target(const Tlp& tlp) const;
  void unsupported(const TlpRef& tlp);
  void abort(const TlpRef& tlp, const std::string& why);
  void give_back(const Refused& refused);

  Hierarchy& hierarchy_;
  LazyScheduler& scheduler_;
  EndpointConfig config_;
  ConfigSpace config_space_;
  std::uint64_t config_changes_ = 0;
  Port port_;
  Requester requester_;
  DeviceId id_;
  DeviceRegisters* registers_ = nullptr;
  std::array<MemoryPort*, config::kBars> memory_{};
  std::array<std::unique_ptr<Completer>, config::kBars> completers_;
  std::unique_ptr<MsixTable> msix_;
  DelayLine<TlpRef> requests_;
  DelayLine<TlpRef> register_reads_;
  DelayLine<Refused> refused_;
};

}  // namespace railyard::pcie
