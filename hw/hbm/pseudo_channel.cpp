#include "hw/hbm/pseudo_channel.h"

#include <algorithm>

namespace railyard::hbm {
namespace {

/// Each bank of a set, the lowest first.
template <class Call>
void for_each(std::uint64_t banks, Call call) {
  for (; banks != 0; banks &= banks - 1) {
    call(static_cast<unsigned>(__builtin_ctzll(banks)));
  }
}

/// Refreshes before all else at one time, closing for want of use after.
constexpr std::uint64_t kFirst = 0;
constexpr unsigned kAgeBits = 40;  // 10^12 accesses of a channel; 6 ms of ticks above them
constexpr std::uint64_t kLast = (std::uint64_t{1} << kAgeBits) - 1;

/// Activates and column commands begin at whole clocks.
constexpr bool at_whole_clock(Command command) {
  return command == Command::kActivate || is_column(command);
}

}  // namespace

PseudoChannel::PseudoChannel(ChannelParts& parts, unsigned index)
    : parts_(parts),
      index_(index),
      ready_(parts.settings.rules),
      queues_(parts.settings.config.organisation.banks_per_pseudo_channel(),
              parts.settings.config.controller.read_queue,
              parts.settings.config.controller.write_queue),
      drain_(parts.settings.drain),
      refresh_(parts.settings.config.controller.refresh, parts.settings.config.organisation,
               parts.settings.config.timing, index,
               parts.settings.config.organisation.total_pseudo_channels()),
      pages_(parts.settings.config.controller.page,
             parts.settings.config.organisation.banks_per_pseudo_channel()),
      in_order_(parts.settings.config.controller.scheduling == Scheduling::kFcfs) {
  const HbmConfig& config = parts.settings.config;
  if (config.controller.ecc.mode == EccMode::kInline) {
    ecc_.emplace(config.organisation, config.controller.ecc.lines);
  }
}

// --- what comes ---

// Those that came take part from this tick on.
bool PseudoChannel::take_arrivals(Tick now) {
  from_ = now;
  stale_.any = true;
  if (!admit(now)) return false;
  count_busy(now);
  return true;
}

bool PseudoChannel::admit(Tick now) {
  bool any = false;
  while (!arrivals_.empty() && arrivals_.front().at <= now && admit_one(arrivals_.front(), now)) {
    if (arrivals_.front().write) --arriving_writes_;
    arrivals_.pop();
    any = true;
  }
  return any;
}

// In order: a request whose queue is full holds up those behind it.
bool PseudoChannel::admit_one(const Arrival& arrival, Tick now) {
  const ControllerConfig& config = parts_.settings.config.controller;
  const bool write = arrival.access->write;
  const unsigned extra = ecc_ ? 1 : 0;
  if (!queues_.room(write, 1 + extra) || !queues_.room(!write, extra)) return false;
  if (!write && config.forward && queues_.count(true) > 0) {
    Request like;
    like.bank = arrival.bank;
    like.row = arrival.row;
    like.column = arrival.column;
    if (queues_.has(like, true)) {
      ++parts_.counts.forwarded;
      finish(*arrival.access, now + parts_.settings.read_end);
      return true;
    }
  }
  const bool told = write && config.write_response == WriteResponse::kAccepted;
  add(arrival, write, told, now);
  if (ecc_) {
    const InlineEcc::Cost cost = ecc_->access(arrival.bank, arrival.row, arrival.column, write);
    if (cost.read) {
      ++parts_.counts.ecc_reads;
      Access* const waits = told ? nullptr : arrival.access;
      if (waits != nullptr) parts_.ends.piece_added(*waits, index_);
      add({waits, now, cost.line.row, cost.line.column, cost.line.bank}, false, told, now);
    }
    if (cost.write) {
      ++parts_.counts.ecc_writes;
      add({nullptr, now, cost.evicted.row, cost.evicted.column, cost.evicted.bank}, true, true,
          now);
    }
  }
  if (told) finish(*arrival.access, now + kTicksPerClock);
  return true;
}

void PseudoChannel::add(const Arrival& arrival, bool write, bool told, Tick now) {
  Request request;
  request.access = arrival.access;
  request.age = ++parts_.ages;
  request.arrived = arrival.at;
  request.row = arrival.row;
  request.column = arrival.column;
  request.bank = arrival.bank;
  request.write = write;
  request.told = told;
  queues_.add(request);
  stale_.banks |= std::uint64_t{1} << arrival.bank;
  pages_.used(arrival.bank, now);
  drain_.came(write, now);
}

void PseudoChannel::finish(Access& access, Tick end) {
  last_end_ = std::max(last_end_, end);
  parts_.ends.piece_done(access, index_, end);
}

// --- what to do next ---

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
  } else {
    // Time alone makes requests old: their banks are no longer read or written, but closed.
    choose_precharges(starved(drain_.writing()));
  }
  due_ = std::min(drain_.next(), refresh_.next());
  if (!arrivals_.empty() && arrivals_.front().at > from_) {
    due_ = std::min(due_, arrivals_.front().at);
  }
  const Choice& row = first_row();
  next_ = std::min({column_.at, row.at, due_});
  next_age_ = column_.at == next_ ? column_.age : row.at == next_ ? row.age : kFirst;
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
  for_each(banks, [&](unsigned bank) {
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
  for_each(queues_.passing(write), [&](unsigned bank) {
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
  for_each(queues_.waiting(write), [&](unsigned bank) {
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
  for_each(banks, [&](unsigned bank) {
    pick(
        precharge_, Command::kPrecharge, std::uint64_t{1} << bank, [](unsigned) { return kLast; },
        pages_.close_at(bank));
  });
}

Tick PseudoChannel::earliest_column(unsigned count) const {
  const Settings& s = parts_.settings;
  Tick column = std::min(column_.at, due_);
  const Tick row = first_row().at;
  if (row < kNever) column = std::min(column, row + s.least_activate);
  return column + static_cast<Tick>(count - 1) * s.least_column_gap;
}

Tick PseudoChannel::earliest_end(bool write, unsigned count) const {
  const Settings& s = parts_.settings;
  const ControllerConfig& config = s.config.controller;
  const bool accepted = write && config.write_response == WriteResponse::kAccepted;
  // Those that end when they come to the queues may do so all at once: reads that are answered
  // from the write queue, and writes for which there is room, or will be.
  unsigned at_once = 1;
  if (accepted) at_once += config.write_queue - queues_.count(true);
  if (!write && config.forward && queues_.count(true) + arriving_writes_ > 0) at_once = count;
  const Tick column = earliest_column(count > at_once ? count - at_once + 1 : 1);
  if (!write) return column + s.read_end;
  return column + (accepted ? kTicksPerClock : s.write_end);
}

// --- steps ---

PseudoChannel::Sent PseudoChannel::step() {
  const Tick now = next_;
  if (!arrivals_.empty() && arrivals_.front().at == now && take_arrivals(now)) {
    return Sent::kNothing;
  }
  from_ = now;
  stale_.any = true;
  if (column_.at == now) {
    issue_column(column_);
    if (!arrivals_.empty()) admit(now);
    count_busy(now);
    return Sent::kColumn;
  }
  if (first_row().at != now) return Sent::kNothing;
  issue_row(first_row());
  return Sent::kRow;
}

void PseudoChannel::count_busy(Tick now) {
  const bool busy = queues_.count(false) + queues_.count(true) > 0;
  if (busy == busy_) return;
  busy_ = busy;
  if (busy) {
    busy_since_ = std::max(now, last_end_);
  } else {
    parts_.counts.busy += std::max(last_end_ - busy_since_, Tick{0});
  }
}

Tick PseudoChannel::busy_until(Tick now) const {
  return busy_ ? std::max(now - busy_since_, Tick{0}) : 0;
}

void PseudoChannel::send(const Choice& choice, std::uint32_t row, std::uint32_t column) {
  ready_.issued(choice.command, choice.bank, choice.at);
  parts_.buses.issued(choice.command, choice.at);
  const auto which = static_cast<std::size_t>(choice.command);
  ++parts_.counts.commands[which];
  ++parts_.counts.causes[choice.cause][which];
  if (parts_.listeners.empty()) return;
  CommandRecord record;
  record.tick = choice.at;
  record.command = choice.command;
  record.bank = choice.bank;
  record.channel = static_cast<std::uint16_t>(parts_.channel);
  record.pseudo_channel =
      static_cast<std::uint16_t>(index_ % parts_.settings.config.organisation.pseudo_channels);
  record.row = row;
  record.column = column;
  for (CommandListener* listener : parts_.listeners) listener->command(record);
}

void PseudoChannel::issue_column(const Choice& choice) {
  Choice sent = choice;
  const Request request = queues_[sent.request];
  const bool last = pages_.closes_after_last() && !queues_.others_hit(sent.request);
  if (last) sent.command = request.write ? Command::kWriteAuto : Command::kReadAuto;
  send(sent, request.row, request.column);
  ++(request.precharged  ? parts_.counts.conflicts
     : request.activated ? parts_.counts.misses
                         : parts_.counts.hits);
  queues_.remove(sent.request);
  if (last) queues_.close(sent.bank);
  stale_.column = true;
  stale_.banks |= std::uint64_t{1} << sent.bank;
  pages_.used(sent.bank, sent.at);
  drain_.left(request.write, sent.at);
  if (request.told) return;
  const Settings& s = parts_.settings;
  finish(*request.access, sent.at + (request.write ? s.write_end : s.read_end));
}

void PseudoChannel::issue_row(const Choice& choice) {
  std::uint32_t row = 0;
  (choice.command == Command::kActivate ? stale_.activate : stale_.precharge) = true;
  stale_.banks |= std::uint64_t{1} << choice.bank;
  switch (choice.command) {
    case Command::kActivate:
      // A refresh of another bank keeps its distance from activates.
      if (precharge_.command == Command::kRefreshBank) stale_.precharge = true;
      row = queues_[choice.request].row;
      queues_[choice.request].activated = true;
      queues_.open(choice.bank, row);
      pages_.opened(choice.bank, row);
      pages_.used(choice.bank, choice.at);
      break;
    case Command::kPrecharge:
      if (choice.request != BankQueues::kNone) {
        queues_[choice.request].precharged = true;
        pages_.in_the_way(choice.bank);
      } else if (choice.age == kLast) {
        pages_.closed_unasked(choice.bank, queues_.row(choice.bank));
      }
      queues_.close(choice.bank);
      break;
    case Command::kPrechargeAll:
      for_each(queues_.open() & parts_.settings.sid_banks << choice.bank,
               [this](unsigned bank) { queues_.close(bank); });
      all_stale();
      break;
    default:
      refresh_.done(choice.bank);
      all_stale();
      break;
  }
  send(choice, row, 0);
}

}  // namespace railyard::hbm
