// What the ports, switches and functions of one host's PCIe share: the scheduler of their inner
// steps and the pools. All of them live in one partition.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/pcie/memory_port.h"
#include "hw/pcie/tlp.h"
#include "tlm/sim/lazy_scheduler.h"

namespace railyard::pcie {

class ConfigSpace;

/// A function as others meet it by address or id.
class PlacedFunction {
 public:
  virtual ~PlacedFunction() = default;
  virtual std::string function_name() const = 0;
  virtual DeviceId id() const = 0;
  virtual const ConfigSpace& config_space() const = 0;
  /// The memory behind a BAR; null: registers.
  virtual const MemoryPort* memory_behind(unsigned bar) const = 0;
};

class Hierarchy : public sc_core::sc_module {
 public:
  Hierarchy(sc_core::sc_module_name name, Partition& partition);

  LazyScheduler& scheduler() { return scheduler_; }
  Partition& partition() { return scheduler_.partition(); }
  Time now() const { return scheduler_.now(); }
  Pool<Tlp>& tlps() { return tlps_; }
  Pool<MemoryAccess>& accesses() { return accesses_; }
  Pool<net::Payload>& payloads() { return partition().packets().payloads; }

  /// The host's memory. `translated`: devices use other addresses than its own, so that nothing is
  /// known of them.
  void set_memory(const MemoryPort& memory, bool translated);
  /// A function that has BARs and an id.
  void add_function(const PlacedFunction& function) { functions_.push_back(&function); }

  /// A read of the range will be answered with its data, and nothing else.
  bool plain(std::uint64_t address, std::uint64_t bytes) const {
    return memory_ != nullptr && !translated_ && memory_->covers(address, bytes);
  }
  /// Who is at an address, for messages: "gpu0 BAR 2", "host memory", "nobody".
  std::string who(std::uint64_t address) const;
  /// Whose id it is: "nic0 (03:00.0)", or "03:00.0" alone; cores ask as 00:00.0.
  std::string who(DeviceId id) const;

  /// Reports BARs that overlap one of `function`, and host memory that does. The standard knows no
  /// such error: bridges route by their windows, memory goes before windows, and in a function the
  /// lower BAR answers.
  void report_overlaps(const PlacedFunction& function);

  /// Something that the standard calls an error: it is counted and logged, and said once a run as a
  /// warning for each of the first few.
  void report(const std::string& where, const std::string& what);
  struct Error {
    Time at = 0;
    std::string where;
    std::string what;
  };
  const std::vector<Error>& errors() const { return errors_; }
  std::uint64_t error_count() const { return error_count_.value(); }
  /// A posted write sets out: if it is watched, the step that ends it is on time. It takes at least
  /// `ahead` from when it goes on from where it is. So does a transfer, until its last TLP is on
  /// the line: those that are still to be cut may be watched.
  void write_starts(UnderWay& write, std::uint64_t address, std::uint64_t bytes, Time ahead);
  void write_starts(Tlp& tlp, Time ahead = 0) {
    write_starts(tlp.under_way, tlp.address, tlp.bytes, ahead);
  }
  /// The same for a TLP of a transfer that has set out: what nobody watches has no part that
  /// somebody does.
  void write_starts(Tlp& tlp, const UnderWay& transfer, Time ahead) {
    if (seen(transfer)) {
      write_starts(tlp, ahead);
    } else {
      sets_out(tlp.under_way, tlp.address, tlp.bytes, kUnseen);
    }
  }
  /// It does not end before `at`, nor, wherever it waits still, within the next `ahead`.
  void write_goes_on(const Tlp& tlp, Time at, Time ahead = 0) {
    if (seen(tlp.under_way)) scheduler_.expect(writes_[tlp.under_way.index].sight, at, ahead);
  }
  /// It can be seen by all, or is lost.
  void write_ends(UnderWay& write);
  void write_ends(Tlp& tlp) { write_ends(tlp.under_way); }
  /// Somebody begins to wait for writes to a range: those under way may be what he waits for.
  void watch_added(std::uint64_t address, std::uint64_t bytes);

 private:
  static constexpr LazyScheduler::Sight kUnseen = ~LazyScheduler::Sight{0};
  struct Write {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;               // 0: of no write
    LazyScheduler::Sight sight = kUnseen;  // its end is seen outside
  };

  void start_of_simulation() override;
  bool watched(std::uint64_t address, std::uint64_t bytes) const;
  bool seen(const UnderWay& write) const {
    return write.index != UnderWay::kNone && writes_[write.index].sight != kUnseen;
  }
  void sets_out(UnderWay& write, std::uint64_t address, std::uint64_t bytes,
                LazyScheduler::Sight sight) {
    if (free_writes_.empty()) {
      free_writes_.push_back(static_cast<std::uint32_t>(writes_.size()));
      writes_.emplace_back();
    }
    write.index = free_writes_.back();
    free_writes_.pop_back();
    writes_[write.index] = {address, bytes, sight};
  }

  LazyScheduler scheduler_;
  Pool<Tlp> tlps_;
  Pool<MemoryAccess> accesses_;
  const MemoryPort* memory_ = nullptr;
  bool translated_ = false;
  std::vector<const PlacedFunction*> functions_;
  std::vector<Error> errors_;
  Counter error_count_;
  std::vector<Write> writes_;  // under way, and places of those that were
  std::vector<std::uint32_t> free_writes_;
};

}  // namespace railyard::pcie
