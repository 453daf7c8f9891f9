#include "hw/tester/flow_receivers.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace railyard {

FlowReceivers::FlowReceivers(Partition& partition, const std::string& name,
                             const TesterConfig& config, Blocks& blocks, std::function<void()> wake)
    : partition_(partition),
      name_(name),
      config_(config.cnp),
      wake_(std::move(wake)),
      notification_(partition, name,
                    {config.congestion.clock, config.cnp.interval, config.cnp.delay}, blocks,
                    [this](std::uint32_t context) { answer(context); }) {
  register_all(name + ".");
}

void FlowReceivers::expect(const FlowConfig& flow) {
  const auto number = static_cast<std::uint32_t>(flows_.size());
  if (!by_qp_.insert(flow.destination_qp, number) || !by_index_.insert(flow.index, number)) {
    throw std::logic_error(name_ + ": flow " + std::to_string(flow.index) +
                           ", or its queue pair, is expected already");
  }
  flows_.emplace_back(flow);
  flows_.back().context = context_of(flow);
  contexts_ = std::max(contexts_, flows_.back().context + 1);
  register_flow(number);
}

std::uint32_t FlowReceivers::context_of(const FlowConfig& flow) {
  switch (config_.scope) {
    case CnpScope::kPort:
      return 0;
    case CnpScope::kAddress: {
      const auto found = std::find(addresses_.begin(), addresses_.end(), flow.source.ip);
      const auto context = static_cast<std::uint32_t>(found - addresses_.begin());
      if (found == addresses_.end()) addresses_.push_back(flow.source.ip);
      return context;
    }
    case CnpScope::kQueuePair:
      break;
  }
  return static_cast<std::uint32_t>(flows_.size() - 1);
}

void FlowReceivers::seal() {
  if (!config_.enabled || contexts_ == 0) return;
  latest_marked_.resize(contexts_);
  notification_.make(contexts_);
}

const ReceivedFlow& FlowReceivers::flow(std::size_t index) const {
  const std::uint32_t number = by_index_.find(static_cast<std::uint32_t>(index));
  if (number == NumberTable::kNone) {
    throw std::out_of_range(name_ + " expects no flow " + std::to_string(index));
  }
  return flows_[number];
}

void FlowReceivers::take(const net::Packet& packet) {
  const Time now = partition_.now();
  const net::Frame& frame = packet.frame;
  const std::uint32_t number =
      frame.is_roce() ? by_qp_.find(frame.bth.destination_qp) : NumberTable::kNone;
  if (number == NumberTable::kNone) return stray_.add();
  ReceivedFlow& flow = flows_[number];
  const std::uint64_t missing_before = flow.sink.missing();
  const FlowSink::Verdict verdict = flow.sink.take(packet);
  switch (verdict) {
    case FlowSink::Verdict::kStray:
      return stray_.add();
    case FlowSink::Verdict::kWrong:
      break_invariant(name_, now,
                      "packet " + std::to_string(packet.id) + " is not what its source sent");
    case FlowSink::Verdict::kDuplicate:
      duplicate_.add();
      break;
    case FlowSink::Verdict::kOutOfOrder:
      ++flow.out_of_order;
      out_of_order_.add();
      [[fallthrough]];
    case FlowSink::Verdict::kAfterGap:
      missing_ += flow.sink.missing() - missing_before;
      [[fallthrough]];
    case FlowSink::Verdict::kInOrder:
      packets_.add();
      payload_.add(frame.payload_bytes);
      latency_.record(static_cast<std::uint64_t>(now - packet.created));
      if (flow.sink.saw_last()) flow.completed_at = now;
  }
  if (frame.ecn() == net::Ecn::kCe) take_marked(number, packet, now);
}

void FlowReceivers::take_marked(std::uint32_t number, const net::Packet& packet, Time now) {
  ReceivedFlow& flow = flows_[number];
  ++flow.ce;
  ce_.add();
  if (listener_ != nullptr) listener_->on_ce(flow.index, now);
  if (!config_.enabled) return;
  if (!flow.cnp) {
    net::CnpMarking marking;
    marking.dscp = config_.dscp;
    marking.pcp = config_.priority;
    flow.cnp =
        std::make_unique<const net::Frame>(net::cnp_frame(packet.frame, flow.source_qp, marking));
  }
  latest_marked_[flow.context] = number;
  notification_.marked(flow.context);
}

