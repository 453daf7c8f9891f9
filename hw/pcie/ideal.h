// PCIe for runs that study the network alone: latency, bandwidth and order without packets.
//
// Modelled: writes of a function are seen in their order wherever they lead (relaxed ones when
// their memory has them), so are its interrupts, and its answers to cores, behind the writes that
// left before; reads are answered behind the writes that arrived before them, in any order among
// themselves; fences, reads of no byte that flush; the bandwidth of each direction, shared by all
// that passes; peer to peer between functions by address; data carried or elided; unsupported
// requests and completer aborts.
// Not modelled: headers, credits, tags, replay, switches, a bound of posted writes, configuration
// space (a core reads it as all ones), translation, timeouts: a register that does not answer fails
// its reader at once.
//
// Timing: IdealConfig. A transfer moves in pieces of at most a page, each with its steps: its last
// byte passes the lane, it arrives, the memory has it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "hw/pcie/address_route.h"
#include "hw/pcie/config_space.h"
#include "hw/pcie/cpu_port.h"
#include "hw/pcie/delay_line.h"
#include "hw/pcie/dma.h"
#include "hw/pcie/hierarchy.h"
#include "hw/pcie/ideal_config.h"
#include "hw/pcie/ideal_lane.h"
#include "hw/pcie/ideal_order.h"

namespace railyard::pcie {

class IdealFunction;

/// What functions and cores have in common. It is made before its functions.
class IdealPcie : public sc_core::sc_module, public CpuPort {
 public:
  /// Addresses beside those of BARs that are given to PCIe: nobody answers there.
  struct Window {
    std::uint64_t base = 0;
    std::uint64_t bytes = 0;
  };

  IdealPcie(sc_core::sc_module_name name, Hierarchy& hierarchy, const IdealConfig& config,
            InterruptSink& interrupts, std::vector<Window> windows = {});

  Hierarchy& hierarchy() { return hierarchy_; }

  // CpuPort. There is always room for writes.
  bool is_device(std::uint64_t address) const override;
  bool cpu_write(std::uint64_t address, const std::uint8_t* data, std::uint32_t bytes) override;
  void cpu_read(std::uint64_t address, std::uint32_t bytes, std::uint64_t ticket) override;
  void config_read(DeviceId id, unsigned register_offset, std::uint64_t ticket) override;
  void config_write(DeviceId id, unsigned register_offset, std::uint32_t value,
                    std::uint64_t ticket) override;
  void set_listener(CpuListener& listener) override { listener_ = &listener; }

 private:
  friend class IdealFunction;
  struct Answer {
    std::uint64_t ticket = 0;
    Status status = Status::kSuccess;
    std::uint64_t value = 0;
  };

  DeviceId add(IdealFunction& function);
  void place(IdealFunction& function, unsigned bar);
  /// Finds whose BAR the move leads to; false: no function's.
  bool route(IdealMove& move) const;
  MoveRef core_move(MoveKind kind, std::uint64_t address, std::uint32_t bytes);
  /// A write, an interrupt or an answer to a core has its turn.
  void show(IdealMove& move);
  void refuse(std::uint64_t ticket);
  void answer(const Answer& answer);

  Hierarchy& hierarchy_;
  LazyScheduler& scheduler_;
  InterruptSink& interrupts_;
  std::vector<Window> windows_;
  Pool<IdealMove> moves_;
  AddressRoute bars_;
  std::vector<IdealFunction*> functions_;
  CpuListener* listener_ = nullptr;
  DelayLine<Answer> refused_;
  Counter interrupts_taken_, cpu_writes_, cpu_reads_;
};

class IdealFunction : public sc_core::sc_module,
                      public Function,
                      public PlacedFunction,
                      private Awaiter {
 public:
  /// `memory` is the host's as the function sees it. The shapes are those of its BARs.
  IdealFunction(sc_core::sc_module_name name, IdealPcie& pcie, const IdealConfig& config,
                const BarShapes& bars, MemoryPort& memory);

  /// What is behind the BARs that are not memory. Without it they read as 0.
  void set_registers(DeviceRegisters& registers) { registers_ = &registers; }
  /// Puts memory behind a BAR, from its address 0 on.
  void put_memory(unsigned bar, MemoryPort& memory) { behind_.at(bar) = &memory; }
  /// Gives the BAR its address. A ConfigError if it does not fit there.
  void place(unsigned bar, std::uint64_t base);
  /// Interrupt vector v arrives as data `first` + v; by default as v.
  void set_interrupts(std::uint32_t first) { first_interrupt_ = first; }

  void dma(DmaRequest request, DmaListener& listener) override;
  void interrupt(unsigned vector) override;

  std::string function_name() const override { return name(); }
  DeviceId id() const override { return id_; }
  const ConfigSpace& config_space() const override { return config_space_; }
  const MemoryPort* memory_behind(unsigned bar) const override { return behind_.at(bar); }

 private:
  friend class IdealPcie;
  struct Write {
    DmaRequest request;
    DmaListener* listener = nullptr;  // none: an interrupt
    Time given = 0;
    std::uint32_t cut = 0;  // bytes on the lane or beyond
    TlpRef transfer;
  };
  struct Read {
    DmaRequest request;
    DmaListener* listener = nullptr;
    Time given = 0;
    std::uint64_t fence = 0;    // writes that must have left before
    std::uint32_t asked = 0;    // bytes
    std::uint32_t coming = 0;   // pieces that are not on their last way
    std::uint32_t pending = 0;  // pieces that have not come
    Status status = Status::kSuccess;
    bool all_asked = false;
    bool attended = false;
  };

  Time earliest() const override;
  std::uint32_t new_read();
  void feed();
  void left(MoveRef move);
  void write_left();
  void ask();
  void cut_read(std::uint32_t index);
  void at_root(MoveRef move);
  void request_at_root(MoveRef move);
  void came_down(MoveRef move);
  void at_function(MoveRef move);
  void answer(MoveRef move);
  void read_registers(IdealMove& move);
  void write_registers(const IdealMove& move);
  void complete(const IdealMove& move);
  void finish_read(std::uint32_t index);
  std::string who_failed(const IdealMove& move) const;
  void register_all();

  IdealPcie& pcie_;
  Hierarchy& hierarchy_;
  LazyScheduler& scheduler_;
  IdealConfig config_;
  MemoryPort& host_memory_;
  ConfigSpace config_space_;
  DeviceId id_;
  std::array<MemoryPort*, config::kBars> behind_{};
  DeviceRegisters* registers_ = nullptr;
  std::uint32_t first_interrupt_ = 0;

  IdealLane up_, down_;
  DelayLine<MoveRef> rising_;   // from the lane up to the root
  DelayLine<MoveRef> falling_;  // from the lane down to the function
  DelayLine<MoveRef> replies_;  // of memory, before the lane down
  DelayLine<MoveRef> register_reads_;
  IdealOrder order_;  // of what this function wrote
  IdealOrder cores_;  // of what cores wrote to it
  ByteClock asking_;  // reads are asked for at the rate at which they may come
  Event ask_;

  Ring<Write> writes_;  // those that have not left in whole
  bool write_on_lane_ = false;
  std::uint64_t writes_left_ = 0;
  Ring<std::uint32_t> waiting_reads_;  // those not asked for in whole
  std::vector<Read> reads_;
  std::vector<std::uint32_t> free_reads_;
  std::uint32_t active_reads_ = 0;
  Ring<Time> calls_;  // when reads will be done whose last piece is on its last way

  Counter reads_done_, writes_done_, read_bytes_, write_bytes_, failed_;
  Histogram read_latency_, write_latency_;
};

}  // namespace railyard::pcie
