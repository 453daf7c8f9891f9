// Prints what hw/hbm/README.md has of tables: `constraints`, `presets`, or `sources`, in Markdown.
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <systemc>

#include "hw/hbm/constraint_table.h"
#include "hw/hbm/hbm_preset.h"

namespace railyard::hbm {
namespace {

const char* name_of(Scope scope) {
  switch (scope) {
    case Scope::kBank:
      return "bank";
    case Scope::kGroup:
      return "bank group";
    case Scope::kSid:
      return "SID";
    case Scope::kOtherSids:
      return "other SIDs";
    case Scope::kPseudoChannel:
      return "pseudo-channel";
    case Scope::kChannel:
      return "channel";
  }
  return "";
}

std::string clocks(Tick ticks) {
  return std::to_string(ticks / kTicksPerClock) + (ticks % kTicksPerClock != 0 ? ".5" : "");
}

/// Constraints of one name, scope and distance, whose commands are all of `before` and `after`.
struct Rule {
  std::string name;
  Scope scope;
  Tick distance;
  std::vector<Command> before;
  std::vector<Command> after;
};

void insert(std::vector<Command>& commands, Command command) {
  for (const Command c : commands) {
    if (c == command) return;
  }
  commands.push_back(command);
}

std::string list(const std::vector<Command>& commands) {
  std::string text;
  for (const Command c : commands) {
    text += std::string(text.empty() ? "" : ", ") + railyard::hbm::name_of(c);
  }
  return text;
}

/// What each command before is followed by; those of the same followers are one rule.
std::vector<Rule> rules(const ConstraintTable& table) {
  std::vector<Rule> single;
  for (const Constraint& c : table.constraints) {
    Rule* found = nullptr;
    for (Rule& r : single) {
      if (r.name == c.name && r.scope == c.scope && r.distance == c.distance &&
          r.before.front() == c.before) {
        found = &r;
      }
    }
    if (found == nullptr) {
      single.push_back({c.name, c.scope, c.distance, {c.before}, {}});
      found = &single.back();
    }
    insert(found->after, c.after);
  }
  std::vector<Rule> merged;
  for (const Rule& r : single) {
    bool joined = false;
    for (Rule& m : merged) {
      if (m.name != r.name || m.scope != r.scope || m.distance != r.distance || m.after != r.after)
        continue;
      insert(m.before, r.before.front());
      joined = true;
    }
    if (!joined) merged.push_back(r);
  }
  return merged;
}

void print_constraints() {
  std::cout << "| constraint | from | to | of the same | CK, `h100` |\n|---|---|---|---|---|\n";
  const ConstraintTable table = constraint_table(hbm_preset(HbmPreset::kH100).timing);
  for (const Rule& r : rules(table)) {
    std::cout << "| " << r.name << " | " << list(r.before) << " | " << list(r.after) << " | "
              << name_of(r.scope) << " | " << clocks(r.distance) << " |\n";
  }
  for (const Window& w : table.windows) {
    std::cout << "| " << w.name << " | " << railyard::hbm::name_of(w.command) << " | the "
              << w.count + 1 << "th " << railyard::hbm::name_of(w.command) << " | "
              << name_of(w.scope) << " | " << clocks(w.window) << " |\n";
  }
}

void print_presets() {
  std::vector<std::string> keys;
  std::map<std::string, std::map<std::string, HbmPresetRow>> rows;
  for (const HbmPresetRow& row : hbm_preset_rows()) {
    if (rows[row.key].empty()) keys.push_back(row.key);
    rows[row.key].emplace(row.preset, row);
  }
  std::cout << "| key |";
  std::string rule = "|---|";
  for (const auto& [name, preset] : hbm_preset_names()) {
    std::cout << " `" << name << "` |";
    rule += "---|";
  }
  std::cout << "\n" << rule << "\n";
  for (const std::string& key : keys) {
    std::cout << "| `" << key << "` |";
    for (const auto& [name, preset] : hbm_preset_names()) {
      const HbmPresetRow& row = rows[key].at(name);
      const char* mark = row.origin == Origin::kPublished ? ""
                         : row.origin == Origin::kScaled  ? " s"
                         : row.origin == Origin::kDerived ? " d"
                                                          : " a";
      std::cout << " " << row.value << mark << " |";
    }
    std::cout << "\n";
  }
}

/// "organisation.rows, timing.cl", or "the rest of `timing`" of what most keys of a group have.
void print_sources() {
  for (const auto& [name, preset] : hbm_preset_names()) {
    std::vector<std::pair<std::string, std::string>> sources;  // and keys
    for (const HbmPresetRow& row : hbm_preset_rows()) {
      if (row.preset != name) continue;
      const std::string source =
          std::string(railyard::hbm::name_of(row.origin)) + ": " + row.source;
      const std::string key = "`" + row.key.substr(row.key.find('.') + 1) + "`";
      bool joined = false;
      for (auto& [text, keys] : sources) {
        if (text != source) continue;
        keys += ", " + key;
        joined = true;
      }
      if (!joined) sources.emplace_back(source, key);
    }
    std::cout << "- `" << name << "`\n";
    for (const auto& [source, keys] : sources) {
      std::cout << "  - " << keys << ": " << source << "\n";
    }
  }
}

int print(const std::string& what) {
  if (what == "constraints") {
    print_constraints();
  } else if (what == "presets") {
    print_presets();
  } else if (what == "sources") {
    print_sources();
  } else {
    std::cerr << "hbm_tables constraints | presets | sources\n";
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace railyard::hbm

int sc_main(int argc, char** argv) { return railyard::hbm::print(argc == 2 ? argv[1] : ""); }
