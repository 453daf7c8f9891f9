#include "tlm/config/scalar.h"

namespace railyard {

namespace {

constexpr std::size_t kLongestText = 4096;

std::string article(const std::string& noun) {
  return (std::string("aeiou").find(noun[0]) != std::string::npos ? "an " : "a ") + noun;
}

}  // namespace

std::string ScalarType<std::string>::parse(const std::string& text) {
  for (const char c : text) {
    if (c < 0x20 || c > 0x7e) {
      throw ConfigError("", quoted(text) + " has a character that is not printable ASCII",
                        "use letters, digits and punctuation");
    }
  }
  if (text.size() > kLongestText) {
    throw ConfigError("", quoted(text) + " is too long",
                      "write at most " + std::to_string(kLongestText) + " characters");
  }
  return text;
}

const std::string& scalar_text(const Node& node, const std::string& path, bool text_type,
                               const std::string& type, const std::string& example) {
  const std::string remedy = "write " + article(type) + " such as " + example;
  if (node.kind == Node::Kind::kNull) {
    throw ConfigError(node.mark.place(), path + ": has no value",
                      remedy + ", or remove the key to take its default");
  }
  if (node.kind != Node::Kind::kScalar) {
    throw ConfigError(node.mark.place(),
                      path + ": is " + describe_value(node) + ", not " + article(type), remedy);
  }
  if (node.quoted && !text_type) {
    throw ConfigError(node.mark.place(),
                      path + ": " + quoted(node.text) + " in quotes is text, not " + article(type),
                      "write it without quotes, such as " + example);
  }
  return node.text;
}

void refuse_value(const Node& node, const std::string& path, const ConfigError& error) {
  throw ConfigError(node.mark.place(), path + ": " + error.problem(), error.remedy());
}

}  // namespace railyard
