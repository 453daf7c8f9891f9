// Trees of configuration text, as a reader would make them of a file of one key a line.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tlm/config/node.h"

namespace railyard {

inline Node text(const std::string& value) { return Node::scalar(value, false); }
inline Node quoted_text(const std::string& value) { return Node::scalar(value, true); }
inline Node list(std::vector<Node> items) {
  Node node = Node::of_kind(Node::Kind::kSequence);
  node.items = std::move(items);
  return node;
}
inline Node map(std::vector<std::pair<std::string, Node>> members) {
  static const auto source = std::make_shared<const std::string>("f.yaml");
  Node node = Node::of_kind(Node::Kind::kMap);
  node.mark = {source, 1, 1};
  int line = 1;
  for (auto& [key, value] : members) {
    value.mark = {source, line, 10};
    node.members.push_back({key, {source, line, 1}, std::move(value)});
    ++line;
  }
  return node;
}

}  // namespace railyard
