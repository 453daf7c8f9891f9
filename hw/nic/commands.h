// The command queue: entries in host memory, which the firmware fetches, carries out one at a time,
// and gives back.
//
//   doorbell -> entry is read -> input mailbox is read -> `command` passes, it takes effect ->
//   output mailbox, then the entry are written: the entry is software's again
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "hw/nic/command_set.h"
#include "hw/nic/dma_path.h"
#include "hw/nic/units.h"
#include "tlm/base/ring.h"
#include "tlm/observe/statistics.h"
#include "tlm/sim/event.h"

namespace railyard::nic {

class Commands : private DmaClient {
 public:
  /// `rate_mbps` is the port's.
  Commands(Units& units, Objects& objects, const DeviceParts& parts, DeviceHealth& health,
           std::uint32_t rate_mbps);

  QpControl& qp_control() { return handlers_.qps; }

  /// The queue is at `address`, of 1 << `log_entries` entries. Once a reset.
  void start(std::uint64_t address, std::uint32_t log_entries);
  bool started() const { return started_; }
  /// Bit n: entry n is the device's. Returns how many of them it did not wait for: none is such an
  /// entry, or it has it already.
  unsigned doorbell(std::uint32_t entries);
  /// All is forgotten, and so is the command under way. Objects are gone.
  void reset();

 private:
  enum class Step : std::uint8_t { kIdle, kEntry, kMailbox, kExecute };

  void dma_done(std::uint64_t ticket, pcie::Status status, Ref<net::Payload> payload) override;
  void fetch_next();
  void read(std::uint64_t address, std::uint32_t bytes);
  void take_entry(pcie::Status status, const Ref<net::Payload>& payload);
  void take_mailbox(pcie::Status status, const Ref<net::Payload>& payload);
  /// What is wrong with the entry itself.
  Verdict check_entry();
  void execute_later();
  void execute();
  Verdict run();
  void answer(const Verdict& verdict);
  void write(std::uint64_t address, const void* bytes, std::size_t count);
  void end_entry();
  void add_metrics();

  Units& units_;
  Objects& objects_;
  DeviceHealth& health_;
  CommandHandlers handlers_;
  Event execute_;

  std::uint64_t address_ = 0;
  std::uint32_t entries_ = 0;
  bool started_ = false;
  std::uint32_t owned_ = 0;  // bit n: entry n is the device's
  std::array<Time, 1U << abi::kMaxLogCommands> rung_{};
  Ring<std::uint32_t> waiting_;
  std::uint64_t epoch_ = 0;  // what was read before a reset comes in vain

  Step step_ = Step::kIdle;
  std::uint32_t index_ = 0;  // of the entry under way
  abi::CommandEntry entry_;
  std::uint32_t kind_ = kNoCommand;
  CommandCall call_;
  Verdict entry_verdict_;

  std::array<Counter, kCommandKinds> counts_;
  Counter refused_, unowned_, unreadable_;
  Histogram latency_;
};

}  // namespace railyard::nic
