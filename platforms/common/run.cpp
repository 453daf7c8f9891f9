// From main to exit code: the one place that knows the order of things.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>

#include "platforms/common/assignment.h"
#include "platforms/common/command_line.h"
#include "platforms/common/config_json.h"
#include "platforms/common/describe.h"
#include "platforms/common/describe_run.h"
#include "platforms/common/how_to_look.h"
#include "platforms/common/logging.h"
#include "platforms/common/outputs.h"
#include "platforms/common/platform.h"
#include "platforms/common/progress.h"
#include "platforms/common/report.h"
#include "platforms/common/save_times.h"
#include "platforms/common/signals.h"
#include "platforms/common/yaml_reader.h"
#include "tlm/base/error.h"
#include "tlm/base/format.h"

namespace railyard {

namespace {

constexpr int kGood = 0;
constexpr int kExpectationMissed = 1;
constexpr int kBadInput = 2;
constexpr int kBrokenInvariant = 3;
constexpr int kInterrupted = 130;

/// A platform's keys and those of every run, as one configuration.
struct WholeConfig {
  RunConfig& run;
  Platform& platform;
  void declare(Parameters& p) {
    run.declare(p);
    platform.declare(p);
  }
};

/// A flag that stands for a key: the key's place is the flag.
void override_key(Node& root, const std::string& key, const std::optional<std::string>& value) {
  if (!value) return;
  Node scalar = Node::scalar(*value, false);
  scalar.mark.source = std::make_shared<const std::string>("--" + key);
  if (Member* member = root.find_member(key)) {
    member->value = scalar;
  } else {
    root.members.push_back({key, scalar.mark, scalar});
  }
}

Node read_configuration(const CommandLine& line) {
  Node root = read_yaml_file(line.config);
  for (const std::string& assignment : line.sets) apply_set(root, assignment);
  override_key(root, "seed", line.seed);
  override_key(root, "until", line.until);
  return root;
}

/// One run, from a bound configuration to its outputs.
class Run {
 public:
  Run(const CommandLine& line, Platform& platform)
      : line_(line), platform_(platform), config_{run_, platform} {
    if (line.describe != DescribeFormat::kNone) parameters_ = describe_config(config_);
    run_.file = line.config;
    bind_config(read_configuration(line), config_);
    SimulationConfig config;
    config.seed = run_.seed;
    config.partitions = line.partitions;
    config.warm_up = run_.warm_up;
    config.deadlock = run_.deadlock;
    simulation_ = std::make_unique<Simulation>(config);
    fabric_ = platform.build(*simulation_, run_);
    simulation_->seal();
    // Other parameters can make another fabric, without what they name.
    if (!line.no_expect) check_names(run_.expect, metric_names());
  }

  int describe() {
    std::fputs(describe_run(line_.describe, platform_, parameters_, *simulation_).c_str(), stdout);
    return kGood;
  }

  int execute() {
    result_.platform = platform_.name();
    result_.seed = run_.seed;
    result_.config = dump_config(config_);
    result_.partitions = line_.partitions;
    outputs_ = std::make_unique<Outputs>(line_, *simulation_, *fabric_);
    if (!line_.report.empty()) report_ = std::make_unique<ReportFile>(line_.report, result_);

    const StopSignals signals(simulation_->control());
    start_ = std::chrono::steady_clock::now();
    int code = simulate();
    code = finish(code);
    if (!line_.quiet) print_summary();
    print_errors();
    return code;
  }

 private:
  int simulate() {
    Progress progress(*simulation_, run_.until, line_.quiet);
    SaveTimes saves(start_);
    try {
      const RunEnd end = simulation_->run(run_.until, [&] {
        progress.show();
        const auto now = SaveTimes::Clock::now();
        if (!saves.due(now)) return;
        outputs_->flush();
        write_report();
        saves.saved(now, SaveTimes::Clock::now());
      });
      result_.end = end == RunEnd::kDrained   ? "drained"
                    : end == RunEnd::kUntil   ? "until"
                    : end == RunEnd::kStopped ? "stopped"
                                              : "interrupted";
      result_.complete = end != RunEnd::kInterrupted;
      return result_.complete ? kGood : kInterrupted;
    } catch (const sc_core::sc_report& report) {
      result_.error = report.get_msg();
      // Our own invariants say place and time themselves.
      if (std::string(report.get_msg_type()) != kInvariantReport) {
        result_.error =
            failure(report.get_process_name(), report.get_msg_type() + (": " + result_.error));
      }
    } catch (const InvariantError& error) {
      result_.error = error.what();
    } catch (const std::exception& error) {
      result_.error = failure(nullptr, error.what());
    } catch (...) {
      result_.error = failure(nullptr, "an exception that says nothing");
    }
    result_.end = "failed";
    return kBrokenInvariant;
  }

  /// What went wrong, with place and time: whose callback it was, or which process.
  std::string failure(const char* process, const std::string& what) const {
    std::string where = simulation_->control().where();
    if (where.empty() && process != nullptr) where = process;
    return (where.empty() ? "a model" : where) + " at " + format_time(simulation_->now()) + ": " +
           what;
  }

