// A core of a host that runs a program as a thread (tlm/core/core.h says what a program sees).
//
// Modelled: the costs of CoreConfig; loads that miss take the memory's latency and bandwidth, from
// the core's NUMA node; accesses to devices go through the root complex's port, reads one at a
// time; write-combining buffers; polling without events; interrupts that are waited for. Not
// modelled: the cache's contents (a load always misses, a store always hits), other memory types,
// what an interrupt's handler takes from a program that computes.
//
// Addresses: memory; the ECAM window, whose loads and stores are configuration accesses (stores in
// whole dwords); windows of devices. Elsewhere loads read as all ones and stores vanish, both
// after the memory's latency, and the error log says so.
//
// A program's thread resumes by an event of its partition's scheduler, so cores that act at one
// time do so in the order of their names.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <systemc>

#include "hw/host/address_map.h"
#include "hw/host/combining_buffers.h"
#include "hw/host/core_config.h"
#include "hw/host/cpu_port_share.h"
#include "hw/host/error_log.h"
#include "hw/host/interrupts.h"
#include "hw/host/memory.h"
#include "hw/host/program_thread.h"
#include "tlm/core/core.h"
#include "tlm/core/current.h"

namespace railyard::host {

/// What a host's cores share.
struct CoreSurroundings {
  HostMemory& memory;
  const AddressMap& map;
  CpuPortShare& port;
  InterruptController& interrupts;
  ErrorLog& errors;
};

class HostCore : public sc_core::sc_module,
                 public Core,
                 private CpuPortClient,
                 private InterruptTarget,
                 private MemoryWatcher {
 public:
  /// At NUMA node `node`; std::out_of_range if the memory has no such node.
  HostCore(sc_core::sc_module_name name, const CoreConfig& config,
           const CoreSurroundings& surroundings, unsigned node = 0);
  /// A program that has not returned is unwound.

  /// Before the run: what the core runs, once, from time zero on. A run is not over before it
  /// returned. What it throws ends the run. std::logic_error in a run.
  void set_program(std::function<void(Core&)> program);
  /// Before the run: the program serves others and need not return; the run does not last for its
  /// deadlines (poll_until) either.
  void set_background();
  /// Before the run or in it: `vector` interrupts this core. One that is nobody's becomes that of
  /// the first core that waits for it.
  void take_interrupt(unsigned vector) { around_.interrupts.route(vector, *this); }

  bool finished() const { return finished_; }
  unsigned node() const { return node_; }
  /// What current_program() finds in the core's program. Its memory is the platform's to set.
  ProgramContext& context() { return context_; }

  std::string name() const override { return sc_module::name(); }
  Time now() const override { return partition_.now(); }
  void spend(Time time) override;
  std::uint64_t load(Address address, unsigned bytes) override;
  void store(Address address, std::uint64_t value, unsigned bytes) override;
  /// Of the line that a poll has just found, at no later time: stays in the core.
  void read(Address address, std::uint8_t* to, std::size_t bytes) override;
  void write(Address address, const std::uint8_t* from, std::size_t bytes) override;
  void store_combining(Address address, const std::uint8_t* from, std::size_t bytes) override;
  void fence() override;
  /// A look sees all that was written before it, at the time of the look. The first costs a load;
  /// what the others cost is part of `invalidate`.
  std::uint64_t poll(Address address, unsigned bytes,
                     const std::function<bool(std::uint64_t)>& done) override;
  /// The first look is taken even if its load ends after the deadline, and counts.
  bool poll_until(Address address, unsigned bytes, const std::function<bool(std::uint64_t)>& done,
                  Time deadline, std::uint64_t& value) override;
  void wait_interrupt(unsigned vector) override;

 private:
  enum class Waiting : std::uint8_t { kNothing, kAnswer, kRoom, kChange, kInterrupt };
  /// A range is watched while this lives.
  class Watch {
   public:
    Watch(HostCore& core, Address address, unsigned bytes) : core_(core) {
      core.memory_.watch(core, address, bytes);
    }
    ~Watch() { core_.memory_.unwatch(core_); }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    HostCore& core_;
  };

  void port_answer(pcie::Status status, std::uint64_t value) override;
  void port_room() override;
  void interrupt_raised() override;
  void memory_written() override;

  void start_of_simulation() override;
  void call();
  void run();
  void wake() { thread_.resume(); }
  void wake_at(Time at) { partition_.scheduler().schedule(wake_, at); }
  void sleep() { thread_.suspend(); }
  void sleep_until(Time at);
  void sleep_for(Waiting what, std::uint64_t detail);
  void append_wait(std::vector<Wait>& waits) const;

  std::uint64_t peek(Address address, unsigned bytes) const;
  bool just_polled(Address address, std::size_t bytes) const;
  void pay_copy(Time from_memory, std::size_t bytes);
  std::uint64_t wait_for_answer(Address address, unsigned bytes, bool log);
  std::uint64_t config_load(Address address, unsigned bytes);
  void config_store(Address address, std::uint64_t value, unsigned bytes);
  void post(Address address, const std::uint8_t* data, std::uint32_t bytes);
  void send(const CombiningLine& line);
  void combine(Address address, const std::uint8_t* from, std::size_t bytes);
  void drain();
  bool spin(Address address, unsigned bytes, const std::function<bool(std::uint64_t)>& done,
            Time deadline, std::uint64_t& value);
  bool sleep_for_look(Address address);
  Time next_look(Time earliest) const;
  static std::uint64_t word_mask(unsigned bytes) {
    return bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (bytes * 8)) - 1;
  }
  void check_word(const char* what, Address address, unsigned bytes) const;
  void log_answer(Address address, unsigned bytes);
  void log_nobody(const char* what, Address address, std::size_t bytes);
  void add_metrics();

  Partition& partition_;
  CoreConfig config_;
  CoreSurroundings around_;
  HostMemory& memory_;
  unsigned node_;
  Event wake_;
  Event deadline_;  // apart, so that a background program's keep no run alive
  std::function<void(Core&)> program_;
  ProgramContext context_;
  ProgramContextAttribute context_attribute_;
  CombiningBuffers combining_;
  bool background_ = false;
  bool finished_ = false;

  Waiting waiting_ = Waiting::kNothing;
  std::uint64_t waiting_detail_ = 0;  // address or vector
  Time waiting_since_ = 0;
  pcie::Status answer_status_ = pcie::Status::kSuccess;
  std::uint64_t answer_ = 0;
  Time grid_start_ = 0;
  Time look_at_ = kForever;
  Time look_deadline_ = kForever;
  Address found_line_ = 0;
  Time found_at_ = -1;  // the latest poll, what it looked for

  Counter looks_;
  Counter device_writes_;
  Counter room_wait_;
  Histogram device_reads_;
  Histogram interrupt_wait_;

  ProgramThread thread_;  // the last: what it unwinds uses the others
};

}  // namespace railyard::host
