#include "hw/hbm/command_checker.h"

#include <algorithm>
#include <numeric>

#include "hw/hbm/clock_text.h"

namespace railyard::hbm {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::int64_t kClosed = -1;

constexpr std::size_t index(Command command) { return static_cast<std::size_t>(command); }
constexpr std::size_t index(Scope scope) { return static_cast<std::size_t>(scope); }

constexpr bool is_of_sid(Command command) {
  return command == Command::kPrechargeAll || command == Command::kRefreshAll;
}
constexpr bool needs_whole_clock(Command command) {
  return command == Command::kActivate || is_column(command);
}
constexpr bool precharges_itself(Command command) {
  return command == Command::kReadAuto || command == Command::kWriteAuto;
}

/// What is of a whole SID is of each of its banks.
Scope scope_of(const Constraint& row) {
  const bool of_part = row.scope == Scope::kBank || row.scope == Scope::kGroup;
  return of_part && (is_of_sid(row.before) || is_of_sid(row.after)) ? Scope::kSid : row.scope;
}

}  // namespace

CommandChecker::CommandChecker(const std::string& name, const Organisation& organisation,
                               const Timing& timing, const RefreshConfig& refresh)
    : CommandChecker(name, organisation, timing, refresh,
                     RefreshCheck::default_slack(organisation, timing)) {}

CommandChecker::CommandChecker(const std::string& name, const Organisation& organisation,
                               const Timing& timing, const RefreshConfig& refresh,
                               Tick refresh_slack)
    : CommandChecker(name, organisation, timing) {
  refresh_.emplace(organisation, timing, refresh, refresh_slack);
}

CommandChecker::CommandChecker(const std::string& name, const Organisation& organisation,
                               const Timing& timing)
    : name_(name),
      organisation_(organisation),
      timing_(timing),
      slots_(bank_slot(organisation.banks_per_pseudo_channel())) {
  const std::size_t pseudo_channels = organisation.total_pseudo_channels();
  const unsigned banks = organisation.banks_per_pseudo_channel();
  history_.assign(pseudo_channels * slots_, LastOfKinds{});
  channels_.assign(organisation.total_channels(), LastOfKinds{});
  last_tick_.assign(organisation.total_channels(), 0);
  open_row_.assign(pseudo_channels * banks, kClosed);
  open_banks_.assign(pseudo_channels * organisation.sids, 0);
  for (unsigned bank = 0; bank < banks; ++bank) {
    sid_of_.at(bank) = static_cast<std::uint8_t>(organisation.sid_of(bank));
    group_of_.at(bank) = static_cast<std::uint8_t>(organisation.group_of(bank));
  }
  compile(constraint_table(timing));
}

void CommandChecker::compile(const ConstraintTable& table) {
  for (const Constraint& row : table.constraints) {
    auto& rows = row.scope == Scope::kOtherSids ? other_rows_ : rows_;
    rows[index(row.after)].push_back({row.before, scope_of(row), row.distance, row.name});
  }
  for (const Window& window : table.windows) {
    const std::size_t scopes = std::max(history_.size(), channels_.size());
    windows_.push_back(
        {window, std::vector<Last>(scopes * window.count), std::vector<std::uint32_t>(scopes, 0)});
  }
}

std::array<const CommandChecker::LastOfKinds*, CommandChecker::kScopes> CommandChecker::scopes(
    const CommandRecord& record) const {
  const LastOfKinds* const all = &history_[flat(record) * slots_];
  const LastOfKinds* const sid = all + sid_slot(sid_of_[record.bank]);
  const LastOfKinds* const channel = &channels_[record.channel];
  if (is_of_sid(record.command)) return {sid, sid, sid, sid, all, channel};
  return {all + bank_slot(record.bank),
          all + group_slot(group_of_[record.bank]),
          sid,
          sid,
          all,
          channel};
}

std::size_t CommandChecker::ring_of(const Window& window, const CommandRecord& record) const {
  const auto& all = window.scope == Scope::kChannel ? channels_ : history_;
  return static_cast<std::size_t>(scopes(record)[index(window.scope)] - all.data());
}

