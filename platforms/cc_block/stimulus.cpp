#include "platforms/cc_block/stimulus.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "tlm/base/error.h"
#include "tlm/base/format.h"
#include "tlm/base/quantity.h"
#include "tlm/config/spelling.h"
#include "tlm/config/text_file.h"

namespace railyard {

namespace {

const char* const kTime = "now_i";

struct Cell {
  std::string text;
  std::size_t column;  // of its first character, from 1
};

std::uint64_t largest_of(unsigned bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

std::vector<Cell> cells_of(const std::string& line) {
  std::vector<Cell> cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t comma = std::min(line.find(',', begin), line.size());
    const std::string text = line.substr(begin, comma - begin);
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string::npos) {
      cells.push_back({"", begin + 1});
    } else {
      const std::size_t last = text.find_last_not_of(" \t");
      cells.push_back({text.substr(first, last + 1 - first), begin + first + 1});
    }
    begin = comma + 1;
  }
  return cells;
}

/// A decimal number, or 0x and hexadecimal digits. ConfigError without a place.
std::uint64_t parse_value(const std::string& text) {
  if (text.compare(0, 2, "0x") != 0 && text.compare(0, 2, "0X") != 0) return parse_unsigned(text);
  const std::string digits = text.substr(2);
  const std::size_t significant = digits.find_first_not_of('0');
  if (digits.empty() || digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) {
    throw ConfigError("", quoted(text) + " is no hexadecimal number", "write 0x and digits");
  }
  if (significant == std::string::npos) return 0;
  if (digits.size() - significant > 16) {
    throw ConfigError("", quoted(text) + " is too large", "no port is wider than 64 bits");
  }
  return std::stoull(digits, nullptr, 16);
}

/// Names of columns for a message: "depth_i[0] to depth_i[7]" for an array.
std::string listed(const std::vector<BlockPort>& inputs) {
  std::string text = "cycle";
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string& name = inputs[i].name;
    if (name == kTime) continue;
    const std::string array = name.substr(0, name.find('['));
    std::size_t last = i;
    while (last + 1 < inputs.size() && inputs[last + 1].name.find(array + "[") == 0) ++last;
    text += ", " + name;
    if (last > i) text += " to " + inputs[last].name;
    i = last;
  }
  return text;
}

class Parser {
 public:
  Parser(std::string source, const BlockType& block) : source_(std::move(source)), block_(block) {
    for (const BlockPort& port : block.inputs) names_.push_back(port.name);
    levels_.resize(block.inputs.size());
  }

