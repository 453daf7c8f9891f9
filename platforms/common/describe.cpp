#include "platforms/common/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace railyard {

namespace {

/// A cell of a Markdown table: '|' would end it, '<' would begin HTML.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '>') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string code(const std::string& text) {
  if (text.empty()) return "";
  std::string escaped = text;
  for (std::size_t at = 0; (at = escaped.find('|', at)) != std::string::npos; at += 2) {
    escaped.insert(at, "\\");
  }
  return "`" + escaped + "`";
}

}  // namespace

std::string describe_text(const std::vector<ParameterRow>& rows) {
  const auto width = [&](std::string ParameterRow::*column, std::size_t least) {
    for (const ParameterRow& row : rows) least = std::max(least, (row.*column).size());
    return std::min<std::size_t>(least, 40);
  };
  const std::size_t path = width(&ParameterRow::path, 3);
  const std::size_t type = width(&ParameterRow::type, 4);
  const std::size_t fallback = width(&ParameterRow::fallback, 7);
  const std::size_t accepted = width(&ParameterRow::accepted, 8);
  const auto line = [&](const ParameterRow& row) {
    std::string text = fmt::format("{:<{}}  {:<{}}  {:<{}}  {:<{}}  {}", row.path, path, row.type,
                                   type, row.fallback, fallback, row.accepted, accepted, row.doc);
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  std::string text = line({"key", "type", "default", "accepted", ""});
  for (const ParameterRow& row : rows) text += line(row);
  return text;
}

std::string describe_markdown(const std::vector<ParameterRow>& rows) {
  std::string text = "| key | type | default | accepted | |\n|---|---|---|---|---|\n";
  for (const ParameterRow& row : rows) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", code(row.path), cell(row.type),
                        code(row.fallback), cell(row.accepted), cell(row.doc));
  }
  return text;
}

std::string describe_json(const std::vector<ParameterRow>& rows) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ParameterRow& row : rows) {
    list.push_back({{"key", row.path},
                    {"type", row.type},
                    {"default", row.fallback},
                    {"accepted", row.accepted},
                    {"doc", row.doc}});
  }
  return list.dump(2) + "\n";
}

}  // namespace railyard