std::optional<std::string> CommandChecker::check(const CommandRecord& record) const {
  if (auto problem = misplaced(record)) return text(record) + ": " + *problem;
  const Tick last = last_tick_[record.channel];
  if (record.tick < last) {
    return text(record) + ": the channel had a command at " + clock_text(last) +
           " CK already: time goes back by " + clock_text(last - record.tick) + " CK";
  }
  if (needs_whole_clock(record.command) && record.tick % kTicksPerClock != 0) {
    return text(record) + ": not at a whole clock";
  }
  if (const char* wrong = wrong_state(record)) return text(record) + ": " + wrong;
  if (record.tick < earliest(record)) return text(record, bound(record));
  if (!refresh_) return std::nullopt;
  if (auto problem = refresh_->problem(record, flat(record))) return text(record) + ": " + *problem;
  return std::nullopt;
}

std::optional<std::string> CommandChecker::misplaced(const CommandRecord& record) const {
  const auto beyond = [](const char* field, std::uint64_t value, std::uint64_t count) {
    return std::string("there is no ") + field + " " + std::to_string(value) + ", they are 0 to " +
           std::to_string(count - 1);
  };
  const Organisation& o = organisation_;
  if (record.channel >= o.total_channels()) {
    return beyond("channel", record.channel, o.total_channels());
  }
  if (record.pseudo_channel >= o.pseudo_channels) {
    return beyond("pseudo-channel", record.pseudo_channel, o.pseudo_channels);
  }
  if (record.bank >= o.banks_per_pseudo_channel()) {
    return beyond("bank", record.bank, o.banks_per_pseudo_channel());
  }
  if (is_of_sid(record.command)) {
    if (record.bank % o.banks_per_sid() == 0) return std::nullopt;
    return "the bank is not the first of its SID";
  }
  if (needs_whole_clock(record.command) && record.row >= o.rows) {
    return beyond("row", record.row, o.rows);
  }
  if (is_column(record.command) && record.column >= o.columns) {
    return beyond("column", record.column, o.columns);
  }
  return std::nullopt;
}

const char* CommandChecker::wrong_state(const CommandRecord& record) const {
  const std::size_t pseudo_channel = flat(record);
  const std::int64_t row =
      open_row_[pseudo_channel * organisation_.banks_per_pseudo_channel() + record.bank];
  switch (record.command) {
    case Command::kActivate:
      return row != kClosed ? "the bank has an open row already" : nullptr;
    case Command::kPrecharge:
      return row == kClosed ? "the bank is closed already" : nullptr;
    case Command::kPrechargeAll:
      return nullptr;
    case Command::kRefreshAll:
      return open_banks_[pseudo_channel * organisation_.sids + sid_of_[record.bank]] != 0
                 ? "a bank of the SID has an open row"
                 : nullptr;
    case Command::kRefreshBank:
      return row != kClosed ? "the bank has an open row" : nullptr;
    case Command::kRead:
    case Command::kReadAuto:
    case Command::kWrite:
    case Command::kWriteAuto:
      if (row == kClosed) return "the bank is closed";
      return row != record.row ? "another row of the bank is open" : nullptr;
  }
  return "an unknown command";
}

template <class Apply>
void CommandChecker::for_each_bound(const CommandRecord& record, Apply apply) const {
  const auto at = scopes(record);
  const auto apply_row = [&apply](const Row& row, const LastOfKinds& history) {
    apply(history[index(row.before)], row.distance, row.name, row.before);
  };
  for (const Row& row : rows_[index(record.command)]) apply_row(row, *at[index(row.scope)]);
  const auto& other_rows = other_rows_[index(record.command)];
  if (!other_rows.empty()) {
    const LastOfKinds* const all = at[index(Scope::kPseudoChannel)];
    for (unsigned sid = 0; sid < organisation_.sids; ++sid) {
      if (sid == sid_of_[record.bank]) continue;
      for (const Row& row : other_rows) apply_row(row, all[sid_slot(sid)]);
    }
  }
  for (const WindowRow& row : windows_) {
    const Window& window = row.window;
    if (window.command != record.command) continue;
    const std::size_t ring = ring_of(window, record);
    apply(row.recent[ring * window.count + row.next[ring]], window.window, window.name,
          window.command);
  }
}

Tick CommandChecker::earliest(const CommandRecord& record) const {
  Tick earliest = -kNever;
  for_each_bound(record, [&earliest](Last last, Tick distance, const char*, Command) {
    earliest = std::max(earliest, last.tick() + distance);
  });
  return earliest;
}

