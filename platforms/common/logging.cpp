#include "platforms/common/logging.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <map>
#include <memory>

#include <systemc>

#include "tlm/base/error.h"
#include "tlm/base/format.h"
#include "tlm/config/spelling.h"
#include "waveforms/glob.h"

namespace railyard {

namespace {

struct Rule {
  std::string glob;
  spdlog::level::level_enum level;
};

class Log {
 public:
  explicit Log(const std::vector<std::string>& rules)
      : logger_(std::make_shared<spdlog::logger>(
            "railyard", std::make_shared<spdlog::sinks::stderr_color_sink_st>())) {
    logger_->set_pattern("%n: %^%l%$: %v");
    logger_->set_level(spdlog::level::trace);
    for (const std::string& rule : rules) rules_.push_back(parse(rule));
  }

  void handle(const sc_core::sc_report& report, const sc_core::sc_actions& /*actions*/) const {
    const std::string type = report.get_msg_type();
    const spdlog::level::level_enum level = level_of(report);
    if (report.get_severity() < sc_core::SC_ERROR && level >= threshold(type)) {
      logger_->log(level, "{}: {}", type, report.get_msg());
    }
    if (report.get_severity() >= sc_core::SC_ERROR) throw report;
  }

 private:
  static Rule parse(const std::string& rule) {
    static const std::map<std::string, spdlog::level::level_enum> kLevels = {
        {"trace", spdlog::level::trace},
        {"debug", spdlog::level::debug},
        {"info", spdlog::level::info},
        {"warn", spdlog::level::warn},
        {"error", spdlog::level::err}};
    const std::size_t equals = rule.rfind('=');
    const std::string level = equals == std::string::npos ? rule : rule.substr(equals + 1);
    const auto found = kLevels.find(level);
    if (found == kLevels.end()) {
      throw ConfigError("--log", quoted(level) + " is no level",
                        suggest(level, {"trace", "debug", "info", "warn", "error"}));
    }
    return {equals == std::string::npos ? "*" : rule.substr(0, equals), found->second};
  }

  // SystemC has one level of information, in steps of verbosity.
  static spdlog::level::level_enum level_of(const sc_core::sc_report& report) {
    if (report.get_severity() == sc_core::SC_WARNING) return spdlog::level::warn;
    if (report.get_verbosity() >= sc_core::SC_DEBUG) return spdlog::level::trace;
    return report.get_verbosity() >= sc_core::SC_HIGH ? spdlog::level::debug : spdlog::level::info;
  }

  spdlog::level::level_enum threshold(const std::string& type) const {
    spdlog::level::level_enum level = spdlog::level::warn;
    for (const Rule& rule : rules_) {
      if (glob_match(rule.glob, type)) level = rule.level;
    }
    return level;
  }

  std::shared_ptr<spdlog::logger> logger_;
  std::vector<Rule> rules_;
};

}  // namespace

void set_up_logging(const std::vector<std::string>& rules) {
  // The kernel keeps its handler for the life of the process, and takes a plain function.
  static std::unique_ptr<const Log> log;
  log = std::make_unique<const Log>(rules);
  sc_core::sc_report_handler::set_handler(
      [](const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
        log->handle(report, actions);
      });
  if (!rules.empty()) sc_core::sc_report_handler::set_verbosity_level(sc_core::SC_DEBUG);
}

}  // namespace railyard
