#include "tlm/sim/simulation.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "tlm/base/error.h"

namespace railyard {

namespace {

/// Slices of simulated time that take about a twentieth of a second of wall time each. They decide
/// when the kernel comes up for air, never what it computes.
class SliceLength {
 public:
  Time next() const { return length_; }
  void took(std::chrono::steady_clock::duration wall) {
    constexpr auto kWanted = std::chrono::milliseconds(50);
    if (wall < kWanted / 2 && length_ < kSecond) length_ *= 2;
    if (wall > kWanted * 2 && length_ > kNanosecond) length_ /= 2;
  }

 private:
  Time length_ = kMicrosecond;
};

sc_core::sc_time to_sc_time(Time time) {
  return sc_core::sc_time::from_value(static_cast<std::uint64_t>(time));
}

}  // namespace

/// Ends a partition's warm-up.
class Simulation::WarmUp {
 public:
  explicit WarmUp(Partition& partition)
      : partition_(partition),
        end_(Event::of<&WarmUp::end>(*this, partition.endpoint(partition.name() + ".warm_up"),
                                     Phase::kReset)) {}
  void schedule(Time at) { partition_.scheduler().schedule(end_, at); }

 private:
  void end() { partition_.statistics().reset(partition_.now()); }
  Partition& partition_;
  Event end_;
};

Simulation::Simulation(const SimulationConfig& config) : config_(config) {
  // Nodes' names are lower case: none is taken.
  for (std::size_t i = 0; i < config.partitions; ++i) {
    partitions_.push_back(
        std::make_unique<Partition>("Partition" + std::to_string(i), config.seed, control_));
    warm_ups_.push_back(std::make_unique<WarmUp>(*partitions_.back()));
    monitors_.push_back(std::make_unique<DeadlockMonitor>(config.deadlock, *partitions_.back(),
                                                          [this] { return waits(); }));
  }
  for (auto& mine : partitions_) {
    std::vector<Scheduler*> peers;
    for (auto& other : partitions_) {
      if (other != mine) peers.push_back(&other->scheduler());
    }
    mine->scheduler().set_peers(std::move(peers));
  }
}

Simulation::~Simulation() = default;

void Simulation::seal() {
  std::vector<Endpoint*> all;
  for (auto& p : partitions_) {
    p->probes().seal();
    for (Endpoint& endpoint : p->endpoints_) all.push_back(&endpoint);
  }
  if (all.size() > EventQueue::kMaxEndpoints) throw std::logic_error("too many endpoints");
  std::sort(all.begin(), all.end(), [](auto* a, auto* b) { return a->name < b->name; });
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0 && all[i]->name == all[i - 1]->name) {
      throw std::logic_error("two endpoints are named " + all[i]->name);
    }
    all[i]->id = static_cast<std::uint32_t>(i);
  }
  sealed_ = true;
}

RunEnd Simulation::run(Time until, const std::function<void()>& between) {
  if (!sealed_) throw std::logic_error("Simulation::run before seal");
  for (auto& warm_up : warm_ups_) {
    if (config_.warm_up > now()) warm_up->schedule(config_.warm_up);
  }
  for (auto& monitor : monitors_) monitor->start();

  run_slices(until, between);
  if (control_.failure()) std::rethrow_exception(control_.failure());
  if (control_.stop_requested()) return RunEnd::kInterrupted;
  if (sc_core::sc_get_status() == sc_core::SC_STOPPED) return RunEnd::kStopped;

  const bool drained = !sc_core::sc_pending_activity();
  finish(drained);
  return drained ? RunEnd::kDrained : RunEnd::kUntil;
}

void Simulation::run_slices(Time until, const std::function<void()>& between) {
  SliceLength slice;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // what only begins at time zero is pending after this
  while (now() < until && !control_.stop_requested() && sc_core::sc_pending_activity()) {
    const auto start = std::chrono::steady_clock::now();
    // At least to the next event. Only the way to `until` itself leads over empty time: a run that
    // starves ends at its last event.
    const Time left = until - now();
    const Time next = static_cast<Time>(sc_core::sc_time_to_pending_activity().value());
    const Time span = std::min(std::max(slice.next(), next), left);
    sc_core::sc_start(to_sc_time(span),
                      next > left ? sc_core::SC_RUN_TO_TIME : sc_core::SC_EXIT_ON_STARVATION);
    if (sc_core::sc_get_status() == sc_core::SC_STOPPED) break;
    if (between) between();
    slice.took(std::chrono::steady_clock::now() - start);
  }
}

void Simulation::finish(bool drained) {
  if (drained && outstanding_work() > 0) {
    const std::vector<Wait> all = waits();
    const std::string why =
        all.empty() ? "and nothing says what it waits for" : "because\n" + explain(all);
    break_invariant(all.empty() ? "simulation" : all.front().info.waiter, now(),
                    "no event is left while work is outstanding, " + why);
  }
  for (auto& p : partitions_) p->statistics().look();
  for (auto& p : partitions_) {
    for (const auto& checker : p->checkers()) checker->at_end(now(), drained);
  }
}

void Simulation::conclude() {
  for (auto& p : partitions_) {
    for (const auto& callback : p->on_end_) callback(now());
  }
}

std::string Simulation::deadlock_report() const {
  for (const auto& monitor : monitors_) {
    if (!monitor->report().empty()) return monitor->report();
  }
  return {};
}

Time Simulation::now() const { return static_cast<Time>(sc_core::sc_time_stamp().value()); }

std::vector<Metric> Simulation::metrics() const {
  std::vector<Metric> all;
  for (const auto& p : partitions_) {
    std::vector<Metric> some = p->statistics().collect(now());
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  sort_metrics(all);
  return all;
}

std::vector<Wait> Simulation::waits() const {
  std::vector<Wait> all;
  for (const auto& p : partitions_) {
    std::vector<Wait> some = p->waits().active();
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

std::uint64_t Simulation::frame_hops() const {
  std::uint64_t sum = 0;
  for (const auto& p : partitions_) sum += p->frame_hops();
  return sum;
}

std::uint64_t Simulation::events_fired() const {
  std::uint64_t sum = 0;
  for (const auto& p : partitions_) sum += p->scheduler_.fired();
  return sum;
}

std::uint64_t Simulation::kernel_events() const {
  std::uint64_t sum = 0;
  for (const auto& p : partitions_) sum += p->scheduler_.wakes();
  return sum;
}

std::uint64_t Simulation::outstanding_work() const {
  std::uint64_t sum = 0;
  for (const auto& p : partitions_) sum += p->outstanding_work();
  return sum;
}

double Simulation::work_done() const {
  std::uint64_t opened = 0;
  for (const auto& p : partitions_) opened += p->opened_work();
  return opened == 0 ? 0
                     : 1 - static_cast<double>(outstanding_work()) / static_cast<double>(opened);
}

}  // namespace railyard
