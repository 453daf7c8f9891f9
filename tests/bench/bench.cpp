// Prints what operations cost, as multiples of one self-notifying SC_METHOD event of the raw
// SystemC kernel in the same run: machines are noisy and differ, ratios less so. Exits 1 if a bar
// is missed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include <systemc>

#include "platforms/common/platform.h"
#include "tests/bench/cases.h"

namespace {

using railyard::bench::Case;
using railyard::bench::Sample;

constexpr int kRounds = 5;

struct Row {
  Case what;
  Sample best;
  double ratio = 0;           // raw kernel events, or bytes
  std::optional<double> bar;  // likewise
  bool met() const { return !bar || ratio <= *bar; }
};

void keep_best(Sample& best, const Sample& sample) {
  if (best.operations == 0 || sample.ns_each() < best.ns_each()) best = sample;
}

void set_bar(Row& row, const std::vector<Row>& rows) {
  row.bar = row.what.bar;
  if (!row.what.relative) return;
  for (const Row& other : rows) {
    if (other.what.name == row.what.relative->to) {
      row.bar = row.what.relative->factor * other.ratio;
    }
  }
}

double cost_of(const Sample& sample, const Sample& raw) {
  if (sample.bytes != 0) {
    return static_cast<double>(sample.bytes) / static_cast<double>(sample.operations);
  }
  return sample.ns_each() / raw.ns_each();
}

/// Rounds of all cases, not all rounds of a case: a slow minute of the machine meets all alike.
std::vector<Row> measure(Sample& raw, const std::string& only) {
  std::vector<Row> rows;
  for (Case& one : railyard::bench::all_cases()) {
    if (one.name.compare(0, only.size(), only) == 0) rows.push_back({std::move(one), {}, 0, {}});
  }
  for (int round = 0; round < kRounds; ++round) {
    keep_best(raw, railyard::bench::in_child(railyard::bench::raw_kernel_event));
    for (Row& row : rows) keep_best(row.best, railyard::bench::in_child(row.what.run));
  }
  for (Row& row : rows) row.ratio = cost_of(row.best, raw);
  for (Row& row : rows) set_bar(row, rows);
  return rows;
}

const Row& row_of(const std::vector<Row>& rows, const std::string& name) {
  return *std::find_if(rows.begin(), rows.end(),
                       [&](const Row& row) { return row.what.name == name; });
}

double million_hops(const Row& row) { return 1000 / row.best.ns_each(); }

void print_trace_cost(const std::vector<Row>& rows) {
  const Row& off = row_of(rows, "switch.hop");
  const Row& on = row_of(rows, "switch.hop_traced");
  fmt::print(
      "\nTracing 100 signals: {:.2f} times the time of none, {:.2f} of 8 raw events; {:.1f} ns "
      "a change, {:.1f} changes a hop\n",
      on.ratio / off.ratio, on.ratio / 8,
      (on.best.seconds - off.best.seconds) * 1e9 / static_cast<double>(on.best.changes),
      static_cast<double>(on.best.changes) / static_cast<double>(on.best.operations));
}

void print_block_cycles(const std::vector<Row>& rows) {
  fmt::print("\nClock cycles of all blocks of a kind:\n");
  for (const char* name : {"switch.hop_rtl", "incast.gated", "incast.free_running",
                           "dcqcn.loop_8_rtl", "dcqcn.loop_1024_rtl"}) {
    const Row& row = row_of(rows, name);
    const Sample& sample = row.best;
    fmt::print("{:<20} a {:<10}", name, row.what.unit);
    for (std::size_t i = 0; i < railyard::kBlockKinds; ++i) {
      if (sample.block_cycles[i] == 0) continue;
      fmt::print(
          " {} {:.3f}", railyard::name_of(static_cast<railyard::BlockKind>(i)),
          static_cast<double>(sample.block_cycles[i]) / static_cast<double>(sample.operations));
    }
    fmt::print("\n");
  }
}

/// Other simulators, run by us on a machine of two cores, one thread, packets of 1,000 B payload.
struct Peer {
  const char* name;
  const char* workload;
  const char* ours;
  double low, high;  // million data packets times links a second
};
constexpr Peer kPeers[] = {
    {"HPCC ns-3 (DCQCN, PFC)", "8:1 incast", "switch.hop", 0.53, 0.60},
    {"HPCC ns-3 (DCQCN, PFC)", "8:1, through NICs", "nic.incast_1k", 0.53, 0.60},
    {"HPCC ns-3 (DCQCN, PFC)", "fat tree of 128 hosts", "switch.hop_tree", 0.30, 0.34},
    {"ConWeave ns-3", "8:1 incast", "switch.hop", 0.27, 0.27},
    {"csg-htsim (PFC alone)", "8:1 incast", "switch.hop", 4.9, 5.3},
    {"csg-htsim (PFC alone)", "fat tree of 128 hosts", "switch.hop_tree", 0.95, 0.95},
};

void print_peers(const std::vector<Row>& rows) {
  fmt::print("\nM frame-hops a second, beside what others reached on a machine of this class:\n");
  for (const Peer& peer : kPeers) {
    const double ours = million_hops(row_of(rows, peer.ours));
    fmt::print("{:<24} {:<22} {:>5.2f} here, {:.2f}-{:.2f} there: {:.1f} times\n", peer.name,
               peer.workload, ours, peer.low, peer.high, ours / peer.high);
  }
}

void print_table(const Sample& raw, const std::vector<Row>& rows) {
  fmt::print("One raw kernel event: {:.1f} ns (min of {})\n\n", raw.ns_each(), kRounds);
  fmt::print("{:<19} {:>10} {:>10} {:>8} {:>7}  {:<7} {}\n", "", "raw events", "ns", "bar", "",
             "kernel", "");
  fmt::print("{:<19} {:>10} {:>10} {:>8} {:>7}  {:<7} {}\n", "case", "of time, B", "each", "", "",
             "events", "");
  for (const Row& row : rows) {
    fmt::print("{:<19} {:>10.2f} {:>10.1f} {:>8} {:>7}  {:<7.2f} {}, a {}\n", row.what.name,
               row.ratio, row.best.ns_each(), row.bar ? fmt::format("{:.3g}", *row.bar) : "-",
               !row.bar    ? ""
               : row.met() ? "met"
                           : "MISSED",
               row.best.kernel_events_each(), row.what.doc, row.what.unit);
  }
}

void print_comparisons(const std::vector<Row>& rows) {
  print_trace_cost(rows);
  print_block_cycles(rows);
  print_peers(rows);
}

void print_json(const Sample& raw, const std::vector<Row>& rows) {
  using Json = nlohmann::ordered_json;
  Json root;
  root["raw_kernel_event_ns"] = raw.ns_each();
  root["rounds"] = kRounds;
  Json& cases = root["cases"] = Json::object();
  for (const Row& row : rows) {
    cases[row.what.name] = {{row.best.bytes != 0 ? "bytes" : "raw_events_of_time", row.ratio},
                            {"ns", row.best.ns_each()},
                            {"unit", row.what.unit},
                            {"kernel_events", row.best.kernel_events_each()},
                            {"bar", row.bar ? Json(*row.bar) : Json(nullptr)},
                            {"met", row.met()},
                            {"doc", row.what.doc}};
  }
  fmt::print("{}\n", root.dump(2));
}

}  // namespace

int sc_main(int argc, char** argv) {
  CLI::App app("Costs of operations in events of the raw SystemC kernel", "bench");
  bool json = false;
  app.add_flag("--json", json, "Print JSON instead of a table");
  std::string only;
  app.add_option("--only", only, "Run the cases alone whose names begin with this");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  Sample raw;
  const std::vector<Row> rows = measure(raw, only);
  if (json) {
    print_json(raw, rows);
  } else {
    print_table(raw, rows);
    if (only.empty()) print_comparisons(rows);
  }
  return std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.met(); }) ? 0 : 1;
}

int main(int argc, char** argv) { return railyard::main_of_platform(argc, argv); }
