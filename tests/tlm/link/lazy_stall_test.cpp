// Random stalls in the time of a lazy scheduler.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/support/fresh_kernel.h"
#include "tlm/link/stall.h"
#include "tlm/sim/simulation.h"

namespace railyard {
namespace {

/// A queue that serves one item a step, when its gate lets it.
class LazyServer {
 public:
  LazyServer(Simulation& simulation, const StallConfig& stall, bool eager)
      : p_(simulation.partition()),
        lazy_(p_, "lazy"),
        queue_(lazy_, "server", stall, [this] { serve(); }),
        done_(Event::of<&LazyServer::serve>(*this, p_.endpoint("done"), Phase::kTransmitDone)),
        start_(Event::of<&LazyServer::begin>(*this, p_.endpoint("start"), Phase::kAct)) {
    if (eager) lazy_.set_eager();
    simulation.seal();
    p_.scheduler().schedule(start_, 0);
  }
  std::vector<std::pair<Time, int>> served;

 private:
  void begin() {
    const LazyScheduler::Visit visit(lazy_);
    for (int i = 0; i < 500; ++i) queue_.push(i);
    serve();
  }
  void serve() {
    if (!queue_.ready()) return;
    served.emplace_back(lazy_.now(), queue_.pop());
    lazy_.schedule_in(done_, 10);
  }

  Partition& p_;
  LazyScheduler lazy_;
  StallableQueue<int> queue_;
  Event done_;
  Event start_;
};

struct Outcome {
  std::vector<std::pair<Time, int>> served;
  std::uint64_t stalls = 0;
  std::uint64_t kernel_events = 0;
};

Outcome run_server(double probability, bool eager) {
  const support::FreshKernel kernel;
  Simulation simulation{{}};
  StallConfig stall;
  stall.probability = probability;
  stall.longest = 100;
  LazyServer server(simulation, stall, eager);
  simulation.run(kSecond);
  Outcome outcome{server.served, 0, simulation.kernel_events()};
  for (const Metric& metric : simulation.metrics()) {
    if (metric.info.name == "server.stalls") outcome.stalls = metric.value.whole;
  }
  return outcome;
}

TEST(LazyStall, EveryItemIsServedInOrderAtTheSameTimesLateOrOnTime) {
  for (const double probability : {0.0, 0.3, 1.0}) {
    const Outcome lazy = run_server(probability, false);
    const Outcome eager = run_server(probability, true);
    ASSERT_EQ(lazy.served.size(), 500U);
    for (int i = 0; i < 500; ++i) EXPECT_EQ(lazy.served[static_cast<std::size_t>(i)].second, i);
    EXPECT_EQ(lazy.served, eager.served) << probability;
    EXPECT_EQ(lazy.stalls, eager.stalls);
  }
}

TEST(LazyStall, AStallDelaysByAtMostTheLongest) {
  const Outcome calm = run_server(0, false);
  EXPECT_EQ(calm.stalls, 0U);
  EXPECT_EQ(calm.served.back().first, 4990);
  const Outcome all = run_server(1, false);
  EXPECT_EQ(all.stalls, 500U);  // each service once
  Time before = 0;
  for (const auto& [at, item] : all.served) {
    EXPECT_GT(at, before + (item == 0 ? 0 : 10));
    EXPECT_LE(at, before + (item == 0 ? 0 : 10) + 100);
    before = at;
  }
  const Outcome some = run_server(0.3, false);
  EXPECT_NEAR(static_cast<double>(some.stalls), 150, 45);
}

}  // namespace
}  // namespace railyard
