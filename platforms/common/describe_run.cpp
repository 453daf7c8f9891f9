#include "platforms/common/describe_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "platforms/common/describe.h"

namespace railyard {

namespace {

using Json = nlohmann::ordered_json;

/// Something that a run shows: a metric, a signal, a moment.
struct Shown {
  std::string name;
  std::string unit;
  std::string doc;
};

struct Section {
  std::string title;
  std::string key;  // in JSON
  std::vector<Shown> rows;
};

std::string signal_unit(const ProbeInfo& info) {
  if (info.kind == ProbeKind::kEnum) {
    std::string names;
    for (const std::string& name : info.enum_names) names += (names.empty() ? "" : " ") + name;
    return names;
  }
  return info.width == 1 ? "bit" : info.unit;
}

std::vector<Section> sections(Simulation& simulation) {
  Section metrics{"Metrics", "metrics", {}};
  for (const Metric& m : simulation.metrics()) {
    metrics.rows.push_back({m.info.name, m.info.unit, m.info.doc});
  }
  Section signals{"Signals", "signals", {}};
  Section lanes{"Timeline lanes", "lanes", {}};
  Section moments{"Moments for --trace-trigger", "moments", {}};
  for (std::size_t i = 0; i < simulation.partition_count(); ++i) {
    ProbeRegistry& probes = simulation.partition(i).probes();
    for (const auto& p : probes.probes()) {
      signals.rows.push_back({p.info.name, signal_unit(p.info), p.info.doc});
    }
    for (const auto& l : probes.lanes()) lanes.rows.push_back({l.info.name, "", l.info.doc});
    for (const auto& m : probes.moments()) moments.rows.push_back({m.info.name, "", m.info.doc});
  }
  std::vector<Section> all = {metrics, signals, lanes, moments};
  for (Section& section : all) {
    std::sort(section.rows.begin(), section.rows.end(),
              [](const Shown& a, const Shown& b) { return a.name < b.name; });
  }
  return all;
}

std::string text_of(const Section& section) {
  std::size_t name = 0;
  std::size_t unit = 0;
  for (const Shown& row : section.rows) {
    name = std::max(name, row.name.size());
    unit = std::max(unit, row.unit.size());
  }
  std::string text = "\n" + section.title + "\n";
  for (const Shown& row : section.rows) {
    text += fmt::format("{:<{}}  {:<{}}  {}\n", row.name, name, row.unit, unit, row.doc);
  }
  return text;
}

std::string markdown_of(const Section& section) {
  std::string text = "\n**" + section.title + "**\n\n| name | unit | |\n|---|---|---|\n";
  for (const Shown& row : section.rows) {
    text += fmt::format("| `{}` | {} | {} |\n", row.name, row.unit, row.doc);
  }
  return text;
}

std::string json_of(const Platform& platform, const std::vector<ParameterRow>& parameters,
                    const std::vector<Section>& all) {
  Json root;
  root["platform"] = platform.name();
  root["doc"] = platform.doc();
  root["parameters"] = Json::parse(describe_json(parameters));
  for (const Section& section : all) {
    Json& list = root[section.key] = Json::array();
    for (const Shown& row : section.rows) {
      list.push_back({{"name", row.name}, {"unit", row.unit}, {"doc", row.doc}});
    }
  }
  return root.dump(2) + "\n";
}

}  // namespace

std::string describe_run(DescribeFormat format, const Platform& platform,
                         const std::vector<ParameterRow>& parameters, Simulation& simulation) {
  const std::vector<Section> all = sections(simulation);
  if (format == DescribeFormat::kJson) return json_of(platform, parameters, all);
  const bool markdown = format == DescribeFormat::kMarkdown;
  std::string text = markdown ? "**Parameters**\n\n" + describe_markdown(parameters)
                              : platform.name() + ": " + platform.doc() + "\n\nParameters\n" +
                                    describe_text(parameters);
  for (const Section& section : all) text += markdown ? markdown_of(section) : text_of(section);
  return text;
}

}  // namespace railyard
