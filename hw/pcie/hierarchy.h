// What the ports, switches and functions of one host's PCIe share: the scheduler of their inner
// steps and the pools. All of them live in one partition.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

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

  /// What is known of addresses, as requesters name them. Without it everything is watched, and
  /// nothing plain.
  class AddressBook {
   public:
    virtual ~AddressBook() = default;
    /// Somebody outside sees a write to the range when it arrives.
    virtual bool watched(std::uint64_t address, std::uint64_t bytes) const = 0;
    /// A read of the range will be answered with its data, and nothing else.
    virtual bool plain(std::uint64_t address, std::uint64_t bytes) const = 0;
    /// Who is at an address, for messages: "gpu0 BAR 2", "host memory", "nobody".
    virtual std::string who(std::uint64_t address) const = 0;
  };
  void set_address_book(const AddressBook& book) { book_ = &book; }
  bool plain(std::uint64_t address, std::uint64_t bytes) const {
    return book_ != nullptr && book_->plain(address, bytes);
  }
  std::string who(std::uint64_t address) const {
    return book_ == nullptr ? "nobody" : book_->who(address);
  }

  /// Functions by id, for messages; `id` is asked when it is needed.
  void add_function(const std::string& name, std::function<DeviceId()> id) {
    functions_.push_back({name, std::move(id)});
  }
  /// "nic0 (03:00.0)".
  std::string who(DeviceId id) const;

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
  const AddressBook* book_ = nullptr;
  struct Named {
    std::string name;
    std::function<DeviceId()> id;
  };
  std::vector<Named> functions_;
  std::vector<Error> errors_;
  Counter error_count_;
  // Writes under way, of the generation of the last watch_added() and of those before it.
  std::uint64_t under_way_[2] = {0, 0};
  bool generation_ = false;
  bool draining_ = false;  // the other generation is attended
  bool again_ = false;     // and this one is to be
};

}  // namespace railyard::pcie
