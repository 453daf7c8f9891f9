// A requester and a completer of simple memory at the ends of one link, with the checkers on.
#pragma once

#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "hw/pcie/completer.h"
#include "hw/pcie/delay_line.h"
#include "hw/pcie/link_checker.h"
#include "hw/pcie/port.h"
#include "hw/pcie/requester.h"
#include "hw/pcie/transaction_checker.h"
#include "tlm/sim/simulation.h"

namespace railyard::pcie::bench {

/// Memory of a fixed latency and no limit of bandwidth, that may delay what it is told to.
class PlainMemory : public MemoryPort {
 public:
  PlainMemory(Hierarchy& hierarchy, std::size_t bytes, Time latency)
      : bytes_(bytes),
        line_(hierarchy, "memory", latency, [this](Ref<MemoryAccess> access) { finish(*access); }),
        slow_line_(hierarchy, "slow_memory", latency + kMicrosecond,
                   [this](Ref<MemoryAccess> access) { finish(*access); }) {}

  bool covers(std::uint64_t address, std::uint64_t bytes) const override {
    return address + bytes <= bytes_.size();
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
      bytes_[access.address + i] = from[i];
    }
    if (on_commit) on_commit(access);
  }
  bool watched(std::uint64_t, std::uint64_t) const override { return watch_all; }

  std::vector<std::uint8_t>& bytes() { return bytes_; }
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
    std::memcpy(access.payload->data() + access.payload_offset, &bytes_[access.address],
                access.bytes);
  }

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
  bool eager = false;
  bool checks = true;
  SimulationConfig run;
};

class PairBench : public DmaListener {
 public:
  explicit PairBench(const PairConfig& config)
      : simulation(config.run),
        hierarchy("pcie", simulation.partition()),
        memory(hierarchy, config.memory_bytes, config.memory_latency),
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
    if (config.eager) hierarchy.scheduler().set_eager();
    if (config.checks) check_link(hierarchy, device_port, root_port);
    if (config.checks) {
      RequesterLimits limits;
      limits.max_payload = config.max_payload;
      limits.max_read_request = config.max_read_request;
      limits.tags = config.requester.tags;
      limits.boundary = config.completer.boundary;
      limits.completion_timeout = config.requester.completion_timeout;
      requester.set_observer(
          &simulation.partition().add_checker<TransactionChecker>("dma", limits));
    }
    simulation.seal();
  }

  /// Runs `action` at time zero, and the simulation to its end.
  RunEnd run(std::function<void()> action, Time until = kForever / 2) {
    action_ = std::move(action);
    simulation.partition().scheduler().schedule(start_, 0);
    return simulation.run(until);
  }

  std::uint64_t write(std::uint64_t address, std::vector<std::uint8_t> bytes,
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
    requester.dma(std::move(request), *this);
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
    void received(Port& port, TlpRef tlp) override {
      bench->requester.completed(*tlp);
      tlp->held_at = nullptr;
      port.release(*tlp);
    }
    void sending(Port&, const Tlp& tlp) override { bench->requester.sending(tlp); }
    PairBench* bench = nullptr;
  };
  struct RootEnd : PortClient {
    void received(Port&, TlpRef tlp) override {
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
  void begin() { action_(); }

  DeviceEnd device_;
  RootEnd root_;
  std::function<void()> action_;
  std::uint64_t tickets_ = 0;

 public:
  Simulation simulation;
  Hierarchy hierarchy;
  PlainMemory memory;
  Port device_port, root_port;
  Requester requester;
  Completer completer;
  std::vector<Done> done;
  std::function<void(const DmaDone&)> on_done;
  Time last_done = 0;
  bool keeps = true;

 private:
  Event start_;
};

}  // namespace railyard::pcie::bench
