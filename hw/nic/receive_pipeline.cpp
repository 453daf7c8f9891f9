#include "hw/nic/receive_pipeline.h"

#include "hw/congestion/congestion_control.h"
#include "hw/nic/congestion_notifier.h"

namespace railyard::nic {

namespace {

// The default partition, as a full or a limited member (IBTA Vol 1 10.9.1.2).
constexpr std::uint16_t kDefaultPKey = 0x7FFF;
constexpr std::uint16_t kPKeyMask = 0x7FFF;

/// `headers` are those of packets to the peer.
bool comes_from_peer(const net::Frame& frame, const net::Frame& headers) {
  if (frame.ethernet.type != headers.ethernet.type) return false;
  if (frame.is_ipv4()) {
    return frame.ipv4.source == headers.ipv4.destination &&
           frame.ipv4.destination == headers.ipv4.source;
  }
  return frame.ipv6.source == headers.ipv6.destination &&
         frame.ipv6.destination == headers.ipv6.source;
}

}  // namespace

ReceivePipeline::ReceivePipeline(Units& units, CongestionNotifier& notifier)
    : units_(units), notifier_(notifier) {
  StatisticsRegistry& statistics = units.partition->statistics();
  const std::string p = units.name + ".receive.";
  statistics.add(requests_, {p + "requests", "packets", "Request packets given to responders"});
  statistics.add(responses_, {p + "responses", "packets",
                              "Acknowledgements and READ responses given to requesters"});
  statistics.add(cnps_, {units.name + ".cnp_received", "packets", "CNPs of queue pairs"});
  if (units.config->congestion.controls()) {
    statistics.add(cnp_latency_,
                   {units.name + ".cnp_latency_ns", "ns",
                    "From a CNP's being asked for, at the peer, to its last bit"},
                   static_cast<double>(kNanosecond));
  }
  statistics.add(stray_no_qp_,
                 {p + "stray_no_qp", "packets", "Dropped: there is no such queue pair"});
  statistics.add(stray_state_, {p + "stray_state", "packets",
                                "Dropped: the queue pair is in a state that takes none"});
  statistics.add(stray_address_, {p + "stray_address", "packets",
                                  "Dropped: not between the queue pair's addresses"});
  statistics.add(stray_opcode_, {p + "stray_opcode", "packets",
                                 "Dropped: an opcode of another transport, or none"});
  statistics.add(stray_p_key_,
                 {p + "stray_p_key", "packets", "Dropped: not of the default partition"});
}

ReceivePipeline::~ReceivePipeline() = default;

void ReceivePipeline::take(net::Packet& packet) {
  const net::Frame& frame = packet.frame;
  if (net::transport(frame.bth.opcode) == net::Transport::kCnp) {
    take_cnp(packet);
    return;
  }
  Qp* qp = find(frame);
  if (qp == nullptr) {
    units_.receive_buffer->release(packet);
    return;
  }
  if (frame.ecn() == net::Ecn::kCe) notifier_.marked(*qp);
  const Time now = units_.partition->now();
  units_.passed(Point::kReceived, qp->number, now);
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(waiting_.size()));
    waiting_.emplace_back();
    free_.reserve(waiting_.capacity());
  }
  const std::uint32_t ticket = free_.back();
  const unsigned cls = units_.class_of(static_cast<std::uint8_t>(frame.dscp() >> 3));
  const Time at = units_.contexts->want(qp->slot, now, cls, *this, ticket);
  if (at != kForever) {
    deliver(Ref<net::Packet>::share(packet), *qp, at);
    return;
  }
  free_.pop_back();
  waiting_[ticket] = Ref<net::Packet>::share(packet);
}

Qp* ReceivePipeline::find(const net::Frame& frame) {
  Counter* stray = nullptr;
  Qp* qp = nullptr;
  if (net::transport(frame.bth.opcode) != net::Transport::kRc) {
    stray = &stray_opcode_;
  } else if (qp = units_.qps->find(frame.bth.destination_qp); qp == nullptr) {
    stray = &stray_no_qp_;
  } else if (!(net::is_response(frame.bth.opcode) ? qp->sends() : qp->receives())) {
    stray = &stray_state_;
  } else if (!comes_from_peer(frame, qp->headers)) {
    stray = &stray_address_;
  } else if ((frame.bth.p_key & kPKeyMask) != kDefaultPKey) {
    stray = &stray_p_key_;
  }
  if (stray == nullptr) return qp;
  stray->add();
  return nullptr;
}

void ReceivePipeline::take_cnp(const net::Packet& packet) {
  const net::Frame& frame = packet.frame;
  const Qp* qp = units_.qps->find(frame.bth.destination_qp);
  if (qp == nullptr) {
    stray_no_qp_.add();
  } else if (!qp->receives()) {
    stray_state_.add();
  } else if (!comes_from_peer(frame, qp->headers)) {
    stray_address_.add();
  } else {
    cnps_.add();
    cnp_latency_.record(static_cast<std::uint64_t>(units_.partition->now() - packet.created));
    if (units_.congestion != nullptr) units_.congestion->cnp(qp->slot);
  }
  units_.receive_buffer->release(packet);
}

void ReceivePipeline::deliver(Ref<net::Packet> packet, Qp& qp, Time at) {
  const bool response = net::is_response(packet->frame.bth.opcode);
  (response ? responses_ : requests_).add();
  (response ? units_.requester : units_.responder)->take({std::move(packet), &qp, at});
}

void ReceivePipeline::context_ready(std::uint32_t slot, std::uint64_t ticket) {
  const auto index = static_cast<std::uint32_t>(ticket);
  const Ref<net::Packet> packet = std::move(waiting_[index]);
  free_.push_back(index);
  // The queue pair may have gone, or changed its state, meanwhile.
  Qp* qp = find(packet->frame);
  if (qp == nullptr || qp->slot != slot) {
    units_.receive_buffer->release(*packet);
    return;
  }
  deliver(packet, *qp, units_.partition->now());
}

}  // namespace railyard::nic
