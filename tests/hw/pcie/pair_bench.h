// A requester and a completer of simple memory at the ends of one link, with the checkers on.
#pragma once

#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "hw/pcie/bridge.h"
#include "hw/pcie/completer.h"
#include "hw/pcie/delay_line.h"
#include "hw/pcie/link_checker.h"
#include "hw/pcie/port.h"
#include "hw/pcie/requester.h"
#include "hw/pcie/transaction_checker.h"
#include "tests/hw/pcie/link_tap.h"
#include "tlm/sim/simulation.h"

namespace railyard::pcie::bench {

/// Memory of a fixed latency and no limit of bandwidth, that may delay what it is told to.
class PlainMemory : public MemoryPort {
 public:
  PlainMemory(Hierarchy& hierarchy, std::size_t bytes, Time latency, std::uint64_t base = 0)
      : base_(base),
        bytes_(bytes),
        line_(hierarchy, "memory", latency, [this](Ref<MemoryAccess> access) { finish(*access); }),
        slow_line_(hierarchy, "slow_memory", latency + kMicrosecond,
                   [this](Ref<MemoryAccess> access) { finish(*access); }) {}

  bool covers(std::uint64_t address, std::uint64_t bytes) const override {
    return address >= base_ && address - base_ + bytes <= bytes_.size();
  }
  void access(Ref<MemoryAccess> access) override {
    if (!covers(access->address, access->bytes)) access->failed = true;
    (slow && slow(*access) ? slow_line_ : line_).push(std::move(access));
  }
  void commit(MemoryAccess& access) override {
    if (!access.write) {
      load(access);
      return;
    }
    if (!access.payload) return;
    const std::uint8_t* from = access.payload->data() + access.payload_offset;
    for (std::uint32_t i = 0; i < access.bytes; ++i) {
      if (access.byte_enables != 0xF &&
          (access.byte_enables >> ((access.address + i) % 4) & 1U) == 0) {
        continue;
      }
      byte(access.address + i) = from[i];
    }
    if (on_commit) on_commit(access);
  }
  bool watched(std::uint64_t, std::uint64_t) const override { return watch_all; }

  std::vector<std::uint8_t>& bytes() { return bytes_; }
  std::uint8_t& byte(std::uint64_t address) { return bytes_[address - base_]; }
  std::function<bool(const MemoryAccess&)> slow;
  std::function<void(const MemoryAccess&)> on_commit;
  bool watch_all = false;

 private:
  void finish(MemoryAccess& access) {
    load(access);
    access.client->memory_done(access);
  }
  void load(MemoryAccess& access) {
    if (access.write || access.failed || !access.payload) return;
    std::memcpy(access.payload->data() + access.payload_offset, &byte(access.address),
                access.bytes);
  }

  std::uint64_t base_;
  std::vector<std::uint8_t> bytes_;
  DelayLine<Ref<MemoryAccess>> line_, slow_line_;
};

struct PairConfig {
  LinkConfig link;
  CreditConfig device_credits;
  CreditConfig root_credits;
  RequesterConfig requester;
  CompleterConfig completer;
  std::uint32_t max_payload = 256;
  std::uint32_t max_read_request = 512;
  Time memory_latency = 200 * kNanosecond;
  std::size_t memory_bytes = 1U << 24;
  std::uint64_t memory_base = 0;
  unsigned alarms = 0;  // see PairBench::at
  bool tapped = false;  // see PairBench::forth and back
  bool eager = false;
  bool checks = true;
  SimulationConfig run;
};

class PairBench : public DmaListener {
 public:
  explicit PairBench(const PairConfig& config)
      : simulation(config.run),
        hierarchy("pcie", simulation.partition()),
        memory(hierarchy, config.memory_bytes, config.memory_latency, config.memory_base),
        device_port(hierarchy, "device", "root", config.link, config.device_credits, device_),
        root_port(hierarchy, "root", "device", config.link, config.root_credits, root_),
        requester(hierarchy, "dma", config.requester, device_port),
        completer(hierarchy, "completer", config.completer, memory, Stage::kRoot,
                  [this](TlpRef tlp) { root_port.send(std::move(tlp)); }),
        start_(Event::of<&PairBench::begin>(*this, simulation.partition().endpoint("start"),
                                            Phase::kAct)) {
    device_.bench = root_.bench = this;
    hierarchy.set_memory(memory, false);
    Port::connect(device_port, root_port);
    device_port.set_max_payload(config.max_payload);
    root_port.set_max_payload(config.max_payload);
    requester.set_limits(config.max_payload, config.max_read_request, config.requester.tags);
    requester.set_id(DeviceId::of(1, 0));
    completer.set_max_payload(config.max_payload);
    completer.set_id(DeviceId::of(0, 1));
    if (config.eager) hierarchy.scheduler().set_eager();
    for (unsigned i = 0; i < config.alarms; ++i) alarms_.emplace_back(simulation, i);
    if (config.checks && !config.tapped) check_link(hierarchy, device_port, root_port);
    if (config.tapped) tap();
    if (config.checks) {
      RequesterLimits limits;
      limits.max_payload = config.max_payload;
      limits.max_read_request = config.max_read_request;
      limits.tags = config.requester.tags;
      limits.boundary = config.completer.boundary;
      limits.completion_timeout = config.requester.completion_timeout;
      checker = &simulation.partition().add_checker<TransactionChecker>("dma", limits);
      requester.set_observer(checker);
    }
    simulation.seal();
  }

  /// Runs `action` at time zero, and the simulation to its end.
  RunEnd run(std::function<void()> action, Time until = kForever / 2) {
    action_ = std::move(action);
    simulation.partition().scheduler().schedule(start_, 0);
    return simulation.run(until);
  }

