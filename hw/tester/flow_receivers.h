// The receiving ends of a port's flows: finds a packet's flow by its queue pair, checks and counts
// it, and answers those that came marked with CNPs.
//
// A CNP is answered to a flow's first marked packet, and then to the first that comes after
// cnp.interval since its last CNP was put on the line; one a flow waits at most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hw/tester/flow.h"
#include "hw/tester/flow_listener.h"
#include "hw/tester/number_table.h"
#include "tlm/base/ring.h"
#include "tlm/sim/partition.h"

namespace railyard {

/// A flow that arrives.
struct ReceivedFlow {
  explicit ReceivedFlow(const FlowConfig& config)
      : sink(config), start(config.start), index(config.index), source_qp(config.source_qp) {}

  FlowSink sink;
  Time start;
  Time completed_at = 0;  // when the latest packet was taken of a flow whose last has come; or 0
  std::uint64_t ce = 0;
  std::uint64_t out_of_order = 0;
  Time next_cnp = 0;  // earliest
  std::uint32_t index;
  std::uint32_t source_qp;
};

class FlowReceivers {
 public:
  /// `name` is the port's. `wake` is called when a CNP is due.
  FlowReceivers(Partition& partition, const std::string& name, const CnpConfig& config,
                std::function<void()> wake);

  /// Before the run. A queue pair or flow that is expected already is a std::logic_error.
  void expect(const FlowConfig& flow);
  void set_listener(FlowListener* listener) { listener_ = listener; }

  /// The receiver takes a frame.
  void take(const net::Packet& packet);
  void count_stray() { stray_.add(); }

  bool cnp_due() const { return !cnps_.empty(); }
  /// The CNP that is due, now that it is sent.
  Ref<net::Packet> next_cnp();

  /// By FlowConfig::index; std::out_of_range if it is not expected here.
  const ReceivedFlow& flow(std::size_t index) const;

 private:
  static constexpr Time kQueued = kForever;  // next_cnp of a flow whose CNP waits
  struct Cnp {
    std::uint32_t flow = 0;
    Ref<net::Packet> packet;
  };

  void take_marked(std::uint32_t number, const net::Packet& packet, Time now);
  void register_flow(std::uint32_t number);
  void register_all(const std::string& prefix);

  Partition& partition_;
  std::string name_;
  CnpConfig config_;
  std::function<void()> wake_;
  FlowListener* listener_ = nullptr;

  std::vector<ReceivedFlow> flows_;
  NumberTable by_qp_;
  NumberTable by_index_;
  Ring<Cnp> cnps_;

  std::uint64_t missing_ = 0;  // packets of all flows
  Counter packets_, payload_, out_of_order_, duplicate_, stray_, ce_, cnp_sent_;
  Histogram latency_;
};

}  // namespace railyard
