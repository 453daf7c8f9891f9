#include "hw/congestion/dcqcn.h"

#include <algorithm>

#include "rtl/model/dcqcn_setup.h"

namespace railyard {

namespace {

constexpr double kRateUnit = 1.0 / 4096 / 1000;  // Gb/s of a rate in UQ20.12 Mb/s
constexpr double kAlphaOne = 1U << 24;
/// From the edge that takes a packet to the one from which the pacer's answer stands.
constexpr std::uint64_t kPacerAnswers = 2;

double hertz(Time period) { return static_cast<double>(kSecond) / static_cast<double>(period); }

}  // namespace

Dcqcn::Dcqcn(const CongestionConfig& config, const ControlledPort& port)
    : config_(config),
      partition_(port.partition),
      name_(port.name),
      line_(port.line),
      blocks_(port.blocks),
      reaction_(*this),
      pacing_(*this) {}

Dcqcn::~Dcqcn() = default;

void Dcqcn::open(const QueuePair& qp) {
  qps_.push_back(std::make_unique<Qp>());
  qps_.back()->name = qp.name;
  qps_.back()->traffic_class = qp.traffic_class;
  if (!qp.name.empty()) register_qp(*qps_.back());
}

void Dcqcn::reopen(std::uint32_t qp, std::uint8_t traffic_class) {
  reaction_.run();  // what came of the queue pair before it is of its class
  qps_[qp]->traffic_class = traffic_class;
  qps_[qp]->interval = reaction_.first_interval(traffic_class);
  reaction_.open(qp);
  pacing_.open(qp, 0, 0);
}

void Dcqcn::seal() {
  reaction_.make(qps_.size());
  pacing_.make(qps_.size());
}

void Dcqcn::start() {
  reaction_.start();
  pacing_.start();
}

void Dcqcn::sent(std::uint32_t qp, std::uint32_t line_bytes) {
  reaction_.run();
  pacing_.sent(qp, line_bytes, qps_[qp]->interval);
  reaction_.sent(qp, line_bytes);
}

void Dcqcn::cnp(std::uint32_t qp) { reaction_.cnp(qp); }

Time Dcqcn::next_packet(std::uint32_t qp) {
  pacing_.run();
  const Qp& q = *qps_[qp];
  if (q.unanswered != 0) return pacing_.earliest_answer(q.asked_at);
  const bool long_wait = q.next - q.paced_at > config_.of_class(q.traffic_class).rp_time_reset;
  const bool can_rise = q.interval > reaction_.first_interval(q.traffic_class);
  return long_wait && can_rise ? look_again(qp) : q.next;
}

// Its rate may rise while a queue pair waits for its next packet, and there is nothing then that
// would tell dcqcn_rp to look. Who waits longer than the timer lasts is looked at when that is due,
// as an adapter's scheduler comes round to it, and has the rest of its wait by its new rate.
Time Dcqcn::look_again(std::uint32_t qp) {
  Qp& q = *qps_[qp];
  const Time now = partition_.now();
  if (q.next <= now) return q.next;
  reaction_.run();
  if (q.interval < q.paced_by) {
    pace_rest(qp);
    return pacing_.earliest_answer(q.asked_at);
  }
  if (!q.looking) {
    const Time rise = next_look(q, reaction_.next_rise(qp));
    if (rise > now) return std::min(q.next, rise);
    reaction_.look(qp);
    q.looking = true;
    q.looked_at = now;
  }
  return std::min(q.next, now + config_.clock * static_cast<Time>(rtl::DcqcnRp::kLatency));
}

/// Once in the timer's period, also of a rate that does not rise.
Time Dcqcn::next_look(const Qp& q, Time rise) const {
  if (q.looked_at <= q.paced_at) return rise;
  return std::max(rise, q.looked_at + config_.of_class(q.traffic_class).rp_time_reset);
}

void Dcqcn::pace_rest(std::uint32_t qp) {
  Qp& q = *qps_[qp];
  const auto waits = static_cast<std::uint64_t>((q.next - partition_.now()) / config_.clock);
  const std::uint64_t bytes = (waits << rtl::Pacer::kFracBits) / q.paced_by;
  pacing_.open(qp, static_cast<std::uint32_t>(bytes), q.interval);
}

double Dcqcn::rate_gbps(std::uint32_t qp) {
  reaction_.run();
  return static_cast<double>(qps_[qp]->rate.value()) * kRateUnit;
}

QpCongestionContext Dcqcn::context(std::uint32_t qp) {
  constexpr unsigned kPointBits = rtl::Pacer::kStampBits + rtl::Pacer::kFracBits;
  reaction_.run();
  pacing_.run();
  QpCongestionContext context;
  context.reaction = reaction_.context(qp);
  const std::uint64_t paced = pacing_.context(qp);
  context.pacer_valid = (paced >> kPointBits & 1U) != 0;
  context.pacer_next = paced & ((std::uint64_t{1} << kPointBits) - 1);
  return context;
}

void Dcqcn::answered(const rtl::DcqcnRpOut& out, Time at) {
  Qp& q = *qps_[out.qp];
  q.looking = false;
  q.interval = out.interval;
  q.rate.set(out.rate, at);
  q.alpha.set(out.alpha, at);
  if (!blocks_.traces()) return;
  q.rate_probe.set_real(out.rate * kRateUnit, at);
  q.target_probe.set_real(static_cast<double>(out.target) * kRateUnit, at);
  q.alpha_probe.set_real(out.alpha / kAlphaOne, at);
  if (q.stage_probe.on()) q.stage_probe.set(reaction_.stage(out.qp), at);
}

void Dcqcn::register_qp(Qp& qp) {
  StatisticsRegistry& s = partition_.statistics();
  const auto add_mean = [&](const char* name, const char* unit, const char* doc,
                            const TimeWeighted& level, double scale) {
    s.add_derived({qp.name + name, unit, doc}, [this, &level, scale](Time now, Time measured) {
      reaction_.run();
      return MetricValue::of(measured > 0 ? level.mean(now) * scale : 0.0);
    });
  };
  add_mean(".rate_gbps", "Gb/s", "Mean of DCQCN's current rate", qp.rate, kRateUnit);
  add_mean(".alpha", "1", "Mean of DCQCN's alpha", qp.alpha, 1 / kAlphaOne);
  s.on_reset([this, &qp](Time now) {
    reaction_.run();
    qp.rate.reset(now);
    qp.alpha.reset(now);
  });
  ProbeRegistry& probes = partition_.probes();
  probes.add(qp.rate_probe,
             {qp.name + ".rate", ProbeKind::kReal, 64, "Gb/s", "DCQCN's current rate", {}});
  probes.add(qp.target_probe,
             {qp.name + ".target_rate", ProbeKind::kReal, 64, "Gb/s", "DCQCN's target rate", {}});
  probes.add(qp.alpha_probe, {qp.name + ".alpha", ProbeKind::kReal, 64, "", "DCQCN's alpha", {}});
  probes.add(qp.stage_probe, {qp.name + ".stage",
                              ProbeKind::kEnum,
                              2,
                              "",
                              "DCQCN's way up",
                              {"LINE_RATE", "FAST_RECOVERY", "ADDITIVE", "HYPER"}});
}

// --- dcqcn_rp ---

Dcqcn::ReactionPoint::ReactionPoint(Dcqcn& owner)
    : owner_(owner),
      name_(owner.name_ + ".dcqcn_rp"),
      clock_(owner.partition_, name_, owner.config_.clock, owner.blocks_, *this) {}

void Dcqcn::ReactionPoint::make(std::size_t qps) {
  block_ = owner_.blocks_.dcqcn_rp(name_, qps);
  block_->reset();
  configure();
}

// As a driver does it before traffic: time stands, and the cycles are not counted.
void Dcqcn::ReactionPoint::configure() {
  in_.pace_factor = rtl::dcqcn_pace_factor(hertz(owner_.config_.clock));
  in_.cfg_valid = true;
  for (unsigned c = 0; c < CongestionConfig::kClasses; ++c) configure_class(c);
  in_.cfg_valid = false;
  if (owner_.qps_.empty()) return;
  // A queue pair of each class, in the place of the first, tells how those of that class begin.
  for (unsigned c = 0; c < CongestionConfig::kClasses; ++c) {
    open_before_run(0, c);
    clock_before_run(rtl::DcqcnRp::kLatency);
    first_intervals_[c] = owner_.qps_.front()->interval;
  }
  for (std::uint32_t qp = 0; qp < owner_.qps_.size(); ++qp) {
    open_before_run(qp, owner_.qps_[qp]->traffic_class);
  }
  clock_before_run(rtl::DcqcnRp::kLatency);
}

void Dcqcn::ReactionPoint::configure_class(unsigned traffic_class) {
  in_.cfg_class = static_cast<std::uint8_t>(traffic_class);
  const auto setup =
      owner_.config_.of_class(traffic_class).setup(owner_.config_.clock, owner_.line_);
  for (const rtl::DcqcnWrite& write : rtl::dcqcn_writes(setup)) {
    in_.cfg_addr = write.addr;
    in_.cfg_data = write.data;
    block_->clock(in_);
  }
}

void Dcqcn::ReactionPoint::open_before_run(std::uint32_t qp, unsigned traffic_class) {
  in_.tx_valid = in_.tx_open = true;
  in_.tx_qp = qp;
  in_.tx_class = static_cast<std::uint8_t>(traffic_class);
  clock_before_run(1);
  in_.tx_valid = in_.tx_open = false;
}

void Dcqcn::ReactionPoint::clock_before_run(unsigned edges) {
  for (unsigned i = 0; i < edges; ++i) {
    out_ = block_->clock(in_);
    if (out_.valid) owner_.answered(out_, 0);
  }
}

void Dcqcn::ReactionPoint::open(std::uint32_t qp) {
  sent(qp, 0);
  sent_.back().open = true;
}

void Dcqcn::ReactionPoint::sent(std::uint32_t qp, std::uint32_t bytes) {
  sent_.push({clock_.next_cycle(), qp, bytes});
  clock_.want(clock_.next_cycle());
}

Time Dcqcn::ReactionPoint::next_rise(std::uint32_t qp) const {
  const std::uint64_t last = LazyClock::unwrap(block_->context(qp).rate_at, clock_.next_cycle());
  const auto& parameters = owner_.config_.of_class(owner_.qps_[qp]->traffic_class);
  return clock_.time_of(last + 1) + parameters.rp_time_reset;
}

void Dcqcn::ReactionPoint::cnp(std::uint32_t qp) {
  clock_.run();  // of a queue pair that sends no more nobody asks, and the queue would grow
  cnps_.push({clock_.next_cycle(), qp});
  clock_.want(clock_.next_cycle());
}

void Dcqcn::ReactionPoint::step(std::uint64_t cycle) {
  const bool offers_sent = !sent_.empty() && sent_.front().cycle <= cycle;
  const bool offers_cnp = !cnps_.empty() && cnps_.front().cycle <= cycle;
  // Both are functions of registers, so they are what they were after the last edge.
  const bool takes_sent = offers_sent && out_.tx_ready;
  const bool takes_cnp = offers_cnp && out_.cnp_ready;
  in_.now = cycle & rtl::kTimeMask;
  in_.tx_valid = offers_sent;
  if (offers_sent) {
    in_.tx_qp = sent_.front().qp;
    in_.tx_bytes = sent_.front().bytes;
    in_.tx_open = sent_.front().open;
    in_.tx_class = owner_.qps_[in_.tx_qp]->traffic_class;
  }
  in_.cnp_valid = offers_cnp;
  if (offers_cnp) in_.cnp_qp = cnps_.front().qp;
  const Time at = clock_.time_of(cycle);
  out_ = owner_.blocks_.clock(*block_, BlockKind::kDcqcnRp, name_, in_, at);
  if (takes_sent) sent_.pop();
  if (takes_cnp) cnps_.pop();
  if (out_.valid) owner_.answered(out_, at);
  if (!out_.quiet) clock_.want(cycle + 1);
  if (!sent_.empty()) clock_.want(std::max(cycle + 1, sent_.front().cycle));
  if (!cnps_.empty()) clock_.want(std::max(cycle + 1, cnps_.front().cycle));
}

/// 0: no CNP yet; 1 to 3: fast recovery, additive increase, hyper increase.
std::uint8_t Dcqcn::ReactionPoint::stage(std::uint32_t qp) const {
  constexpr std::uint8_t kSeen = 1U << 4;
  const rtl::DcqcnContext c = block_->context(qp);
  if ((c.flags & kSeen) == 0) return 0;
  const DcqcnParameters& p = owner_.config_.of_class(c.traffic_class);
  const unsigned recovery = p.rp_threshold - (p.fewer_halvings ? 1 : 0);
  if (std::max(c.time_stage, c.byte_stage) <= recovery) return 1;
  return std::min(c.time_stage, c.byte_stage) > p.rp_threshold ? 3 : 2;
}

// --- pacer ---

Dcqcn::Pacing::Pacing(Dcqcn& owner)
    : owner_(owner),
      name_(owner.name_ + ".pacer"),
      clock_(owner.partition_, name_, owner.config_.clock, owner.blocks_, *this) {}

// It clears its contexts before traffic: time stands, and the cycles are not counted.
void Dcqcn::Pacing::make(std::size_t qps) {
  block_ = owner_.blocks_.pacer(name_, qps);
  block_->reset();
  in_.burst = static_cast<std::uint32_t>(owner_.config_.burst / owner_.config_.clock);
  for (unsigned i = 0; i < block_->contexts(); ++i) block_->clock(in_);
}

void Dcqcn::Pacing::sent(std::uint32_t qp, std::uint32_t bytes, std::uint64_t interval) {
  push(qp, {0, interval, qp, static_cast<std::uint16_t>(bytes)});
}

void Dcqcn::Pacing::open(std::uint32_t qp, std::uint32_t bytes, std::uint64_t interval) {
  push(qp, {0, interval, qp, static_cast<std::uint16_t>(bytes), true});
}

void Dcqcn::Pacing::push(std::uint32_t qp, const Sent& sent) {
  clock_.run();
  Qp& q = *owner_.qps_[qp];
  q.asked_at = clock_.next_cycle();
  q.paced_by = sent.interval;
  q.paced_at = owner_.partition_.now();
  ++q.unanswered;
  sent_.push(sent);
  sent_.back().cycle = q.asked_at;
  clock_.want(q.asked_at);
}

Time Dcqcn::Pacing::earliest_answer(std::uint64_t taken) const {
  return clock_.time_of(std::max(taken + kPacerAnswers, clock_.next_cycle()));
}

void Dcqcn::Pacing::step(std::uint64_t cycle) {
  const Time at = clock_.time_of(cycle);
  in_.now = cycle & rtl::kTimeMask;
  in_.tx_valid = !sent_.empty() && sent_.front().cycle <= cycle;
  bool takes = false;
  if (in_.tx_valid) {
    in_.tx_index = static_cast<std::uint16_t>(sent_.front().qp);
    in_.tx_bytes = sent_.front().bytes;
    in_.tx_open = sent_.front().open;
    in_.tx_interval = sent_.front().interval;
    takes = owner_.blocks_.settle(*block_, in_, at).tx_ready;
  }
  const rtl::PacerOut out = owner_.blocks_.clock(*block_, BlockKind::kPacer, name_, in_, at);
  if (takes) sent_.pop();
  if (out.next_valid) {
    Qp& q = *owner_.qps_[out.next_index];
    q.next = clock_.time_of(LazyClock::unwrap(out.next_at, cycle));
    --q.unanswered;
  }
  if (!out.quiet) clock_.want(cycle + 1);
  if (!sent_.empty()) clock_.want(std::max(cycle + 1, sent_.front().cycle));
  if (out.wake_valid) clock_.want_wake(out.wake, cycle);
}

}  // namespace railyard
