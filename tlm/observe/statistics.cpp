#include "tlm/observe/statistics.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace railyard {

namespace {

constexpr unsigned kSubBits = 7;
constexpr std::uint64_t kSubBuckets = std::uint64_t{1} << kSubBits;

unsigned log2_floor(std::uint64_t value) {
  return 63U - static_cast<unsigned>(__builtin_clzll(value));
}

MetricInfo part(const MetricInfo& info, const std::string& suffix, const std::string& what) {
  return {info.name + suffix, info.unit, info.doc + what};
}

}  // namespace

double TimeWeighted::mean(Time now) const {
  if (now <= start_) return static_cast<double>(value_);
  return area(now) / static_cast<double>(now - start_);
}

double TimeWeighted::area(Time now) const {
  return area_ + static_cast<double>(value_) * static_cast<double>(now - since_);
}

void TimeWeighted::reset(Time now) {
  area_ = 0;
  since_ = now;
  start_ = now;
  peak_ = value_;
}

double Histogram::mean() const {
  return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_);
}

// Values below 128 have a bucket each; above, each power of two is cut into 128.
std::size_t Histogram::bucket_of(std::uint64_t value) {
  if (value < kSubBuckets) return value;
  const unsigned shift = log2_floor(value) - kSubBits;
  return (shift + 1) * kSubBuckets + ((value >> shift) - kSubBuckets);
}

std::uint64_t Histogram::top_of(std::size_t bucket) {
  if (bucket < kSubBuckets) return bucket;
  const unsigned shift = static_cast<unsigned>(bucket / kSubBuckets - 1);
  const std::uint64_t base = kSubBuckets + bucket % kSubBuckets;
  return (base << shift) + ((std::uint64_t{1} << shift) - 1);
}

std::uint64_t Histogram::percentile(double fraction) const {
  if (count_ == 0) return 0;
  const double wanted = std::ceil(fraction * static_cast<double>(count_));
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    seen += buckets_[bucket];
    if (seen > 0 && static_cast<double>(seen) >= wanted) return std::min(top_of(bucket), most_);
  }
  return most_;
}

void Histogram::reset() {
  std::fill(buckets_.begin(), buckets_.end(), 0);
  count_ = 0;
  sum_ = 0;
  least_ = ~std::uint64_t{0};
  most_ = 0;
}

void StatisticsRegistry::add(Counter& counter, MetricInfo info) {
  items_.push_back({std::move(info),
                    [&counter](Time, Time) { return MetricValue::of(counter.value()); },
                    &counter.watch()});
  resets_.push_back([&counter](Time) { counter.reset(); });
}

void StatisticsRegistry::add(Gauge& gauge, MetricInfo info) {
  items_.push_back(
      {std::move(info), [&gauge](Time, Time) { return MetricValue::of(gauge.value()); }, nullptr});
}

void StatisticsRegistry::add(TimeWeighted& level, MetricInfo info) {
  items_.push_back({part(info, "_mean", ": mean over time"),
                    [&level](Time now, Time) { return MetricValue::of(level.mean(now)); },
                    nullptr});
  items_.push_back({part(info, "_peak", ": most at any time"),
                    [&level](Time, Time) { return MetricValue::of(level.peak()); },
                    &level.watch()});
  resets_.push_back([&level](Time now) { level.reset(now); });
}

void StatisticsRegistry::add(Histogram& histogram, MetricInfo info, double divisor) {
  const auto scaled = [this, &histogram, &info, divisor](const char* suffix, const char* what,
                                                         auto value) {
    items_.push_back({part(info, suffix, what),
                      [&histogram, divisor, value](Time, Time) {
                        return MetricValue::of(static_cast<double>(value(histogram)) / divisor);
                      },
                      nullptr});
  };
  items_.push_back({{info.name + "_count", "samples", info.doc + ": number of samples"},
                    [&histogram](Time, Time) { return MetricValue::of(histogram.count()); },
                    nullptr});
  scaled("_mean", ": mean", [](const Histogram& h) { return h.mean(); });
  scaled("_min", ": least", [](const Histogram& h) { return h.least(); });
  scaled("_p50", ": median, at most 1/128 too high",
         [](const Histogram& h) { return h.percentile(0.5); });
  scaled("_p99", ": 99th percentile, at most 1/128 too high",
         [](const Histogram& h) { return h.percentile(0.99); });
  scaled("_p999", ": 99.9th percentile, at most 1/128 too high",
         [](const Histogram& h) { return h.percentile(0.999); });
  scaled("_max", ": most", [](const Histogram& h) { return h.most(); });
  resets_.push_back([&histogram](Time) { histogram.reset(); });
}

void StatisticsRegistry::add_derived(MetricInfo info, Compute compute) {
  items_.push_back({std::move(info), std::move(compute), nullptr});
}

std::vector<StatisticsRegistry::Compute> StatisticsRegistry::values_named(
    const std::string& last_name) const {
  std::vector<Compute> values;
  for (const Item& item : items_) {
    const std::string& name = item.info.name;
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos || name.compare(dot + 1, std::string::npos, last_name) != 0) {
      continue;
    }
    values.push_back(item.compute);
  }
  return values;
}

void StatisticsRegistry::reset(Time now) {
  look();
  for (const auto& reset_one : resets_) reset_one(now);
  start_ = now;
}

std::vector<Metric> StatisticsRegistry::collect(Time now) const {
  look();
  std::vector<Metric> metrics;
  metrics.reserve(items_.size());
  for (const Item& item : items_) {
    metrics.push_back({item.info, item.compute(now, measured(now))});
  }
  return metrics;
}

LevelWatch* StatisticsRegistry::watch(const std::string& metric_name) {
  for (const Item& item : items_) {
    if (item.info.name == metric_name) return item.watch;
  }
  return nullptr;
}

void sort_metrics(std::vector<Metric>& metrics) {
  const auto by_name = [](const Metric& a, const Metric& b) { return a.info.name < b.info.name; };
  std::sort(metrics.begin(), metrics.end(), by_name);
  for (std::size_t i = 1; i < metrics.size(); ++i) {
    if (metrics[i].info.name == metrics[i - 1].info.name) {
      throw std::logic_error("two metrics are named " + metrics[i].info.name);
    }
  }
}

}  // namespace railyard
