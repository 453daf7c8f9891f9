// The receiving ends of a port's flows: finds a packet's flow by its queue pair, checks and counts
// it, and answers those that came marked with CNPs.
//
// When a marked packet is answered is the affair of the port's notification points
// (hw/congestion/notification_points.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hw/congestion/notification_points.h"
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
  std::unique_ptr<const net::Frame> cnp;  // that answers it, once a packet was marked
  std::uint32_t index;
  std::uint32_t source_qp;
  std::uint32_t context = 0;  // in the notification points
  bool cnp_waits = false;     // for the line
};

class FlowReceivers {
 public:
  /// `name` is the port's. `wake` is called when a CNP is due.
  FlowReceivers(Partition& partition, const std::string& name, const TesterConfig& config,
                Blocks& blocks, std::function<void()> wake);

  /// Before the run. A queue pair or flow that is expected already is a std::logic_error.
  void expect(const FlowConfig& flow);
  /// All flows are expected, and nothing is traced yet.
  void seal();
  void start() { notification_.start(); }
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
  void take_marked(std::uint32_t number, const net::Packet& packet, Time now);
  std::uint32_t context_of(const FlowConfig& flow);
  void answer(std::uint32_t context);
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
  std::vector<IpAddress> addresses_;          // whose contexts they are, with that scope
  std::vector<std::uint32_t> latest_marked_;  // [context] flow
  std::uint32_t contexts_ = 0;
  NotificationPoints notification_;
  Ring<std::uint32_t> cnps_;  // flows

  std::uint64_t missing_ = 0;  // packets of all flows
  Counter packets_, payload_, out_of_order_, duplicate_, stray_, ce_, cnp_sent_;
  Histogram latency_;
  Moment cnp_moment_;
};

}  // namespace railyard
