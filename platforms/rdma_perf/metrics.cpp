// What a run of rdma_perf says in its report, and which of that it shows first.
#include <algorithm>
#include <string>

#include "hw/nic/nic_profile.h"
#include "platforms/rdma_perf/rdma_perf_fabric.h"

namespace railyard::rdma_perf {

namespace {

constexpr auto kPerNs = static_cast<double>(kNanosecond);

/// A metric of a result that stays where it is.
template <class Row>
void add_number(StatisticsRegistry& statistics, MetricInfo info, const Row& row,
                double Row::*number) {
  statistics.add_derived(std::move(info),
                         [&row, number](Time, Time) { return MetricValue::of(row.*number); });
}

}  // namespace

void RdmaPerfFabric::register_metrics(StatisticsRegistry& statistics) {
  Results& results = setting_->results;
  for (SizeResult& size : results.sizes) {
    if (config_.test.measure == Measure::kLatency) {
      register_latency(statistics, size);
    } else {
      register_bandwidth(statistics, size);
    }
  }
  for (std::size_t i = 0; i < results.pairs.size(); ++i) {
    if (config_.test.measure == Measure::kLatency) break;
    const PairResult& pair = results.pairs[i];
    statistics.add_derived({"flow" + std::to_string(i) + ".goodput_gbps", "Gb/s",
                            "From " + pair.name +
                                ": bytes that completed over the time from the "
                                "first posting to the last completion, of all sizes"},
                           [&pair](Time, Time) { return MetricValue::of(pair.goodput_gbps()); });
  }
  statistics.add_derived({"total.messages", "messages", "Messages that completed"},
                         [&results](Time, Time) { return MetricValue::of(results.messages); });
  statistics.add_derived({"total.wrong_bytes", "B",
                          "Bytes that arrived otherwise than they were sent; with data: carried "
                          "and measure: bandwidth"},
                         [&results](Time, Time) { return MetricValue::of(results.wrong_bytes); });
  statistics.add_derived(
      {"total.unfinished_programs", "programs", "Hosts that have not ended"},
      [&results](Time, Time) {
        return MetricValue::of(static_cast<std::uint64_t>(results.programs - results.finished));
      });
  statistics.add_derived({"total.dropped_frames", "frames", "Frames that all switches dropped"},
                         [this](Time, Time) { return MetricValue::of(network_.dropped_frames()); });
  register_congestion_metrics(statistics, *congestion_);
  register_profile(statistics);
}

void RdmaPerfFabric::register_bandwidth(StatisticsRegistry& statistics, SizeResult& result) {
  const std::string prefix = prefix_of(result);
  const BandwidthRow& row = result.bandwidth;
  add_number(
      statistics,
      {prefix + "bw_average_gbps", "Gb/s",
       "Payload of all that post over the time from the first posting to the last completion"},
      row, &BandwidthRow::average_gbps);
  add_number(statistics,
             {prefix + "bw_peak_gbps", "Gb/s",
              "The best run of messages from a posting to a completion; 0: more than 20,000, or "
              "several that post"},
             row, &BandwidthRow::peak_gbps);
  add_number(statistics, {prefix + "msg_rate_mpps", "M/s", "Messages over the same time"}, row,
             &BandwidthRow::rate_mpps);
  statistics.add(result.completion,
                 {prefix + "completion_ns", "ns",
                  "From a message's posting to its completion's being taken, where one was asked "
                  "for; with `depth` messages ahead of it"},
                 kPerNs);
}

void RdmaPerfFabric::register_latency(StatisticsRegistry& statistics, SizeResult& result) {
  const std::string prefix = prefix_of(result);
  const std::string of = config_.test.test == TestKind::kRead ? "A READ" : "Half a round trip";
  const LatencyRow& row = result.latency;
  const auto add = [&](const char* name, const char* doc, double LatencyRow::*number) {
    add_number(statistics, {prefix + name, "us", of + doc}, row, number);
  };
  add("t_min_us", ": least", &LatencyRow::least_us);
  add("t_max_us", ": most, the two largest left out", &LatencyRow::most_us);
  add("t_typical_us", ": median", &LatencyRow::typical_us);
  add("t_avg_us", ": mean", &LatencyRow::average_us);
  add("t_stdev_us", ": standard deviation", &LatencyRow::deviation_us);
  add("t_p99_us", ": 99th percentile", &LatencyRow::p99_us);
  add("t_p999_us", ": 99.9th percentile", &LatencyRow::p999_us);
  const Breakdown& breakdown = result.breakdown;
  for (std::size_t i = 0; i < breakdown.parts(); ++i) {
    statistics.add_derived(
        {prefix + "latency." + breakdown.name(i) + "_ns", "ns", breakdown.doc(i) + "; mean"},
        [&breakdown, i](Time, Time) {
          return MetricValue::of(breakdown.mean_ns(breakdown.sum(i)));
        });
  }
  statistics.add_derived(
      {prefix + "latency.total_ns", "ns",
       "From posting to software's knowing of it at the end of its way: the sum of the parts; "
       "mean"},
      [&breakdown](Time, Time) { return MetricValue::of(breakdown.mean_ns(breakdown.whole())); });
}

/// Every number that the profile gave, and what stands in its place: what is fitted says so in the
/// report.
void RdmaPerfFabric::register_profile(StatisticsRegistry& statistics) {
  for (const nic::UsedNumber& used : nic::used_numbers(config_.hosts.nic)) {
    const nic::ProfileNumber& number = used.profile;
    std::string doc = std::string(name_of(number.origin)) + ": " + number.source;
    if (used.value != number.value) {
      doc =
          "Written in the configuration, in place of the profile's " + std::to_string(number.value);
    }
    statistics.add_derived({std::string("profile.") + number.key, number.unit, doc},
                           [value = used.value](Time, Time) { return MetricValue::of(value); });
  }
}

std::vector<std::string> RdmaPerfFabric::summary() const {
  std::vector<std::string> names;
  if (config_.test.measure == Measure::kLatency) {
    const SizeResult& first = setting_->results.sizes.front();
    for (std::size_t i = 0; i < first.breakdown.parts(); ++i) {
      names.push_back(prefix_of(first) + "latency." + first.breakdown.name(i) + "_ns");
    }
    names.push_back(prefix_of(first) + "latency.total_ns");
  } else if (pairs_.size() > 1) {
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      names.push_back("flow" + std::to_string(i) + ".goodput_gbps");
    }
  }
  names.insert(names.end(), {"total.messages", "total.wrong_bytes", "total.unfinished_programs",
                             "total.dropped_frames", "total.pause_depth", "total.victim_flows"});
  return names;
}

}  // namespace railyard::rdma_perf
