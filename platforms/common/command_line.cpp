#include "platforms/common/command_line.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <string_view>
#include <system_error>

#include "tlm/base/error.h"
#include "tlm/base/format.h"
#include "tlm/base/quantity.h"
#include "tlm/config/spelling.h"
#include "waveforms/output_file.h"

namespace railyard {

namespace {

constexpr const char* kVersion = "railyard 0.1.0";
constexpr std::size_t kPathShown = 256;  // characters of it in a message
constexpr std::size_t kLongestPattern = 4096;

/// Declares each flag once, with what it means, and takes its words as text: quantities are parsed
/// by the rules of the configuration.
class Flags {
 public:
  Flags(const std::string& name, const std::string& doc) : app_(doc, name) {
    app_.allow_extras();
    app_.set_help_flag("--help", "Print this help and exit");
    app_.get_formatter()->column_width(32);
  }

  /// A flag with one word after it.
  void word(const std::string& flag, const std::string& type, std::string& target,
            const std::string& doc) {
    note(app_.add_option(flag, target, doc)->type_name(type), flag);
  }
  void word(const std::string& flag, const std::string& type, std::optional<std::string>& target,
            const std::string& doc) {
    note(app_.add_option_function<std::string>(
                 flag, [&target](const std::string& text) { target = text; }, doc)
             ->type_name(type),
         flag);
  }
  void time(const std::string& flag, Time& target, const std::string& doc) {
    word(flag, "TIME", times_[flag].text, doc);
    times_[flag].target = &target;
  }
  /// A flag that may stand more than once.
  void words(const std::string& flag, const std::string& type, std::vector<std::string>& target,
             const std::string& doc) {
    app_.add_option_function<std::string>(
            flag, [&target](const std::string& text) { target.push_back(text); }, doc)
        ->type_name(type)
        ->trigger_on_parse()
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    names_.push_back(flag);
  }
  void toggle(const std::string& flag, bool& target, const std::string& doc) {
    app_.add_flag(flag, target, doc);
    names_.push_back(flag);
  }
  CLI::App& app() { return app_; }

  /// Returns the help if that is asked for.
  std::string parse(int argc, const char* const* argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
      return app_.help();
    } catch (const CLI::ParseError& error) {
      refuse(error);
    }
    refuse_strangers();
    for (const CLI::Option* option : single_) {
      if (option->count() > 1) {
        throw ConfigError(option->get_name(),
                          "is given " + std::to_string(option->count()) + " times", "give it once");
      }
    }
    read_times();
    return {};
  }

 private:
  struct TimeWord {
    std::string text;
    Time* target = nullptr;
  };

  void note(CLI::Option* option, const std::string& flag) {
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    single_.push_back(option);
    names_.push_back(flag);
  }

  void refuse_strangers() {
    std::vector<std::string> names = names_;
    names.push_back("--help");
    for (const std::string& word : app_.remaining()) {
      const std::string flag = word.substr(0, word.find('='));
      if (flag.size() > 1 && flag[0] == '-') {
        throw ConfigError(printable(flag), "there is no such flag",
                          suggest(flag, names, "--help lists them"));
      }
      throw ConfigError("command line", quoted(word) + " belongs to no flag",
                        "write it behind the flag it is for; --help lists them");
    }
  }

  [[noreturn]] static void refuse(const CLI::ParseError& error) {
    const std::string text = error.what();
    const std::size_t begin = std::min(text.find("--"), text.size());
    const std::string flag = text.substr(begin, text.find_first_of(": ", begin) - begin);
    if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
      throw ConfigError(printable(flag), "takes no value", "write it alone");  // toggles alone do
    }
    if (begin == 0) {
      throw ConfigError(printable(flag), "is not followed by what it needs",
                        "write a value behind it; --help shows which");
    }
    throw ConfigError("command line", printable(text, 120), "--help shows what is accepted");
  }

  void read_times() {
    for (auto& [flag, word] : times_) {
      if (word.text.empty()) continue;
      try {
        *word.target = parse_time(word.text);
      } catch (const ConfigError& error) {
        throw ConfigError(flag, error.problem(), error.remedy());
      }
    }
  }

