#include "hw/tester/patterns_csv.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "hw/tester/patterns_names.h"
#include "tlm/base/error.h"
#include "tlm/base/format.h"
#include "tlm/config/spelling.h"
#include "tlm/config/text_file.h"

namespace railyard {

namespace {

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::size_t begin = 0;
  while (true) {
    const std::size_t comma = line.find(',', begin);
    fields.push_back(trimmed(line.substr(begin, comma - begin)));
    if (comma == std::string::npos) return fields;
    begin = comma + 1;
  }
}

template <class T>
T in_range(T value, T min, T max, const std::string& text) {
  if (!(value < min) && !(max < value)) return value;
  throw ConfigError(
      "", railyard::quoted(text) + " is out of range",
      "accepted: " + ScalarType<T>::format(min) + " to " + ScalarType<T>::format(max));
}

class FlowListParser {
 public:
  FlowListParser(std::string source, const PatternConfig& defaults,
                 const std::vector<PatternEndpoint>& endpoints)
      : source_(std::move(source)), defaults_(defaults), endpoints_(endpoints), names_(endpoints) {}

  void take(const std::string& line, std::size_t number) {
    number_ = number;
    check_bytes(line);
    if (trimmed(line).empty()) return;
    if (columns_.empty()) {
      take_header(fields_of(line));
    } else {
      take_row(fields_of(line));
    }
  }

  std::vector<FlowSpec> flows() {
    if (columns_.empty()) {
      throw ConfigError(source_, "holds no flows",
                        "begin with the line source,destination,start,messages,message_size,rate,"
                        "priority");
    }
    if (flows_.empty()) throw ConfigError(source_, "holds no flows", "add a line for each flow");
    return std::move(flows_);
  }

 private:
  [[noreturn]] void refuse(const std::string& problem, const std::string& remedy) const {
    throw ConfigError(source_ + ":" + std::to_string(number_), problem, remedy);
  }

  void check_bytes(const std::string& line) const {
    for (const char c : line) {
      if ((c >= 0x20 && c < 0x7F && c != '"') || c == '\t') continue;
      refuse(c == '"' ? "a quote" : "a byte that is no printable ASCII",
             "write plain names and numbers between commas");
    }
  }

  void take_header(std::vector<std::string> names) {
    static const std::vector<std::string> kColumns = {
        "source", "destination", "start", "messages", "message_size", "rate", "priority"};
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (std::find(kColumns.begin(), kColumns.end(), names[i]) == kColumns.end()) {
        refuse(railyard::quoted(names[i]) + ": no such column", suggest(names[i], kColumns));
      }
      if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
          names.begin() + static_cast<std::ptrdiff_t>(i)) {
        refuse("the column " + names[i] + " is there twice", "remove one");
      }
    }
    for (const char* required : {"source", "destination"}) {
      if (std::find(names.begin(), names.end(), required) == names.end()) {
        refuse(std::string("there is no column ") + required, "add it to the first line");
      }
    }
    columns_ = std::move(names);
  }

  void take_row(const std::vector<std::string>& fields) {
    if (fields.size() != columns_.size()) {
      refuse(std::to_string(fields.size()) + " fields, but the first line names " +
                 std::to_string(columns_.size()) + " columns",
             "write a field for each, empty or not");
    }
    if (flows_.size() == kMostFlows) {
      refuse("more than " + std::to_string(kMostFlows) + " flows", "write fewer");
    }
    FlowSpec flow = default_flow(defaults_);
    for (std::size_t i = 0; i < fields.size(); ++i) take_field(columns_[i], fields[i], flow);
    if (flow.source == flow.destination) {
      refuse("a flow from " + endpoints_[flow.source].port + " to itself",
             "write another destination");
    }
    flows_.push_back(flow);
  }

  void take_field(const std::string& column, const std::string& text, FlowSpec& flow) const {
    const bool is_end = column == "source" || column == "destination";
    if (text.empty() && !is_end) return;
    try {
      if (is_end) {
        (column == "source" ? flow.source : flow.destination) = names_.find(text);
      } else {
        take_value(column, text, flow);
      }
    } catch (const ConfigError& error) {
      refuse(column + ": " + error.problem(), error.remedy());
    }
  }

  static void take_value(const std::string& column, const std::string& text, FlowSpec& flow) {
    if (column == "start") {
      flow.start = in_range(parse_time(text), Time{0}, kLatestStart, text);
    } else if (column == "messages") {
      flow.messages = in_range<std::uint64_t>(parse_unsigned(text), 1, kMostMessages, text);
    } else if (column == "message_size") {
      flow.message_size = in_range(parse_bytes(text), Bytes(1), Bytes(kLargestMessage), text);
    } else if (column == "rate") {
      flow.rate = in_range(parse_rate(text), slowest_pace(), fastest_pace(), text);
    } else {
      flow.priority =
          static_cast<std::uint8_t>(in_range<std::uint64_t>(parse_unsigned(text), 0, 7, text));
    }
  }

  std::string source_;
  const PatternConfig& defaults_;
  const std::vector<PatternEndpoint>& endpoints_;
  EndpointNames names_;
  std::vector<std::string> columns_;
  std::vector<FlowSpec> flows_;
  std::size_t number_ = 0;
};

}  // namespace

std::vector<FlowSpec> parse_flow_list(const std::string& text, const std::string& source,
                                      const PatternConfig& defaults,
                                      const std::vector<PatternEndpoint>& endpoints) {
  FlowListParser parser(source, defaults, endpoints);
  for_each_line(text,
                [&](const std::string& line, std::size_t number) { parser.take(line, number); });
  return parser.flows();
}

std::vector<FlowSpec> read_flow_list(const std::string& path, const PatternConfig& defaults,
                                     const std::vector<PatternEndpoint>& endpoints) {
  const std::string text =
      read_text_file(defaults.mark.place(), "traffic.file", path, "working directory");
  return parse_flow_list(text, printable(path, 200), defaults, endpoints);
}

}  // namespace railyard
