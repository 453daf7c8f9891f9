#include "platforms/common/run_config.h"

namespace railyard {

namespace {

/// The monitor's struct belongs to the ground floor; its keys are told here.
struct DeadlockKeys {
  DeadlockConfig& config;
  void declare(Parameters& p) {
    p.add("after", config.after)
        .range(kNanosecond, 1000 * kSecond)
        .doc("A cycle of waits that stands this long ends the run with exit code 3");
    p.add("report_only", config.report_only).doc("Say a deadlock in the report, and go on");
  }
};

}  // namespace

void RunConfig::declare(Parameters& p) {
  p.add("seed", seed).doc("Seed of all random numbers");
  p.add("until", until)
      .range(kPicosecond, 1000 * kSecond)
      .doc("The run ends before the events of this time, if it has not ended by itself");
  p.add("warm_up", warm_up)
      .range(0, 1000 * kSecond)
      .doc(
          "Counters, levels and distributions begin anew at this time; a run lasts at least as "
          "long");
  DeadlockKeys keys{deadlock};
  p.group("deadlock", keys).doc("What is done about waits that wait for each other");
  p.add("checks", checks).doc("Invariant checkers watch the links");
  p.list("expect", expect).doc("Bounds on metrics; a run that misses one exits 1");
  p.check([this](const Bound& bound) {
    if (warm_up == 0 || warm_up < until) return;
    bound.fail("warm_up", "the warm-up would not end before the run", "write less than until");
  });
}

}  // namespace railyard
