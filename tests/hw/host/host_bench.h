// What tests of the host share: a partition with a lazy scheduler, a memory, and who asks it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "hw/host/memory.h"
#include "tlm/sim/simulation.h"

namespace railyard::support {

/// Does something at a time, from outside.
class At {
 public:
  At(Partition& partition, const std::string& name, std::function<void()> action)
      : action_(std::move(action)),
        event_(Event::of<&At::fire>(*this, partition.endpoint(name), Phase::kAct)) {}
  Event& event() { return event_; }

 private:
  void fire() { action_(); }
  std::function<void()> action_;
  Event event_;
};

struct MemoryBench {
  explicit MemoryBench(const host::HostMemoryConfig& config = {},
                       DataMode data = DataMode::kCarried)
      : memory("memory", lazy, config, data) {}

  Partition& partition() { return simulation.partition(); }
  /// Before run(): calls `action` within a visit at `time`.
  void at(Time time, std::function<void()> action) {
    const auto visit = [this, action = std::move(action)] {
      const LazyScheduler::Visit stand(lazy);
      action();
    };
    actions_.push_back(
        {time, std::make_unique<At>(partition(), "at" + std::to_string(actions_.size()), visit)});
  }
  RunEnd run(Time until = kSecond) {
    simulation.seal();
    for (auto& action : actions_)
      partition().scheduler().schedule(action.second->event(), action.first);
    return simulation.run(until);
  }

  Simulation simulation{{}};
  LazyScheduler lazy{simulation.partition(), "lazy"};
  host::HostMemory memory;

 private:
  std::deque<std::pair<Time, std::unique_ptr<At>>> actions_;
};

/// Asks a memory, keeps what was done when, and commits writes at once.
class Asker : public pcie::MemoryClient {
 public:
  struct Done {
    std::uint64_t ticket;
    Time at;
    bool failed;
    std::vector<std::uint8_t> bytes;
  };

  explicit Asker(MemoryBench& bench, unsigned node = 0)
      : bench_(bench), port_(bench.memory.side(node)) {}

  Ref<pcie::MemoryAccess> make(bool write, std::uint64_t address, std::uint32_t bytes) {
    Ref<pcie::MemoryAccess> access = accesses.acquire();
    access->write = write;
    access->address = address;
    access->bytes = bytes;
    access->client = this;
    access->ticket = next_ticket_++;
    return access;
  }
  /// Without payload.
  void ask(bool write, std::uint64_t address, std::uint32_t bytes) {
    port_.access(make(write, address, bytes));
  }
  void read(std::uint64_t address, std::uint32_t bytes) {
    Ref<pcie::MemoryAccess> access = make(false, address, bytes);
    access->payload = payloads.acquire();
    access->payload->resize(bytes);
    port_.access(std::move(access));
  }
  void write(std::uint64_t address, const std::vector<std::uint8_t>& data,
             std::uint8_t byte_enables = 0xF) {
    Ref<pcie::MemoryAccess> access = make(true, address, static_cast<std::uint32_t>(data.size()));
    access->byte_enables = byte_enables;
    access->payload = payloads.acquire();
    access->payload->resize(data.size());
    std::copy(data.begin(), data.end(), access->payload->data());
    port_.access(std::move(access));
  }

  void memory_done(pcie::MemoryAccess& access) override {
    if (access.write) port_.commit(access);
    ++count;
    last = bench_.lazy.now();
    if (keep) {
      Done one{access.ticket, last, access.failed, {}};
      if (access.payload) {
        one.bytes.assign(access.payload->data(), access.payload->data() + access.bytes);
      }
      done.push_back(one);
    }
    if (on_done) on_done();
  }

  Pool<net::Payload> payloads;
  Pool<pcie::MemoryAccess> accesses;
  bool keep = true;
  std::uint64_t count = 0;
  Time last = 0;
  std::vector<Done> done;
  std::function<void()> on_done;

 private:
  MemoryBench& bench_;
  pcie::MemoryPort& port_;
  std::uint64_t next_ticket_ = 0;
};

/// Keeps when a range was written.
struct Watcher : host::MemoryWatcher {
  explicit Watcher(MemoryBench& b) : bench(b) {}
  void memory_written() override { times.push_back(bench.simulation.now()); }
  MemoryBench& bench;
  std::vector<Time> times;
};

}  // namespace railyard::support
