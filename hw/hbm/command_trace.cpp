#include "hw/hbm/command_trace.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "hw/hbm/clock_text.h"
#include "tlm/base/error.h"
#include "tlm/base/format.h"

namespace railyard::hbm {
namespace {

constexpr std::size_t kBuffer = 1 << 16;
constexpr const char* kHeads = "# tick_in_CK channel pc command sid group bank row column";
constexpr const char* kNone = "-";

constexpr bool has_bank(Command c) {
  return c != Command::kPrechargeAll && c != Command::kRefreshAll;
}
constexpr bool has_row(Command c) { return c == Command::kActivate || is_column(c); }

std::string field(bool present, std::uint64_t value) {
  return ' ' + (present ? std::to_string(value) : std::string(kNone));
}

/// One file that is read.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), file_(path, std::ios::binary) {
    if (!file_.is_open()) {
      throw ConfigError(printable(path, 200), "cannot be read: " + std::string(strerror(errno)),
                        "name a command trace");
    }
  }

  std::vector<CommandRecord> read() {
    read_header();
    std::vector<CommandRecord> records;
    while (next_line()) records.push_back(record());
    return records;
  }

 private:
  static constexpr std::size_t kFields = 9;

  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const {
    throw ConfigError(printable(path_, 200) + ":" + std::to_string(number_), problem, remedy);
  }

  bool next_line() {
    ++number_;
    if (!std::getline(file_, line_)) {
      if (file_.bad()) fail("cannot be read", "check the disk");
      return false;
    }
    if (file_.eof()) {
      fail("the last line has no end", "the trace was cut; remove the line");
    }
    return true;
  }

  void read_header() {
    if (!next_line()) fail("the file is empty", "name a command trace");
    // The clock is for people: ticks are counted in it.
    const std::string lead = "# CK = ";
    const std::string before_sids = "; a pseudo-channel has ";
    const std::size_t sids = line_.find(before_sids);
    const std::string remedy =
        "write \"# CK = 4/5237500000 s; a pseudo-channel has 2 SIDs of 4 groups of 4 banks\"";
    if (line_.compare(0, lead.size(), lead) != 0 || sids == std::string::npos) {
      fail("this is not the first line of a command trace", remedy);
    }
    rest_ = line_.substr(sids + before_sids.size());
    sids_ = count(" SIDs of ", remedy);
    groups_ = count(" groups of ", remedy);
    banks_ = count(" banks", remedy);
    if (!rest_.empty()) fail("there is more behind the banks", remedy);
    if (sids_ * groups_ * banks_ > 64) fail("more than 64 banks a pseudo-channel", remedy);
    if (!next_line() || line_ != kHeads) {
      fail("the columns are missing", "write \"" + std::string(kHeads) + "\"");
    }
  }

  /// A number, 1 to 64, at the begin of rest_, and the words behind it.
  std::uint64_t count(const std::string& words, const std::string& remedy) {
    const std::size_t at = rest_.find(words);
    if (at == std::string::npos) fail("\"" + words.substr(1) + "\" is missing", remedy);
    const std::uint64_t value = number(words.substr(1), rest_.substr(0, at), 65);
    if (value == 0) fail("a number of 0 " + words.substr(1), remedy);
    rest_.erase(0, at + words.size());
    return value;
  }

  void split() {
    std::size_t fields = 0;
    std::size_t begin = 0;
    while (true) {
      const std::size_t end = line_.find(' ', begin);
      if (fields < kFields) fields_[fields] = line_.substr(begin, end - begin);
      ++fields;
      if (end == std::string::npos) break;
      begin = end + 1;
    }
    if (fields != kFields) {
      fail("the line has " + std::to_string(fields) + " fields",
           "write 9 with one space between: " + std::string(kHeads + 2));
    }
  }

  /// Digits alone, below `limit`.
  std::uint64_t number(const std::string& name, const std::string& text,
                       std::uint64_t limit) const {
    std::uint64_t value = 0;
    bool good = !text.empty() && (text == "0" || text[0] != '0');
    for (const char c : text) {
      good = good && c >= '0' && c <= '9';
      if (!good) break;
      value = value * 10 + static_cast<std::uint64_t>(c - '0');
      good = value < limit;
    }
    if (!good) {
      fail(name + ": " + quoted(text) + " is not such a number",
           "write a number from 0 to " + std::to_string(limit - 1));
    }
    return value;
  }