CommandChecker::Bound CommandChecker::bound(const CommandRecord& record) const {
  Bound bound;
  for_each_bound(record, [&](Last last, Tick distance, const char* name, Command before) {
    const Tick earliest = last.tick() + distance;
    if (earliest < bound.earliest) return;
    if (earliest == bound.earliest && distance <= bound.distance) return;
    bound = {earliest, distance, name, before, last};
  });
  return bound;
}

void CommandChecker::take(const CommandRecord& record) {
  const std::size_t kind = index(record.command);
  ++counts_[kind];
  const Last last(record);
  for (WindowRow& row : windows_) {
    if (row.window.command != record.command) continue;
    const std::size_t ring = ring_of(row.window, record);
    std::uint32_t& next = row.next[ring];
    row.recent[ring * row.window.count + next] = last;
    if (++next == row.window.count) next = 0;
  }
  LastOfKinds* const all = &history_[flat(record) * slots_];
  all[0][kind] = last;
  all[sid_slot(sid_of_[record.bank])][kind] = last;
  if (!is_of_sid(record.command)) {
    all[group_slot(group_of_[record.bank])][kind] = last;
    all[bank_slot(record.bank)][kind] = last;
  }
  channels_[record.channel][kind] = last;
  last_tick_[record.channel] = record.tick;
  change_state(record);
  if (refresh_ && RefreshCheck::is_refresh(record.command)) refresh_->take(record, flat(record));
}

void CommandChecker::change_state(const CommandRecord& record) {
  const std::size_t first = flat(record) * organisation_.banks_per_pseudo_channel();
  const unsigned sid = sid_of_[record.bank];
  std::uint32_t& open_banks = open_banks_[flat(record) * organisation_.sids + sid];
  std::int64_t& row = open_row_[first + record.bank];
  if (record.command == Command::kActivate) {
    if (row == kClosed) ++open_banks;
    row = record.row;
  } else if (record.command == Command::kPrecharge || precharges_itself(record.command)) {
    if (row != kClosed) --open_banks;
    row = kClosed;
  } else if (record.command == Command::kPrechargeAll) {
    std::fill_n(&open_row_[first + organisation_.first_bank_of_sid(sid)],
                organisation_.banks_per_sid(), kClosed);
    open_banks = 0;
  }
}

std::optional<std::string> CommandChecker::check_end(Tick end) const {
  if (!refresh_) return std::nullopt;
  for (std::size_t i = 0; i < organisation_.total_pseudo_channels(); ++i) {
    if (auto problem = refresh_->missing(i, end)) {
      return "channel " + std::to_string(i / organisation_.pseudo_channels) + ", pseudo-channel " +
             std::to_string(i % organisation_.pseudo_channels) + ": " + *problem;
    }
  }
  return std::nullopt;
}

void CommandChecker::command(const CommandRecord& record) {
  if (auto problem = check(record)) {
    const Wide time = static_cast<Wide>(std::max<Tick>(record.tick, 0)) * timing_.tick_num();
    break_invariant(name_, static_cast<Time>(time / timing_.tick_den()), *problem);
  }
  take(record);
}

void CommandChecker::at_end(Time now, bool /*drained*/) {
  if (catch_up_) catch_up_();
  const Wide end = static_cast<Wide>(now) * timing_.tick_den() / timing_.tick_num();
  if (auto problem = check_end(static_cast<Tick>(end))) break_invariant(name_, now, *problem);
}

std::uint64_t CommandChecker::commands() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

std::string CommandChecker::text(const CommandRecord& record) const {
  return "channel " + std::to_string(record.channel) + ", pseudo-channel " +
         std::to_string(record.pseudo_channel) + ", bank " + std::to_string(record.bank) + ": " +
         name_of(record.command) + " at " + clock_text(record.tick) + " CK";
}

std::string CommandChecker::text(const CommandRecord& record, const Bound& bound) const {
  return text(record) + " misses " + bound.name + " by " +
         clock_text(bound.earliest - record.tick) + " CK: it is " + clock_text(bound.distance) +
         " CK after " + name_of(bound.before) + " of pseudo-channel " +
         std::to_string(bound.last.pseudo_channel()) + ", bank " +
         std::to_string(bound.last.bank()) + ", at " + clock_text(bound.last.tick()) + " CK";
}

}  // namespace railyard::hbm
