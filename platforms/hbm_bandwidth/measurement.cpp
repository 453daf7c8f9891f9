#include "platforms/hbm_bandwidth/measurement.h"

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <utility>

namespace railyard::hbm_bandwidth {

namespace {

constexpr double kGigabytes = 1000;  // a second, of a byte a picosecond
constexpr double kMedian = 0.5;
constexpr double kTail = 0.99;

std::uint64_t requests_of(const TrafficConfig& traffic, const Trace& trace) {
  if (traffic.duration) return Driver::kEndless;
  if (traffic.pattern != Pattern::kTrace) return traffic.requests;
  return std::min<std::uint64_t>(traffic.requests, trace.entries.size());
}

}  // namespace

Measurement::Measurement(const std::string& name, const std::string& prefix, Partition& partition,
                         hbm::Controller& controller, const BandwidthConfig& config,
                         std::optional<double> load, const Trace& trace, Time warm_up,
                         std::function<void()> ended)
    : prefix_(prefix),
      partition_(partition),
      controller_(controller),
      config_(config),
      load_(load),
      trace_(trace),
      warm_up_(warm_up),
      ended_(std::move(ended)),
      requests_(requests_of(config.traffic, trace)),
      opening_(Event::of<&Measurement::open>(*this, partition.endpoint(name + ".window"),
                                             railyard::Phase::kReset)),
      driver_(name, partition, controller,
              make_source(config.traffic, controller.capacity(), trace, partition.random(name)),
              *this) {
  if (requests_ != Driver::kEndless) partition_.open_work(requests_);
  add_metrics();
}

void Measurement::begin() {
  begun_ = partition_.now();
  if (warm_up_ == 0) {
    open();
  } else {
    partition_.scheduler().schedule_in(opening_, warm_up_);
  }
  const TrafficConfig& traffic = config_.traffic;
  const Time end = traffic.duration ? begun_ + *traffic.duration : kForever;
  if (load_) {
    const double unit = config_.hbm.organisation.access_bytes;
    const double bytes = static_cast<double>(
        traffic.pattern == Pattern::kBlocks && traffic.bulk ? traffic.block : traffic.size);
    driver_.begin_open(*load_ * config_.accesses_a_clock() * unit / bytes, requests_, end);
  } else if (trace_.timed) {
    driver_.begin_timed(trace_, requests_);
  } else {
    driver_.begin_closed(config_.outstanding(), requests_, end);
  }
}

void Measurement::request_done(std::uint32_t bytes, bool write, Time latency) {
  if (requests_ != Driver::kEndless) partition_.close_work();
  if (!opened_ || closed_) return;
  bytes_[write ? 1 : 0] += bytes;
  latency_.record(static_cast<std::uint64_t>(latency));
}

void Measurement::open() {
  if (!finished_) opened_ = partition_.now();
}

void Measurement::close() {
  if (opened_ && !closed_) closed_ = partition_.now();
}

void Measurement::last_given() {
  if (config_.traffic.pattern == Pattern::kTrace) return;
  if (opened_ && partition_.now() > *opened_) close();
}

void Measurement::all_done() {
  finished_ = partition_.now();
  close();
  partition_.scheduler().cancel(opening_);
  ended_();
}

std::uint64_t Measurement::unfinished() const {
  return (requests_ == Driver::kEndless ? driver_.given() : requests_) - driver_.done();
}

Time Measurement::window(Time now) const { return opened_ ? closed_.value_or(now) - *opened_ : 0; }

double Measurement::gbytes(std::uint64_t bytes, Time now) const {
  const Time time = window(now);
  return time == 0 ? 0.0 : kGigabytes * static_cast<double>(bytes) / static_cast<double>(time);
}

void Measurement::add_real(const char* name, const char* unit, const char* doc,
                           std::function<double(Time)> value) {
  partition_.statistics().add_derived(
      {prefix_ + name, unit, doc},
      [value = std::move(value)](Time now, Time) { return MetricValue::of(value(now)); });
}

void Measurement::add_metrics() {
  constexpr double kPercent = 100;
  add_real("bandwidth_gbytes_s", "GB/s", "Data of requests that were done in the window",
           [this](Time now) { return gbytes(bytes_[0] + bytes_[1], now); });
  add_real("read_gbytes_s", "GB/s", "Those of reads",
           [this](Time now) { return gbytes(bytes_[0], now); });
  add_real("write_gbytes_s", "GB/s", "Those of writes",
           [this](Time now) { return gbytes(bytes_[1], now); });
  add_real("of_peak_pct", "%", "Bandwidth over what the data buses could carry", [this](Time now) {
    constexpr double kGiga = 1e9;
    return kPercent * kGiga * gbytes(bytes_[0] + bytes_[1], now) / controller_.peak();
  });
  add_real("time_ns", "ns", "How long the window was open",
           [this](Time now) { return static_cast<double>(window(now)) / kNanosecond; });
  add_real("completion_ns", "ns",
           "From the first request to the last one's being done; 0: it is not", [this](Time) {
             return finished_ ? static_cast<double>(*finished_ - begun_) / kNanosecond : 0.0;
           });
  partition_.statistics().add(
      latency_,
      {prefix_ + "latency_ns", "ns", "From a request to its being done, of those of the window"},
      static_cast<double>(kNanosecond));
}

std::vector<std::string> Measurement::summary() const {
  std::vector<std::string> names;
  for (const char* name : {"bandwidth_gbytes_s", "of_peak_pct", "latency_ns_mean", "latency_ns_p50",
                           "latency_ns_p99"}) {
    names.push_back(prefix_ + name);
  }
  return names;
}

std::string Measurement::header() {
  return "  load %        GB/s  % of peak     mean ns      p50 ns      p99 ns\n";
}

std::string Measurement::row(Time now) const {
  constexpr double kPercent = 100;
  constexpr double kGiga = 1e9;
  constexpr int kColumn = 12;
  const double bandwidth = gbytes(bytes_[0] + bytes_[1], now);
  const auto ns = [](auto time) { return static_cast<double>(time) / kNanosecond; };
  std::ostringstream text;
  text << std::setw(8) << kPercent * load_.value_or(0) << std::fixed << std::setprecision(3)
       << std::setw(kColumn) << bandwidth << std::setprecision(2) << std::setw(11)
       << kPercent * kGiga * bandwidth / controller_.peak() << std::setprecision(1);
  for (const double value :
       {ns(latency_.mean()), ns(latency_.percentile(kMedian)), ns(latency_.percentile(kTail))}) {
    text << std::setw(kColumn) << value;
  }
  return text.str() + "\n";
}

}  // namespace railyard::hbm_bandwidth
