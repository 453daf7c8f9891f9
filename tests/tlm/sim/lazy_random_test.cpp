// Random networks of steps: nobody outside can tell whether they fire late or on time.
#include <gmock/gmock.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "tests/support/fresh_kernel.h"
#include "tlm/sim/lazy_scheduler.h"
#include "tlm/sim/simulation.h"

namespace railyard {
namespace {

/// Jobs go from node to node, and change what they meet there: a node's state depends on the order
/// and the times of all that came. Events and a thread from outside look, and give jobs.
class Network : public Awaiter, public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Network);
  Network(sc_core::sc_module_name name, Simulation& simulation, std::uint64_t seed, bool eager)
      : sc_module(name),
        p_(simulation.partition()),
        lazy_(p_, "lazy"),
        random_(seed, "network"),
        thread_random_(seed, "thread") {
    nodes_.resize(1 + random_.below(6));
    for (int i = 0; i < kJobs; ++i) jobs_.emplace_back(*this, i);
    constexpr Phase kPhases[] = {Phase::kClock, Phase::kArrival, Phase::kAct, Phase::kObserve};
    for (int i = 0; i < kVisitors; ++i) {
      visitors_.emplace_back(*this, i, kPhases[random_.below(4)], seed);
    }
    p_.statistics().add(hops_, {"hops", "hops", "Steps of jobs"});
    lazy_.add(*this);
    if (eager) lazy_.set_eager();
    SC_THREAD(run);
  }

  void start() {
    for (Visitor& visitor : visitors_) {
      p_.scheduler().schedule(visitor.event, static_cast<Time>(random_.below(50)));
    }
  }
  std::vector<std::string> finish() {
    lazy_.catch_up();
    for (const std::uint64_t state : nodes_) log.push_back("state " + std::to_string(state));
    log.push_back("hops " + std::to_string(hops_.value()));
    EXPECT_EQ(lazy_.pending(), 0U);
    return log;
  }
  std::uint64_t steps() const { return lazy_.fired(); }

  std::vector<std::string> log;

 private:
  static constexpr int kJobs = 24;
  static constexpr int kVisitors = 3;
  static constexpr Time kLeast = 3;  // between two steps of a job

  enum class Kind : std::uint8_t { kAttended, kAwaited, kSilent };
  struct Job {
    Job(Network& n, int i)
        : network(n),
          event(Event::of<&Job::go>(*this, n.p_.endpoint("job" + std::to_string(100 + i)),
                                    i % 2 == 0 ? Phase::kArrival : Phase::kTransmitDone)),
          number(i) {}
    void go() { network.hop(*this); }
    Network& network;
    Event event;
    int number;
    Kind kind = Kind::kSilent;
    std::uint64_t left = 0;
    bool busy = false;
  };
  struct Visitor {
    Visitor(Network& n, int i, Phase phase, std::uint64_t seed)
        : network(n),
          event(
              Event::of<&Visitor::go>(*this, n.p_.endpoint("visitor" + std::to_string(i)), phase)),
          random(seed, "visitor" + std::to_string(i)) {}
    void go() {
      network.visit("visitor", random);
      if (--left > 0) {
        network.p_.scheduler().schedule_in(event, static_cast<Time>(random.below(60)));
      }
    }
    Network& network;
    Event event;
    RandomStream random;
    int left = 40;
  };

  Time earliest() const override {
    Time earliest = kForever;
    for (const Job& job : jobs_) {
      if (!job.busy || job.kind != Kind::kAwaited) continue;
      earliest = std::min(earliest, job.event.time() + static_cast<Time>(job.left - 1) * kLeast);
    }
    return earliest;
  }

