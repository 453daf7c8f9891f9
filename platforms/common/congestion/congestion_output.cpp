#include "platforms/common/congestion/congestion_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

namespace railyard {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kTrees = 100;
constexpr std::size_t kVictims = 1000;
constexpr std::size_t kDepths = 32;
constexpr std::size_t kNames = 100;
constexpr std::size_t kLines = 3;
constexpr std::size_t kMembers = 4;

double us(Time time) { return static_cast<double>(time) / kMicrosecond; }

Json first_names(const std::vector<std::string>& names) {
  const std::size_t count = std::min(names.size(), kNames);
  return std::vector<std::string>(names.begin(),
                                  names.begin() + static_cast<std::ptrdiff_t>(count));
}

Json tree_json(const CongestionTree& tree) {
  Json json = {{"root", tree.root}, {"priority", tree.priority}, {"kind", name_of(tree.kind)}};
  if (!tree.members.empty()) {
    json["length"] = tree.members.size();
    json["members"] = first_names(tree.members);
  }
  json["first_us"] = us(tree.first);
  json["last_us"] = us(tree.last);
  json["pauses"] = tree.pauses;
  json["pause_us"] = us(tree.time);
  json["hosts"] = tree.hosts;
  json["depth"] = tree.depths.size();
  Json& depths = json["depths"] = Json::array();
  for (std::size_t i = 0; i < tree.depths.size() && i < kDepths; ++i) {
    const CongestionDepth& depth = tree.depths[i];
    depths.push_back({{"pauses", depth.pauses},
                      {"pause_us", us(depth.time)},
                      {"port_count", depth.ports.size()},
                      {"ports", first_names(depth.ports)}});
  }
  return json;
}

std::string duration(Time time) {
  if (time >= kSecond) return fmt::format("{:.1f} s", static_cast<double>(time) / kSecond);
  if (time >= kMillisecond) {
    return fmt::format("{:.1f} ms", static_cast<double>(time) / kMillisecond);
  }
  return fmt::format("{:.1f} us", us(time));
}

std::string counted(std::uint64_t count, const char* one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string root_text(const CongestionTree& tree) {
  return fmt::format("{} priority {}", tree.root, tree.priority);
}

/// Some of a cycle's ports, in the order in which they wait.
std::string members_text(const CongestionTree& tree) {
  std::string text;
  for (std::size_t i = 0; i < tree.members.size() && i < kMembers; ++i) {
    text += (i == 0 ? "" : " > ") + tree.members[i];
  }
  return tree.members.size() > kMembers ? text + " > ..." : text;
}

std::string tree_text(const CongestionTree& tree) {
  std::string root = root_text(tree) + ", " + name_of(tree.kind);
  if (tree.kind == RootKind::kCycle) root += fmt::format(" of {}", tree.members.size());
  std::string line = fmt::format("  {:<45}{:>8}{:>11}{:>7}{:>7}\n", root, tree.pauses,
                                 duration(tree.time), tree.depths.size(), tree.hosts);
  return tree.members.empty() ? line : line + "    " + members_text(tree) + "\n";
}

std::string trees_text(const CongestionReport& report) {
  if (report.trees.empty()) return "";
  std::string text = fmt::format("{:<47}{:>8}{:>11}{:>7}{:>7}\n", "pauses by their root", "count",
                                 "time", "depth", "hosts");
  for (std::size_t i = 0; i < report.trees.size() && i < kLines; ++i) {
    text += tree_text(report.trees[i]);
  }
  if (report.trees.size() > kLines) {
    text += fmt::format("  {} more\n", counted(report.trees.size() - kLines, "root"));
  }
  return text;
}

std::string victims_text(const CongestionReport& report) {
  std::string text;
  for (std::size_t i = 0; i < report.victims.size() && i < kLines; ++i) {
    const VictimFlow& victim = report.victims[i];
    text +=
        fmt::format("victim: flow{} lost {} ({:.1f} %) to {}\n", victim.flow, duration(victim.lost),
                    victim.share * 100, root_text(report.trees[victim.tree]));
  }
  if (report.victims.size() <= kLines) return text;
  return text + fmt::format("victim: {} more, {} lost in all\n",
                            counted(report.victims.size() - kLines, "flow"),
                            duration(report.victims_lost));
}

}  // namespace

std::string congestion_json(const CongestionReport& report) {
  Json json = {{"pauses", report.pauses},
               {"unlogged", report.unlogged},
               {"depth", report.depth},
               {"ports", report.ports},
               {"hosts", report.hosts},
               {"all_hosts", report.all_hosts},
               {"roots", report.trees.size()},
               {"trees", Json::array()},
               {"victims", report.victims.size()},
               {"victims_lost_us", us(report.victims_lost)},
               {"victim_flows", Json::array()}};
  for (std::size_t i = 0; i < report.trees.size() && i < kTrees; ++i) {
    json["trees"].push_back(tree_json(report.trees[i]));
  }
  for (std::size_t i = 0; i < report.victims.size() && i < kVictims; ++i) {
    const VictimFlow& victim = report.victims[i];
    const CongestionTree& tree = report.trees[victim.tree];
    json["victim_flows"].push_back({{"flow", victim.flow},
                                    {"lost_us", us(victim.lost)},
                                    {"share", victim.share},
                                    {"root", tree.root},
                                    {"priority", tree.priority}});
  }
  return json.dump();
}

std::string congestion_text(const CongestionReport& report) {
  std::string text = trees_text(report) + victims_text(report);
  if (report.unlogged > 0) text += counted(report.unlogged, "pause") + " not logged\n";
  return text;
}

}  // namespace railyard
