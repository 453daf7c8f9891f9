#include "platforms/hbm_bandwidth/bandwidth_config.h"

#include <filesystem>
#include <fstream>
#include <set>

#include "tlm/base/format.h"

namespace railyard::hbm_bandwidth {

namespace {

/// Why a file cannot be written, or nothing. One that is not there is not left either.
std::string output_problem(const std::string& path, const std::string& input) {
  std::error_code unknown;
  const bool there = std::filesystem::exists(path, unknown);
  if (std::filesystem::is_directory(path, unknown)) return "is a folder";
  if (there && !input.empty() && std::filesystem::equivalent(path, input, unknown)) {
    return "is the trace that is read";
  }
  if (there && !std::filesystem::is_regular_file(path, unknown)) return "";
  if (!std::ofstream(path, std::ios::app)) return "cannot be written";
  if (!there) std::filesystem::remove(path, unknown);
  return "";
}

}  // namespace

void BandwidthConfig::declare(Parameters& p) {
  p.group("hbm", hbm).doc("The device and its controller");
  p.group("traffic", traffic).doc("What is measured");
  p.group("background", background).doc("What goes on beside it and is not measured");
  p.list("curve", curve)
      .size(0, 100)
      .range(kLeastLoad, 1)
      .doc(
          "Loads, as traffic.load, one after another, each with traffic.requests: a curve of "
          "latency over bandwidth");
  p.add("command_trace", command_trace)
      .doc("File for all commands of the controller as text; none: not written");
  p.check([this](const Bound& bound) { check(bound); });
}

double BandwidthConfig::accesses_a_clock() const {
  const hbm::Organisation& o = hbm.organisation;
  constexpr double kBits = 8;
  return static_cast<double>(o.total_pseudo_channels()) * o.pins * hbm.timing.bits_per_clock /
         kBits / o.access_bytes;
}

std::uint64_t BandwidthConfig::outstanding() const {
  return std::uint64_t{traffic.outstanding} * hbm.organisation.total_channels();
}

void BandwidthConfig::check(const Bound& bound) const {
  if (!command_trace.empty()) {
    const std::string problem = output_problem(command_trace, traffic.trace);
    if (!problem.empty()) {
      bound.fail("command_trace", quoted(command_trace) + " " + problem,
                 "write the path of a file in a folder that is there");
    }
  }
  const std::uint64_t size = hbm.capacity();
  if (traffic.base >= size || (traffic.footprint && *traffic.footprint > size - traffic.base)) {
    bound.fail(traffic.base >= size ? "traffic.base" : "traffic.footprint",
               "it ends beyond the device's " + std::to_string(size) + " B",
               "write less, or a larger hbm.organisation");
  }
  const std::uint64_t footprint = traffic.footprint_in(size);
  const std::uint64_t least = traffic.least_footprint();
  if (footprint < least) {
    bound.fail("traffic.footprint",
               "in " + std::to_string(footprint) + " B there is no room for the requests",
               "write at least " + std::to_string(least) + "B");
  }
  if (background.size > size) {
    bound.fail("background.size", "it is more than the device's " + std::to_string(size) + " B",
               "write less");
  }
  if (curve.empty()) return;
  if (traffic.pattern == Pattern::kTrace) {
    bound.fail("curve", "a trace has a load of its own", "write another pattern, or no curve");
  }
  if (traffic.load) {
    bound.fail("traffic.load", "the loads are those of curve", "leave one of them out");
  }
  bound.needs("traffic.outstanding", traffic.outstanding != TrafficConfig().outstanding,
              "curve: []");
  std::set<double> seen;
  for (const double load : curve) {
    if (seen.insert(load).second) continue;
    bound.fail("curve", "a load stands there twice", "write each once");
  }
}

}  // namespace railyard::hbm_bandwidth
