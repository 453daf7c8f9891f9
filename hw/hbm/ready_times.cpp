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
  Moves& moves = moves_[before];
  (row.scope == Scope::kOtherSids ? moves.other_sids : moves.near)
      .push_back({folded ? Scope::kPseudoChannel : row.scope, kind_of(row.after), after});
}

unsigned ConstraintRules::cause(const char* name) {
  for (unsigned i = 0; i < causes_.size(); ++i) {
    if (causes_[i] == name) return i;
  }
  causes_.emplace_back(name);
  return static_cast<unsigned>(causes_.size() - 1);
}

ReadyTimes::ReadyTimes(const ConstraintRules& rules)
    : rules_(rules), sids_(rules.organisation_.sids) {
  const Organisation& o = rules.organisation_;
  const unsigned banks = o.banks_per_pseudo_channel();
  first_sid_line_ = banks + o.sids * o.groups;
  all_line_ = first_sid_line_ + o.sids;
  lines_.resize(all_line_ + 1);
  for (unsigned bank = 0; bank < banks; ++bank) {
    group_line_[bank] = static_cast<std::uint8_t>(banks + o.group_of(bank));
    sid_line_[bank] = static_cast<std::uint8_t>(first_sid_line_ + o.sid_of(bank));
  }
  for (const auto& window : rules.windows_) {
    recent_.push_back({std::vector<Tick>(window.count, -kNever), 0});
  }
}

void ReadyTimes::issued(Command command, unsigned bank, Tick tick) {
  const Ready at = tick << kCauseBits;
  const auto& moves = rules_.moves_[static_cast<std::size_t>(command)];
  std::array<unsigned, 6> line{};
  line[static_cast<std::size_t>(Scope::kBank)] = bank;
  line[static_cast<std::size_t>(Scope::kGroup)] = group_line_[bank];
  line[static_cast<std::size_t>(Scope::kSid)] = sid_line_[bank];
  line[static_cast<std::size_t>(Scope::kPseudoChannel)] = all_line_;
  for (const auto& rule : moves.near) {
    lines_[line[static_cast<std::size_t>(rule.scope)]].raise(rule.kind, at + rule.after);
  }
  if (has_sids()) {
    for (unsigned sid = first_sid_line_; sid < all_line_; ++sid) {
      if (sid == sid_line_[bank]) continue;
      for (const auto& rule : moves.other_sids) lines_[sid].raise(rule.kind, at + rule.after);
    }
  }
  for (std::size_t i = 0; i < recent_.size(); ++i) {
    const auto& window = rules_.windows_[i];
    if (window.command != command) continue;
    Recent& recent = recent_[i];
    recent.ticks[recent.next] = tick;
    recent.next = (recent.next + 1) % recent.ticks.size();
    const Tick first = recent.ticks[recent.next];
    if (first >= 0) lines_[all_line_].raise(window.kind, (first << kCauseBits) + window.after);
  }
}

}  // namespace railyard::hbm
