// A host with a NIC's registers and commands behind a PCIe function, modelled or ideal, and the
// driver on a core. The units behind these are stand-ins.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "hw/host/host.h"
#include "hw/nic/commands.h"
#include "hw/nic/nic.h"
#include "hw/nic/registers.h"
#include "hw/pcie/bridge.h"
#include "hw/pcie/endpoint.h"
#include "sw/driver/driver.h"
#include "tests/hw/nic/device_fakes.h"
#include "tests/support/fresh_kernel.h"
#include "tlm/sim/simulation.h"

namespace railyard::driver::test {

/// Memory that is handed out once, upwards.
class BumpSpace : public AddressSpace {
 public:
  BumpSpace(Address begin, Address end) : next_(begin), end_(end) {}

  Address allocate(std::uint64_t bytes, std::uint64_t alignment) override {
    if (broken) {
      held[kNoMemory] = bytes;
      return kNoMemory;
    }
    const Address address = (next_ + alignment - 1) & ~(alignment - 1);
    if (address + bytes > end_) throw std::bad_alloc();
    next_ = address + bytes;
    held[address] = bytes;
    return address;
  }
  void release(Address address) override {
    if (held.erase(address) != 1) throw std::logic_error("nobody holds this memory");
  }
  std::vector<Address> map(void* /*memory*/, std::size_t /*bytes*/) override {
    throw std::logic_error("no memory of programs is mapped here");
  }
  void unmap(void* /*memory*/, std::size_t /*bytes*/) override {}

  static constexpr Address kNoMemory = 1ULL << 45;

  std::map<Address, std::uint64_t> held;
  bool broken = false;  // gives what is no memory

 private:
  Address next_;
  Address end_;
};

/// Event queues as a NIC writes them; all else is written down.
struct EventWriter : nic::device_test::RecordedQueues {
  using RecordedQueues::RecordedQueues;

