// What a requester measures.
#include "hw/pcie/requester.h"

namespace railyard::pcie {

void Requester::register_all(const std::string& name) {
  Partition& partition = hierarchy_.partition();
  StatisticsRegistry& statistics = partition.statistics();
  const std::string p = name + ".";
  constexpr auto kPerNs = static_cast<double>(kNanosecond);
  statistics.add(writes_done_, {p + "writes", "transfers", "Writes that are on the line in whole"});
  statistics.add(reads_done_, {p + "reads", "transfers", "Reads that are done"});
  statistics.add(write_bytes_, {p + "write_bytes", "bytes", "Bytes of those writes"});
  statistics.add(read_bytes_, {p + "read_bytes", "bytes", "Bytes that reads have brought"});
  statistics.add(requests_, {p + "read_requests", "TLPs", "Read requests that were answered"});
  statistics.add(failed_, {p + "reads_failed", "transfers", "Reads that ended without their data"});
  statistics.add(timeouts_, {p + "timeouts", "TLPs", "Requests that nobody answered in time"});
  statistics.add(unexpected_, {p + "unexpected", "TLPs", "Completions that nobody had asked for"});
  statistics.add(read_latency_,
                 {p + "read_latency_ns", "ns", "From a read's being given to its last byte"},
                 kPerNs);
  statistics.add(write_latency_,
                 {p + "write_latency_ns", "ns",
                  "From a write's being given to its last TLP's "
                  "start on the line"},
                 kPerNs);
  statistics.add(request_latency_,
                 {p + "request_latency_ns", "ns",
                  "From a read request's wanting a tag to its last completion; the parts are "
                  "read_stage"},
                 kPerNs);
  constexpr const char* kStageNames[kStages][2] = {
      {"tag", "for a tag, or for room for its completions"},
      {"transmit", "in transmit queues, its completions' too: credits, ordering, others first"},
      {"line", "on lines and in their data link layers, both ways"},
      {"switch", "inside switches, both ways"},
      {"root", "inside the root complex, both ways"},
      {"translation", "for the IOMMU"},
      {"memory", "for memory: its queue and its access"},
      {"device", "inside a device that answers"},
  };
  for (std::size_t i = 0; i < kStages; ++i) {
    statistics.add_derived(
        {p + "read_stage." + kStageNames[i][0] + "_ns", "ns",
         std::string("Mean time that a read request spent ") + kStageNames[i][1]},
        [this, i](Time, Time) {
          const auto count = static_cast<double>(request_latency_.count());
          const auto time = static_cast<double>(stage_time_[i].value());
          return MetricValue::of(count == 0 ? 0.0 : time / count / kNanosecond);
        });
  }
  statistics.on_reset([this](Time) {
    for (Counter& counter : stage_time_) counter.reset();
  });
  statistics.add(in_flight_, {p + "reads_in_flight", "TLPs", "Read requests without an answer"});
  constexpr std::uint32_t kWidth = 16;
  partition.probes().add(in_flight_probe_, {p + "reads_in_flight",
                                            ProbeKind::kUnsigned,
                                            kWidth,
                                            "TLPs",
                                            "Read requests without an answer",
                                            {}});
  partition.waits().add(waits_for_completion_, {name_, port_.name(), "completions"});
}

}  // namespace railyard::pcie
