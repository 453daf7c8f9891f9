#include "platforms/hbm_bandwidth/bounds.h"

#include <algorithm>
#include <cctype>
#include <iomanip>
#include <sstream>
#include <vector>

#include "hw/hbm/constraint_table.h"

namespace railyard::hbm_bandwidth {

namespace {

std::string lower(std::string name) {
  for (char& c : name) {
    c = c == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name;
}

}  // namespace

Bounds::Bounds(hbm::Controller& controller, StatisticsRegistry& statistics)
    : controller_(controller) {
  for (std::size_t i = 0; i < hbm::kCommands; ++i) {
    counts_[{static_cast<hbm::Command>(i), "unbound"}] = 0;
  }
  const hbm::ConstraintTable table = hbm::constraint_table(controller.config().timing);
  for (const hbm::Constraint& row : table.constraints) counts_[{row.after, row.name}] = 0;
  for (const hbm::Window& window : table.windows) counts_[{window.command, window.name}] = 0;
  statistics.before_look([this] { update(); });
  for (const auto& [key, count] : counts_) {
    const auto& [command, cause] = key;
    const std::string why = cause == "unbound" ? "nothing but their being wanted" : cause;
    statistics.add_derived(
        {"bound." + std::string(hbm::metric_name_of(command)) + "." + lower(cause), "commands",
         std::string("Commands ") + hbm::name_of(command) + " whose time was set by " + why},
        [&count = count](Time, Time) { return MetricValue::of(count); });
  }
}

void Bounds::update() {
  for (auto& [key, count] : counts_) count = 0;
  for (const hbm::BoundCount& bound : controller_.bound_counts()) {
    const auto found = counts_.find({bound.command, bound.name});
    if (found != counts_.end()) found->second += bound.count;
  }
}

std::string Bounds::text() {
  constexpr double kPercent = 100;
  constexpr double kLeast = 0.5;  // per cent that are worth to be told
  controller_.catch_up();
  update();
  std::ostringstream table;
  table << "what set the time of commands\n" << std::fixed << std::setprecision(1);
  for (std::size_t i = 0; i < hbm::kCommands; ++i) {
    const auto command = static_cast<hbm::Command>(i);
    std::vector<std::pair<std::uint64_t, std::string>> causes;
    std::uint64_t sum = 0;
    for (const auto& [key, count] : counts_) {
      if (key.first != command || count == 0) continue;
      causes.emplace_back(count, key.second);
      sum += count;
    }
    if (sum == 0) continue;
    std::stable_sort(causes.begin(), causes.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    table << "  " << std::left << std::setw(6) << hbm::name_of(command) << std::right
          << std::setw(12) << sum << ' ';
    for (const auto& [count, cause] : causes) {
      const double share = kPercent * static_cast<double>(count) / static_cast<double>(sum);
      if (share >= kLeast) table << "  " << cause << ' ' << share << " %";
    }
    table << '\n';
  }
  return table.str();
}

}  // namespace railyard::hbm_bandwidth