  void create_eq(std::uint32_t number, const nic::EqShape& shape) override {
    RecordedQueues::create_eq(number, shape);
    state[number] = {};
  }
  void consume_eq(std::uint32_t number, std::uint32_t consumer, bool arm) override {
    RecordedQueues::consume_eq(number, consumer, arm);
    State& eq = state[number];
    eq.consumer = consumer;
    if (arm) eq.armed = true;
    interrupt(number);
  }
  void event(std::uint32_t number, nic::abi::EventType type, std::uint32_t object) {
    const nic::EqShape& shape = eqs.at(number);
    State& eq = state[number];
    const std::uint32_t entries = 1U << shape.log_entries;
    nic::abi::Eqe entry;
    entry.type = static_cast<nic::abi::Byte>(type);
    entry.number = object;
    entry.owner = (eq.producer & entries) != 0 ? 1 : 0;
    nic::DmaWrite write;
    write.address = shape.address + (eq.producer & (entries - 1)) * sizeof entry;
    write.bytes = sizeof entry;
    write.payload = partition.packets().payloads.acquire();
    write.payload->resize(sizeof entry);
    std::memcpy(write.payload->data(), static_cast<const void*>(&entry), sizeof entry);
    dma->write(write, nullptr);
    ++eq.producer;
    interrupt(number);
  }
  void interrupt(std::uint32_t number) {
    State& eq = state[number];
    if (!eq.armed || (eq.producer & 0xFF'FFFF) == eq.consumer) return;
    eq.armed = false;
    ++interrupts;
    dma->interrupt(eqs.at(number).vector);
  }

  struct State {
    std::uint32_t producer = 0;
    std::uint32_t consumer = 0;
    bool armed = false;
  };
  nic::DmaPath* dma = nullptr;
  std::map<std::uint32_t, State> state;
  unsigned interrupts = 0;
};

enum class Way { kModelled, kIdeal };

class DriverBench {
 public:
  static constexpr std::uint32_t kRate = 200'000;
  static constexpr unsigned kFirstVector = 40;

  explicit DriverBench(Way way, Time command = 2 * kMicrosecond)
      : config(make_config(command)),
        host(make_host(way)),
        queues(simulation.partition()),
        units(make_units()),
        objects(config.limits),
        commands(units, objects, parts(), health, kRate),
        registers(units, objects, parts(), health, commands),
        memory(host->memory().config().base + (1U << 20), host->memory().config().end()) {
    if (way == Way::kModelled) {
      make_endpoint();
    } else {
      make_ideal();
    }
    units.dma = queues.dma = dma.get();
    units.qps = &objects.qps;
    units.control = &commands.qp_control();
  }

  /// Enumerates, if there is something to enumerate, and runs `program` on the core.
  void run(const std::function<void(Core&, Device&)>& program) {
    host->core(0).set_program([this, program](Core& core) {
      Device device(core, memory, find(core));
      program(core, device);
    });
    simulation.seal();
    simulation.run(kForever / 2);
  }

  template <class T>
  T image(Address address) {
    T value;
    host->memory().read(address, reinterpret_cast<std::uint8_t*>(&value), sizeof value);
    return value;
  }
  std::uint64_t metric(const std::string& name) const {
    for (const Metric& m : simulation.metrics()) {
      if (m.info.name == "nic." + name) return m.value.whole;
    }
    throw std::out_of_range("no metric " + name);
  }

  support::FreshKernel kernel;
  Simulation simulation{{}};
  nic::NicConfig config;
  host::HostConfig host_config;
  std::unique_ptr<host::Host> host;
  std::unique_ptr<pcie::Endpoint> endpoint;  // or
  std::unique_ptr<pcie::IdealFunction> ideal;
  std::unique_ptr<nic::device_test::FunctionDma> dma;
  nic::device_test::RecordedSides sides;
  nic::device_test::RecordedKeys keys;
  nic::device_test::RecordedContexts contexts;
  nic::device_test::RecordedEvents events;
  EventWriter queues;
  nic::Units units;
  nic::Objects objects;
  nic::DeviceHealth health;
  nic::Commands commands;
  nic::Registers registers;
  BumpSpace memory;

 private:
  static nic::NicConfig make_config(Time command) {
    nic::NicConfig config;
    config.command = command;
    config.limits.qps = 16;
    config.limits.vectors = 4;
    config.limits.pds = 3;
    return config;
  }
  nic::DeviceParts parts() { return {sides, keys, queues, contexts}; }
  nic::Units make_units() {
    nic::Units made;
    made.partition = &simulation.partition();
    made.name = "nic";
    made.config = &config;
    made.address.mac.bytes = {2, 0, 0, 0, 0, 7};
    made.address.gid = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 7};
    made.completions = &events;
    return made;
  }
  std::unique_ptr<host::Host> make_host(Way way) {
    Partition& partition = simulation.partition();
    const std::vector<unsigned> cores = {0};
    if (way == Way::kIdeal) {
      return std::make_unique<host::Host>("host", partition, host_config, DataMode::kCarried,
                                          cores);
    }
    const std::vector<pcie::RootComplex::Line> lines = {{pcie::LinkConfig{}, "function.port"}};
    return std::make_unique<host::Host>("host", partition, host_config, DataMode::kCarried, lines,
                                        cores);
  }
  void make_endpoint() {
    pcie::Port& above = host->root().port(0);
    endpoint = std::make_unique<pcie::Endpoint>("function", host->hierarchy(),
                                                nic::function_config(config), pcie::LinkConfig{},
                                                above.name());
    pcie::join(above, endpoint->port());
    endpoint->set_registers(registers);
    dma = std::make_unique<nic::device_test::FunctionDma>(*endpoint);
  }
  void make_ideal() {
    ideal = std::make_unique<pcie::IdealFunction>("function", host->ideal(), host_config.ideal,
                                                  nic::function_config(config).bars,
                                                  host->device_memory());
    ideal->set_registers(registers);
    host->place(*ideal);
    ideal->set_interrupts(kFirstVector);
    dma = std::make_unique<nic::device_test::FunctionDma>(*ideal);
  }
  DevicePlace find(Core& core) {
    DevicePlace place;
    place.name = "nic0";
    place.message_address = host::Host::message(0).address;
    place.first_vector = kFirstVector;
    if (ideal) {
      place.registers = ideal->config_space().bar(0).base;
      place.msix_table = ideal->config_space().bar(2).base;
      return place;
    }
    const host::DeviceTree found = host->enumerate(core);
    const host::FoundFunction* function = found.find(abi::kVendor, abi::kDevice);
    if (function == nullptr) throw std::logic_error("the NIC was not found");
    place.registers = function->bar(abi::kRegisterBar)->base;
    place.msix_table = function->bar(abi::kMsixBar)->base;
    place.msix_control = host->map().config_address(function->id, function->capability(0x11));
    return place;
  }
};

}  // namespace railyard::driver::test
