#include "hw/hbm/ready_times.h"

#include <map>
#include <stdexcept>
#include <utility>

namespace railyard::hbm {

ConstraintRules::ConstraintRules(const ConstraintTable& table, const Organisation& organisation,
                                 unsigned unused)
    : organisation_(organisation), causes_{"unbound"} {
  // The longest of what stands between a command and another, in the same scope.
  std::map<std::pair<std::size_t, std::pair<Scope, std::size_t>>, const Constraint*> longest;
  for (const Constraint& row : table.constraints) {
    const Constraint*& best = longest[{static_cast<std::size_t>(row.before),
                                       {row.scope, static_cast<std::size_t>(row.after)}}];
    if (best == nullptr || best->distance < row.distance) best = &row;
  }
  for (const auto& [key, row] : longest) {
    const bool plain = row->after == Command::kRead || row->after == Command::kWrite;
    const bool automatic = row->after == Command::kReadAuto || row->after == Command::kWriteAuto;
    if (plain || automatic) {
      const std::size_t twin = key.second.second + (plain ? 1 : std::size_t{0} - 1);
      const auto other = longest.find({key.first, {row->scope, twin}});
      if (other == longest.end() || other->second->distance != row->distance) {
        throw std::logic_error(std::string(row->name) + " differs with auto-precharge");
      }
      if (automatic) continue;
    }
    if ((unused >> static_cast<unsigned>(kind_of(row->after)) & 1) == 0) add(key.first, *row);
  }
  for (const Window& window : table.windows) {
    if (window.scope != Scope::kPseudoChannel) {
      throw std::logic_error(std::string(window.name) + " is not of a pseudo-channel");
    }
    windows_.push_back({window.command, kind_of(window.command), window.count,
                        window.window << kCauseBits | static_cast<Ready>(cause(window.name))});
  }
}

void ConstraintRules::add(std::size_t before, const Constraint& row) {
  const Ready after = row.distance << kCauseBits | static_cast<Ready>(cause(row.name));
  if (row.scope == Scope::kChannel) {
    Ready& bus = moves_[before].bus;
    const bool same_bus = is_column(row.before) == is_column(row.after);
    if (!same_bus || (bus != 0 && bus != after)) {
      throw std::logic_error(std::string(row.name) + " does not treat its commands alike");
    }
    bus = after;
    return;
  }
  // With one SID, what holds in it holds in the pseudo-channel.
  const bool folded = row.scope == Scope::kSid && organisation_.sids == 1;
  moves_[before]
      .in(folded ? Scope::kPseudoChannel : row.scope)
      .push_back({kind_of(row.after), after});
}

std::vector<ConstraintRules::Rule>& ConstraintRules::Moves::in(Scope scope) {
  switch (scope) {
    case Scope::kBank:
      return bank;
    case Scope::kGroup:
      return group;
    case Scope::kSid:
      return sid;
    case Scope::kOtherSids:
      return other_sids;
    case Scope::kPseudoChannel:
    case Scope::kChannel:
      break;
  }
  return all;
}

unsigned ConstraintRules::cause(const char* name) {
  for (unsigned i = 0; i < causes_.size(); ++i) {
    if (causes_[i] == name) return i;
  }
  causes_.emplace_back(name);
  return static_cast<unsigned>(causes_.size() - 1);
}

ReadyTimes::ReadyTimes(const ConstraintRules& rules)
    : rules_(rules),
      banks_(rules.organisation_.banks_per_pseudo_channel()),
      groups_(std::size_t{rules.organisation_.sids} * rules.organisation_.groups),
      sids_(rules.organisation_.sids) {
  for (unsigned bank = 0; bank < banks_.size(); ++bank) {
    group_of_[bank] = static_cast<std::uint8_t>(rules.organisation_.group_of(bank));
    sid_of_[bank] = static_cast<std::uint8_t>(rules.organisation_.sid_of(bank));
  }
  for (const auto& window : rules.windows_) {
    recent_.push_back({std::vector<Tick>(window.count, -kNever), 0});
  }
}

void ReadyTimes::issued(Command command, unsigned bank, Tick tick) {
  const Ready at = tick << kCauseBits;
  const auto& moves = rules_.moves_[static_cast<std::size_t>(command)];
  const auto raise = [at](ReadyLine& line, const auto& rules) {
    for (const auto& rule : rules) line.raise(rule.kind, at + rule.after);
  };
  raise(banks_[bank], moves.bank);
  raise(groups_[group_of_[bank]], moves.group);
  raise(all_, moves.all);
  if (has_sids()) {
    raise(sids_[sid_of_[bank]], moves.sid);
    for (std::size_t sid = 0; sid < sids_.size(); ++sid) {
      if (sid != sid_of_[bank]) raise(sids_[sid], moves.other_sids);
    }
  }
  for (std::size_t i = 0; i < recent_.size(); ++i) {
    const auto& window = rules_.windows_[i];
    if (window.command != command) continue;
    Recent& recent = recent_[i];
    recent.ticks[recent.next] = tick;
    recent.next = (recent.next + 1) % recent.ticks.size();
    const Tick first = recent.ticks[recent.next];
    if (first >= 0) all_.raise(window.kind, (first << kCauseBits) + window.after);
  }
}

}  // namespace railyard::hbm