  void take(const std::string& line, std::size_t number) {
    number_ = number;
    check_bytes(line);
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string::npos || line[first] == '#') return;
    if (columns_.empty()) {
      take_header(cells_of(line));
    } else {
      take_row(cells_of(line));
    }
  }

  Stimulus stimulus() {
    if (columns_.empty()) {
      throw ConfigError(source_, "is empty", "name the columns first: " + listed(block_.inputs));
    }
    if (!begun_) {
      throw ConfigError(source_, "holds no rows",
                        "add a row for each cycle at which inputs change");
    }
    restore();
    return std::move(stimulus_);
  }

 private:
  std::string place(std::size_t column) const {
    return source_ + ":" + std::to_string(number_) + ":" + std::to_string(column);
  }
  [[noreturn]] void refuse(std::size_t column, const std::string& problem,
                           const std::string& remedy) const {
    throw ConfigError(place(column), problem, remedy);
  }

  void check_bytes(const std::string& line) const {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      if ((c >= 0x20 && c < 0x7F) || c == '\t') continue;
      refuse(i + 1, "a byte that is no printable ASCII", "write numbers between commas");
    }
  }

  void take_header(const std::vector<Cell>& cells) {
    if (cells.front().text != "cycle") {
      refuse(cells.front().column,
             "the first column is " + quoted(cells.front().text) + ", not cycle",
             "begin with the line cycle and the inputs that are driven, between commas");
    }
    columns_.push_back(0);  // stands for cycle
    for (std::size_t i = 1; i < cells.size(); ++i) columns_.push_back(input_of(cells[i]));
  }

  std::size_t input_of(const Cell& cell) const {
    const auto found = std::find(names_.begin(), names_.end(), cell.text);
    if (cell.text == kTime) refuse(cell.column, "now_i is the cycle", "remove the column");
    if (found == names_.end()) {
      const std::string nearest = nearest_word(cell.text, names_);
      refuse(cell.column, block_.name + " has no input " + quoted(cell.text),
             (nearest.empty() ? "" : "did you mean \"" + nearest + "\"? ") +
                 "Accepted: " + listed(block_.inputs));
    }
    const auto input = static_cast<std::size_t>(found - names_.begin());
    if (std::find(columns_.begin() + 1, columns_.end(), input) != columns_.end()) {
      refuse(cell.column, "the column " + cell.text + " is there twice", "remove one");
    }
    return input;
  }

  void take_row(const std::vector<Cell>& cells) {
    if (cells.size() != columns_.size()) {
      refuse(cells[std::min(cells.size(), columns_.size() + 1) - 1].column,
             std::to_string(cells.size()) + " fields, but the first line names " +
                 std::to_string(columns_.size()) + " columns",
             "write a field for each, empty or not");
    }
    const std::uint64_t cycle = cycle_of(cells.front());
    restore();
    stimulus_.last_cycle = cycle;
    stimulus_.last_place = place(cells.front().column);
    begun_ = true;
    for (std::size_t i = 1; i < cells.size(); ++i) take_cell(cells[i], columns_[i]);
  }

  std::uint64_t cycle_of(const Cell& cell) const {
    const std::uint64_t cycle = number(cell, "cycle", cell.text, kMostCycles - 1, "");
    if (begun_ && cycle <= stimulus_.last_cycle) {
      refuse(cell.column,
             "cycle " + std::to_string(cycle) + " is not after " +
                 std::to_string(stimulus_.last_cycle) + ", that of the row before",
             "write rows in order of their cycles");
    }
    return cycle;
  }

  void take_cell(const Cell& cell, std::size_t input) {
    if (cell.text.empty()) return;
    const bool pulse = cell.text.back() == '!';
    const std::string text = cell.text.substr(0, cell.text.size() - (pulse ? 1 : 0));
    const BlockPort& port = block_.inputs[input];
    const std::uint64_t value =
        number(cell, port.name, text, largest_of(port.bits),
               std::to_string(port.bits) + (port.bits == 1 ? " bit" : " bits"));
    stimulus_.changes.push_back({stimulus_.last_cycle, input, value});
    if (pulse) {
      pulses_.push_back(input);
    } else {
      levels_[input] = value;
    }
  }

  std::uint64_t number(const Cell& cell, const std::string& name, const std::string& text,
                       std::uint64_t most, const std::string& width) const {
    std::uint64_t value = 0;
    try {
      value = parse_value(text);
    } catch (const ConfigError& error) {
      refuse(cell.column, name + ": " + error.problem(), error.remedy());
    }
    if (value <= most) return value;
    refuse(cell.column,
           name + ": " + quoted(text) + " is too large" + (width.empty() ? "" : " for " + width),
           "accepted: 0 to " + std::to_string(most));
  }

  /// Inputs that had a value for the row's cycle alone have their former one again.
  void restore() {
    for (const std::size_t input : pulses_) {
      stimulus_.changes.push_back({stimulus_.last_cycle + 1, input, levels_[input]});
    }
    pulses_.clear();
  }

  std::string source_;
  const BlockType& block_;
  std::vector<std::string> names_;    // of the inputs
  std::vector<std::size_t> columns_;  // the input of each; the first is cycle
  Values levels_;                     // of the inputs, without pulses
  std::vector<std::size_t> pulses_;   // of the last row
  Stimulus stimulus_;
  bool begun_ = false;
  std::size_t number_ = 0;
};

}  // namespace

Stimulus parse_stimulus(const std::string& text, const std::string& source,
                        const BlockType& block) {
  Parser parser(source, block);
  for_each_line(text,
                [&](const std::string& line, std::size_t number) { parser.take(line, number); });
  return parser.stimulus();
}

Stimulus read_stimulus(const std::string& place, const std::string& path, const BlockType& block) {
  return parse_stimulus(read_text_file(place, "stimulus", path, "configuration file"),
                        printable(path, 200), block);
}

}  // namespace railyard
