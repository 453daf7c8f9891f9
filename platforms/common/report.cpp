#include "platforms/common/report.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "platforms/common/config_json.h"
#include "platforms/common/congestion/congestion_output.h"
#include "tlm/base/error.h"

namespace railyard {

namespace {

using Json = nlohmann::ordered_json;

Json json_number(const MetricValue& value) {
  if (value.is_whole) return value.whole;
  return std::isfinite(value.real) ? Json(value.real) : Json(nullptr);
}

std::uint64_t peak_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  constexpr std::uint64_t kKibibyte = 1024;
  return static_cast<std::uint64_t>(usage.ru_maxrss) * kKibibyte;
}

Json host_json(const RunResult& result) {
  const double hops = static_cast<double>(result.frame_hops);
  Json cycles = Json::object();
  for (const auto& [block, count] : result.block_cycles) cycles[block] = count;
  return {{"wall_s", result.wall_s},
          {"peak_rss_bytes", peak_rss_bytes()},
          {"kernel_events", result.kernel_events},
          {"frame_hops", result.frame_hops},
          {"frame_hops_per_s", result.wall_s > 0 ? hops / result.wall_s : 0.0},
          {"partitions", result.partitions},
          {"block_cycles", cycles}};
}

bool is_special(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

void write_whole(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) throw std::runtime_error(path + ": " + std::strerror(errno));
}

}  // namespace

std::string report_json(const RunResult& result) {
  constexpr double kPicosecondsANanosecond = 1000;
  Json report;
  report["schema"] = 1;
  report["platform"] = result.platform;
  report["seed"] = result.seed;
  report["complete"] = result.complete;
  report["end"] = result.end;
  if (!result.error.empty()) report["error"] = result.error;
  if (!result.deadlock.empty()) report["deadlock"] = result.deadlock;
  report["config"] = Json::parse(config_json(result.config, -1));
  report["simulated_ns"] = static_cast<double>(result.simulated) / kPicosecondsANanosecond;
  report["host"] = host_json(result);
  // Names are unique; [] would look for each among all before it.
  auto& metrics = (report["metrics"] = Json::object()).get_ref<Json::object_t&>();
  metrics.reserve(result.metrics.size());
  for (const Metric& m : result.metrics) {
    metrics.emplace_back(
        m.info.name,
        Json{{"value", json_number(m.value)}, {"unit", m.info.unit}, {"doc", m.info.doc}});
  }
  if (result.congestion != nullptr && result.congestion->pauses + result.congestion->unlogged > 0) {
    report["congestion"] = Json::parse(congestion_json(*result.congestion));
  }
  Json& expectations = report["expectations"] = Json::array();
  for (const ExpectationResult& e : result.expectations) {
    expectations.push_back({{"met", e.met}, {"text", e.text}});
  }
  return report.dump(2) + "\n";
}

ReportFile::ReportFile(std::string path, const RunResult& result)
    : path_(std::move(path)), replace_(!is_special(path_)) {
  try {
    write(result);
  } catch (const std::runtime_error& error) {
    throw ConfigError("--report", error.what(), "name a file that can be written");
  }
}

void ReportFile::write(const RunResult& result) {
  const std::string text = report_json(result);
  if (!replace_) {
    write_whole(path_, text);
    return;
  }
  const std::string draft = path_ + ".part";
  write_whole(draft, text);
  if (std::rename(draft.c_str(), path_.c_str()) != 0) {
    throw std::runtime_error(path_ + ": " + std::strerror(errno));
  }
}

std::string block_cycles_text(const RunResult& result) {
  constexpr std::size_t kShown = 3;
  if (result.block_cycles.empty() || result.frame_hops == 0) return "";
  const auto a_hop = [&](std::uint64_t cycles) {
    return static_cast<double>(cycles) / static_cast<double>(result.frame_hops);
  };
  auto blocks = result.block_cycles;
  std::stable_sort(blocks.begin(), blocks.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::uint64_t all = 0;
  std::string most;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto& [block, cycles] = blocks[i];
    all += cycles;
    if (i >= kShown || cycles == 0) continue;
    most += fmt::format("{}{} {:.3f}", most.empty() ? "" : ", ", block, a_hop(cycles));
  }
  return fmt::format("clock cycles of blocks a frame-hop: {:.3f}{}\n", a_hop(all),
                     most.empty() ? "" : " (" + most + ")");
}

std::string summary_table(const RunResult& result, const std::vector<std::string>& names) {
  std::vector<std::pair<std::string, const Metric*>> rows;
  std::size_t name_width = 0;
  std::size_t value_width = 0;
  for (const std::string& name : names) {
    const auto found = std::find_if(result.metrics.begin(), result.metrics.end(),
                                    [&](const Metric& m) { return m.info.name == name; });
    if (found == result.metrics.end()) throw std::logic_error("no metric is named " + name);
    const MetricValue& value = found->value;
    rows.emplace_back(
        value.is_whole ? fmt::format("{}", value.whole) : fmt::format("{:.3f}", value.real),
        &*found);
    name_width = std::max(name_width, name.size());
    value_width = std::max(value_width, rows.back().first.size());
  }
  std::string table;
  for (const auto& [value, metric] : rows) {
    table += fmt::format("{:<{}}  {:>{}}  {}\n", metric->info.name, name_width, value, value_width,
                         metric->info.unit);
  }
  return table;
}

}  // namespace railyard