  /// Has alarm `index` call `act` at `time`: as one who comes from outside.
  void at(unsigned index, Time time, std::function<void()> act) {
    alarms_[index].act = std::move(act);
    simulation.partition().scheduler().schedule(alarms_[index].event, time);
  }

  /// Sends a request of one who is not the requester.
  void send(Port& from, TlpRef tlp) {
    const LazyScheduler::Visit visit(hierarchy.scheduler());
    tlp->requester = DeviceId::of(1, 0, 1);
    tlp->created = tlp->since = hierarchy.now();
    tlp->seal();
    if (tlp->type == TlpType::kMemoryWrite) hierarchy.write_starts(*tlp);
    from.send(std::move(tlp));
  }

  std::uint64_t write(std::uint64_t address, const std::vector<std::uint8_t>& bytes,
                      bool relaxed = false) {
    DmaRequest request;
    request.write = true;
    request.relaxed = relaxed;
    request.address = address;
    request.bytes = static_cast<std::uint32_t>(bytes.size());
    request.payload = hierarchy.payloads().acquire();
    request.payload->resize(bytes.size());
    std::memcpy(request.payload->data(), bytes.data(), bytes.size());
    return give(std::move(request));
  }
  std::uint64_t write_elided(std::uint64_t address, std::uint32_t bytes) {
    DmaRequest request;
    request.write = true;
    request.address = address;
    request.bytes = bytes;
    return give(std::move(request));
  }
  std::uint64_t read(std::uint64_t address, std::uint32_t bytes, bool elided = false,
                     bool fenced = false) {
    DmaRequest request;
    request.address = address;
    request.bytes = bytes;
    request.elided = elided;
    request.fenced = fenced;
    return give(std::move(request));
  }
  std::uint64_t give(DmaRequest request) {
    request.ticket = tickets_++;
    simulation.partition().open_work();
    const std::uint64_t ticket = request.ticket;
    giving_ = ticket;
    requester.dma(std::move(request), *this);
    giving_ = ~std::uint64_t{0};
    return ticket;
  }

  struct Done {
    std::uint64_t ticket;
    Time at;
    Status status;
    std::vector<std::uint8_t> bytes;
  };
  void dma_done(const DmaDone& finished) override {
    simulation.partition().close_work();
    if (finished.ticket == giving_) ++within_call;
    if (keeps) {
      Done entry{finished.ticket, simulation.partition().now(), finished.status, {}};
      if (finished.payload) {
        const std::uint8_t* data = finished.payload->data();
        entry.bytes.assign(data, data + finished.payload->size());
      }
      done.push_back(std::move(entry));
    }
    last_done = simulation.partition().now();
    if (on_done) on_done(finished);
  }

  double metric(const std::string& name) const {
    for (const Metric& m : simulation.metrics()) {
      if (m.info.name == name) return m.value.real;
    }
    throw std::out_of_range("no metric " + name);
  }
  std::map<std::string, double> metrics() const {
    std::map<std::string, double> all;
    for (const Metric& m : simulation.metrics()) all[m.info.name] = m.value.real;
    return all;
  }

  // Ends of the link. Members, not bases: what each does is what differs.
  struct DeviceEnd : PortClient {
    void received(Port&, TlpRef tlp) override {
      if (bench->device_takes && bench->device_takes(tlp)) return;
      bench->requester.completed(*tlp);
      release(*tlp);
    }
    void sending(Port&, const Tlp& tlp) override {
      if (tlp.requester == DeviceId::of(1, 0)) bench->requester.sending(tlp);
    }
    PairBench* bench = nullptr;
  };
  struct RootEnd : PortClient {
    void received(Port&, TlpRef tlp) override {
      if (bench->root_takes && bench->root_takes(tlp)) return;
      const std::uint64_t address = tlp->address;
      if (tlp->type == TlpType::kMemoryWrite) {
        bench->completer.write(std::move(tlp), address);
      } else {
        bench->completer.read(std::move(tlp), address);
      }
    }
    void sending(Port&, const Tlp&) override {}
    PairBench* bench = nullptr;
  };

 private:
  struct Alarm {
    Alarm(Simulation& simulation, unsigned index)
        : event(Event::of<&Alarm::fire>(
              *this, simulation.partition().endpoint("alarm" + std::to_string(index)),
              Phase::kAct)) {}
    void fire() { act(); }
    Event event;
    std::function<void()> act;
  };

  void begin() { action_(); }
  void tap() {
    Partition& partition = simulation.partition();
    auto& up = partition.add_checker<LinkChecker>("device to root", device_port.config(),
                                                  root_port.receive_credits());
    auto& down = partition.add_checker<LinkChecker>("root to device", root_port.config(),
                                                    device_port.receive_credits());
    LinkChecker::pair(up, down);
    forth.next = &up;
    back.next = &down;
    device_port.set_observers(&forth, &back);
    root_port.set_observers(&back, &forth);
  }

  DeviceEnd device_;
  RootEnd root_;
  std::function<void()> action_;
  std::uint64_t tickets_ = 0;
  std::uint64_t giving_ = ~std::uint64_t{0};

 public:
  Simulation simulation;
  Hierarchy hierarchy;
  PlainMemory memory;
  Port device_port, root_port;
  Requester requester;
  Completer completer;
  std::vector<Done> done;
  std::function<void(const DmaDone&)> on_done;
  // Say whether they take what came to an end of the link; what they take they must release.
  std::function<bool(TlpRef&)> device_takes, root_takes;
  LinkTap forth, back;  // from the device to the root, and back
  TransactionChecker* checker = nullptr;
  Time last_done = 0;
  bool keeps = true;
  unsigned within_call = 0;  // transfers that were done within the call that gave them

 private:
  Event start_;
  std::deque<Alarm> alarms_;
};

}  // namespace railyard::pcie::bench
