// The flows of a run whose ends are programs: what each is to be, and what became of it. Programs
// and NICs write, the report reads. Plain numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "platforms/common/verbs/rate_bins.h"
#include "tlm/base/quantity.h"
#include "tlm/base/time.h"
#include "tlm/config/parameters.h"
#include "tlm/observe/statistics.h"

namespace railyard::rdma {

/// How programs post a flow's messages.
struct RequestsConfig {
  std::uint32_t depth = 64;
  std::uint8_t timeout = 14;

  void declare(Parameters& p);
};

/// One queue pair's RDMA WRITEs, one behind the other.
struct Flow {
  std::uint32_t source = 0;  // endpoints
  std::uint32_t destination = 0;
  std::uint64_t messages = 0;
  Bytes message_size = 0;
  Time start = 0;  // from when traffic begins
  std::uint32_t path_mtu = 4096;
  std::uint32_t traffic_class = 0;  // of IP

  std::uint64_t bytes() const { return messages * message_size; }
  std::uint8_t dscp() const { return static_cast<std::uint8_t>(traffic_class >> 2U); }
  /// As NICs count it.
  std::uint8_t priority() const { return static_cast<std::uint8_t>(dscp() >> 3U); }
};

struct FlowRecord {
  static constexpr Time kBin = kMillisecond;

  std::uint64_t received = 0;   // payload bytes, given to the receiver's PCIe
  Time received_at = 0;         // the latest of them
  RateBins bins{kBin};          // what was received, from its start or the end of warm-up on
  std::uint64_t completed = 0;  // messages, as their sender knows
  Time completed_at = 0;
  bool failed = false;            // a message ended with an error; nothing is posted any more
  std::uint64_t wrong_bytes = 0;  // that arrived otherwise than they were sent
};

class FlowBook {
 public:
  explicit FlowBook(std::vector<Flow> flows) : flows_(std::move(flows)), records_(flows_.size()) {}

  std::size_t size() const { return flows_.size(); }
  const Flow& flow(std::size_t index) const { return flows_[index]; }
  FlowRecord& record(std::size_t index) { return records_[index]; }
  const FlowRecord& record(std::size_t index) const { return records_[index]; }

  /// All queue pairs stand, and flows may start from then on; before: kForever.
  Time began() const { return began_; }
  void set_began(Time at) {
    began_ = at;
    for (std::size_t i = 0; i < records_.size(); ++i) records_[i].bins.begin(start_of(i));
  }
  Time start_of(std::size_t index) const {
    return began_ == kForever ? kForever : began_ + flows_[index].start;
  }
  /// From a message's posting to its completion's being taken.
  Histogram& message_times() { return message_times_; }

 private:
  std::vector<Flow> flows_;
  std::vector<FlowRecord> records_;
  Time began_ = kForever;
  Histogram message_times_;
};

}  // namespace railyard::rdma
