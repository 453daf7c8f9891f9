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
constexpr std::uint64_t kLast = ~std::uint64_t{0};

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
             parts.settings.config.organisation.banks_per_pseudo_channel()) {
  const HbmConfig& config = parts.settings.config;
  if (config.controller.ecc.mode == EccMode::kInline) {
    ecc_.emplace(config.organisation, config.controller.ecc.lines);
  }
}

// --- what comes ---

void PseudoChannel::admit(Tick now) {
  while (!arrivals_.empty() && arrivals_.front().at <= now && admit_one(arrivals_.front(), now)) {
    arrivals_.pop();
  }
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
  pages_.used(arrival.bank, now);
  drain_.came(write, now);
}

void PseudoChannel::finish(Access& access, Tick end) {
  last_end_ = std::max(last_end_, end);
  parts_.ends.piece_done(access, index_, end);
}

// --- what to do next ---

void PseudoChannel::choose() {
  stale_ = false;
  if (drain_.update(queues_, from_)) ++parts_.counts.turnarounds;
  refresh_.update(from_, queues_.waiting(false) | queues_.waiting(true));
  column_.at = row_.at = kNever;
  choose_column();
  choose_row();
  due_ = std::min(drain_.next(), refresh_.next());
  if (!arrivals_.empty() && arrivals_.front().at > from_) {
    due_ = std::min(due_, arrivals_.front().at);
  }
  next_ = std::min({column_.at, row_.at, due_});
  next_age_ = column_.at == next_ ? column_.age : row_.at == next_ ? row_.age : kFirst;
}

void PseudoChannel::offer(Choice& best, Command command, unsigned bank, std::uint64_t age,
                          BankQueues::Index request) {
  const Kind kind = kind_of(command);
  const Ready ready = std::max(ready_.ready(kind, bank), parts_.buses.ready(kind));
  Tick at = std::max(tick_of(ready), from_);
  if (at_whole_clock(command)) at += at & 1;
  if (at > best.at || (at == best.at && age >= best.age)) return;
  best.at = at;
  best.age = age;
  // What was ready before it was wanted was held up by nothing but what stood before it.
  best.cause = tick_of(ready) >= from_ ? cause_of(ready) : kUnbound;
  best.command = command;
  best.bank = static_cast<std::uint8_t>(bank);
  best.request = request;
}

// The oldest request of a bank has waited so long that younger hits of its row no longer pass it.
bool PseudoChannel::starved(unsigned bank, bool write) const {
  const BankQueues::Index oldest = queues_.oldest(bank, write);
  return oldest != queues_.hit(bank, write) &&
         from_ - queues_[oldest].arrived >= parts_.settings.age_limit;
}

BankQueues::Index PseudoChannel::next_in_order(bool write) const {
  BankQueues::Index first = BankQueues::kNone;
  for_each(queues_.waiting(write), [&](unsigned bank) {
    const BankQueues::Index oldest = queues_.oldest(bank, write);
    if (first == BankQueues::kNone || queues_[oldest].age < queues_[first].age) first = oldest;
  });
  return first;
}

void PseudoChannel::choose_column() {
  const bool write = drain_.writing();
  const Command command = write ? Command::kWrite : Command::kRead;
  const std::uint64_t hits = queues_.hits(write) & ~refresh_.wanted();
  if (hits == 0) return;
  if (parts_.settings.config.controller.scheduling == Scheduling::kFcfs) {
    const BankQueues::Index first = next_in_order(write);
    const unsigned bank = queues_[first].bank;
    if ((hits >> bank & 1) != 0 && queues_.hit(bank, write) == first) {
      offer(column_, command, bank, queues_[first].age, first);
    }
    return;
  }
  for_each(hits, [&](unsigned bank) {
    if (starved(bank, write)) return;
    const BankQueues::Index hit = queues_.hit(bank, write);
    offer(column_, command, bank, queues_[hit].age, hit);
  });
}

