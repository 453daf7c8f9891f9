#include "platforms/common/config_json.h"

#include <nlohmann/json.hpp>

namespace railyard {

namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Node& node) {
  Json json;
  switch (node.kind) {
    case Node::Kind::kNull:
      break;
    case Node::Kind::kScalar:
      // Unquoted scalars of a dump are numbers and bools, which are written as in JSON.
      json = node.quoted ? Json(node.text) : Json::parse(node.text);
      break;
    case Node::Kind::kSequence:
      json = Json::array();
      for (const Node& item : node.items) json.push_back(to_json(item));
      break;
    case Node::Kind::kMap:
      json = Json::object();
      for (const Member& member : node.members) json[member.key] = to_json(member.value);
      break;
  }
  return json;
}

}  // namespace

std::string config_json(const Node& node, int indent) { return to_json(node).dump(indent); }

}  // namespace railyard
