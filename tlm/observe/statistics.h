// What a run measures. A model owns its counters as members and registers each once, with its name,
// unit and meaning; the report and the docs are made from that. Warm-up ends with reset().
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tlm/base/time.h"

namespace railyard {

/// A metric's name (hierarchical, dots), unit, and what it means.
struct MetricInfo {
  std::string name;
  std::string unit;
  std::string doc;
};

/// A measured value: whole numbers stay whole.
struct MetricValue {
  static MetricValue of(std::uint64_t whole) { return {true, whole, static_cast<double>(whole)}; }
  static MetricValue of(double real) { return {false, 0, real}; }
  bool is_whole = true;
  std::uint64_t whole = 0;
  double real = 0;
};

struct Metric {
  MetricInfo info;
  MetricValue value;
};

/// Calls a listener when a value first exceeds a level: the trigger "METRIC>VALUE". Few are armed,
/// and every counter has one, so it is small.
class LevelWatch {
 public:
  void arm(std::uint64_t level, std::function<void()> reached) {
    level_ = level;
    reached_ = std::make_unique<std::function<void()>>(std::move(reached));
  }
  void see(std::uint64_t value) {
    if (value > level_) fire();
  }

 private:
  void fire() {
    level_ = ~std::uint64_t{0};
    (*reached_)();
  }
  std::uint64_t level_ = ~std::uint64_t{0};
  std::unique_ptr<std::function<void()>> reached_;
};

/// Events or bytes since warm-up.
class Counter {
 public:
  void add(std::uint64_t n = 1) {
    value_ += n;
    watch_.see(value_);
  }
  std::uint64_t value() const { return value_; }
  void reset() { value_ = 0; }
  LevelWatch& watch() { return watch_; }

 private:
  std::uint64_t value_ = 0;
  LevelWatch watch_;
};

/// The latest of a value that stands on its own; a warm-up leaves it.
class Gauge {
 public:
  void set(double value) { value_ = value; }
  double value() const { return value_; }

 private:
  double value_ = 0;
};

/// A level over simulated time: mean (weighted by time), peak and last.
class TimeWeighted {
 public:
  void set(std::uint64_t value, Time now) {
    area_ += static_cast<double>(value_) * static_cast<double>(now - since_);
    since_ = now;
    value_ = value;
    if (value > peak_) peak_ = value;
    watch_.see(value);
  }
  std::uint64_t value() const { return value_; }
  std::uint64_t peak() const { return peak_; }
  double mean(Time now) const;
  /// The level times time since the last reset, in picoseconds.
  double area(Time now) const;
  void reset(Time now);
  LevelWatch& watch() { return watch_; }

 private:
  double area_ = 0;
  Time since_ = 0;
  Time start_ = 0;
  std::uint64_t value_ = 0;
  std::uint64_t peak_ = 0;
  LevelWatch watch_;
};

/// A distribution of whole numbers in log-linear buckets: a percentile is exact below 128 and at
/// most 1/128 too high above. Count, mean, least and most are exact.
class Histogram {
 public:
  void record(std::uint64_t value) {
    const std::size_t bucket = bucket_of(value);
    if (bucket >= buckets_.size()) buckets_.resize(bucket + 1);
    ++buckets_[bucket];
    ++count_;
    sum_ += value;
    if (value < least_) least_ = value;
    if (value > most_) most_ = value;
  }
  std::uint64_t count() const { return count_; }
  std::uint64_t least() const { return count_ == 0 ? 0 : least_; }
  std::uint64_t most() const { return most_; }
  double mean() const;
  /// The smallest bucket top that at least `fraction` of the values do not exceed; 0 if empty.
  std::uint64_t percentile(double fraction) const;
  void reset();

 private:
  static std::size_t bucket_of(std::uint64_t value);
  static std::uint64_t top_of(std::size_t bucket);

  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  __extension__ unsigned __int128 sum_ = 0;
  std::uint64_t least_ = ~std::uint64_t{0};
  std::uint64_t most_ = 0;
};

/// All statistics of a partition.
class StatisticsRegistry {
 public:
  using Compute = std::function<MetricValue(Time now, Time measured)>;

  void add(Counter& counter, MetricInfo info);
  void add(Gauge& gauge, MetricInfo info);
  /// Yields NAME_mean and NAME_peak.
  void add(TimeWeighted& level, MetricInfo info);
  /// Yields NAME_count, _mean, _min, _p50, _p99, _p999, _max, each value over `divisor`.
  void add(Histogram& histogram, MetricInfo info, double divisor = 1);
  /// A value computed from others when it is asked for. `measured` is the time since warm-up.
  void add_derived(MetricInfo info, Compute compute);
  /// The values of all metrics so far whose last name is this: "cnp_sent".
  std::vector<Compute> values_named(const std::string& last_name) const;

  /// Called before values are read or reset: for who counts late what happened on time.
  void before_look(std::function<void()> catch_up) { looks_.push_back(std::move(catch_up)); }

  /// Has all who count late count what was due.
  void look() const {
    for (const auto& catch_up : looks_) catch_up();
  }

  /// Called when warm-up ends, for the parts that a derived value is computed from.
  void on_reset(std::function<void(Time now)> reset) { resets_.push_back(std::move(reset)); }

  /// Ends warm-up: counters, distributions and peaks begin anew.
  void reset(Time now);
  /// The time since warm-up ended.
  Time measured(Time now) const { return now - start_; }
  /// All metrics at `now`, in no particular order.
  std::vector<Metric> collect(Time now) const;
  /// The watch of a counter, or of a level by its NAME_peak; nullptr if there is none of that name.
  LevelWatch* watch(const std::string& metric_name);

 private:
  struct Item {
    MetricInfo info;
    Compute compute;
    LevelWatch* watch;
  };

  std::vector<Item> items_;
  std::vector<std::function<void(Time)>> resets_;
  std::vector<std::function<void()>> looks_;
  Time start_ = 0;
};

/// Metrics of several partitions in order of name. Throws std::logic_error on a name twice.
void sort_metrics(std::vector<Metric>& metrics);

}  // namespace railyard
