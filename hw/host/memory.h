// A host's memory: NUMA nodes, each with a latency and a bandwidth that all who access it share.
//
// Modelled: an access starts when its node has moved the bytes of all that came before, and is done
// a latency later, a longer one if the requester sits at another node. The accesses of one node's
// own requesters are done in order, and so are those of all others. Time is exact: the bandwidth's
// remainder is carried (ByteClock). Not modelled: channels, banks, refresh, the width of the way
// between nodes, caches' write-backs.
//
// Everything here happens in the time of the LazyScheduler: whoever comes from outside of it stands
// in a Visit. Only watches call to the outside, on time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hw/host/memory_config.h"
#include "hw/pcie/memory_port.h"
#include "tlm/base/data_mode.h"
#include "tlm/base/ring.h"
#include "tlm/base/sparse_memory.h"
#include "tlm/sim/lazy_scheduler.h"

namespace railyard::host {

/// Told of each write to a range, at its time. It must not watch or unwatch within the call.
class MemoryWatcher {
 public:
  virtual ~MemoryWatcher() = default;
  virtual void memory_written() = 0;
};

class HostMemory final : public pcie::MemoryPort {
 public:
  /// `name` is hierarchical. Only with kElided does elide() have an effect.
  HostMemory(const std::string& name, LazyScheduler& lazy, const HostMemoryConfig& config,
             DataMode data);

  const std::string& name() const { return name_; }
  const HostMemoryConfig& config() const { return config_; }
  LazyScheduler& lazy() { return lazy_; }
  bool covers(std::uint64_t address, std::uint64_t bytes) const override {
    const std::uint64_t total = config_.total();
    return address >= config_.base && bytes <= total && address - config_.base <= total - bytes;
  }
  /// Of an address that is covered.
  unsigned node_of(std::uint64_t address) const {
    return static_cast<unsigned>((address - config_.base) / config_.size);
  }

  /// The memory as the requesters of a node see it; std::out_of_range if there is no such node.
  pcie::MemoryPort& side(unsigned node) { return sides_.at(node); }
  /// From node 0.
  void access(Ref<pcie::MemoryAccess> access) override { access_from(0, std::move(access)); }
  /// A write without payload leaves the bytes as they are, but is told to who watches.
  void commit(pcie::MemoryAccess& access) override;
  bool watched(std::uint64_t address, std::uint64_t bytes) const override;

  /// A core's access, now: takes bandwidth like any other and returns when it is done. The range is
  /// covered; the core itself reads or writes the bytes then.
  Time reserve(unsigned from, std::uint64_t address, std::uint64_t bytes, bool write);
  /// The bytes as they are now, without time. A write is told to who watches. The range is covered.
  void read(std::uint64_t address, std::uint8_t* to, std::uint64_t bytes) const {
    bytes_.read(address, to, bytes);
  }
  void write(std::uint64_t address, const std::uint8_t* from, std::uint64_t bytes);
  /// A range that holds payload only: with DataMode::kElided, its bytes are not kept.
  void elide(std::uint64_t address, std::uint64_t bytes) {
    if (data_ == DataMode::kElided) bytes_.elide(address, bytes);
  }
  bool elided(std::uint64_t address) const { return bytes_.elided(address); }
  /// Whole pages of the memory become the bytes at `memory`, which outlive the mapping: devices and
  /// cores read and write those. Who writes them otherwise is not told to who watches. Within a
  /// visit, as unmap() and clear().
  void map(std::uint64_t address, std::uint8_t* memory, std::uint64_t bytes) {
    bytes_.map(address, memory, bytes);
  }
  void unmap(std::uint64_t address, std::uint64_t bytes) { bytes_.unmap(address, bytes); }
  /// The range reads as zero; nobody is told.
  void clear(std::uint64_t address, std::uint64_t bytes) { bytes_.clear(address, bytes); }

  /// Calls `watcher` for each write to the range until unwatch(). A watcher has one range.
  void watch(MemoryWatcher& watcher, std::uint64_t address, std::uint64_t bytes);
  void unwatch(MemoryWatcher& watcher);
  /// Called when a watch begins: writes to its range may be under way of which nobody knew that
  /// they are awaited.
  void on_watch_added(std::function<void(std::uint64_t address, std::uint64_t bytes)> callback) {
    watch_added_ = std::move(callback);
  }

 private:
  class Side final : public pcie::MemoryPort {
   public:
    Side(HostMemory& memory, unsigned node) : memory_(memory), node_(node) {}
    bool covers(std::uint64_t address, std::uint64_t bytes) const override {
      return memory_.covers(address, bytes);
    }
    void access(Ref<pcie::MemoryAccess> access) override {
      memory_.access_from(node_, std::move(access));
    }
    void commit(pcie::MemoryAccess& access) override { memory_.commit(access); }
    bool watched(std::uint64_t address, std::uint64_t bytes) const override {
      return memory_.watched(address, bytes);
    }

   private:
    HostMemory& memory_;
    unsigned node_;
  };
  struct Node;
  /// Accesses of one node that are done in order.
  struct Lane {
    Lane(HostMemory& owner, Node& of, const std::string& name);
    void fire() { memory.finish(*this); }
    Event event;
    HostMemory& memory;
    Node& node;
    Ring<Ref<pcie::MemoryAccess>> accesses;
  };
  struct Node {
    Node(HostMemory& owner, const std::string& name);
    void set_depth(std::uint64_t accesses, Time now) {
      depth = accesses;
      outstanding.set(accesses, now);
      depth_probe.set(accesses, now);
    }
    ByteClock clock;
    Lane local;
    Lane remote;
    std::uint64_t depth = 0;
    Counter bytes_read;
    Counter bytes_written;
    Histogram queue_wait;
    TimeWeighted outstanding;
    Probe depth_probe;
  };
  struct Watch {
    std::uint64_t begin;
    std::uint64_t end;
    MemoryWatcher* watcher;
  };

  void access_from(unsigned from, Ref<pcie::MemoryAccess> access);
  Time start_of(Node& node, std::uint64_t bytes, bool write);
  void finish(Lane& lane);
  void sample(pcie::MemoryAccess& access) const;
  void tell(std::uint64_t address, std::uint64_t bytes);
  void add_metrics(Node& node, const std::string& name);

  std::string name_;
  LazyScheduler& lazy_;
  HostMemoryConfig config_;
  DataMode data_;
  SparseMemory bytes_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::deque<Side> sides_;
  std::vector<Watch> watches_;
  std::function<void(std::uint64_t, std::uint64_t)> watch_added_;
};

}  // namespace railyard::host
