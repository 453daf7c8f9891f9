#include "tlm/config/parameters.h"

#include <algorithm>
#include <stdexcept>

namespace railyard {

namespace {

constexpr std::size_t kLongestName = 64;

std::string at_path(const Scope& scope) { return scope.path.empty() ? "" : scope.path + ": "; }

/// "link.rate" of "link.rate", "switch.ecn.kmin" of "kmin": the one declared path that ends in
/// `key`, if there is one.
std::string path_elsewhere(const std::string& key, const Parameters& root) {
  std::vector<ParameterRow> rows;
  root.describe("", rows);
  const std::string ending = "." + key;
  std::string found;
  for (const ParameterRow& row : rows) {
    const bool ends = row.path.size() >= ending.size() &&
                      row.path.compare(row.path.size() - ending.size(), ending.size(), ending) == 0;
    if (row.path != key && !ends) continue;
    if (!found.empty()) return "";
    found = row.path;
  }
  return found;
}

}  // namespace

bool is_identifier(const std::string& name) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !name.empty() && name.size() <= kLongestName && is_letter(name[0]) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

bool Bound::has(const std::string& key) const {
  const Node* node = &map_;
  for (std::size_t begin = 0; node != nullptr && begin <= key.size();) {
    const std::size_t end = std::min(key.find('.', begin), key.size());
    node = node->find(key.substr(begin, end - begin));
    begin = end + 1;
  }
  return node != nullptr;
}

const Mark& Bound::mark(const std::string& key) const {
  const Node* node = &map_;
  for (std::size_t begin = 0; begin <= key.size();) {
    const std::size_t end = std::min(key.find('.', begin), key.size());
    const Node* next = node->find(key.substr(begin, end - begin));
    if (next == nullptr) break;
    node = next;
    begin = end + 1;
  }
  return node->mark;
}

void Bound::fail(const std::string& key, const std::string& problem,
                 const std::string& remedy) const {
  throw ConfigError(mark(key).place(), scope_.member(key).path + ": " + problem, remedy);
}

void Bound::needs(const std::string& key, bool changed, const std::string& setting) const {
  if (!changed) return;
  fail(key, "does nothing without " + setting, "write " + setting + ", or leave the key out");
}

void Declaration::keep_default(const Node& parent, const Scope& scope) {
  if (!required_) return;
  std::vector<ParameterRow> rows;
  describe(scope.path, rows);
  const ParameterRow& row = rows.front();
  std::string remedy = "add the key; type: " + row.type;
  if (!row.accepted.empty()) remedy += ", accepted: " + row.accepted;
  throw ConfigError(parent.mark.place(), scope.path + ": is required but missing", remedy);
}

ParameterRow Declaration::row(const std::string& path, std::string type, std::string fallback,
                              std::string accepted) const {
  return {path, std::move(type), required_ ? "required" : std::move(fallback), std::move(accepted),
          doc_};
}

void Parameters::check_key(const std::string& key) const {
  if (!is_identifier(key)) throw std::logic_error("parameter key is no identifier: " + key);
  if (find(key) != nullptr) throw std::logic_error("parameter declared twice: " + key);
}

const Declaration* Parameters::find(const std::string& key) const {
  for (const auto& declaration : declarations_) {
    if (declaration->key() == key) return declaration.get();
  }
  return nullptr;
}

void Parameters::refuse_key(const Member& member, const Scope& scope) const {
  std::string remedy = suggest(member.key, keys());
  if (nearest_word(member.key, keys()).empty()) {
    const std::string elsewhere = path_elsewhere(member.key, *scope.root);
    if (!elsewhere.empty()) {
      remedy = "did you mean \"" + elsewhere + "\"?" + (remedy.empty() ? "" : " Here, " + remedy);
    }
  }
  if (remedy.empty()) remedy = "--describe lists the keys";
  const std::size_t dot = member.key.find('.');
  if (dot != std::string::npos && find(member.key.substr(0, dot)) != nullptr) {
    remedy = "in a file, write " + member.key.substr(0, dot) + ": {" +
             printable(member.key.substr(dot + 1)) + ": ...}";
  }
  const std::string shown = member.key.empty() ? "\"\"" : printable(member.key);
  throw ConfigError(member.mark.place(), scope.member(shown).path + ": no such key", remedy);
}

void Parameters::bind(const Node& map, const Scope& scope) const {
  config_detail::require_map(map, scope, "keys", suggest("", keys()));
  for (const Member& member : map.members) {
    const auto match = std::find_if(declarations_.begin(), declarations_.end(),
                                    [&](const auto& d) { return d->key() == member.key; });
    if (match == declarations_.end()) refuse_key(member, scope);
    (*match)->bind(member.value, scope.member(member.key));
  }
  for (const auto& declaration : declarations_) {
    if (map.find(declaration->key()) != nullptr) continue;
    declaration->keep_default(map, scope.member(declaration->key()));
  }
  for (Mark* mark : where_) *mark = map.mark;
  for (const auto& condition : checks_) condition(Bound(map, scope));
}

Node Parameters::dump() const {
  Node map = Node::of_kind(Node::Kind::kMap);
  for (const auto& declaration : declarations_) {
    std::optional<Node> value = declaration->dump();
    if (value) map.members.push_back({declaration->key(), {}, std::move(*value)});
  }
  return map;
}

void Parameters::describe(const std::string& prefix, std::vector<ParameterRow>& rows) const {
  for (const auto& declaration : declarations_) {
    declaration->describe(prefix + declaration->key(), rows);
  }
}

std::vector<std::string> Parameters::keys() const {
  std::vector<std::string> keys;
  for (const auto& declaration : declarations_) keys.push_back(declaration->key());
  return keys;
}

void Group::bind(const Node& node, const Scope& scope) { parameters_.bind(node, scope); }

void Group::keep_default(const Node& parent, const Scope& scope) {
  Declaration::keep_default(parent, scope);
  Node empty = Node::of_kind(Node::Kind::kMap);
  empty.mark = parent.mark;
  parameters_.bind(empty, scope);  // what is required or checked inside holds all the same
}

void Group::describe(const std::string& path, std::vector<ParameterRow>& rows) const {
  rows.push_back(row(path, "group", "", ""));
  parameters_.describe(path + ".", rows);
}

namespace config_detail {

void require_list(const Node& node, const Scope& scope, std::size_t min, std::size_t max) {
  if (node.kind != Node::Kind::kSequence) {
    throw ConfigError(node.mark.place(),
                      scope.path + ": is " + describe_value(node) + ", not a list",
                      "write [a, b], or lines that begin with \"- \"");
  }
  if (node.items.size() < min || node.items.size() > max) {
    throw ConfigError(node.mark.place(),
                      scope.path + ": has " + std::to_string(node.items.size()) + " elements",
                      "accepted: " + size_text(min, max));
  }
}

void require_map(const Node& node, const Scope& scope, const std::string& what,
                 const std::string& hint) {
  if (node.kind == Node::Kind::kMap) return;
  throw ConfigError(node.mark.place(),
                    at_path(scope) + "is " + describe_value(node) + ", not a group of " + what,
                    "write {key: value}, or indented lines \"key: value\"" +
                        (hint.empty() ? "" : "; keys " + hint));
}

void require_name(const Member& member, const Scope& scope) {
  if (is_identifier(member.key)) return;
  throw ConfigError(member.mark.place(),
                    scope.path + ": " + quoted(member.key) + " cannot be a name",
                    "use a-z, 0-9 and _, a letter first, at most 64 characters");
}

std::string size_text(std::size_t min, std::size_t max) {
  const bool open = max == std::numeric_limits<std::size_t>::max();
  if (open && min == 0) return "";
  if (open) return "at least " + std::to_string(min) + " elements";
  if (min == max) return std::to_string(min) + " elements";
  return std::to_string(min) + " to " + std::to_string(max) + " elements";
}

}  // namespace config_detail

}  // namespace railyard
