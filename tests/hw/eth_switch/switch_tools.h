// What block tests of a switch do beside traffic: act at a time, look often, follow a signal.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/hw/eth_switch/switch_bench.h"

namespace railyard::bench {

/// Calls once at `at`, or again every `period`. What repeats does not keep a run alive.
class Timer {
 public:
  Timer(Partition& partition, Time at, std::function<void()> call, Time period = 0)
      : partition_(partition),
        call_(std::move(call)),
        period_(period),
        event_(Event::of<&Timer::fire>(*this, endpoint_, Phase::kAct)) {
    if (period_ != 0) event_.set_background();
    partition_.scheduler().schedule(event_, at);
  }
  ~Timer() { partition_.scheduler().cancel(event_); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  void fire() {
    call_();
    if (period_ != 0) partition_.scheduler().schedule_in(event_, period_);
  }

  Partition& partition_;
  std::function<void()> call_;
  Time period_;
  Endpoint endpoint_;
  Event event_;
};

/// Looks at a switch's accounts every `period`.
class AccountWatch {
 public:
  explicit AccountWatch(SwitchBench& bench, Time period = 100 * kNanosecond)
      : bench_(bench),
        timer_(
            bench.partition, 0, [this] { look(); }, period) {}
  std::uint64_t looks() const { return looks_; }

 private:
  void look() {
    ++looks_;
    EXPECT_EQ(bench_.device->check(), std::nullopt);
  }
  SwitchBench& bench_;
  std::uint64_t looks_ = 0;
  Timer timer_;
};

/// The changes of one signal.
class SignalLog : public ProbeSink {
 public:
  SignalLog(SwitchBench& bench, const std::string& name) {
    for (auto& entry : bench.partition.probes().probes()) {
      if (entry.info.name == name) entry.point->connect(this, 0);
    }
  }
  void change(std::uint32_t /*id*/, std::uint64_t value, Time now) override {
    changes.emplace_back(now, value);
  }
  std::vector<std::pair<Time, std::uint64_t>> changes;
};

/// All times of one moment, which tells a listener once.
class MomentLog {
 public:
  MomentLog(SwitchBench& bench, const std::string& name) {
    for (auto& entry : bench.partition.probes().moments()) {
      if (entry.info.name == name) moment_ = entry.point;
    }
    if (moment_ != nullptr) moment_->listen(&note_);
  }
  MomentLog(const MomentLog&) = delete;
  MomentLog& operator=(const MomentLog&) = delete;
  std::vector<Time> times;

 private:
  Moment* moment_ = nullptr;
  std::function<void(Time)> note_ = [this](Time now) {
    times.push_back(now);
    moment_->listen(&note_);
  };
};

/// `station` sends an XOFF of `quanta` at `from` and again every `period` before `to`.
class PauseStorm {
 public:
  PauseStorm(SwitchBench& bench, Station& station, std::uint8_t priorities, std::uint16_t quanta,
             Time from, Time period, Time to) {
    for (Time at = from; at < to; at += period) {
      timers_.push_back(std::make_unique<Timer>(
          bench.partition, at,
          [&station, priorities, quanta] { station.send_pfc(priorities, quanta); }));
    }
  }

 private:
  std::vector<std::unique_ptr<Timer>> timers_;
};

/// Switch stages whose buffers can be looked into, by slice.
struct OpenBuffers {
  SwitchStages stages() {
    SwitchStages stages;
    stages.buffer = [this](const SharedBufferShape& shape) {
      auto made = std::make_unique<SharedBuffer>(shape);
      buffers.push_back(made.get());
      return made;
    };
    return stages;
  }
  std::vector<SharedBuffer*> buffers;
};

}  // namespace railyard::bench
