// What the ports, switches and functions of one host's PCIe share: the scheduler of their inner
// steps and the pools. All of them live in one partition.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "hw/pcie/memory_port.h"
#include "hw/pcie/tlp.h"
#include "tlm/sim/lazy_scheduler.h"

namespace railyard::pcie {

class Hierarchy : public sc_core::sc_module {
 public:
  Hierarchy(sc_core::sc_module_name name, Partition& partition);

  LazyScheduler& scheduler() { return scheduler_; }
  Partition& partition() { return scheduler_.partition(); }
  Time now() const { return scheduler_.now(); }
  Pool<Tlp>& tlps() { return tlps_; }
  Pool<MemoryAccess>& accesses() { return accesses_; }
  Pool<net::Payload>& payloads() { return partition().packets().payloads; }

  /// The arrival of `tlp` is seen outside: until arrived() steps are on time.
  void attend(Tlp& tlp) {
    tlp.seen = true;
    scheduler_.attend();
  }
  void arrived(Tlp& tlp) {
    if (!tlp.seen) return;
    tlp.seen = false;
    scheduler_.relax();
  }

  /// Says whether somebody outside waits for a write to a range, as its requester names it.
  void set_watched(std::function<bool(std::uint64_t, std::uint64_t)> watched) {
    watched_ = std::move(watched);
  }
  /// A posted write sets out: it is attended if it is watched.
  void write_starts(Tlp& tlp);
  /// It can be seen by all, or is lost.
  void write_ends(Tlp& tlp);
  /// Somebody begins to wait for writes: those under way may be what he waits for.
  void watch_added();

 private:
  void start_of_simulation() override;

  LazyScheduler scheduler_;
  Pool<Tlp> tlps_;
  Pool<MemoryAccess> accesses_;
  std::function<bool(std::uint64_t, std::uint64_t)> watched_;
  // Writes under way, of the generation of the last watch_added() and of those before it.
  std::uint64_t under_way_[2] = {0, 0};
  bool generation_ = false;
  bool draining_ = false;  // the other generation is attended
  bool again_ = false;     // and this one is to be
};

}  // namespace railyard::pcie
