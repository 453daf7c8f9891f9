#include "hw/pcie/root_complex.h"

#include <cstring>
#include <utility>

#include "hw/pcie/root_port.h"
#include "tlm/base/format.h"

namespace railyard::pcie {

namespace {

constexpr std::uint16_t kCpuTags = 256;
constexpr DeviceId kCpu = {0};

}  // namespace

RootComplex::RootComplex(sc_core::sc_module_name name, Hierarchy& hierarchy,
                         const RootComplexConfig& config, const std::vector<Line>& lines,
                         MemoryPort& memory, InterruptSink& interrupts, const Windows& windows)
    : sc_module(name),
      hierarchy_(hierarchy),
      scheduler_(hierarchy.scheduler()),
      config_(config),
      memory_(memory),
      interrupts_(interrupts),
      windows_(windows),
      translator_(
          hierarchy, std::string(this->name()) + ".iommu", config.iommu,
          static_cast<unsigned>(lines.size()),
          [this](unsigned port, Translator::Result&& result) { route(port, std::move(result)); }),
      asked_(kCpuTags),
      outbound_(hierarchy, std::string(this->name()) + ".outbound", config.outbound_latency,
                [this](Outbound outbound) { leave(std::move(outbound)); }),
      answers_(hierarchy, std::string(this->name()) + ".answers", config.answer_latency,
               [this](const Answer& one) { answer(one); }),
      time_out_(Event::of<&RootComplex::time_out>(
          *this, hierarchy.partition().endpoint(std::string(this->name()) + ".timeout"),
          Phase::kTimer)) {
  for (std::uint16_t tag = 0; tag < kCpuTags; ++tag) free_tags_.push(tag);
  const std::string prefix = std::string(this->name()) + ".";
  for (unsigned i = 0; i < lines.size(); ++i) {
    ports_.push_back(std::make_unique<RootPort>(
        *this, i, prefix + "port" + std::to_string(i), lines[i], [this, i](TlpRef tlp) {
          const bool memory_request = !tlp->is_completion() && !is_interrupt(tlp->address);
          tlp->spend(Stage::kRoot, scheduler_.now());
          translator_.push(i, std::move(tlp), config_.iommu.enabled && memory_request);
        }));
  }
  hierarchy.set_memory(memory, config.iommu.enabled);
  StatisticsRegistry& statistics = hierarchy.partition().statistics();
  statistics.add(peer_to_peer_,
                 {prefix + "peer_to_peer", "TLPs", "TLPs that went from device to device"});
  statistics.add(interrupts_taken_,
                 {prefix + "interrupts", "messages", "Interrupts that devices raised"});
  statistics.add(timeouts_, {prefix + "timeouts", "TLPs", "Reads of cores that nobody answered"});
  statistics.add(cpu_writes_, {prefix + "cpu_writes", "TLPs", "Writes of cores to devices"});
  statistics.add(cpu_reads_, {prefix + "cpu_reads", "TLPs",
                              "Reads by cores of devices, configuration requests among them"});
  statistics.add(cpu_read_latency_,
                 {prefix + "cpu_read_latency_ns", "ns", "From such a read to its answer"},
                 static_cast<double>(kNanosecond));
}

RootComplex::~RootComplex() = default;

unsigned RootComplex::ports() const { return static_cast<unsigned>(ports_.size()); }
Port& RootComplex::port(unsigned index) { return ports_.at(index)->port; }
ConfigSpace& RootComplex::port_config(unsigned index) { return ports_.at(index)->space; }

RootComplex::RootPort* RootComplex::port_for(std::uint64_t address) {
  for (const auto& port : ports_) {
    if (port->space.memory_enabled() && port->space.in_window(address)) return port.get();
  }
  return nullptr;
}

RootComplex::RootPort* RootComplex::port_for_bus(unsigned bus) {
  for (const auto& port : ports_) {
    if (port->space.has_bus(bus)) return port.get();
  }
  return nullptr;
}

void RootComplex::route(unsigned from, Translator::Result&& result) {
  RootPort& port = *ports_[from];
  Tlp& tlp = *result.tlp;
  if (tlp.is_completion()) {
    route_completion(port, std::move(result.tlp));
    return;
  }
  const bool write = tlp.type == TlpType::kMemoryWrite;
  if (result.fault != IommuFault::kNone) {
    const bool mapped = result.fault == IommuFault::kReadOnly;
    refuse_request(port, std::move(result.tlp),
                   mapped ? "the IOMMU's mapping is read-only" : "the IOMMU has no mapping");
    return;
  }
  // A bridge passes requests on upstream only as a bus master (7.5.1.1.3).
  if (tlp.is_config() || !port.space.bus_master()) {
    refuse_request(port, std::move(result.tlp), hierarchy_.who(tlp.address));
    return;
  }
  if (write && is_interrupt(tlp.address)) {
    port.completer.message(std::move(result.tlp));
    return;
  }
  if (memory_.covers(result.address, tlp.bytes)) {
    if (write) {
      port.completer.write(std::move(result.tlp), result.address);
    } else {
      port.completer.read(std::move(result.tlp), result.address);
    }
    return;
  }
  RootPort* const to = port_for(result.address);
  if (to == nullptr) {
    refuse_request(port, std::move(result.tlp), hierarchy_.who(result.address));
    return;
  }
  peer_to_peer_.add();
  tlp.spend(Stage::kRoot, hierarchy_.now());
  if (result.address != tlp.address) result.tlp = moved(tlp, result.address);
  to->port.send(std::move(result.tlp));
}

// A TLP of its own: the other one may have to be replayed as it was.
TlpRef RootComplex::moved(Tlp& tlp, std::uint64_t address) {
  TlpRef copy = hierarchy_.tlps().acquire();
  static_cast<TlpFields&>(*copy) = tlp;
  copy->address = address;
  copy->seal();
  tlp.held_at = nullptr;
  tlp.under_way = {};
  return copy;
}

void RootComplex::route_completion(RootPort& from, TlpRef tlp) {
  if (tlp->requester == kCpu) {
    from.space.log_completion(tlp->status);
    completed(*tlp);
    release(*tlp);
    return;
  }
  RootPort* const to = port_for_bus(tlp->requester.bus());
  if (to == nullptr) {
    hierarchy_.report(from.port.name(), "an unexpected completion came from " +
                                            hierarchy_.who(tlp->completer) + " for " +
                                            hierarchy_.who(tlp->requester));
    release(*tlp);
    return;
  }
  peer_to_peer_.add();
  tlp->spend(Stage::kRoot, hierarchy_.now());
  to->port.send(std::move(tlp));
}

void RootComplex::refuse_request(RootPort& from, TlpRef tlp, const std::string& target) {
  TlpRef completion =
      refuse(hierarchy_, from.port.name(), from.space, *tlp, from.id, Stage::kRoot, target);
  if (completion) from.port.send(std::move(completion));
}

// A message that is elided or of another length raises nothing that a core would know.
void RootComplex::deliver(const Tlp& tlp) {
  std::uint32_t data = 0;
  if (tlp.data() == nullptr || tlp.bytes != sizeof data) {
    hierarchy_.report(name(), "a message of " + std::to_string(tlp.bytes) + " B came from " +
                                  hierarchy_.who(tlp.requester) + ", not one of 4 B");
    return;
  }
  std::memcpy(&data, tlp.data(), sizeof data);
  interrupts_taken_.add();
  scheduler_.on_time(name());
  interrupts_.interrupt(data);
}

}  // namespace railyard::pcie
