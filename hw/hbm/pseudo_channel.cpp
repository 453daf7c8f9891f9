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
             parts.settings.config.organisation.banks_per_pseudo_channel()),
      in_order_(parts.settings.config.controller.scheduling == Scheduling::kFcfs) {
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
  stale_.banks |= std::uint64_t{1} << arrival.bank;
  pages_.used(arrival.bank, now);
  drain_.came(write, now);
}

void PseudoChannel::finish(Access& access, Tick end) {
  last_end_ = std::max(last_end_, end);
  parts_.ends.piece_done(access, index_, end);
}

// --- what to do next ---

// A bank whose state changed is offered anew; all are, when what all depend on changed. Nothing
// else can come earlier than it was thought: what could go before the last step has gone.
void PseudoChannel::choose() {
  if (drain_.update(queues_, from_)) {
    ++parts_.counts.turnarounds;
    all_stale();
  }
  if (refresh_.update(from_, queues_.waiting(false) | queues_.waiting(true))) all_stale();
  for_each(stale_.banks, [this](unsigned bank) { reconsider(bank); });
  if (stale_.column) {
    column_.at = kNever;
    choose_column();
  }
  if (stale_.row) {
    row_.at = kNever;
    choose_row();
  }
  due_ = std::min(drain_.next(), refresh_.next());
  if (!arrivals_.empty() && arrivals_.front().at > from_) {
    due_ = std::min(due_, arrivals_.front().at);
  }
  next_ = std::min({column_.at, row_.at, due_});
  next_age_ = column_.at == next_ ? column_.age : row_.at == next_ ? row_.age : kFirst;
  stale_ = {false, false, false, 0};
}

void PseudoChannel::reconsider(unsigned bank) {
  const bool write = drain_.writing();
  if ((refresh_.wanted() >> bank & 1) != 0) return;
  if (!stale_.column) {
    if (in_order_ || (column_.at < kNever && column_.bank == bank)) {
      stale_.column = true;
    } else if ((queues_.hits(write) >> bank & 1) != 0) {
      offer_column(bank, floor_of(write ? Kind::kWrite : Kind::kRead));
    }
  }
  if (stale_.row) return;
  if (row_.at < kNever && row_.bank == bank) {
    stale_.row = true;
  } else if ((queues_.waiting(write) >> bank & 1) != 0) {
    offer_row(bank, floor_of(Kind::kActivate), floor_of(Kind::kPrecharge));
  }
}

void PseudoChannel::offer(Choice& best, Ready ready, Command command, unsigned bank,
                          std::uint64_t age, BankQueues::Index request) {
  Tick at = tick_of(ready);
  if (at_whole_clock(command)) at += at & 1;
  if (at > best.at || (at == best.at && age >= best.age)) return;
  best.at = at;
  best.age = age;
  best.cause = cause_of(ready);
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

/// Some request still wants the open row of a bank with requests.
bool PseudoChannel::kept_open(unsigned bank, bool write) const {
  if ((queues_.hits(write) >> bank & 1) == 0) return false;
  if (in_order_) return queues_.hit(bank, write) == queues_.oldest(bank, write);
  return !starved(bank, write);
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

void PseudoChannel::choose_column() {
  const bool write = drain_.writing();
  const std::uint64_t hits = queues_.hits(write) & ~refresh_.wanted();
  if (hits == 0) return;
  const Ready floor = floor_of(write ? Kind::kWrite : Kind::kRead);
  if (in_order_) {
    const BankQueues::Index first = next_in_order(write);
    const unsigned bank = queues_[first].bank;
    if ((hits >> bank & 1) != 0 && queues_.hit(bank, write) == first) offer_column(bank, floor);
    return;
  }
  for_each(hits, [&](unsigned bank) { offer_column(bank, floor); });
}

void PseudoChannel::offer_column(unsigned bank, Ready floor) {
  const bool write = drain_.writing();
  if (starved(bank, write)) return;
  const Command command = write ? Command::kWrite : Command::kRead;
  offer(column_, ready_at(kind_of(command), bank, floor), command, bank,
        queues_.hit_age(bank, write), queues_.hit(bank, write));
}

void PseudoChannel::choose_row() {
  choose_refresh();
  const Ready activate = floor_of(Kind::kActivate);
  const Ready precharge = floor_of(Kind::kPrecharge);
  for_each(queues_.waiting(drain_.writing()) & ~refresh_.wanted(),
           [&](unsigned bank) { offer_row(bank, activate, precharge); });
  if (pages_.closes_late()) choose_closing();
}

void PseudoChannel::offer_row(unsigned bank, Ready activate_floor, Ready precharge_floor) {
  const bool write = drain_.writing();
  const bool open = (queues_.open() >> bank & 1) != 0;
  if (open && kept_open(bank, write)) return;
  const Command command = open ? Command::kPrecharge : Command::kActivate;
  offer(row_, ready_at(kind_of(command), bank, open ? precharge_floor : activate_floor), command,
        bank, queues_.oldest_age(bank, write), queues_.oldest(bank, write));
}

void PseudoChannel::choose_refresh() {
  refresh_.for_each_wanted([this](unsigned bank, std::uint64_t mask) {
    Command command = refresh_.command();
    if ((queues_.open() & mask) != 0) {
      command = command == Command::kRefreshAll ? Command::kPrechargeAll : Command::kPrecharge;
    }
    const Kind kind = kind_of(command);
    offer(row_, ready_at(kind, bank, floor_of(kind)), command, bank, kFirst, BankQueues::kNone);
  });
}

void PseudoChannel::choose_closing() {
  const std::uint64_t unused =
      queues_.open() & ~(queues_.waiting(false) | queues_.waiting(true) | refresh_.wanted());
  for_each(unused, [this](unsigned bank) {
    const Ready floor =
        std::max(floor_of(Kind::kPrecharge), Ready{pages_.close_at(bank)} << kCauseBits);
    offer(row_, ready_at(Kind::kPrecharge, bank, floor), Command::kPrecharge, bank, kLast,
          BankQueues::kNone);
  });
}

void PseudoChannel::buses_moved(bool column) {
  const Choice& mine = column ? column_ : row_;
  if (mine.at >= kNever || mine.at >= tick_of(parts_.buses.ready(kind_of(mine.command)))) return;
  (column ? stale_.column : stale_.row) = true;
  stale_.rest = true;
}

Tick PseudoChannel::earliest_end(bool write, unsigned count) const {
  const Settings& s = parts_.settings;
  Tick column = std::min(column_.at, due_);
  if (row_.at < kNever) column = std::min(column, row_.at + s.least_activate);
  column += static_cast<Tick>(count - 1) * s.least_column_gap;
  if (!write) return column + s.read_end;
  return column + (s.config.controller.write_response == WriteResponse::kAccepted ? kTicksPerClock
                                                                                  : s.write_end);
}

// --- steps ---

void PseudoChannel::step() {
  const Tick now = next_;
  const bool was_busy = busy_;
  from_ = now;
  stale_.rest = true;
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
  stale_.row = true;
  stale_.banks |= std::uint64_t{1} << choice.bank;
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
