// What a pseudo-channel does next.
#include <algorithm>

#include "hw/hbm/bank_set.h"
#include "hw/hbm/pseudo_channel.h"

namespace railyard::hbm {
namespace {

/// Activates and column commands begin at whole clocks.
constexpr bool at_whole_clock(Command command) {
  return command == Command::kActivate || is_column(command);
}

}  // namespace

// A bank whose state changed is looked at anew; all are, when what all depend on changed. Nothing
// else can come earlier than it was thought: what could go before the last step has gone.
void PseudoChannel::choose() {
  if (drain_.update(queues_, from_)) {
    ++parts_.counts.turnarounds;
    all_stale();
  }
  if (refresh_.update(from_, queues_.waiting(false) | queues_.waiting(true))) all_stale();
  reconsider(stale_.banks);
  if (stale_.column) {
    column_.at = kNever;
    choose_columns(~std::uint64_t{0});
  }
  if (stale_.activate) {
    activate_.at = kNever;
    choose_activates(~std::uint64_t{0});
  }
  if (stale_.precharge) {
    precharge_.at = kNever;
    choose_refreshes();
    choose_precharges(~std::uint64_t{0});
  } else if (queues_.passing(drain_.writing()) != 0) {
    // Time alone makes requests old: their banks are no longer read or written, but closed.
    choose_precharges(starved(drain_.writing()));
  }
  due_ = std::min(drain_.next(), refresh_.next());
  if (!arrivals_.empty() && arrivals_.front().at > from_) {
    due_ = std::min(due_, arrivals_.front().at);
  }
  const Choice& row = first_row();
  const Choice& first = column_.at <= row.at ? column_ : row;
  const bool due = due_ < first.at;
  next_ = due ? due_ : first.at;
  next_age_ = due ? kFirst : first.age;
  stale_ = {false, false, false, false, 0};
}

void PseudoChannel::reconsider(std::uint64_t banks) {
  if (banks == 0) return;
  const auto chosen = [banks](const Choice& choice) {
    return choice.at < kNever && (banks >> choice.bank & 1) != 0;
  };
  const bool write = drain_.writing();
  const auto still = [this, write](BankQueues::Index now, const Choice& choice) {
    return now == choice.request && (queues_.waiting(write) >> choice.bank & 1) != 0;
  };
  if (in_order_ || (chosen(column_) && !still(queues_.hit(column_.bank, write), column_))) {
    stale_.column = true;
  }
  if (chosen(activate_) && ((queues_.open() >> activate_.bank & 1) != 0 ||
                            !still(queues_.oldest(activate_.bank, write), activate_))) {
    stale_.activate = true;
  }
  if (chosen(precharge_)) stale_.precharge = true;
  if (!stale_.column) choose_columns(banks);
  if (!stale_.activate) choose_activates(banks);
  if (!stale_.precharge) choose_precharges(banks);
}

// Time, counted from the last step, and age are compared as one word, without branches: which bank
// is the first cannot be foreseen.
template <class Ages>
void PseudoChannel::pick(Choice& best, Command command, std::uint64_t banks, Ages ages,
                         Tick earliest) {
  if (banks == 0) return;
  const Kind kind = kind_of(command);
  const Ready floor = std::max(floor_of(kind), Ready{earliest} << kCauseBits);
  const Tick odd = at_whole_clock(command) ? 1 : 0;
  const auto key_of = [this](Tick at, std::uint64_t age) {
    return static_cast<std::uint64_t>(at - from_) << kAgeBits | age;
  };
  const std::uint64_t before = best.at < kNever ? key_of(best.at, best.age) : ~std::uint64_t{0};
  std::uint64_t least = before;
  Ready chosen = 0;
  unsigned which = 0;
  for_each_bank(banks, [&](unsigned bank) {
    const Ready ready = ready_at(kind, bank, floor);
    const Tick from = tick_of(ready);
    const std::uint64_t key = key_of(from + (from & odd), ages(bank));
    const bool better = key < least;
    least = better ? key : least;
    chosen = better ? ready : chosen;
    which = better ? bank : which;
  });
  if (least == before) return;
  best.at = from_ + static_cast<Tick>(least >> kAgeBits);
  best.age = least & kLast;
  best.cause = cause_of(chosen);
  best.command = command;
  best.bank = static_cast<std::uint8_t>(which);
  best.request = BankQueues::kNone;
}

// Their oldest requests have waited so long that younger hits no longer pass them.
std::uint64_t PseudoChannel::starved(bool write) const {
  std::uint64_t starved = 0;
  for_each_bank(queues_.passing(write), [&](unsigned bank) {
    const Request& oldest = queues_[queues_.oldest(bank, write)];
    if (in_order_ || from_ - oldest.arrived >= parts_.settings.age_limit) {
      starved |= std::uint64_t{1} << bank;
    }
  });
  return starved;
}

BankQueues::Index PseudoChannel::next_in_order(bool write) const {
  BankQueues::Index first = BankQueues::kNone;
  std::uint64_t age = kLast;
  for_each_bank(queues_.waiting(write), [&](unsigned bank) {
    if (queues_.oldest_age(bank, write) >= age) return;
    age = queues_.oldest_age(bank, write);
    first = queues_.oldest(bank, write);
  });
  return first;
}

void PseudoChannel::choose_columns(std::uint64_t banks) {
  const bool write = drain_.writing();
  banks &= queues_.hits(write) & ~refresh_.wanted();
  if (banks == 0) return;
  if ((banks & queues_.passing(write)) != 0) banks &= ~starved(write);
  if (in_order_) {
    const BankQueues::Index first = next_in_order(write);
    const unsigned bank = queues_[first].bank;
    banks &= queues_.hit(bank, write) == first ? std::uint64_t{1} << bank : 0;
  }
  pick(column_, write ? Command::kWrite : Command::kRead, banks,
       [&](unsigned bank) { return queues_.hit_age(bank, write); });
  if (column_.at < kNever) column_.request = queues_.hit(column_.bank, write);
}

void PseudoChannel::choose_activates(std::uint64_t banks) {
  const bool write = drain_.writing();
  banks &= queues_.waiting(write) & ~queues_.open() & ~refresh_.wanted();
  pick(activate_, Command::kActivate, banks,
       [&](unsigned bank) { return queues_.oldest_age(bank, write); });
  if (activate_.at < kNever) activate_.request = queues_.oldest(activate_.bank, write);
}

void PseudoChannel::choose_precharges(std::uint64_t banks) {
  const bool write = drain_.writing();
  const std::uint64_t open = queues_.waiting(write) & queues_.open();
  std::uint64_t in_the_way = open & ~queues_.hits(write);
  if ((open & queues_.passing(write)) != 0) in_the_way |= starved(write);
  const Tick before = precharge_.at;
  const std::uint64_t before_age = precharge_.age;
  pick(precharge_, Command::kPrecharge, banks & in_the_way & ~refresh_.wanted(),
       [&](unsigned bank) { return queues_.oldest_age(bank, write); });
  if (precharge_.at != before || precharge_.age != before_age) {
    precharge_.request = queues_.oldest(precharge_.bank, write);
  }
  if (pages_.closes_late()) choose_closings(banks);
}

void PseudoChannel::choose_refreshes() {
  refresh_.for_each_wanted([this](unsigned bank, std::uint64_t mask) {
    Command command = refresh_.command();
    if ((queues_.open() & mask) != 0) {
      command = command == Command::kRefreshAll ? Command::kPrechargeAll : Command::kPrecharge;
    }
    pick(precharge_, command, std::uint64_t{1} << bank, [](unsigned) { return kFirst; });
  });
}

void PseudoChannel::choose_closings(std::uint64_t banks) {
  banks &= queues_.open() & ~(queues_.waiting(false) | queues_.waiting(true) | refresh_.wanted());
  for_each_bank(banks, [&](unsigned bank) {
    pick(
        precharge_, Command::kPrecharge, std::uint64_t{1} << bank, [](unsigned) { return kLast; },
        pages_.close_at(bank));
  });
}

}  // namespace railyard::hbm
