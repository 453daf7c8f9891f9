#include "tlm/config/node.h"

#include <utility>

#include "tlm/base/format.h"

namespace railyard {

std::string Mark::place() const {
  if (source == nullptr) return "";
  if (line == 0) return *source;
  return *source + ":" + std::to_string(line) + ":" + std::to_string(column);
}

Node Node::scalar(std::string text, bool quoted) {
  Node node = of_kind(Kind::kScalar);
  node.text = std::move(text);
  node.quoted = quoted;
  return node;
}

Node Node::of_kind(Kind kind) {
  Node node;
  node.kind = kind;
  return node;
}

const Node* Node::find(const std::string& key) const {
  for (const Member& member : members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

Member* Node::find_member(const std::string& key) {
  for (Member& member : members) {
    if (member.key == key) return &member;
  }
  return nullptr;
}

std::string describe_value(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return "nothing";
    case Node::Kind::kScalar:
      return quoted(node.text);
    case Node::Kind::kSequence:
      return "a list";
    case Node::Kind::kMap:
      return "a group of keys";
  }
  return "";
}

}  // namespace railyard