// The CNP goes to the context's flow that was marked last. While one of it still waits for the
// line, another would say no more.
void FlowReceivers::answer(std::uint32_t context) {
  const std::uint32_t number = latest_marked_[context];
  if (flows_[number].cnp_waits) return;
  flows_[number].cnp_waits = true;
  cnps_.push(number);
  partition_.open_work();
  wake_();
}

Ref<net::Packet> FlowReceivers::next_cnp() {
  ReceivedFlow& flow = flows_[cnps_.pop()];
  flow.cnp_waits = false;
  Ref<net::Packet> cnp = partition_.packets().packets.acquire();
  cnp->frame = *flow.cnp;
  cnp->created = partition_.now();
  cnp->seal();
  cnp_sent_.add();
  cnp_moment_.raise(partition_.now());
  partition_.close_work();
  return cnp;
}

// Whole runs, so that a flow's numbers do not depend on when warm-up ends.
void FlowReceivers::register_flow(std::uint32_t number) {
  StatisticsRegistry& s = partition_.statistics();
  const std::string prefix = "flow" + std::to_string(flows_[number].index) + ".";
  s.add_derived(
      {prefix + "completion_us", "us",
       "When the flow's last byte was received, warm-up or not; 0: not yet"},
      [this, number](Time, Time) {
        return MetricValue::of(static_cast<double>(flows_[number].completed_at) / kMicrosecond);
      });
  s.add_derived({prefix + "goodput_gbps", "Gb/s",
                 "Payload received over the time from start to completion, warm-up or not"},
                [this, number](Time now, Time) {
                  const ReceivedFlow& f = flows_[number];
                  const Time end = f.completed_at != 0 ? f.completed_at : now;
                  const auto ps = static_cast<double>(end - f.start);
                  const double bytes = static_cast<double>(f.sink.bytes());
                  return MetricValue::of(ps <= 0 ? 0.0 : bytes * 8000 / ps);
                });
  s.add_derived(
      {prefix + "ce_packets", "packets", "Packets of the flow that came with CE, warm-up or not"},
      [this, number](Time, Time) { return MetricValue::of(flows_[number].ce); });
  s.add_derived(
      {prefix + "out_of_order_packets", "packets",
       "Packets of the flow that came behind a later one, warm-up or not"},
      [this, number](Time, Time) { return MetricValue::of(flows_[number].out_of_order); });
  s.add_derived(
      {prefix + "lost_packets", "packets",
       "Packets of the flow before the latest that came that have not, warm-up or not"},
      [this, number](Time, Time) { return MetricValue::of(flows_[number].sink.missing()); });
}

void FlowReceivers::register_all(const std::string& prefix) {
  StatisticsRegistry& s = partition_.statistics();
  s.add(packets_, {prefix + "received_packets", "packets",
                   "Packets of expected flows taken, duplicates not counted"});
  s.add(payload_, {prefix + "received_payload", "bytes",
                   "Payload of expected flows taken, duplicates not counted"});
  s.add_derived({prefix + "lost_packets", "packets",
                 "Packets missing before packets that arrived, by PSN, warm-up or not"},
                [this](Time, Time) { return MetricValue::of(missing_); });
  s.add(out_of_order_, {prefix + "out_of_order_packets", "packets",
                        "Packets of expected flows that came behind a later one"});
  s.add(duplicate_, {prefix + "duplicate_packets", "packets",
                     "Packets of expected flows that had come already"});
  s.add(stray_, {prefix + "stray_packets", "packets",
                 "Packets of no expected flow, or more than 65,536 packets late"});
  s.add(ce_, {prefix + "ce_received", "packets", "Packets of expected flows that came with CE"});
  s.add(cnp_sent_, {prefix + "cnp_sent", "packets", "CNPs put on the line"});
  s.add(latency_,
        {prefix + "latency_ns", "ns", "From the start of a packet's transmission to its delivery"},
        1000);
  partition_.probes().add(cnp_moment_, {prefix + "cnp", "A CNP was sent"});
}

}  // namespace railyard