  CLI::App app_;
  std::vector<CLI::Option*> single_;
  std::vector<std::string> names_;
  std::map<std::string, TimeWord> times_;
};

DescribeFormat describe_format(const std::string& word) {
  static const std::map<std::string, DescribeFormat> kFormats = {
      {"text", DescribeFormat::kText},
      {"markdown", DescribeFormat::kMarkdown},
      {"json", DescribeFormat::kJson}};
  const auto found = kFormats.find(word);
  if (found != kFormats.end()) return found->second;
  throw ConfigError("--describe", quoted(word) + " is no format",
                    suggest(word, {"text", "markdown", "json"}));
}

std::size_t partition_count(const std::string& word) {
  const char* const remedy = "write 1 to 64";
  try {
    const std::uint64_t count = parse_unsigned(word, 64);
    if (count > 0) return count;
  } catch (const ConfigError& error) {
    throw ConfigError("--partitions", error.problem(), remedy);
  }
  throw ConfigError("--partitions", "0 partitions hold nothing", remedy);
}

/// A file that is to be written, tried before the run and before any other is touched. What was not
/// there is made, and removed at the end: so two names of one file are seen to be that.
class Trial {
 public:
  Trial(const char* flag, const std::string& path, bool special_too) : flag_(flag), path_(path) {
    const bool exists = ::stat(path.c_str(), &info_) == 0;
    if (exists && !S_ISREG(info_.st_mode) && !special_too) {
      fail("is not a regular file", "name a file, or one to be made");
    }
    // A FIFO that nobody reads would keep us waiting, a full device would not say so yet.
    const int file =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
    const bool good = file >= 0 && ::write(file, "", 0) == 0 && ::fstat(file, &info_) == 0;
    const int error = errno;
    if (file >= 0) ::close(file);
    std::error_code none;
    // Behind a link that led to nothing, what was made is not at `path`.
    if (file >= 0 && !exists) made_ = std::filesystem::canonical(path, none).string();
    if (good) return;
    remove_made();
    if (error == ENXIO) fail("cannot be written: nothing reads it", "start its reader first");
    fail(std::string("cannot be written: ") + std::strerror(error),
         "name a file in a folder that exists and that you may write to");
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  ~Trial() { remove_made(); }

  const char* flag() const { return flag_; }
  bool is(const struct stat& other) const {
    return info_.st_dev == other.st_dev && info_.st_ino == other.st_ino;
  }
  bool is(const Trial& other) const { return is(other.info_); }
  bool regular() const { return S_ISREG(info_.st_mode); }

  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const {
    throw ConfigError(flag_, '"' + printable(path_, kPathShown) + "\" " + problem, remedy);
  }

 private:
  void remove_made() const {
    if (!made_.empty()) ::unlink(made_.c_str());
  }

  const char* flag_;
  const std::string& path_;
  std::string made_;
  struct stat info_ = {};
};

void check_outputs(const CommandLine& line) {
  struct Output {
    const char* flag;
    const std::string& path;
    std::initializer_list<std::string_view> suffixes;
  };
  const Output outputs[] = {{"--trace", line.trace, {".fst", ".vcd"}},
                            {"--pcap", line.pcap, {".pcapng"}},
                            {"--timeline", line.timeline, {".json"}},
                            {"--report", line.report, {}}};
  struct stat config = {};
  const bool has_config = ::stat(line.config.c_str(), &config) == 0;
  std::deque<Trial> trials;
  for (const auto& [flag, path, suffixes] : outputs) {
    if (path.empty()) continue;
    if (suffixes.size() > 0) check_suffix(flag, path, suffixes);
    const Trial& trial = trials.emplace_back(flag, path, suffixes.size() == 0);
    if (has_config && trial.is(config)) {
      trial.fail("is the configuration", "write to another file");
    }
    for (const Trial& other : trials) {
      if (&other == &trial || !trial.is(other)) continue;
      trial.fail(std::string("is the file of ") + other.flag() + " too",
                 "give each output a file of its own");
    }
  }
  // A report is replaced by a draft beside it.
  const std::string draft = line.report + ".part";
  if (!line.report.empty() && trials.back().regular())
    trials.emplace_back("--report", draft, false);
}

/// Names in a simulation are short and ASCII.
void check_pattern(const char* flag, const std::string& text) {
  const bool plain =
      std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 127; });
  if (plain && text.size() <= kLongestPattern) return;
  throw ConfigError(flag,
                    quoted(text) + (plain ? " is too long" : " holds a space or what is not ASCII"),
                    "--describe lists the names");
}

