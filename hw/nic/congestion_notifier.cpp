#include "hw/nic/congestion_notifier.h"

#include <utility>

namespace railyard::nic {

namespace {

std::size_t contexts_of(const NicConfig& config) {
  if (!config.cnp.enabled) return 0;
  return config.cnp.scope == CnpScope::kPort ? 1 : config.limits.qps;
}

/// `headers` are those of packets to the peer: turned round, they are those of the marked packet.
net::Frame cnp_to(net::Frame headers, std::uint32_t remote_qp, const CnpConfig& config) {
  std::swap(headers.ethernet.source, headers.ethernet.destination);
  if (headers.is_ipv4()) {
    std::swap(headers.ipv4.source, headers.ipv4.destination);
  } else {
    std::swap(headers.ipv6.source, headers.ipv6.destination);
  }
  net::CnpMarking marking;
  marking.dscp = config.dscp;
  marking.pcp = config.priority;
  return net::cnp_frame(headers, remote_qp, marking);
}

}  // namespace

CongestionNotifier::CongestionNotifier(Units& units, Blocks& blocks)
    : units_(units),
      points_(*units.partition, units.name,
              {units.config->congestion.clock, units.config->cnp.interval, units.config->cnp.delay},
              blocks, [this](std::uint32_t context) { answer(context); }),
      contexts_(contexts_of(*units.config)) {
  StatisticsRegistry& statistics = units.partition->statistics();
  statistics.add(
      ce_, {units.name + ".ce_received", "packets", "Packets of queue pairs that came with CE"});
  statistics.add(cnps_, {units.name + ".cnp_sent", "packets", "CNPs put on the line"});
  units.partition->probes().add(cnp_moment_, {units.name + ".cnp", "A CNP was put on the line"});
  if (!contexts_.empty()) points_.make(contexts_.size());
}

CongestionNotifier::~CongestionNotifier() = default;

void CongestionNotifier::marked(const Qp& qp) {
  ce_.add();
  if (contexts_.empty()) return;
  const std::uint32_t context = context_of(qp);
  contexts_[context].qp = qp.number;
  points_.marked(context);
}

// Addresses get contexts in the order in which they are first marked. There are as many as there
// may be queue pairs; should ever more addresses come, they share.
std::uint32_t CongestionNotifier::context_of(const Qp& qp) {
  switch (units_.config->cnp.scope) {
    case CnpScope::kPort:
      return 0;
    case CnpScope::kAddress: {
      Address address;
      for (std::size_t i = 0; i < address.size(); ++i) address[i] = qp.attributes.remote_ip[i];
      const auto next = static_cast<std::uint32_t>(addresses_.size() % contexts_.size());
      return addresses_.emplace(address, next).first->second;
    }
    case CnpScope::kQueuePair:
      break;
  }
  return qp.slot;
}

void CongestionNotifier::answer(std::uint32_t context) {
  const Qp* qp = units_.qps->find(contexts_[context].qp);
  if (qp == nullptr || !qp->receives() || contexts_[context].waits) return;
  const CnpConfig& config = units_.config->cnp;
  frame_ = cnp_to(qp->headers, qp->remote_qp, config);
  TransmitJob job;
  job.headers = &frame_;
  job.priority = config.priority;
  job.cls = units_.class_of(config.priority);
  job.qp = qp->number;
  job.at = units_.partition->now();
  job.client = this;
  job.ticket = context;
  contexts_[context].waits = true;
  units_.partition->open_work();
  units_.transmit->take(job);
}

void CongestionNotifier::sent(std::uint64_t ticket, const net::Packet& /*packet*/) {
  contexts_[ticket].waits = false;
  cnps_.add();
  units_.partition->close_work();
  cnp_moment_.raise(units_.partition->now());
}

// It has no payload.
void CongestionNotifier::read_failed(std::uint64_t /*ticket*/) {}

}  // namespace railyard::nic
