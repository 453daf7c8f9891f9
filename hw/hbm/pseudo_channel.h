// A pseudo-channel: its banks, the requests that wait for them, and what it would send next over
// the buses of its channel. It knows ticks only; its channel lets it take steps.
//
// At each step it sends one command, or takes what has come or become due. What it would do next
// follows from its state alone, so it does not matter when, in simulated time, the step is taken.
#pragma once

#include <cstdint>
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
  bool write = false;
};

// Without branches: what comes next cannot be foreseen, by a processor either.
constexpr bool either(bool a, bool b) {
  return (static_cast<unsigned>(a) | static_cast<unsigned>(b)) != 0;
}
constexpr bool both(bool a, bool b) {
  return (static_cast<unsigned>(a) & static_cast<unsigned>(b)) != 0;
}

class PseudoChannel {
 public:
  /// `index` of the device's pseudo-channels.
  PseudoChannel(ChannelParts& parts, unsigned index);

  /// Comes to the queues at `arrival.at`, which is not before that of those before, nor before
  /// `advanced`, the first of the ticks that were not let pass.
  void arrive(const Arrival& arrival, Tick advanced) {
    if (arrival.write) ++arriving_writes_;
    const bool first = arrivals_.empty();
    arrivals_.push(arrival);
    if (!first) return;
    if (arrival.at == advanced) {
      take_arrivals(advanced);
    } else if (!stale_.any && arrival.at < due_) {
      due_ = arrival.at;
      if (due_ < next_) next_ = due_, next_age_ = 0;
    }
  }

  /// When it takes its next step, and what decides between two pseudo-channels of one channel then;
  /// settle() goes first.
  Tick next() const { return next_; }
  std::uint64_t next_age() const { return next_age_; }
  /// Of two that are due, whether the first goes.
  static bool before(Tick at, std::uint64_t age, Tick other_at, std::uint64_t other_age) {
    return either(at < other_at, both(at == other_at, age < other_age));
  }
  /// Decides what to do next, if anything has changed.
  void settle() {
    if (stale_.any) choose();
  }
  /// Takes the next step.
  void step();
  /// A pseudo-channel of the channel took a step, and a bus maybe: what was chosen for that may
  /// come later.
  void buses_moved() {
    const Tick column = tick_of(parts_.buses.ready(Kind::kRead));
    const Tick row = tick_of(parts_.buses.ready(Kind::kActivate));
    stale_.column = either(stale_.column, column_.at < column);
    stale_.activate = either(stale_.activate, activate_.at < row);
    stale_.precharge = either(stale_.precharge, precharge_.at < row);
    stale_.any =
        either(stale_.any, either(stale_.column, either(stale_.activate, stale_.precharge)));
  }

  /// Not after the end of the `count`-th access from now on that is waited for.
  Tick earliest_end(bool write, unsigned count) const;
  /// Not after the `count`-th column command from now on.
  Tick earliest_column(unsigned count) const;

  /// Ticks of a time with requests that has not ended at `now`.
  Tick busy_until(Tick now) const;
  void restart_busy(Tick now) { busy_since_ = busy_since_ > now ? busy_since_ : now; }
  /// Has requests, or will have.
  bool busy() const { return busy_ || !arrivals_.empty(); }
  unsigned waiting(bool write) const { return queues_.count(write); }
  /// Those in the queue, and those before it.
  unsigned writes_left() const { return queues_.count(true) + arriving_writes_; }
  std::size_t arriving() const { return arrivals_.size(); }
  std::uint64_t open_banks() const { return queues_.open(); }
  std::uint64_t refreshing() const { return refresh_.wanted(); }
  bool writing() const { return drain_.writing(); }

 private:
  // Of choices at one time: refreshes go before all else, closing for want of use after. Ages are
  // those of requests between them: 10^12 accesses of a channel; above them, 6 ms of ticks.
  static constexpr unsigned kAgeBits = 40;
  static constexpr std::uint64_t kFirst = 0;
  static constexpr std::uint64_t kLast = (std::uint64_t{1} << kAgeBits) - 1;

  struct Choice {
    Tick at = kNever;
    std::uint64_t age = 0;
    unsigned cause = kUnbound;
    Command command = Command::kActivate;
    std::uint8_t bank = 0;
    BankQueues::Index request = BankQueues::kNone;
  };

  /// What is to be looked at anew when it is chosen what to do next.
  struct Stale {
    bool any = true;
    bool column = true;
    bool activate = true;
    bool precharge = true;
    std::uint64_t banks = 0;  // of which alone, in the others
  };
  void all_stale() { stale_ = {}; }

  void choose();
  void reconsider(std::uint64_t banks);
  void choose_columns(std::uint64_t banks);
  void choose_activates(std::uint64_t banks);
  void choose_precharges(std::uint64_t banks);
  void choose_refreshes();
  void choose_closings(std::uint64_t banks);
  /// Of the banks that `command` may go to, the first; of those ready at one time, that of the
  /// least age; if it is better than `best`. None before `earliest`.
  template <class Ages>
  void pick(Choice& best, Command command, std::uint64_t banks, Ages ages, Tick earliest = 0);
  /// Not before it: the constraints of the pseudo-channel and the buses, and the last step.
  Ready floor_of(Kind kind) const {
    return std::max({ready_.of_all(kind), parts_.buses.ready(kind), Ready{from_} << kCauseBits});
  }
  Ready ready_at(Kind kind, unsigned bank, Ready floor) const {
    const Ready near = std::max(ready_.of_bank(kind, bank), ready_.of_group(kind, bank));
    const Ready ready = std::max(near, floor);
    return ready_.has_sids() ? std::max(ready, ready_.of_sid(kind, bank)) : ready;
  }
  /// Banks whose hits wait until an older request has had its row.
  std::uint64_t starved(bool write) const;
  BankQueues::Index next_in_order(bool write) const;
  const Choice& first_row() const {
    return before(precharge_.at, precharge_.age, activate_.at, activate_.age) ? precharge_
                                                                              : activate_;
  }

  bool take_arrivals(Tick now);
  bool admit(Tick now);
  bool admit_one(const Arrival& arrival, Tick now);
  void add(const Arrival& arrival, bool told, Tick now);
  void issue_column(const Choice& choice);
  void issue_row(const Choice& choice);
  void send(const Choice& choice, std::uint32_t row, std::uint32_t column);
  void finish(Access& access, Tick end);
  void count_busy(Tick now);

  ChannelParts& parts_;
  unsigned index_;
  ReadyTimes ready_;
  BankQueues queues_;
  WriteDrain drain_;
  RefreshPlan refresh_;
  PagePlan pages_;
  std::optional<InlineEcc> ecc_;
  Ring<Arrival> arrivals_;
  unsigned arriving_writes_ = 0;

  const bool in_order_;
  Stale stale_;
  Tick from_ = -1;  // the last step: nothing is sent before
  Tick next_ = 0;
  std::uint64_t next_age_ = 0;
  Tick due_ = kNever;  // of what is neither a column nor a row command
  Choice column_;
  Choice activate_;
  Choice precharge_;  // and refresh

  bool busy_ = false;
  Tick busy_since_ = 0;
  Tick last_end_ = 0;
};

}  // namespace railyard::hbm
