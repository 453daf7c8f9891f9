// When an end of a link is up, and what becomes of frames when it is not.
#include <algorithm>
#include <vector>

#include "tlm/link/link.h"

namespace railyard {

namespace {

template <class Visit>
void visit_links(const std::vector<sc_core::sc_object*>& objects, const Visit& visit) {
  for (sc_core::sc_object* object : objects) {
    if (auto* link = dynamic_cast<LinkEnd*>(object)) visit(*link);
    visit_links(object->get_child_objects(), visit);
  }
}

}  // namespace

void LinkEnd::retrain(Time lasts) {
  const Time now = partition_.now();
  const Time down = std::max(lasts, 2 * propagation_);
  retrain_until_ = std::max(retrain_until_, now + down);
  partition_.scheduler().schedule(state_change_, now);  // before all else of this time
  const Time there = now + propagation_;
  carrier_->carry(LineSignal{LineSignal::Kind::kLoss, there, there + down});
}

void LinkEnd::accept(LineSignal signal) {
  signals_.push(signal);
  schedule_state_change();
}

void LinkEnd::schedule_state_change() {
  const Time now = partition_.now();
  Time next = state_change_.time();
  if (!signals_.empty()) next = std::min(next, signals_.front().at);
  if (no_signal_until_ > now) next = std::min(next, no_signal_until_);
  if (next_outage_ < config_.outages.size()) {
    const Outage& outage = config_.outages[next_outage_];
    next = std::min(next, up_ || outage.at > now ? outage.at : outage.end());
  }
  if (next != kForever) partition_.scheduler().schedule(state_change_, next);
}

void LinkEnd::change_state() {
  const Time now = partition_.now();
  take_signals(now);
  const bool up = !outage_holds(now) && no_signal_until_ <= now;
  const bool changes = up != up_;
  up_ = up;
  schedule_state_change();
  if (changes) tell_state(now);
}

void LinkEnd::take_signals(Time now) {
  no_signal_until_ = std::max(no_signal_until_, retrain_until_);
  retrain_until_ = 0;
  while (!signals_.empty() && signals_.front().at <= now) {
    const LineSignal signal = signals_.pop();
    if (signal.kind == LineSignal::Kind::kStomp) {
      stomp(signal.time, now);
    } else {
      no_signal_until_ = std::max(no_signal_until_, signal.time);
    }
  }
}

bool LinkEnd::outage_holds(Time now) {
  const std::vector<Outage>& outages = config_.outages;
  while (next_outage_ < outages.size() && outages[next_outage_].end() <= now) ++next_outage_;
  return next_outage_ < outages.size() && outages[next_outage_].at <= now;
}

void LinkEnd::tell_state(Time now) {
  up_probe_.set(up_ ? 1 : 0, now);
  if (up_) {
    up_since_ = now;
  } else {
    tap_.cut(now);
    lose_frames_in_flight(now);
    down_moment_.raise(now);
  }
  tell(rx, *no_packet_, up_ ? PacketPhase::Kind::kLinkUp : PacketPhase::Kind::kLinkDown);
}

void LinkEnd::lose(const FrameInFlight& frame, Time now) {
  lost_down_.add();
  drop_moment_.raise(now);
  if (in_observer_ != nullptr) in_observer_->lost(frame, now);
}

void LinkEnd::lose_frames_in_flight(Time now) {
  if (announced_.packet && announced_.last_bit > now) cut_announced(now);
  announced_ = {};
  while (!in_flight_.empty()) lose(in_flight_.pop(), now);
  partition_.scheduler().cancel(arrival_);
}

void LinkEnd::cut_announced(Time now) {
  net::Packet& packet = *announced_.packet;
  if (packet.bad_fcs) return;
  packet.bad_fcs = true;
  corrupted_.add();
  drop_moment_.raise(now);
  stomp_relays(packet, now);
}

/// The other end stomps a frame that is under way to this one.
void LinkEnd::stomp(Time last_bit, Time now) {
  if (announced_.packet && announced_.last_bit == last_bit) return cut_announced(now);
  for (std::size_t i = 0; i < in_flight_.size(); ++i) {
    if (in_flight_[i].last_bit == last_bit) in_flight_[i].corrupted = true;
  }
}

/// Links on which a cut-through device is sending the packet on. They are looked for only when a
/// frame is cut, so that no frame pays for it.
void LinkEnd::stomp_relays(const net::Packet& packet, Time now) const {
  visit_links(sc_core::sc_get_top_level_objects(), [&](LinkEnd& egress) {
    if (&egress.partition_ != &partition_ || &egress == near_peer_) return;
    if (egress.on_line_.get() != &packet || egress.last_bit_leaves_ <= now) return;
    egress.carrier_->carry(LineSignal{LineSignal::Kind::kStomp, now + egress.propagation_,
                                      egress.last_bit_leaves_ + egress.propagation_});
  });
}

}  // namespace railyard
