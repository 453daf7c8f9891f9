// Accesses at given times, the commands that they become, and when they end.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hw/hbm/command_checker.h"
#include "hw/hbm/controller.h"
#include "tests/support/fresh_kernel.h"
#include "tlm/sim/simulation.h"

namespace railyard::hbm::bench {

/// Commands as they were sent, by channel: those of different channels come in any order.
class Record : public CommandListener {
 public:
  using Entry = std::vector<std::uint64_t>;
  void command(const CommandRecord& r) override {
    of[r.channel].push_back({static_cast<std::uint64_t>(r.tick),
                             static_cast<std::uint64_t>(r.command), r.pseudo_channel, r.bank, r.row,
                             r.column});
  }
  std::map<unsigned, std::vector<Entry>> of;
};

/// Some accesses at given times, and when they ended.
class Script : public Client {
 public:
  struct Step {
    Time at;
    bool write;
    std::uint64_t address;
    std::uint32_t bytes;
  };

  /// `watched`: somebody looks at the probes.
  explicit Script(const HbmConfig& config, bool watched = false)
      : simulation_(SimulationConfig{}),
        partition_(simulation_.partition()),
        controller_("memory", partition_, config),
        checker_(partition_.add_checker<CommandChecker>("memory", config.organisation,
                                                        config.timing, config.controller.refresh)),
        next_(Event::of<&Script::give>(*this, partition_.endpoint("script"), Phase::kArrival)) {
    controller_.add_listener(record);
    controller_.add_listener(checker_);
    checker_.set_catch_up([this] { controller_.catch_up(); });
    simulation_.seal();
    if (watched) {
      for (auto& entry : partition_.probes().probes()) entry.point->connect(&sink_, 0);
    }
  }

  void run(std::vector<Step> steps) {
    steps_ = std::move(steps);
    ends.assign(steps_.size(), 0);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      Access& access = accesses_.emplace_back();
      access.client = this;
      access.ticket = i;
    }
    partition_.scheduler().schedule(next_, steps_.front().at);
    simulation_.run(kForever);
    controller_.catch_up();
    events = simulation_.kernel_events();
  }

  const AddressMap& map() const { return controller_.map(); }
  double metric(const std::string& name) const {
    for (const Metric& metric : simulation_.metrics()) {
      if (metric.info.name == name) return metric.value.real;
    }
    return -1;
  }

  void access_done(Access& access) override { ends[access.ticket] = partition_.now(); }

  Record record;
  std::vector<Time> ends;
  std::uint64_t events = 0;

 private:
  struct Sink : ProbeSink {
    void change(std::uint32_t, std::uint64_t, Time) override {}
  };

  void give() {
    while (given_ < steps_.size() && steps_[given_].at <= partition_.now()) {
      const Step& step = steps_[given_];
      Access& access = accesses_[given_++];
      access.write = step.write;
      access.address = step.address;
      access.bytes = step.bytes;
      controller_.access(access);
    }
    if (given_ < steps_.size()) partition_.scheduler().schedule(next_, steps_[given_].at);
  }

  support::FreshKernel kernel_;
  Simulation simulation_;
  Partition& partition_;
  Controller controller_;
  CommandChecker& checker_;
  Event next_;
  Sink sink_;
  std::vector<Step> steps_;
  std::deque<Access> accesses_;
  std::size_t given_ = 0;
};

inline HbmConfig one_channel() {
  HbmConfig config;
  config.organisation.stacks = 1;
  config.organisation.channels = 1;
  return config;
}

}  // namespace railyard::hbm::bench
