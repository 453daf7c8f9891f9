// A pseudo-channel: its banks, the requests that wait for them, and what it would send next over
// the buses of its channel. It knows ticks only; its channel lets it take steps.
//
// At each step it sends one command, or takes what has come or become due. What it would do next
// follows from its state alone, so it does not matter when, in simulated time, the step is taken.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "hw/hbm/bank_queues.h"
#include "hw/hbm/channel_parts.h"
#include "hw/hbm/inline_ecc.h"
#include "hw/hbm/page_plan.h"
#include "hw/hbm/ready_times.h"
#include "hw/hbm/refresh_plan.h"
#include "hw/hbm/write_drain.h"
#include "tlm/base/ring.h"

namespace railyard::hbm {

/// An access of the device, on its way to the queues.
struct Arrival {
  Access* access = nullptr;
  Tick at = 0;
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  std::uint8_t bank = 0;
};

class PseudoChannel {
 public:
  /// `index` of the device's pseudo-channels.
  PseudoChannel(ChannelParts& parts, unsigned index);

  /// Comes to the queues at `arrival.at`, which is not before that of those before, nor before the
  /// ticks that were let pass.
  void arrive(const Arrival& arrival) {
    if (arrivals_.empty() && !stale_ && arrival.at < due_) {
      due_ = arrival.at;
      if (due_ < next_) next_ = due_, next_age_ = 0;
    }
    arrivals_.push(arrival);
  }

  /// When it takes its next step, and what decides between two pseudo-channels of one channel then;
  /// settle() goes first.
  Tick next() const { return next_; }
  std::uint64_t next_age() const { return next_age_; }
  /// Decides what to do next, if anything has changed.
  void settle() {
    if (stale_) choose();
  }
  /// The other pseudo-channel took the buses: what was chosen for them may come later.
  void buses_moved(bool column);
  void step();

  /// Not after the end of the `count`-th access from now on that is waited for.
  Tick earliest_end(bool write, unsigned count) const;

  unsigned index() const { return index_; }
  /// Ticks of a time with requests that has not ended at `now`.
  Tick busy_until(Tick now) const;
  void restart_busy(Tick now) { busy_since_ = busy_since_ > now ? busy_since_ : now; }
  /// Has requests, or will have.
  bool busy() const { return busy_ || !arrivals_.empty(); }
  unsigned waiting(bool write) const { return queues_.count(write); }
  std::size_t arriving() const { return arrivals_.size(); }
  std::uint64_t open_banks() const { return queues_.open(); }
  std::uint64_t refreshing() const { return refresh_.wanted(); }
  bool writing() const { return drain_.writing(); }

 private:
  struct Choice {
    Tick at = kNever;
    std::uint64_t age = 0;
    unsigned cause = kUnbound;
    Command command = Command::kActivate;
    std::uint8_t bank = 0;
    BankQueues::Index request = BankQueues::kNone;
  };

  void choose();
  void choose_column();
  void choose_row();
  void choose_refresh();
  void choose_closing();
  /// A command of that kind is wanted for `bank`; the earliest goes, of two the older.
  void offer(Choice& best, Command command, unsigned bank, std::uint64_t age,
             BankQueues::Index request);
  bool starved(unsigned bank, bool write) const;
  BankQueues::Index next_in_order(bool write) const;

  void admit(Tick now);
  bool admit_one(const Arrival& arrival, Tick now);
  void add(const Arrival& arrival, bool write, bool told, Tick now);
  void issue_column(const Choice& choice);
  void issue_row(const Choice& choice);
  void send(const Choice& choice, std::uint32_t row, std::uint32_t column);
  void finish(Access& access, Tick end);

  ChannelParts& parts_;
  unsigned index_;
  ReadyTimes ready_;
  BankQueues queues_;
  WriteDrain drain_;
  RefreshPlan refresh_;
  PagePlan pages_;
  std::optional<InlineEcc> ecc_;
  Ring<Arrival> arrivals_;

  bool stale_ = true;
  Tick from_ = -1;  // the last step: nothing is sent before
  Tick next_ = 0;
  std::uint64_t next_age_ = 0;
  Tick due_ = kNever;  // of what is neither a column nor a row command
  Choice column_;
  Choice row_;

  bool busy_ = false;
  Tick busy_since_ = 0;
  Tick last_end_ = 0;
};

}  // namespace railyard::hbm
