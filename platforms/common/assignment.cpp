#include "platforms/common/assignment.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "platforms/common/yaml_reader.h"
#include "tlm/base/error.h"
#include "tlm/base/format.h"

namespace railyard {

namespace {

constexpr std::size_t kMaxAssignment = 65'536;
constexpr std::size_t kMaxKeys = 32;

/// A `--set` argument on its way into a tree.
class Assignment {
 public:
  explicit Assignment(const std::string& text)
      : mark_{std::make_shared<const std::string>("--set " + printable(text)), 0, 0} {
    if (text.size() > kMaxAssignment) fail("is longer than 65,536 bytes", "write a file instead");
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) fail("has no value", "write KEY=VALUE");
    split(text.substr(0, equals));
    parse_value(text.substr(equals + 1));
  }

  void apply(Node& root) {
    Node* node = &root;
    std::string path;
    for (const std::string& key : keys_) {
      node = &step(*node, key, path);
      path += (path.empty() ? "" : ".") + key;
    }
    *node = std::move(value_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const {
    throw ConfigError(mark_.place(), problem, remedy);
  }

  void split(const std::string& path) {
    for (std::size_t begin = 0; begin <= path.size();) {
      const std::size_t end = std::min(path.find('.', begin), path.size());
      keys_.push_back(path.substr(begin, end - begin));
      begin = end + 1;
    }
    for (const std::string& key : keys_) {
      const bool plain = std::all_of(key.begin(), key.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-';
      });
      if (key.empty() || !plain) {
        fail(quoted(key) + " is not a key", "write KEY=VALUE, such as link.rate=400Gbps");
      }
    }
    if (keys_.size() > kMaxKeys) fail("has more than 32 keys", "no parameter lies that deep");
  }

  void parse_value(const std::string& text) {
    if (text.find('\n') != std::string::npos) fail("has a line break", "write it on one line");
    Node list;
    try {
      list = read_yaml_value("[" + text + "\n]", "value");
    } catch (const ConfigError& error) {
      fail(error.problem(), "write one YAML value, in single quotes for the shell if need be");
    }
    if (list.kind != Node::Kind::kSequence || list.items.size() != 1) {
      fail(list.items.empty() ? "has no value" : "has more than one value",
           "write one value; a list in brackets: [a, b]");
    }
    value_ = std::move(list.items.front());
    place(value_);
  }

  void place(Node& node) const {
    node.mark = mark_;
    for (Node& item : node.items) place(item);
    for (Member& member : node.members) {
      member.mark = mark_;
      place(member.value);
    }
  }

  /// The node under `key`, made if need be.
  Node& step(Node& node, const std::string& key, const std::string& path) const {
    if (node.kind == Node::Kind::kSequence) return element(node, key, path);
    if (node.kind == Node::Kind::kScalar) {
      fail(path + " is " + describe_value(node) + " (" + node.mark.place() +
               "), which has no key " + quoted(key),
           "set " + path + " itself");
    }
    if (node.kind == Node::Kind::kNull) node.kind = Node::Kind::kMap;
    Member* member = node.find_member(key);
    if (member == nullptr) {
      node.members.push_back({key, mark_, {}});
      member = &node.members.back();
      member->value.mark = mark_;
    }
    member->mark = mark_;
    return member->value;
  }

  Node& element(Node& node, const std::string& key, const std::string& path) const {
    const bool index = key.size() <= 9 && key.find_first_not_of("0123456789") == std::string::npos;
    const std::size_t at = index ? std::stoul(key) : node.items.size();
    if (at >= node.items.size()) {
      fail(path + " is a list of " + std::to_string(node.items.size()) + " elements; it has no " +
               quoted(key),
           "write an index that exists (the first is 0), or set the whole list");
    }
    return node.items[at];
  }

  Mark mark_;
  std::vector<std::string> keys_;
  Node value_;
};

}  // namespace

void apply_set(Node& root, const std::string& assignment) { Assignment(assignment).apply(root); }

}  // namespace railyard