void check_together(const CommandLine& line) {
  if (line.trace.empty() && !line.trace_trigger.empty()) {
    throw ConfigError("--trace-trigger", "there is no trace to write", "add --trace FILE.fst");
  }
  if (line.trace_to < line.trace_from) {
    throw ConfigError("--trace-to", "the trace's window ends before it begins",
                      "give a time that is not before --trace-from");
  }
  check_pattern("--trace-trigger", line.trace_trigger);
  check_pattern("--trace-filter", line.trace_filter);
  check_outputs(line);
}

void refuse_empty(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0 || option->get_name() == "--describe") continue;
    const auto& words = option->results();
    if (option->get_type_size() > 0 &&
        std::any_of(words.begin(), words.end(), [](const auto& w) { return w.empty(); })) {
      throw ConfigError(option->get_name(), "is given an empty value",
                        "write one, or leave it out");
    }
  }
}

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv, const std::string& name,
                               const std::string& doc, const std::string& default_config) {
  CommandLine line;
  line.config = default_config;
  std::string describe;
  std::string partitions = "1";
  std::string html;
  bool version = false;

  Flags flags(name, doc);
  flags.word("--config", "FILE", line.config, "YAML configuration, or the report of a run");
  flags.words("--set", "KEY=VALUE", line.sets, "Override one key; may stand more than once");
  flags.word("--seed", "N", line.seed, "Override the key `seed`");
  flags.word("--until", "TIME", line.until, "Override the key `until`: end the run at this time");
  flags.word("--trace", "FILE", line.trace, "Write signals, as .fst or .vcd");
  flags.word("--trace-filter", "GLOB", line.trace_filter,
             "Trace only the signals or scopes that match; a comma-separated list");
  flags.time("--trace-from", line.trace_from, "Trace from this time on");
  flags.time("--trace-to", line.trace_to, "Trace up to this time");
  flags.word("--trace-trigger", "EVENT", line.trace_trigger,
             "Keep only the time around EVENT's first occurrence: a moment that --describe lists "
             "(xoff, a.port.drop), or METRIC>VALUE");
  flags.time("--trace-pre", line.trace_pre, "Time kept before the trigger (10us)");
  flags.time("--trace-post", line.trace_post, "Time kept after the trigger (10us)");
  flags.word("--pcap", "FILE", line.pcap, "Write frames, as .pcapng");
  flags.word("--timeline", "FILE", line.timeline, "Write spans, as .json for a trace viewer");
  flags.word("--report", "FILE", line.report, "Write configuration and metrics, as .json");
  flags.word("--html", "FILE", html, "Not available yet");
  flags.word("--partitions", "N", partitions,
             "Cut the fabric into N partitions; no metric depends on it");
  flags.words("--log", "LEVEL", line.log,
              "trace, debug, info, warn or error; or GLOB=LEVEL for message types that match");
  flags.app()
      .add_option("--describe", describe,
                  "Print parameters, metrics and signals, as text, markdown or json, and exit")
      ->type_name("[FORMAT]")
      ->expected(0, 1)
      ->default_str("text");
  flags.toggle("--no-expect", line.no_expect, "Do not check the configuration's expectations");
  flags.toggle("--quiet", line.quiet, "Print neither progress nor summary");
  flags.toggle("--version", version, "Print the version and exit");

  line.text_only = flags.parse(argc, argv);
  if (!line.text_only.empty()) return line;
  refuse_empty(flags.app());
  if (version) line.text_only = std::string(kVersion) + "\n";
  if (flags.app().count("--html") > 0) {
    throw ConfigError("--html", "not available yet", "use --report, --timeline and --trace");
  }
  if (flags.app().count("--describe") > 0) {
    line.describe = describe_format(describe.empty() ? "text" : describe);
  }
  line.partitions = partition_count(partitions);
  check_together(line);
  return line;
}

}  // namespace railyard
