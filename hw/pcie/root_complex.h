// A host's root complex: root ports, each a bridge on bus 0, between devices, memory and cores.
//
// Modelled: reads and writes of memory by devices, ordered a port; peer to peer from one root port
// to another, and back out of the port that it came from (access control redirect); interrupts as
// writes behind all writes before them; translation by an IOMMU; register and configuration
// accesses by cores, posted writes with a bounded queue, the completion timeout.
// Not modelled: integrated endpoints, error messages and interrupts of root ports, atomics.
//
// Root port i is device i + 1 of bus 0; requests of cores come from 00:00.0.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hw/pcie/cpu_port.h"
#include "hw/pcie/hierarchy.h"
#include "hw/pcie/memory_port.h"
#include "hw/pcie/port.h"
#include "hw/pcie/root_complex_config.h"
#include "hw/pcie/translator.h"

namespace railyard::pcie {

class RootComplex : public sc_core::sc_module, public CpuPort {
 public:
  struct Line {
    LinkConfig link;
    std::string peer;  // the name of the port at the other end
  };
  /// Addresses: where messages for cores go, and what cores may reach devices by.
  struct Windows {
    std::uint64_t interrupts = 0xFEE00000;
    std::uint64_t interrupt_bytes = 1U << 20;
    struct Range {
      std::uint64_t base = 0;
      std::uint64_t bytes = 0;
    };
    std::vector<Range> devices;
  };

  RootComplex(sc_core::sc_module_name name, Hierarchy& hierarchy, const RootComplexConfig& config,
              const std::vector<Line>& lines, MemoryPort& memory, InterruptSink& interrupts,
              const Windows& windows);
  ~RootComplex() override;

  unsigned ports() const;
  Port& port(unsigned index);
  ConfigSpace& port_config(unsigned index);
  static DeviceId port_id(unsigned index) { return DeviceId::of(0, index + 1); }
  /// Mappings of devices, if translation is enabled.
  Iommu& iommu() { return translator_.iommu(); }

  // CpuPort
  bool is_device(std::uint64_t address) const override;
  bool cpu_write(std::uint64_t address, const std::uint8_t* data, std::uint32_t bytes) override;
  void cpu_read(std::uint64_t address, std::uint32_t bytes, std::uint64_t ticket) override;
  void config_read(DeviceId id, unsigned register_offset, std::uint64_t ticket) override;
  void config_write(DeviceId id, unsigned register_offset, std::uint32_t value,
                    std::uint64_t ticket) override;
  void set_listener(CpuListener& listener) override { listener_ = &listener; }

 private:
  class RootPort;
  struct Asked {
    bool in_use = false;
    bool configuration = false;
    RootPort* port = nullptr;
    std::uint64_t ticket = 0;
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    std::uint64_t serial = 0;
  };
  struct Issued {
    std::uint16_t tag = 0;
    std::uint64_t serial = 0;
    Time at = 0;
  };
  struct Answer {
    std::uint64_t ticket = 0;
    Status status = Status::kSuccess;
    std::uint64_t value = 0;
  };
  struct Outbound {
    RootPort* port = nullptr;
    TlpRef tlp;
  };

  // root_complex.cpp: what devices ask
  void route(unsigned from, Translator::Result&& result);
  TlpRef moved(Tlp& tlp, std::uint64_t address);
  void route_completion(RootPort& from, TlpRef tlp);
  void refuse_request(RootPort& from, TlpRef tlp, const std::string& target);
  RootPort* port_for(std::uint64_t address);
  RootPort* port_for_bus(unsigned bus);
  bool is_interrupt(std::uint64_t address) const {
    return address - windows_.interrupts < windows_.interrupt_bytes;
  }
  void deliver(const Tlp& tlp);

  // root_complex_cpu.cpp: what cores ask
  void sending(RootPort& port, const Tlp& tlp);
  TlpRef cpu_request(TlpType type, std::uint64_t address, std::uint32_t bytes);
  void ask(RootPort* port, TlpRef tlp, Asked asked);
  void ask_config(DeviceId id, TlpRef tlp, std::uint64_t ticket);
  void leave(Outbound outbound);
  void completed(const Tlp& tlp);
  void end(std::uint16_t tag, Status status, std::uint64_t value);
  void answer(const Answer& one);
  void time_out();

  Hierarchy& hierarchy_;
  LazyScheduler& scheduler_;
  RootComplexConfig config_;
  MemoryPort& memory_;
  InterruptSink& interrupts_;
  Windows windows_;
  std::vector<std::unique_ptr<RootPort>> ports_;
  Translator translator_;

  CpuListener* listener_ = nullptr;
  std::vector<Asked> asked_;
  Ring<std::uint16_t> free_tags_;
  Ring<Issued> issued_;
  std::uint64_t serial_ = 0;
  bool room_wanted_ = false;
  DelayLine<Outbound> outbound_;
  DelayLine<Answer> answers_;
  Event time_out_;
  Counter peer_to_peer_, interrupts_taken_, timeouts_, cpu_writes_, cpu_reads_;
  Histogram cpu_read_latency_;
};

}  // namespace railyard::pcie
