#include "hw/eth_switch/switch_port.h"

#include <algorithm>
#include <utility>

#include "tlm/observe/checker.h"

namespace railyard {

namespace {

/// A locally administered address that follows from the seed and the port's name.
net::MacAddress mac_of(RandomStream random) {
  net::MacAddress mac;
  for (auto& byte : mac.bytes) byte = static_cast<std::uint8_t>(random.next());
  mac.bytes[0] = 0x02;
  return mac;
}

}  // namespace

SwitchPort::SwitchPort(sc_core::sc_module_name name, EthSwitch& owner, PortId id,
                       const SwitchLine& line, const SwitchStages& stages)
    : sc_module(name),
      owner_(owner),
      partition_(owner.partition()),
      rate_(line.link.rate),
      id_(id),
      mac_stage_(owner.config().pipeline.mac, owner.config().clock),
      scheduler_(stages.scheduler(owner.config())),
      wake_(Event::of<&SwitchPort::send_next>(
          *this, partition_.endpoint(std::string(this->name()) + ".wake"), Phase::kAct)),
      pauses_(partition_, this->name(), rate_, own_response_quanta(owner.config().buffers, rate_),
              owner.config().clock, owner.blocks_, *this),
      pfc_(partition_, this->name(), rate_,
           {owner.config().clock, owner.config().buffers.pfc.latency,
            owner.config().buffers.pfc.quanta, owner.lossless()},
           owner.blocks_, *this, *this),
      watchdog_(partition_, this->name(), owner.config().watchdog, owner.config().clock,
                owner.lossless(), owner.blocks_, *this),
      ecn_(this->name(), partition_.random(std::string(this->name()) + ".mark"), owner.blocks_),
      last_bit_(Event::of<&SwitchPort::show_last_bit>(
          *this, partition_.endpoint(std::string(this->name()) + ".last_bit"), Phase::kObserve)),
      whole_(Event::of<&SwitchPort::take_deferred>(
          *this, partition_.endpoint(std::string(this->name()) + ".whole"), Phase::kArrival)),
      peer_(line.peer),
      mac_(mac_of(partition_.random(std::string(this->name()) + ".mac"))) {
  rx.register_nb_transport_fw(this, &SwitchPort::receive);
  tx.register_nb_transport_bw(this, &SwitchPort::line);
  const SwitchConfig& config = owner.config();
  for (unsigned c = 0; c < kClasses; ++c) {
    queues_[c] = FrameQueue(owner.store_, config.arbitration, owner.queued_bytes_.size());
    const std::string queue = std::string(this->name()) + ".mark" + std::to_string(c);
    markers_[c] = stages.marker(config, {queue, c, rate_, partition_, ecn_});
  }
  xoff_since_.fill(kForever);
  register_statistics();
  register_probes();
}

SwitchPort::~SwitchPort() = default;

// --- receive ---

tlm::tlm_sync_enum SwitchPort::receive(net::Packet& packet, PacketPhase& phase,
                                       sc_core::sc_time& /*delay*/) {
  if (phase.last_bit > partition_.now()) {
    take_head(packet, phase);
  } else {
    take_whole(Ref<net::Packet>::share(packet), nullptr);
  }
  return tlm::TLM_ACCEPTED;
}

void SwitchPort::take_whole(Ref<net::Packet> packet, const EthSwitch::Path* path) {
  if (packet->bad_fcs) return owner_.drop(*this, DropReason::kBadFcs);
  if (packet->frame.is_mac_control()) {
    const std::uint8_t pauses = pauses_.receive(packet->frame);
    if (pauses != 0) xoff_received_.add();
    watchdog_.xoff(pauses);
    return;
  }
  std::optional<EthSwitch::Path> found;
  if (path == nullptr) {
    found = owner_.find_path(*this, *packet);
    if (!found) return;
    path = &*found;
  }
  const Time at = mac_stage_.enter(partition_.now());
  owner_.store(*this, std::move(packet), *path, at, false);
}

// Cut-through: the path is found from the head. A frame that cannot leave at once waits for its
// last bit, and is then stored like any other.
void SwitchPort::take_head(net::Packet& packet, const PacketPhase& phase) {
  deferred_.packet = Ref<net::Packet>::share(packet);
  deferred_.path.reset();
  if (!packet.frame.is_mac_control()) {
    const std::optional<EthSwitch::Path> path = owner_.find_path(*this, packet);
    if (!path) {
      deferred_.packet = {};
      return;
    }
    const SwitchPort& out = owner_.port(path->route.port);
    if (out.idle_for(path->parsed.priority) && !(rate_ < out.rate_)) {
      const std::uint32_t head = std::min(owner_.config().cut_through_bytes, packet.wire_bytes);
      const Time at = mac_stage_.enter(phase.first_bit + rate_.time_of(head));
      owner_.store(*this, std::move(deferred_.packet), *path, at, true);
      return;
    }
    deferred_.path = path;
  }
  partition_.scheduler().schedule(whole_, phase.last_bit);
}

void SwitchPort::take_deferred() {
  const Deferred deferred = std::move(deferred_);
  deferred_ = {};
  take_whole(deferred.packet, deferred.path ? &*deferred.path : nullptr);
}

// --- transmit ---

bool SwitchPort::idle_for(unsigned priority) const {
  return !sending_ && link_up_ && occupied_ == 0 && !(pfc_waits_ && pfc_.due()) &&
         !paused(priority);
}

void SwitchPort::push(HeldFrame&& frame) {
  const Time now = partition_.now();
  const unsigned c = frame.traffic_class;
  queued_bytes_ += frame.bytes;
  owner_.queued_bytes_[id_] = queued_bytes_;
  queue_level_.set(queued_bytes_, now);
  frame.ready += owner_.dispatch_latency_[c];
  const Time ready = frame.ready;
  const unsigned priority = frame.priority;
  const bool was_empty = queues_[c].empty();
  queues_[c].push(std::move(frame));
  occupied_ |= 1U << c;
  if (was_empty) {
    last_move_[c] = now;
    if ((pauses_.paused() >> priority & 1U) != 0) watchdog_.look();
  }
  show_queue(c, now);
  if (sending_) return;
  if (ready <= now) {
    send_next();
  } else if (ready < wake_.time()) {
    partition_.scheduler().schedule(wake_, ready);
  }
}

void SwitchPort::send_next() {
  if (sending_ || !link_up_) return;
  if (pfc_waits_) {
    if (pfc_.due()) return send_pfc();
    pfc_waits_ = false;
  }
  const Time now = partition_.now();
  while (send_frame(now)) {
  }
}

// One frame of the class whose turn it is. True: it was dropped instead, and the line is still
// free.
bool SwitchPort::send_frame(Time now) {
  EgressScheduler::Heads heads{};
  Time next = kForever;
  const std::uint8_t eligible = eligible_classes(now, heads, next);
  if (eligible != 0) {
    if (egress_turn_ < now) {
      EthSwitch::Pipeline& pipeline = owner_.pipeline_of(id_);
      egress_turn_ = pipeline.egress.book(pipeline.scheduler.book(now));
    }
    next = egress_turn_;
  }
  if (eligible == 0 || next > now) {
    if (next < wake_.time()) partition_.scheduler().schedule(wake_, next);
    return false;
  }
  const std::optional<unsigned> picked = scheduler_->pick(eligible, heads);
  if (!picked) return false;
  egress_turn_ = -1;
  FrameQueue& queue = queues_[*picked];
  HeldFrame frame = queue.pop();
  queue.prefetch();
  if (queue.empty()) occupied_ &= ~(1U << *picked);
  last_move_[*picked] = now;
  watchdog_.dequeued(owner_.priorities_of(*picked));
  queued_bytes_ -= frame.bytes;
  owner_.queued_bytes_[id_] = queued_bytes_;
  queue_level_.set(queued_bytes_, now);
  show_queue(*picked, now);

  const WredVerdict verdict =
      markers_[*picked]->at_dequeue(queue.bytes(), frame.packet->frame.ecn(), now);
  if (verdict == WredVerdict::kDrop) {
    owner_.drop_held(frame, id_, DropReason::kWred);
    return !sending_;
  }
  if (frame.marked || verdict == WredVerdict::kMark) mark(frame);
  put_on_line(std::move(frame), now);
  return false;
}

std::uint8_t SwitchPort::eligible_classes(Time now, EgressScheduler::Heads& heads, Time& next) {
  unsigned eligible = 0;
  for (unsigned left = occupied_; left != 0; left &= left - 1) {
    const auto c = static_cast<unsigned>(__builtin_ctz(left));
    queues_[c].pass_over(blocked_, now);
    const HeldFrame& head = queues_[c].front();
    heads[c] = head.bytes;
    if (paused(head.priority)) continue;
    if (head.ready > now) {
      next = std::min(next, head.ready);
      continue;
    }
    eligible |= 1U << c;
  }
  return static_cast<std::uint8_t>(eligible);
}

void SwitchPort::put_on_line(HeldFrame&& frame, Time now) {
  sending_ = true;
  on_line_ = std::move(frame);
  last_bit_at_ = now + rate_.time_of(net::kPreambleBytes + on_line_.bytes);
  send(tx, *on_line_.packet, 0, 0);
}

// A packet that somebody else holds too (its sender, until its line is free) is not ours to change.
// One that is cut through is: its link gave us our own, and will stomp it if its tail is cut.
void SwitchPort::mark(HeldFrame& frame) {
  if (!frame.cut_through && frame.packet->references() > 1) {
    frame.packet = net::clone(*frame.packet, partition_.packets());
  }
  frame.packet->frame.set_ecn(net::Ecn::kCe);
  marked_.add();
  mark_moment_.raise(partition_.now());
}

void SwitchPort::send_pfc() {
  pfc_waits_ = false;
  const Time now = partition_.now();
  sending_ = true;
  Ref<net::Packet> packet = partition_.packets().packets.acquire();
  const PfcGenerator::Sent sent = pfc_.form(packet->frame, mac_);
  packet->created = now;
  packet->seal();
  last_bit_at_ = now + rate_.time_of(net::kPreambleBytes + packet->wire_bytes);
  if (sent.xoff != 0) xoff_sent_.add();
  if (sent.refresh) refresh_sent_.add();
  if (sent.xon != 0) xon_sent_.add();
  xoff_sent_probe_.set(sent.xoff, now);
  if (sent.xoff != 0 && !sent.refresh) xoff_moment_.raise(now);
  send(tx, *packet, 0, 0);
}

tlm::tlm_sync_enum SwitchPort::line(net::Packet& /*packet*/, PacketPhase& phase,
                                    sc_core::sc_time& /*delay*/) {
  const Time now = partition_.now();
  switch (phase.kind) {
    case PacketPhase::Kind::kTransmitDone:
      end_transmission(now);
      break;
    case PacketPhase::Kind::kLinkDown:
      change_link(false, now);
      break;
    case PacketPhase::Kind::kLinkUp:
      change_link(true, now);
      break;
    default:
      break_invariant(name(), now, "a frame came on the backward path");
  }
  return tlm::TLM_ACCEPTED;
}

void SwitchPort::end_transmission(Time /*now*/) {
  sending_ = false;
  if (on_line_.packet) {
    const HeldFrame frame = std::move(on_line_);
    on_line_ = {};
    if (frame.packet->bad_fcs) stomped_.add();
    ++owner_.forwarded_all_;
    owner_.forwarded_.add();
    owner_.release(frame, id_);
    owner_.account_for_frames();
  }
  send_next();
}

void SwitchPort::change_link(bool up, Time /*now*/) {
  link_up_ = up;
  owner_.forwarding().set_link(id_, up);
  if (up) {
    pfc_waits_ = true;  // the peer has forgotten what it was told
    return send_next();
  }
  pfc_.forget();
  pauses_.forget();
  for (unsigned p = 0; p < EthSwitch::kPriorities; ++p) {
    if (xoff_since_[p] != kForever) cut_pauses_ |= 1U << p;
  }
  for (unsigned c = 0; c < kClasses; ++c) flush(c, DropReason::kLinkDown);
}

void SwitchPort::flush(unsigned traffic_class, DropReason reason) {
  const Time now = partition_.now();
  FrameQueue& queue = queues_[traffic_class];
  while (!queue.empty()) {
    const HeldFrame frame = queue.pop();
    queued_bytes_ -= frame.bytes;
    owner_.drop_held(frame, id_, reason);
  }
  occupied_ &= ~(1U << traffic_class);
  watchdog_.dequeued(owner_.priorities_of(traffic_class));
  owner_.queued_bytes_[id_] = queued_bytes_;
  queue_level_.set(queued_bytes_, now);
  show_queue(traffic_class, now);
}

std::uint64_t SwitchPort::held_frames() const {
  std::uint64_t frames = on_line_.packet ? 1 : 0;
  for (const FrameQueue& queue : queues_) frames += queue.frames();
  return frames;
}

}  // namespace railyard
