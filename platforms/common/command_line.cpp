#include "platforms/common/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "platforms/common/output_files.h"
#include "tlm/base/error.h"
#include "tlm/base/format.h"
#include "tlm/base/quantity.h"
#include "tlm/config/spelling.h"

namespace railyard {

namespace {

constexpr const char* kVersion = "railyard 0.1.0";
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

/// Names in a simulation are short and ASCII.
void check_pattern(const char* flag, const std::string& text) {
  const bool plain =
      std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 127; });
  if (plain && text.size() <= kLongestPattern) return;
  throw ConfigError(flag,
                    quoted(text) + (plain ? " is too long" : " holds a space or what is not ASCII"),
                    "--describe lists the names");
}

/// Flags that would silently do nothing.
void refuse_idle_flags(const CLI::App& app) {
  const auto given = [&](const char* flag) { return app.count(flag) > 0; };
  for (const char* flag : {"--trace-filter", "--trace-from", "--trace-to", "--trace-trigger",
                           "--trace-pre", "--trace-post"}) {
    if (!given(flag) || given("--trace")) continue;
    throw ConfigError(flag, "there is no trace to write", "add --trace FILE.fst");
  }
  for (const char* flag : {"--trace-pre", "--trace-post"}) {
    if (!given(flag) || given("--trace-trigger")) continue;
    throw ConfigError(flag, "there is no trigger to be before or after",
                      "add --trace-trigger EVENT");
  }
  for (const char* flag : {"--trace-from", "--trace-to"}) {
    if (!given(flag) || !given("--trace-trigger")) continue;
    throw ConfigError(flag, "the trigger decides what is traced",
                      "write --trace-pre and --trace-post, or leave --trace-trigger away");
  }
}

void check_together(const CommandLine& line) {
  if (line.trace_to < line.trace_from) {
    throw ConfigError("--trace-to", "the trace's window ends before it begins",
                      "give a time that is not before --trace-from");
  }
  check_pattern("--trace-trigger", line.trace_trigger);
  check_pattern("--trace-filter", line.trace_filter);
  check_output_files(line);
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
  refuse_idle_flags(flags.app());
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