void PseudoChannel::choose_row() {
  choose_refresh();
  const bool write = drain_.writing();
  const bool in_order = parts_.settings.config.controller.scheduling == Scheduling::kFcfs;
  for_each(queues_.waiting(write) & ~refresh_.wanted(), [&](unsigned bank) {
    const std::uint64_t bit = std::uint64_t{1} << bank;
    const BankQueues::Index oldest = queues_.oldest(bank, write);
    if ((queues_.open() & bit) == 0) {
      offer(row_, Command::kActivate, bank, queues_[oldest].age, oldest);
      return;
    }
    const bool hit = (queues_.hits(write) & bit) != 0;
    const bool kept = in_order ? queues_.hit(bank, write) == oldest : hit && !starved(bank, write);
    if (!kept) offer(row_, Command::kPrecharge, bank, queues_[oldest].age, oldest);
  });
  if (pages_.closes_late()) choose_closing();
}

void PseudoChannel::choose_refresh() {
  refresh_.for_each_wanted([this](unsigned bank, std::uint64_t mask) {
    if ((queues_.open() & mask) == 0) {
      offer(row_, refresh_.command(), bank, kFirst, BankQueues::kNone);
    } else if (refresh_.command() == Command::kRefreshAll) {
      offer(row_, Command::kPrechargeAll, bank, kFirst, BankQueues::kNone);
    } else {
      offer(row_, Command::kPrecharge, bank, kFirst, BankQueues::kNone);
    }
  });
}

void PseudoChannel::choose_closing() {
  const std::uint64_t unused =
      queues_.open() & ~(queues_.waiting(false) | queues_.waiting(true) | refresh_.wanted());
  for_each(unused, [this](unsigned bank) {
    const Tick from = from_;
    from_ = std::max(from_, pages_.close_at(bank));
    offer(row_, Command::kPrecharge, bank, kLast, BankQueues::kNone);
    from_ = from;
  });
}

void PseudoChannel::buses_moved(bool column) {
  const Choice& mine = column ? column_ : row_;
  if (mine.at < kNever && mine.at < tick_of(parts_.buses.ready(kind_of(mine.command)))) {
    stale_ = true;
  }
}

Tick PseudoChannel::earliest_end(bool write, unsigned count) const {
  const Settings& s = parts_.settings;
  Tick column = std::min(column_.at, due_);
  if (row_.at < kNever) column = std::min(column, row_.at + s.least_activate);
  // Writes that are accepted, and reads answered from the write queue, end without a column
  // command; but at once no more of them than that queue holds.
  const ControllerConfig& c = s.config.controller;
  const bool without = write ? c.write_response == WriteResponse::kAccepted : c.forward;
  const unsigned at_once = without ? c.write_queue + 1 : 1;
  if (count > at_once) column += static_cast<Tick>(count - at_once) * s.least_column_gap;
  if (!write) return column + s.read_end;
  return column + (s.config.controller.write_response == WriteResponse::kAccepted ? kTicksPerClock
                                                                                  : s.write_end);
}

// --- steps ---

void PseudoChannel::step() {
  const Tick now = next_;
  const bool was_busy = busy_;
  from_ = now;
  stale_ = true;
  if (column_.at == now) {
    issue_column(column_);
  } else if (row_.at == now) {
    issue_row(row_);
  }
  if (!arrivals_.empty()) admit(now);
  busy_ = queues_.count(false) + queues_.count(true) > 0;
  if (busy_ == was_busy) return;
  if (busy_) {
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
  pages_.used(sent.bank, sent.at);
  drain_.left(request.write, sent.at);
  if (request.told) return;
  const Settings& s = parts_.settings;
  finish(*request.access, sent.at + (request.write ? s.write_end : s.read_end));
}

void PseudoChannel::issue_row(const Choice& choice) {
  std::uint32_t row = 0;
  switch (choice.command) {
    case Command::kActivate:
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
      break;
    default:
      refresh_.done(choice.bank);
      break;
  }
  send(choice, row, 0);
}

}  // namespace railyard::hbm
