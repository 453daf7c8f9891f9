// What the tests of the memory side share: a NIC's DMA before a fake function, and a script.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "hw/nic/dma_engine.h"
#include "hw/nic/units.h"
#include "tests/hw/nic/fake_function.h"
#include "tlm/sim/simulation.h"

namespace railyard::nic {

constexpr Time kReadTime = 400 * kNanosecond;
constexpr Time kWriteTime = 10 * kNanosecond;

/// Does things at their times, in the order in which they were added.
class Script {
 public:
  explicit Script(Partition& partition)
      : partition_(partition),
        event_(Event::of<&Script::next>(*this, partition.endpoint("script"), Phase::kTimer)) {}
  /// Before the run.
  void at(Time time, std::function<void()> action) { steps_.emplace_back(time, std::move(action)); }
  void begin() {
    std::stable_sort(steps_.begin(), steps_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    wake();
  }

 private:
  void wake() {
    if (done_ < steps_.size()) partition_.scheduler().schedule(event_, steps_[done_].first);
  }
  void next() {
    while (done_ < steps_.size() && steps_[done_].first <= partition_.now()) {
      steps_[done_++].second();
    }
    wake();
  }
  Partition& partition_;
  std::vector<std::pair<Time, std::function<void()>>> steps_;
  std::size_t done_ = 0;
  Event event_;
};

struct MemoryBench {
  explicit MemoryBench(const NicConfig& parameters, std::uint64_t memory = 1U << 20)
      : config(parameters),
        function(simulation.partition(), memory, kReadTime, kWriteTime),
        units(units_of()),
        dma(units, function),
        script(simulation.partition()) {
    units.dma = &dma;
  }

  Units units_of() {
    Units made;
    made.partition = &simulation.partition();
    made.name = "nic";
    made.config = &config;
    return made;
  }
  Time now() { return simulation.partition().now(); }
  void at(Time time, std::function<void()> action) { script.at(time, std::move(action)); }
  void run() {
    simulation.seal();
    script.begin();
    simulation.run(kForever / 2);
  }
  MetricValue metric(const std::string& name) const {
    for (const Metric& m : simulation.metrics()) {
      if (m.info.name == name) return m.value;
    }
    ADD_FAILURE() << "there is no metric " << name;
    return {};
  }
  std::uint64_t count(const std::string& name) const { return metric(name).whole; }

  NicConfig config;
  Simulation simulation{{}};
  FakeFunction function;
  Units units;
  DmaEngine dma;
  Script script;
};

}  // namespace railyard::nic