  /// Completes every file, whatever happened.
  int finish(int code) {
    try {
      simulation_->conclude();
      outputs_->close();
    } catch (const std::exception& error) {
      if (result_.error.empty()) result_.error = error.what();
      result_.complete = false;
      code = kBrokenInvariant;
    }
    result_.deadlock = simulation_->deadlock_report();
    take_metrics();
    if (code == kGood && !line_.no_expect) code = check_expectations();
    write_report();
    return code;
  }

  int check_expectations() {
    result_.expectations = evaluate(run_.expect, [&](const std::string& name) {
      for (const Metric& m : result_.metrics) {
        if (m.info.name == name) return std::optional<double>(m.value.real);
      }
      return std::optional<double>();
    });
    int code = kGood;
    for (const ExpectationResult& e : result_.expectations) {
      if (e.met) continue;
      fmt::print(stderr, "railyard: expectation missed: {}\n", e.text);
      code = kExpectationMissed;
    }
    return code;
  }

  void take_metrics() {
    result_.wall_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    result_.simulated = simulation_->now();
    result_.kernel_events = simulation_->kernel_events();
    result_.frame_hops = simulation_->frame_hops();
    result_.metrics = simulation_->metrics();
    result_.congestion = fabric_->congestion(result_.simulated);
    take_block_cycles();
  }

  void take_block_cycles() {
    result_.block_cycles.clear();
    const Blocks* blocks = fabric_->blocks();
    if (blocks == nullptr) return;
    for (std::size_t i = 0; i < kBlockKinds; ++i) {
      const auto kind = static_cast<BlockKind>(i);
      result_.block_cycles.emplace_back(name_of(kind), blocks->cycles(kind));
    }
  }

  void write_report() {
    take_metrics();
    if (report_) report_->write(result_);
  }

  void print_summary() const {
    fmt::print("{}", fabric_->text());
    fmt::print("{}", summary_table(result_, fabric_->summary()));
    const std::uint64_t left = simulation_->outstanding_work();
    const double simulated_us = static_cast<double>(result_.simulated) / kMicrosecond;
    const bool frames = result_.frame_hops > 0;  // a memory has none
    const auto steps = static_cast<double>(frames ? result_.frame_hops : result_.kernel_events);
    fmt::print("\n{:.3f} us simulated in {:.2f} s, {:.2f} M {}/s, {}{}\n", simulated_us,
               result_.wall_s, result_.wall_s > 0 ? steps / result_.wall_s / 1e6 : 0.0,
               frames ? "frame-hops" : "kernel events", result_.end,
               left > 0 ? fmt::format(", {} items of work unfinished", left) : "");
    fmt::print("{}", block_cycles_text(result_));
    if (!outputs_->trace_note().empty()) fmt::print("{}\n", outputs_->trace_note());
    for (const std::string& path : outputs_->paths()) fmt::print("wrote {}\n", path);
    for (const std::string& path : fabric_->files()) fmt::print("wrote {}\n", path);
    if (report_) fmt::print("wrote {}\n", line_.report);
    fmt::print("{}", how_to_look(line_));
    std::fflush(stdout);
  }

  void print_errors() const {
    if (!result_.deadlock.empty()) fmt::print(stderr, "railyard: {}\n", result_.deadlock);
    if (!result_.error.empty()) fmt::print(stderr, "railyard: error: {}\n", result_.error);
  }

  std::vector<std::string> metric_names() const {
    std::vector<std::string> names;
    for (const Metric& m : simulation_->metrics()) names.push_back(m.info.name);
    return names;
  }

  const CommandLine& line_;
  Platform& platform_;
  RunConfig run_;
  WholeConfig config_;
  std::vector<ParameterRow> parameters_;  // with their defaults, for --describe
  std::unique_ptr<Simulation> simulation_;
  std::unique_ptr<Fabric> fabric_;
  std::unique_ptr<Outputs> outputs_;
  std::unique_ptr<ReportFile> report_;
  RunResult result_;
  std::chrono::steady_clock::time_point start_;
};

int run_refusing(Platform& platform, int argc, char** argv) {
  const CommandLine line =
      parse_command_line(argc, argv, platform.name(), platform.doc(), platform.default_config());
  if (!line.text_only.empty()) {
    std::fputs(line.text_only.c_str(), stdout);
    return kGood;
  }
  set_up_logging(line.log);
  Run run(line, platform);
  return line.describe == DescribeFormat::kNone ? run.execute() : run.describe();
}

}  // namespace

int run_platform(Platform& platform, int argc, char** argv) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  try {
    return run_refusing(platform, argc, argv);
  } catch (const ConfigError& error) {
    fmt::print(stderr, "railyard: {}\n", error.what());
    return kBadInput;
  } catch (const std::exception& error) {
    fmt::print(stderr, "railyard: error: {}\n", error.what());
    return kBrokenInvariant;
  }
}

int main_of_platform(int argc, char** argv) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return sc_core::sc_elab_and_sim(argc, argv);
}

}  // namespace railyard
