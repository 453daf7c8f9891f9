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
  double ratio = 0;
  bool met() const { return !what.bar || ratio <= *what.bar; }
};

void keep_best(Sample& best, const Sample& sample) {
  if (best.operations == 0 || sample.ns_each() < best.ns_each()) best = sample;
}

/// Rounds of all cases, not all rounds of a case: a slow minute of the machine meets all alike.
std::vector<Row> measure(Sample& raw) {
  std::vector<Row> rows;
  for (Case& one : railyard::bench::all_cases()) rows.push_back({std::move(one), {}});
  for (int round = 0; round < kRounds; ++round) {
    keep_best(raw, railyard::bench::in_child(railyard::bench::raw_kernel_event));
    for (Row& row : rows) keep_best(row.best, railyard::bench::in_child(row.what.run));
  }
  for (Row& row : rows) row.ratio = row.best.ns_each() / raw.ns_each();
  return rows;
}

void print_table(const Sample& raw, const std::vector<Row>& rows) {
  fmt::print("One raw kernel event: {:.1f} ns (min of {})\n\n", raw.ns_each(), kRounds);
  fmt::print("{:<18} {:>10} {:>10} {:>8} {:>7}  {:<7} {}\n", "", "raw events", "ns", "bar", "",
             "kernel", "");
  fmt::print("{:<18} {:>10} {:>10} {:>8} {:>7}  {:<7} {}\n", "case", "of time", "each", "", "",
             "events", "");
  for (const Row& row : rows) {
    fmt::print("{:<18} {:>10.2f} {:>10.1f} {:>8} {:>7}  {:<7.2f} {}, a {}\n", row.what.name,
               row.ratio, row.best.ns_each(),
               row.what.bar ? fmt::format("{:g}", *row.what.bar) : "-",
               !row.what.bar ? ""
               : row.met()   ? "met"
                             : "MISSED",
               row.best.kernel_events_each(), row.what.doc, row.what.unit);
  }
}

void print_json(const Sample& raw, const std::vector<Row>& rows) {
  using Json = nlohmann::ordered_json;
  Json root;
  root["raw_kernel_event_ns"] = raw.ns_each();
  root["rounds"] = kRounds;
  Json& cases = root["cases"] = Json::object();
  for (const Row& row : rows) {
    cases[row.what.name] = {{"raw_events_of_time", row.ratio},
                            {"ns", row.best.ns_each()},
                            {"unit", row.what.unit},
                            {"kernel_events", row.best.kernel_events_each()},
                            {"bar", row.what.bar ? Json(*row.what.bar) : Json(nullptr)},
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
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  Sample raw;
  const std::vector<Row> rows = measure(raw);
  if (json) {
    print_json(raw, rows);
  } else {
    print_table(raw, rows);
  }
  return std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.met(); }) ? 0 : 1;
}

int main(int argc, char** argv) { return railyard::main_of_platform(argc, argv); }
