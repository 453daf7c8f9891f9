#include "tlm/link/link.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "tlm/base/error.h"

namespace railyard {

namespace {

/// Within one partition a packet is handed over as it is.
class DirectCarrier : public LinkCarrier {
 public:
  explicit DirectCarrier(LinkEnd& to) : to_(to) {}
  void carry(FrameInFlight frame) override { to_.accept(std::move(frame)); }
  void carry(LineSignal signal) override { to_.accept(signal); }

 private:
  LinkEnd& to_;
};

/// Over a border a packet travels in its flat form and is made anew from the other side's pool.
class BorderCarrier : public LinkCarrier {
 public:
  explicit BorderCarrier(LinkEnd& to) : to_(to) {}
  void carry(FrameInFlight frame) override {
    flat_.clear();
    net::serialise(*frame.packet, flat_);
    frame.packet = net::deserialise(flat_.data(), flat_.size(), to_.partition().packets());
    to_.accept(std::move(frame));
  }
  void carry(LineSignal signal) override { to_.accept(signal); }

 private:
  LinkEnd& to_;
  std::vector<std::uint8_t> flat_;
};

/// What a timeline calls a frame.
std::string_view label(const net::Frame& frame) {
  if (frame.is_roce()) return net::opcode_name(frame.bth.opcode);
  if (frame.is_pfc()) {
    const auto& quanta = frame.mac_control.quanta;
    return std::all_of(quanta.begin(), quanta.end(), [](auto q) { return q == 0; }) ? "PFC XON"
                                                                                    : "PFC XOFF";
  }
  return frame.is_pause() ? "PAUSE" : "frame";
}

std::unique_ptr<LinkCarrier> carrier(LinkEnd& from, LinkEnd& to) {
  if (&from.partition() == &to.partition()) return std::make_unique<DirectCarrier>(to);
  if (from.config().propagation() == 0) {
    throw ConfigError("link.length", "a link of no delay joins two partitions",
                      "give it a length, or run with --partitions 1");
  }
  return std::make_unique<BorderCarrier>(to);
}

}  // namespace

LinkEnd::LinkEnd(sc_core::sc_module_name name, Partition& partition, const LinkConfig& config,
                 Announce announce)
    : sc_module(name),
      transmit_done_(Event::of<&LinkEnd::end_transmission>(
          *this, partition.endpoint(std::string(this->name()) + ".tx"), Phase::kTransmitDone)),
      clock_(config.rate),
      drop_threshold_(RandomStream::threshold(config.drop_probability)),
      announce_(announce),
      propagation_(config.propagation()),
      partition_(partition),
      arrival_(Event::of<&LinkEnd::arrive>(
          *this, partition.endpoint(std::string(this->name()) + ".rx"), Phase::kArrival)),
      config_(config),
      random_(partition.random(this->name())),
      state_change_(Event::of<&LinkEnd::change_state>(
          *this, partition.endpoint(std::string(this->name()) + ".state"), Phase::kLinkState)),
      no_packet_(partition.packets().packets.acquire()) {
  rx.register_nb_transport_fw(this, &LinkEnd::transmit);
  tx.register_nb_transport_bw(this, &LinkEnd::ignore);
  bit_errors_.start(random_, config_.bit_error_rate);
  register_all();
}

LinkEnd::~LinkEnd() = default;

void LinkEnd::register_all() {
  const std::string prefix = std::string(name()) + ".";
  StatisticsRegistry& statistics = partition_.statistics();
  statistics.add(tx_frames_, {prefix + "tx_frames", "frames", "Frames put on the line"});
  statistics.add(tx_bytes_, {prefix + "tx_bytes", "bytes",
                             "Bytes put on the line, destination address to FCS"});
  statistics.add(rx_frames_, {prefix + "rx_frames", "frames", "Frames that arrived"});
  statistics.add(rx_bytes_, {prefix + "rx_bytes", "bytes", "Bytes that arrived, to the FCS"});
  statistics.add(corrupted_, {prefix + "rx_corrupted", "frames",
                              "Frames that arrived with a bad FCS: bit errors and outages"});
  statistics.add(dropped_,
                 {prefix + "tx_dropped", "frames", "Frames lost on purpose, by drop_probability"});
  statistics.add(lost_down_, {prefix + "lost_down", "frames",
                              "Frames lost because the link was down: sent meanwhile, or on the "
                              "way to this end when it went down"});
  statistics.add_derived(
      {prefix + "tx_utilisation", "fraction",
       "Share of the line's time that frames took, with "
       "preamble and inter-frame gap"},
      [this](Time now, Time measured) {
        const std::uint64_t overhead = net::kPreambleBytes + net::kInterFrameGapBytes;
        const std::uint64_t bytes = tx_bytes_.value() + tx_frames_.value() * overhead;
        const Time ahead = std::max<Time>(clock_.now() - now, 0);  // of the frame on the line
        const auto busy = static_cast<double>(config_.rate.time_of(bytes) + carried_over_ - ahead);
        return MetricValue::of(measured > 0 ? busy / static_cast<double>(measured) : 0.0);
      });
  statistics.on_reset([this](Time now) { carried_over_ = std::max<Time>(clock_.now() - now, 0); });
  ProbeRegistry& probes = partition_.probes();
  probes.add(up_probe_, {prefix + "up", ProbeKind::kUnsigned, 1, "", "The link is up", {}});
  probes.add(busy_probe_,
             {prefix + "tx_busy", ProbeKind::kUnsigned, 1, "", "A frame is on the line", {}});
  up_probe_.set(1, 0);
  probes.add(tap_, {prefix.substr(0, prefix.size() - 1), "Both directions of this end of the link",
                    config_.rate.numerator() / config_.rate.denominator()});
  probes.add(lane_, {prefix + "line", "Frames on the line, preamble to inter-frame gap"});
  probes.add(drop_moment_, {prefix + "drop", "A frame was lost or arrived broken"});
  probes.add(down_moment_, {prefix + "link_down", "The link went down"});
}

void LinkEnd::connect(LinkEnd& a, LinkEnd& b) {
  a.carrier_ = carrier(a, b);
  b.carrier_ = carrier(b, a);
  if (&a.partition_ != &b.partition_) return;
  a.near_peer_ = &b;
  b.near_peer_ = &a;
}

void LinkEnd::start_of_simulation() { schedule_state_change(); }

tlm::tlm_sync_enum LinkEnd::transmit(net::Packet& packet, PacketPhase& phase,
                                     sc_core::sc_time& /*delay*/) {
  if (phase.kind == PacketPhase::Kind::kRetrain) {
    retrain(phase.lasts);
    return tlm::TLM_ACCEPTED;
  }
  const Time now = partition_.now();
  if (transmit_done_.pending()) {
    break_invariant(name(), now, "a frame was sent while another is on the line");
  }
  // A frame that follows the last one without a pause goes on with its fraction of a picosecond.
  if (now != clock_.now()) clock_.start(now);
  const Time first = clock_.advance(net::kPreambleBytes);
  const Time last = clock_.advance(packet.wire_bytes);
  const Time line_free = clock_.advance(net::kInterFrameGapBytes);

  tx_frames_.add();
  tx_bytes_.add(packet.wire_bytes);
  busy_probe_.set(1, now);
  if (lane_.on()) lane_.span(label(packet.frame), now, line_free, "bytes", packet.wire_bytes);
  on_line_ = Ref<net::Packet>::share(packet);
  last_bit_leaves_ = last;
  partition_.scheduler().schedule(transmit_done_, line_free);

  const bool dropped = up_ && random_.chance(drop_threshold_);
  if (out_observer_ != nullptr) {
    out_observer_->transmitted(packet, {now, first, last, line_free, up_ && !dropped});
  }
  if (!up_) {
    lost_down_.add();
    drop_moment_.raise(now);
  } else {
    tap_.frame(Direction::kOutbound, packet, last);
    if (dropped) {
      dropped_.add();
      drop_moment_.raise(now);
    } else {
      launch(packet, now, first, last);
    }
  }
  return tlm::TLM_ACCEPTED;
}

void LinkEnd::launch(net::Packet& packet, Time now, Time first, Time last) {
  FrameInFlight frame{now, first + propagation_, last + propagation_, packet.bad_fcs,
                      Ref<net::Packet>::share(packet)};
  if (bit_errors_.hit(packet.wire_bytes)) {
    // The transmitter may keep its packet to send it again: one that is broken is another.
    frame.corrupted = true;
    frame.packet = net::clone(packet, partition_.packets());
    frame.packet->bad_fcs = true;
  }
  carrier_->carry(std::move(frame));
}

void LinkEnd::end_transmission() {
  const Ref<net::Packet> sent = std::move(on_line_);
  tell(rx, *sent, PacketPhase::Kind::kTransmitDone);
  if (!transmit_done_.pending()) busy_probe_.set(0, partition_.now());
}

void LinkEnd::accept(FrameInFlight frame) {
  in_flight_.push(std::move(frame));
  if (in_flight_.size() == 1) schedule_arrival();
}

void LinkEnd::schedule_arrival() {
  const FrameInFlight& next = in_flight_.front();
  partition_.scheduler().schedule(
      arrival_, announce_ == Announce::kFirstBit ? next.first_bit : next.last_bit);
}

void LinkEnd::arrive() {
  FrameInFlight frame = in_flight_.pop();
  if (!in_flight_.empty()) schedule_arrival();
  const Time now = partition_.now();

  if (!up_ || frame.launch + propagation_ < up_since_) {
    lose(frame, now);
    return;
  }
  settle(frame);
  rx_frames_.add();
  rx_bytes_.add(frame.packet->wire_bytes);
  partition_.count_frame_hop();
  if (frame.packet->bad_fcs) {
    corrupted_.add();
    drop_moment_.raise(now);
  }
  if (in_observer_ != nullptr) in_observer_->delivered(frame, now);
  tap_.frame(Direction::kInbound, *frame.packet, frame.last_bit);
  send(tx, *frame.packet, frame.first_bit, frame.last_bit);
  if (announce_ == Announce::kFirstBit) announced_ = std::move(frame);
}

// A packet whose end is still to come may be cut, so it is the receiver's own: nobody but the other
// end's transmitter holds it too. What was stomped under way is another than its sender's.
void LinkEnd::settle(FrameInFlight& frame) {
  bool copies = frame.corrupted && !frame.packet->bad_fcs;
  if (announce_ == Announce::kFirstBit) {
    const bool on_line = near_peer_ != nullptr && near_peer_->on_line_.get() == frame.packet.get();
    copies = frame.packet->references() > (on_line ? 2U : 1U);
  }
  if (copies) {
    frame.packet = net::clone(*frame.packet, partition_.packets());
    frame.packet->bad_fcs = frame.corrupted;
  }
}

tlm::tlm_sync_enum LinkEnd::ignore(net::Packet& /*packet*/, PacketPhase& /*phase*/,
                                   sc_core::sc_time& /*delay*/) {
  return tlm::TLM_ACCEPTED;
}

}  // namespace railyard
