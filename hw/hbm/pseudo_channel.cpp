#include "hw/hbm/pseudo_channel.h"

#include <algorithm>

#include "hw/hbm/bank_set.h"

namespace railyard::hbm {

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
  const bool write = arrival.write;
  const unsigned extra = ecc_ ? 1 : 0;
  if (!queues_.room(write, 1 + extra) || !queues_.room(!write, extra)) return false;
  if (!write && config.forward && queues_.count(true) > 0 &&
      queues_.has(arrival.bank, arrival.row, arrival.column, true)) {
    ++parts_.counts.forwarded;
    finish(*arrival.access, now + parts_.settings.read_end);
    return true;
  }
  const bool told = write && config.write_response == WriteResponse::kAccepted;
  add(arrival, told, now);
  if (ecc_) {
    const InlineEcc::Cost cost = ecc_->access(arrival.bank, arrival.row, arrival.column, write);
    if (cost.read) {
      ++parts_.counts.ecc_reads;
      Access* const waits = told ? nullptr : arrival.access;
      if (waits != nullptr) parts_.ends.piece_added(*waits, index_);
      add({waits, now, cost.line.row, cost.line.column, cost.line.bank, false}, told, now);
    }
    if (cost.write) {
      ++parts_.counts.ecc_writes;
      add({nullptr, now, cost.evicted.row, cost.evicted.column, cost.evicted.bank, true}, true,
          now);
    }
  }
  if (told) finish(*arrival.access, now + kTicksPerClock);
  return true;
}

void PseudoChannel::add(const Arrival& arrival, bool told, Tick now) {
  Request request;
  request.access = arrival.access;
  request.age = ++parts_.ages;
  request.arrived = arrival.at;
  request.row = arrival.row;
  request.column = arrival.column;
  request.bank = arrival.bank;
  request.write = arrival.write;
  request.told = told;
  queues_.add(request);
  stale_.banks |= std::uint64_t{1} << arrival.bank;
  pages_.used(arrival.bank, now);
  drain_.came(arrival.write, now);
}

void PseudoChannel::finish(Access& access, Tick end) {
  last_end_ = std::max(last_end_, end);
  parts_.ends.piece_done(access, index_, end);
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

void PseudoChannel::step() {
  const Tick now = next_;
  if (!arrivals_.empty() && arrivals_.front().at == now && take_arrivals(now)) return;
  from_ = now;
  stale_.any = true;
  if (column_.at == now) {
    issue_column(column_);
    if (!arrivals_.empty()) admit(now);
    count_busy(now);
  } else if (first_row().at == now) {
    issue_row(first_row());
  }
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
      for_each_bank(queues_.open() & parts_.settings.config.organisation.banks_of_sid(choice.bank),
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
