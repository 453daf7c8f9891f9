#include "hw/pcie/port.h"

#include <utility>

#include "hw/pcie/link_checker.h"

namespace railyard::pcie {

namespace {

const char* label(const Tlp& tlp) {
  switch (tlp.type) {
    case TlpType::kMemoryRead:
      return "MRd";
    case TlpType::kMemoryWrite:
      return "MWr";
    case TlpType::kConfigRead:
      return "CfgRd";
    case TlpType::kConfigWrite:
      return "CfgWr";
    case TlpType::kCompletion:
      return "Cpl";
    case TlpType::kCompletionData:
      return "CplD";
  }
  return "TLP";
}

}  // namespace

Port::Port(Hierarchy& hierarchy, const std::string& name, const std::string& peer,
           const LinkConfig& config, const CreditConfig& receive, PortClient& client)
    : pick_(Event::of<&Port::pick>(*this, hierarchy.partition().endpoint(name + ".tx"),
                                   Phase::kTransmitDone)),
      clock_(config.rate()),
      credits_(hierarchy.partition(), name, peer),
      time_(hierarchy.partition().statistics(), name),
      arrival_(Event::of<&Port::arrive>(*this, hierarchy.partition().endpoint(name + ".rx"),
                                        Phase::kArrival)),
      acknowledge_(Event::of<&Port::acknowledge>(
          *this, hierarchy.partition().endpoint(name + ".ack"), Phase::kTimer)),
      update_{{Event::of<&Port::update_posted>(
                   *this, hierarchy.partition().endpoint(name + ".update_p"), Phase::kTimer),
               Event::of<&Port::update_non_posted>(
                   *this, hierarchy.partition().endpoint(name + ".update_np"), Phase::kTimer),
               Event::of<&Port::update_completion>(
                   *this, hierarchy.partition().endpoint(name + ".update_cpl"), Phase::kTimer)}},
      hierarchy_(hierarchy),
      scheduler_(hierarchy.scheduler()),
      name_(name),
      config_(config),
      receive_config_(receive),
      rate_(config.rate()),
      client_(client),
      random_(hierarchy.partition().random(name)),
      replay_timer_(Event::of<&Port::replay_timed_out>(
          *this, hierarchy.partition().endpoint(name + ".replay"), Phase::kTimer)),
      come_up_(Event::of<&Port::come_up>(*this, hierarchy.partition().endpoint(name + ".link"),
                                         Phase::kLinkState)),
      stalled_(hierarchy.scheduler(), name + ".receive", config.receive_stall,
               [this] { serve(); }) {
  bit_errors_.start(random_, config.bit_error_rate);
  // Whether a packet is lost is known when it is sent, and after a stall TLPs come faster than the
  // line carried them: nothing of that may be late.
  if (config.bit_error_rate > 0 || config.receive_stall.probability > 0) scheduler_.set_eager();
  skip_time_ = rate_.time_of(config.skip_bytes());
  if (config.skip_interval > 0) {
    constexpr std::uint64_t kBlockBytes = 16;
    skip_interval_ = rate_.time_of(kBlockBytes * config.skip_interval * config.lanes);
    next_skip_ = skip_interval_;
  }
  constexpr std::uint32_t kLeastPayload = 128;
  set_max_payload(kLeastPayload);
  register_all();
}

void Port::register_all() {
  StatisticsRegistry& statistics = hierarchy_.partition().statistics();
  const std::string p = name_ + ".";
  statistics.add(tx_tlps_, {p + "tx_tlps", "TLPs", "TLPs put on the line, replayed ones aside"});
  statistics.add(tx_data_bytes_, {p + "tx_data_bytes", "bytes", "Bytes that those were there for"});
  statistics.add(tx_wire_bytes_, {p + "tx_tlp_bytes", "bytes", "Bytes of those, framing to LCRC"});
  statistics.add(tx_acks_, {p + "tx_acks", "DLLPs", "ACK and NAK packets put on the line"});
  statistics.add(tx_updates_, {p + "tx_updates", "DLLPs", "Flow control updates put on the line"});
  statistics.add(tx_skips_, {p + "tx_skips", "sets",
                             "Skip ordered sets put on the line while it was asked for"});
  statistics.add(rx_tlps_, {p + "rx_tlps", "TLPs", "TLPs taken, each once"});
  statistics.add(corrupted_, {p + "rx_corrupted", "packets", "TLPs and DLLPs with a wrong CRC"});
  statistics.add(duplicates_, {p + "rx_duplicates", "TLPs", "TLPs that had been taken before"});
  statistics.add(naks_, {p + "tx_naks", "DLLPs", "NAK packets among tx_acks"});
  statistics.add(replays_, {p + "replays", "times", "Times that TLPs were sent again"});
  statistics.add(replayed_tlps_, {p + "replayed_tlps", "TLPs", "TLPs sent again"});
  statistics.add(retrains_,
                 {p + "retrains", "times", "Times that this end had the link retrained"});
  ProbeRegistry& probes = hierarchy_.partition().probes();
  constexpr const char* kQueues[] = {"queue.posted", "queue.non_posted", "queue.completion"};
  constexpr std::uint32_t kWidth = 16;
  for (std::size_t i = 0; i < kFlowClasses; ++i) {
    probes.add(
        queue_probe_[i],
        {p + kQueues[i], ProbeKind::kUnsigned, kWidth, "TLPs", "TLPs that wait for the line", {}});
  }
  probes.add(replay_probe_, {p + "replay_bytes",
                             ProbeKind::kUnsigned,
                             32,
                             "bytes",
                             "Bytes of TLPs that wait for their acknowledgement",
                             {}});
  probes.add(lane_, {p + "line", "TLPs on the line"});
}

void Port::connect(Port& a, Port& b) {
  a.peer_ = &b;
  b.peer_ = &a;
  for (Port* port : {&a, &b}) {
    port->credits_.advertise(port->peer_->receive_config_);
    const CreditConfig& own = port->receive_config_;
    const std::pair<std::uint64_t, std::uint64_t> limits[] = {
        {own.posted_headers, own.posted_data},
        {own.non_posted_headers, own.non_posted_data},
        {own.completion_headers, own.completion_data}};
    for (std::size_t i = 0; i < kFlowClasses; ++i) {
      port->buffers_[i].finite = limits[i].first != 0;
      port->buffers_[i].headers_allocated = limits[i].first;
      port->buffers_[i].data_allocated = limits[i].second;
    }
  }
}

void check_link(Hierarchy& hierarchy, Port& a, Port& b) {
  Partition& partition = hierarchy.partition();
  auto& forth = partition.add_checker<LinkChecker>(a.name() + " to " + b.name(), a.config(),
                                                   b.receive_credits());
  auto& back = partition.add_checker<LinkChecker>(b.name() + " to " + a.name(), b.config(),
                                                  a.receive_credits());
  LinkChecker::pair(forth, back);
  a.set_observers(&forth, &back);
  b.set_observers(&back, &forth);
}

void Port::set_max_payload(std::uint32_t bytes) {
  ack_delay_ = config_.ack_delay_at(bytes);
  update_delay_ = config_.update_delay ? *config_.update_delay : ack_delay_;
}

void Port::set_starved(bool starved) {
  if (starved_ == starved) return;
  starved_ = starved;
  if (idle_since_ != kForever && up_) stand_idle(scheduler_.now());
}

void Port::send(TlpRef tlp) {
  const Time now = scheduler_.now();
  if (out_ != nullptr) out_->queued(*tlp, now);
  const FlowClass flow_class = tlp->flow_class();
  queue_.push(std::move(tlp));
  queue_probe_[static_cast<std::size_t>(flow_class)].set(queue_.size(flow_class), now);
  kick();
}

void Port::pick() {
  if (!up_) return;
  const Time now = scheduler_.now();
  if (send_skip(now)) return;
  if (dllp_due()) {
    send_dllp(now);
    return;
  }
  if (!send_replay(now) && !send_tlp(now)) stand_idle(now);
}

// Until `bytes` are on the line, whose rate is exact over packets that follow each other.
Time Port::occupy(std::uint32_t bytes, Time now) {
  if (now != clock_.now()) clock_.start(now);
  const Time end = clock_.advance(bytes);
  scheduler_.schedule(pick_, end);
  idle_since_ = kForever;
  return end;
}

// Those that fall into idle time go out unseen, but for one that is on the line when it is needed.
bool Port::send_skip(Time now) {
  if (now < next_skip_) return false;
  tx_skips_.add();
  if (idle_since_ == kForever) {
    next_skip_ += skip_interval_;
    const Time end = occupy(config_.skip_bytes(), now);
    time_.spend(LineUse::kSkip, now, end, 0);
    if (out_ != nullptr) out_->sent_skip(now, end);
    return true;
  }
  const Time last = next_skip_ + (now - next_skip_) / skip_interval_ * skip_interval_;
  next_skip_ = last + skip_interval_;
  if (last + skip_time_ <= now) return false;
  clock_.start(last);
  const Time end = clock_.advance(config_.skip_bytes());
  if (out_ != nullptr) out_->sent_skip(last, end);
  scheduler_.schedule(pick_, end);
  idle_since_ = kForever;
  time_.spend(LineUse::kSkip, now, end, 0);
  return true;
}

void Port::send_dllp(Time now) {
  if (ack_due_ || nak_due_) {
    const Dllp dllp{nak_due_ ? Dllp::Kind::kNak : Dllp::Kind::kAck, FlowClass::kPosted,
                    expected_ - 1, 0, 0};
    tx_acks_.add();
    if (nak_due_) naks_.add();
    ack_due_ = nak_due_ = false;
    put(dllp, now);
    return;
  }
  const auto i = static_cast<std::size_t>(__builtin_ctz(update_due_));
  update_due_ &= static_cast<std::uint8_t>(update_due_ - 1);
  const Buffer& buffer = buffers_[i];
  tx_updates_.add();
  put({Dllp::Kind::kUpdate, static_cast<FlowClass>(i), 0, buffer.headers_allocated,
       buffer.data_allocated},
      now);
  // One that is lost would never be made up for if nothing else came.
  if (config_.bit_error_rate > 0) {
    constexpr Time kRefresh = 30 * kMicrosecond;  // 2.6.1.2
    scheduler_.schedule(update_[i], now + kRefresh);
  }
}

void Port::put(const Dllp& dllp, Time now) {
  const Time end = occupy(kDllpBytes, now);
  time_.spend(LineUse::kDllp, now, end, 0);
  if (out_ != nullptr) out_->sent(dllp, now, end);
  InFlight flying;
  flying.at = end + config_.latency;
  flying.good = !bit_errors_.hit(kDllpBytes);
  if (dllp.kind == Dllp::Kind::kUpdate) {
    flying.kind = Arrival::kUpdate;
    flying.flow_class = dllp.flow_class;
    flying.sequence = dllp.headers;
    flying.data = dllp.data;
  } else {
    flying.kind = dllp.kind == Dllp::Kind::kAck ? Arrival::kAck : Arrival::kNak;
    flying.sequence = dllp.sequence;
  }
  peer_->fly(std::move(flying));
}

bool Port::send_replay(Time now) {
  if (replay_next_ == unacknowledged_.size()) return false;
  replayed_tlps_.add();
  put(unacknowledged_[replay_next_++], true, now);
  return true;
}

bool Port::send_tlp(Time now) {
  if (queue_.empty()) return false;
  const auto choice = queue_.choose(credits_);
  if (!choice) return false;
  const std::uint32_t wire_bytes = queue_.look(*choice).wire_bytes;
  if (replay_bytes_ + wire_bytes > config_.replay_buffer) return false;
  const TlpRef tlp = queue_.take(*choice);
  const FlowClass flow_class = choice->flow_class;
  credits_.take(flow_class, tlp->data_credits, now);
  credits_.wait(flow_class, false, now);
  queue_probe_[static_cast<std::size_t>(flow_class)].set(queue_.size(flow_class), now);
  tlp->spend(Stage::kTransmit, now);
  const std::uint32_t data_bytes = tlp->has_data() ? tlp->bytes : 0;
  tx_tlps_.add();
  tx_data_bytes_.add(data_bytes);
  tx_wire_bytes_.add(wire_bytes);
  replay_bytes_ += wire_bytes;
  replay_probe_.set(replay_bytes_, now);
  unacknowledged_.push({tlp, next_sequence_++, wire_bytes, data_bytes});
  replay_next_ = unacknowledged_.size();
  put(unacknowledged_.back(), false, now);
  if (tlp->held_at != nullptr) std::exchange(tlp->held_at, nullptr)->release(*tlp);
  client_.sending(*this, *tlp);
  return true;
}

void Port::put(const Unacknowledged& entry, bool replayed, Time now) {
  const Time end = occupy(entry.wire_bytes, now);
  if (replayed) {
    time_.spend(LineUse::kReplay, now, end, 0);
  } else {
    const auto overhead = static_cast<Time>(entry.wire_bytes - entry.data_bytes);
    time_.spend(LineUse::kData, now, end,
                (end - now) * overhead / static_cast<Time>(entry.wire_bytes));
  }
  if (lane_.on()) lane_.span(label(*entry.tlp), now, end, "bytes", entry.data_bytes);
  if (out_ != nullptr) out_->sent(*entry.tlp, entry.sequence, replayed, now, end);
  if (config_.bit_error_rate > 0 && !replay_timer_.pending()) {
    replay_deadline_ = now + config_.replay_timeout;
    scheduler_.schedule(replay_timer_, replay_deadline_);
  }
  InFlight flying;
  flying.at = end + config_.latency;
  flying.good = !bit_errors_.hit(entry.wire_bytes);
  flying.sequence = entry.sequence;
  flying.tlp = entry.tlp;
  if (!replayed) hierarchy_.write_goes_on(*entry.tlp, flying.at);
  peer_->fly(std::move(flying));
}

// Why nothing is sent now.
void Port::stand_idle(Time now) {
  if (idle_since_ == kForever) idle_since_ = now;
  LineUse use = starved_ ? LineUse::kTags : LineUse::kIdle;
  if (!queue_.empty()) {
    for (const FlowClass flow_class :
         {FlowClass::kPosted, FlowClass::kNonPosted, FlowClass::kCompletion}) {
      if (queue_.lacks_credits(flow_class, credits_)) credits_.wait(flow_class, true, now);
    }
    use = queue_.choose(credits_)          ? LineUse::kAcknowledge
          : queue_.held_by_order(credits_) ? LineUse::kOrdering
                                           : LineUse::kCredits;
  }
  time_.become(use, now);
}

}  // namespace railyard::pcie