  std::uint64_t field_number(std::size_t i, const char* name, bool present,
                             std::uint64_t limit) const {
    if (present) return number(name, fields_[i], limit);
    if (fields_[i] != kNone) {
      fail(std::string(name) + ": " + fields_[3] + " has none", "write \"-\"");
    }
    return 0;
  }

  Tick tick() const {
    const std::string& text = fields_[0];
    const std::size_t point = text.find('.');
    if (point != std::string::npos && text.substr(point) != ".5") {
      fail("tick_in_CK: " + quoted(text) + " is not on half a clock",
           "end it in .5 or no fraction");
    }
    const std::uint64_t clocks =
        number("tick_in_CK", text.substr(0, point), kNever / kTicksPerClock);
    return static_cast<Tick>(clocks) * kTicksPerClock + (point != std::string::npos ? 1 : 0);
  }

  Command command() const {
    std::string known;
    for (std::size_t i = 0; i < kCommands; ++i) {
      const auto command = static_cast<Command>(i);
      if (fields_[3] == name_of(command)) return command;
      known += std::string(i == 0 ? "" : ", ") + name_of(command);
    }
    fail("there is no command " + quoted(fields_[3]), "write one of " + known);
  }

  CommandRecord record() {
    split();
    constexpr std::uint64_t k16 = std::uint64_t{1} << 16;
    constexpr std::uint64_t k32 = std::uint64_t{1} << 32;
    CommandRecord record;
    record.tick = tick();
    record.channel = static_cast<std::uint16_t>(number("channel", fields_[1], k16));
    record.pseudo_channel = static_cast<std::uint16_t>(number("pc", fields_[2], k16));
    record.command = command();
    const bool bank = has_bank(record.command);
    const std::uint64_t sid = number("sid", fields_[4], sids_);
    const std::uint64_t group = field_number(5, "group", bank, groups_);
    record.bank = static_cast<std::uint8_t>((sid * groups_ + group) * banks_ +
                                            field_number(6, "bank", bank, banks_));
    record.row = static_cast<std::uint32_t>(field_number(7, "row", has_row(record.command), k32));
    record.column =
        static_cast<std::uint32_t>(field_number(8, "column", is_column(record.command), k32));
    return record;
  }

  std::string path_;
  std::ifstream file_;
  std::string line_;
  std::size_t number_ = 0;
  std::string rest_;
  std::array<std::string, kFields> fields_;
  std::uint64_t sids_ = 0;
  std::uint64_t groups_ = 0;
  std::uint64_t banks_ = 0;
};

}  // namespace

CommandTrace::CommandTrace(const std::string& path, const Organisation& organisation,
                           const Timing& timing)
    : path_(path), organisation_(organisation), file_(path, std::ios::binary | std::ios::trunc) {
  if (!file_.is_open()) {
    throw ConfigError(printable(path, 200), "cannot be written: " + std::string(strerror(errno)),
                      "name a file in a folder that exists and may be written");
  }
  text_ = "# CK = " + std::to_string(timing.bits_per_clock) + "/" +
          std::to_string(timing.pin_rate) + " s; a pseudo-channel has " +
          std::to_string(organisation.sids) + " SIDs of " + std::to_string(organisation.groups) +
          " groups of " + std::to_string(organisation.banks) + " banks\n" + kHeads + "\n";
}

CommandTrace::~CommandTrace() { write_out(); }

void CommandTrace::command(const CommandRecord& record) {
  const Command c = record.command;
  const unsigned group = organisation_.group_of(record.bank);
  text_ += clock_text(record.tick) + ' ' + std::to_string(record.channel) + ' ' +
           std::to_string(record.pseudo_channel) + ' ' + name_of(c) +
           field(true, organisation_.sid_of(record.bank)) +
           field(has_bank(c), group % organisation_.groups) +
           field(has_bank(c), record.bank % organisation_.banks) + field(has_row(c), record.row) +
           field(is_column(c), record.column) + '\n';
  if (text_.size() >= kBuffer) write_out();
}

void CommandTrace::write_out() {
  file_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
  text_.clear();
}

void CommandTrace::close() {
  write_out();
  file_.close();
  if (!file_) {
    throw ConfigError(printable(path_, 200), "could not be written whole",
                      "make room on the disk, or trace a shorter run");
  }
}

std::vector<CommandRecord> read_command_trace(const std::string& path) {
  return Reader(path).read();
}

}  // namespace railyard::hbm
