// What a platform is to the code that runs it: its own keys, its modules, and what it shows first.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hw/congestion/blocks.h"
#include "platforms/common/congestion/congestion.h"
#include "platforms/common/run_config.h"
#include "tlm/base/time.h"
#include "tlm/config/parameters.h"
#include "tlm/sim/simulation.h"

namespace railyard {

class TraceFile;

/// The modules of one run. They go before the simulation that they were built into.
class Fabric {
 public:
  virtual ~Fabric() = default;
  /// Names of the metrics of the summary table, in its order.
  virtual std::vector<std::string> summary() const = 0;
  /// What is told of the run so far, before the summary table.
  virtual std::string text() const { return ""; }
  /// Adds its Verilated models to the run's trace, before that opens. `ticks` is to be called
  /// before their inputs change and eval() runs at a time.
  virtual void join(TraceFile& /*trace*/, std::function<void(Time)> /*ticks*/) {}
  /// Files that it writes itself, for the user.
  virtual std::vector<std::string> files() const { return {}; }
  /// Where congestion came from until `now`, valid until it is asked again; nullptr: not looked at.
  virtual const CongestionReport* congestion(Time /*now*/) { return nullptr; }
  /// The clocked blocks of congestion control; nullptr: there are none.
  virtual Blocks* blocks() { return nullptr; }
};

class Platform {
 public:
  virtual ~Platform() = default;
  virtual std::string name() const = 0;
  /// One sentence, for --help.
  virtual std::string doc() const = 0;
  /// The path of the configuration that it is shipped with.
  virtual std::string default_config() const = 0;
  /// Its keys, beside those of RunConfig.
  virtual void declare(Parameters& p) = 0;
  /// Makes and connects the modules.
  virtual std::unique_ptr<Fabric> build(Simulation& simulation, const RunConfig& run) = 0;
};

/// The whole of a platform's sc_main: command line, configuration, run, outputs. Returns the exit
/// code: 0 good, 1 an expectation missed, 2 bad usage or configuration, 3 a broken invariant, 130
/// interrupted.
int run_platform(Platform& platform, int argc, char** argv);

/// A main for programs that define sc_main: SystemC's, without its banner.
int main_of_platform(int argc, char** argv);

}  // namespace railyard