  void say(const std::string& what) {
    log.push_back(std::to_string(sc_core::sc_time_stamp().value()) + " " + what);
  }
  void visit(const std::string& who, RandomStream& random) {
    const LazyScheduler::Visit visit(lazy_);
    const std::size_t node = random.below(nodes_.size());
    say(who + " sees " + std::to_string(nodes_[node]));
    const std::uint64_t jobs = random.below(3);
    for (std::uint64_t i = 0; i < jobs; ++i) give(random.next());
    if (random.below(4) == 0) nodes_[node] += 1;
  }
  void give(std::uint64_t draw) {
    const auto idle =
        std::find_if(jobs_.begin(), jobs_.end(), [](const Job& job) { return !job.busy; });
    if (idle == jobs_.end()) return;
    const LazyScheduler::Visit visit(lazy_);  // nested in the caller's, or of a callback
    idle->busy = true;
    idle->kind = static_cast<Kind>(draw % 3);
    idle->left = 1 + draw / 4 % 12;
    if (idle->kind == Kind::kAttended) lazy_.attend();
    lazy_.schedule_in(idle->event, static_cast<Time>(draw / 64 % 4));
  }
  void hop(Job& job) {
    hops_.add();
    std::uint64_t& state =
        nodes_[(static_cast<std::uint64_t>(job.number) + job.left) % nodes_.size()];
    state =
        (state ^ static_cast<std::uint64_t>(lazy_.now() * 64 + job.number)) * 0x9E3779B97F4A7C15ULL;
    if (--job.left > 0) {
      lazy_.schedule_in(job.event, kLeast + static_cast<Time>((state >> 60) % 4));
      return;
    }
    job.busy = false;
    const std::uint64_t seen = state;
    if (job.kind == Kind::kSilent) {
      // A job that is done may have another go on.
      for (Job& other : jobs_) {
        if (!other.busy || other.kind == Kind::kAwaited || other.left < 3) continue;
        lazy_.schedule_in(other.event, static_cast<Time>(seen >> 61));
        break;
      }
      return;
    }
    if (job.kind == Kind::kAttended) lazy_.relax();
    lazy_.on_time("job");
    EXPECT_EQ(lazy_.now(), static_cast<Time>(sc_core::sc_time_stamp().value()));
    say("job " + std::to_string(job.number) + " done " + std::to_string(seen));
    if (seen >> 63 != 0) give(seen >> 7);
  }
  void run() {
    for (int i = 0; i < 40; ++i) {
      wait(static_cast<double>(thread_random_.below(70)), sc_core::SC_PS);
      // Where nothing else from outside is, so that the kernel's order of processes says nothing.
      if (sc_core::sc_pending_activity_at_current_time()) continue;
      visit("thread", thread_random_);
    }
  }

  Partition& p_;
  LazyScheduler lazy_;
  RandomStream random_;
  RandomStream thread_random_;
  Counter hops_;
  std::vector<std::uint64_t> nodes_;
  std::deque<Job> jobs_;
  std::deque<Visitor> visitors_;
};

struct Outcome {
  std::vector<std::string> log;
  std::uint64_t steps = 0;
  std::uint64_t kernel_events = 0;
};

Outcome run_network(std::uint64_t seed, bool eager) {
  const support::FreshKernel kernel;
  Simulation simulation{{}};
  Network network("network", simulation, seed, eager);
  simulation.seal();
  network.start();
  EXPECT_EQ(simulation.run(kSecond), RunEnd::kDrained);
  Outcome outcome{network.finish(), network.steps(), simulation.kernel_events()};
  return outcome;
}

TEST(LazyRandom, LateAndOnTimeLookTheSameFromOutside) {
  std::uint64_t lazy_wakes = 0;
  std::uint64_t eager_wakes = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Outcome lazy = run_network(seed, false);
    const Outcome eager = run_network(seed, true);
    ASSERT_EQ(lazy.log, eager.log) << seed;
    ASSERT_EQ(lazy.steps, eager.steps) << seed;
    lazy_wakes += lazy.kernel_events;
    eager_wakes += eager.kernel_events;
  }
  EXPECT_LT(lazy_wakes, eager_wakes);
}

}  // namespace
}  // namespace railyard
