// What a phase tells of its window.
#include <algorithm>

#include "platforms/pcie_bandwidth/phase.h"

namespace railyard::pcie_bandwidth {

namespace {

constexpr double kGigabytes = 1000;  // a second, of a byte a picosecond

struct UseText {
  const char* key;
  const char* doc;
};

// In the order of LineUse.
constexpr std::array<UseText, pcie::kLineUses> kUses = {{
    {"data", "data of TLPs"},
    {"headers", "framing, headers, CRC and padding of TLPs"},
    {"dllp", "acknowledgements and flow control updates"},
    {"skip", "skip ordered sets"},
    {"replay", "TLPs that were sent again"},
    {"retrain", "the link was down"},
    {"credits", "lost: nothing that was queued had its credits"},
    {"ordering", "lost: what had its credits must not pass what had not"},
    {"acknowledge", "lost: the replay buffer was full"},
    {"tags", "lost: reads waited for a tag or for room for their completions"},
    {"idle", "there was nothing to send"},
}};

}  // namespace

void Phase::register_real(const std::string& name, const std::string& unit, const std::string& doc,
                          std::function<double()> value) {
  system_.partition().statistics().add_derived(
      {prefix_ + name, unit, doc},
      [value = std::move(value)](Time, Time) { return MetricValue::of(value()); });
}

void Phase::register_all() {
  register_real("time_ns", "ns", "How long the phase was measured, in full flow",
                [this] { return static_cast<double>(window_) / kNanosecond; });
  register_real(
      "read_alone_ns", "ns",
      "Latency of a read by dev0, of what one request brings, with nothing else under way",
      [this] { return static_cast<double>(alone_) / kNanosecond; });
  if (!writes_.streams.empty()) register_kind(writes_, "write");
  if (!reads_.streams.empty()) {
    register_kind(reads_, "read");
    if (!config_.ideal()) {
      register_real("read_tag_bound_gbytes_s", "GB/s",
                    "What reads come to with all tags in use and the latency of one alone, by "
                    "Little's law",
                    [this] { return reads_.tag_bound * kGigabytes; });
    }
  }
  register_lines();
}

void Phase::register_kind(Kind& kind, const std::string& name) {
  register_real(name + "_gbytes_s", "GB/s", "Data of " + name + "s, all devices together",
                [this, &kind] { return measured(kind) * kGigabytes; });
  register_real(name + "_ceiling_gbytes_s", "GB/s",
                config_.ideal() ? "The configured bandwidth of all devices that do it"
                : name == "write"
                    ? "What the lines could carry of it, with nothing on them but TLPs and "
                      "the requests of reads that were measured"
                    : "What the lines could carry of it with nothing on them but TLPs",
                [&kind] { return kind.ceiling * kGigabytes; });
  if (!config_.ideal()) {
    register_real(name + "_overhead_pct", "%",
                  "Share of the time of the lines that bound it, by the ceiling, that DLLPs and "
                  "skip ordered sets took",
                  [this, &kind] { return overhead(kind) * 100; });
  }
  register_real(name + "_of_ceiling", "ratio",
                "What was measured over the ceiling less the overhead", [this, &kind] {
                  const double least = kind.ceiling * (1 - overhead(kind));
                  return least > 0 ? measured(kind) / least : 0.0;
                });
  system_.partition().statistics().add(
      kind.latency,
      {prefix_ + name + "_latency_ns", "ns",
       name == "read"    ? "From a read's being given to its last byte"
       : config_.ideal() ? "From a write's being given to its last byte's leaving the device"
                         : "From a write's being given to its last TLP's start on the line"},
      static_cast<double>(kNanosecond));
}

void Phase::register_lines() {
  for (std::size_t line = 0; line < lines_.size(); ++line) {
    for (std::size_t use = 0; use < pcie::kLineUses; ++use) {
      register_real("time." + lines_[line].port->name() + "." + kUses[use].key + "_ns", "ns",
                    std::string("Of time_ns, on the line out of this port: ") + kUses[use].doc,
                    [this, line, use] {
                      const bool measured = window_ > 0;
                      const auto spent = static_cast<double>(lines_[line].spent[use]);
                      return measured ? spent / kNanosecond : 0.0;
                    });
    }
  }
}

std::vector<std::string> Phase::summary() const {
  std::vector<std::string> names;
  if (window_ == 0) return names;
  for (const Kind* kind : {&writes_, &reads_}) {
    if (kind->streams.empty()) continue;
    const std::string name = prefix_ + (kind == &writes_ ? "write" : "read");
    names.push_back(name + "_gbytes_s");
    names.push_back(name + "_ceiling_gbytes_s");
    if (!config_.ideal()) names.push_back(name + "_overhead_pct");
    names.push_back(name + "_of_ceiling");
  }
  names.push_back(prefix_ + "read_alone_ns");
  names.push_back(prefix_ + "time_ns");
  for (std::size_t line = 0; line < lines_.size(); ++line) add_losses(line, names);
  return names;
}

// What is worth a line of a table: 0.5 % of the time. Idle is the line that nothing is bound by.
void Phase::add_losses(std::size_t line, std::vector<std::string>& names) const {
  constexpr Time kPart = 200;
  const auto bounds = [line](const Kind& kind) {
    return std::find(kind.bottleneck.begin(), kind.bottleneck.end(), line) != kind.bottleneck.end();
  };
  for (auto use = static_cast<std::size_t>(pcie::LineUse::kReplay); use < pcie::kLineUses; ++use) {
    const bool idle = use == static_cast<std::size_t>(pcie::LineUse::kIdle);
    if (lines_[line].spent[use] < window_ / kPart) continue;
    if (idle && !bounds(writes_) && !bounds(reads_)) continue;
    names.push_back(prefix_ + "time." + lines_[line].port->name() + "." + kUses[use].key + "_ns");
  }
}

}  // namespace railyard::pcie_bandwidth
