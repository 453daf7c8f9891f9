#include "hw/hbm/ready_times.h"

#include <map>
#include <stdexcept>
#include <utility>

namespace railyard::hbm {

Kind kind_of(Command command) {
  static constexpr std::array<Kind, kCommands> kKinds = {
      Kind::kActivate, Kind::kPrecharge, Kind::kPrechargeAll, Kind::kRead,       Kind::kRead,
      Kind::kWrite,    Kind::kWrite,     Kind::kRefreshAll,   Kind::kRefreshBank};
  return kKinds[static_cast<std::size_t>(command)];
}

ConstraintRules::ConstraintRules(const ConstraintTable& table, const Organisation& organisation)
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
    auto& rules = (row->scope == Scope::kChannel ? bus_rules_ : rules_)[key.first];
    rules.push_back({row->scope, kind_of(row->after),
                     row->distance << kCauseBits | static_cast<Ready>(cause(row->name))});
  }
  for (const Window& window : table.windows) {
    if (window.scope != Scope::kPseudoChannel) {
      throw std::logic_error(std::string(window.name) + " is not of a pseudo-channel");
    }
    windows_.push_back({window.command, kind_of(window.command), window.count,
                        window.window << kCauseBits | static_cast<Ready>(cause(window.name))});
  }
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
  for (const auto& rule : rules_.rules_[static_cast<std::size_t>(command)]) {
    const Ready ready = at + rule.after;
    switch (rule.scope) {
      case Scope::kBank:
        banks_[bank].raise(rule.kind, ready);
        break;
      case Scope::kGroup:
        groups_[group_of_[bank]].raise(rule.kind, ready);
        break;
      case Scope::kSid:
        sids_[sid_of_[bank]].raise(rule.kind, ready);
        break;
      case Scope::kOtherSids:
        for (std::size_t sid = 0; sid < sids_.size(); ++sid) {
          if (sid != sid_of_[bank]) sids_[sid].raise(rule.kind, ready);
        }
        break;
      case Scope::kPseudoChannel:
        all_.raise(rule.kind, ready);
        break;
      case Scope::kChannel:
        break;  // BusTimes
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
