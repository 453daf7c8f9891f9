#include "tests/platforms/peers/plain_star.h"

#include <algorithm>
#include <cmath>

namespace railyard::test {

namespace {

constexpr double kLine = 100'000;  // Mb/s
constexpr double kLeast = 1000;
constexpr double kLaterIncrease = 200;
constexpr double kGain = 1.0 / 256;
constexpr unsigned kPacket = 1048;  // bytes
constexpr unsigned kAckBytes = 60;
constexpr Time kCable = kMicrosecond;
constexpr double kKmin = 400'000;
constexpr double kKmax = 1'600'000;
constexpr double kPmax = 0.2;

}  // namespace

PlainStar::PlainStar(const PlainStarConfig& config)
    : config_(config), random_(config.seed, "plain star"), senders_(config.senders) {
  for (std::size_t i = 0; i < senders_.size(); ++i) {
    senders_[i].rate = senders_[i].target = senders_[i].paced = kLine;
    at(0, What::kSend, i);
  }
}

PlainStar::Result PlainStar::run() {
  while (!events_.empty()) {
    const Event event = events_.top();
    events_.pop();
    now_ = event.at;
    handle(event);
  }
  for (const Sender& s : senders_) {
    result_.completion_us.push_back(static_cast<double>(s.done) / kMicrosecond);
  }
  std::sort(result_.completion_us.begin(), result_.completion_us.end());
  return result_;
}

void PlainStar::at(Time time, What what, std::size_t sender, std::uint64_t timer) {
  events_.push({time, order_++, what, sender, timer});
}

void PlainStar::handle(const Event& event) {
  switch (event.what) {
    case What::kSent:
      senders_[event.sender].busy = false;
      return send(event.sender);
    case What::kSend:
      return send(event.sender);
    case What::kArrive:
      return arrive(event.sender);
    case What::kLeave:
      return leave();
    case What::kAck:
    case What::kMarkedAck:
      return ack(event.sender, event.what == What::kMarkedAck);
    case What::kAlpha:
      return update_alpha(event.sender);
    case What::kCut:
      return cut(event.sender);
    case What::kIncrease:
      return increase(event);
  }
}

Time PlainStar::line_time(double rate, unsigned bytes) const {
  const double ps = bytes * 8e6 / rate;
  return config_.whole_nanoseconds ? static_cast<Time>(ps / kNanosecond) * kNanosecond
                                   : std::llround(ps);
}

void PlainStar::send(std::size_t number) {
  Sender& s = senders_[number];
  if (s.busy || s.sent == config_.packets) return;
  if (s.next > now_) return at(s.next, What::kSend, number);
  s.busy = true;
  ++s.sent;
  const Time sent = now_ + line_time(kLine, kPacket);
  at(sent, What::kSent, number);
  at(sent + kCable, What::kArrive, number);
  s.next = now_ + line_time(config_.late_rates ? s.paced : s.rate, kPacket);
  s.paced = s.rate;
}

void PlainStar::arrive(std::size_t number) {
  queue_.push_back(number);
  queue_bytes_ += kPacket;
  if (!sending_) leave();
  result_.queue_bytes = std::max(result_.queue_bytes, queue_bytes_);
}

void PlainStar::leave() {
  sending_ = !queue_.empty();
  if (!sending_) return;
  const std::size_t number = queue_.front();
  queue_.pop_front();
  queue_bytes_ -= kPacket;
  const bool marked = marks_now();
  if (marked) ++result_.marks;
  const Time left = now_ + line_time(kLine, kPacket);
  at(left, What::kLeave);
  const Time back = 2 * (line_time(kLine, kAckBytes) + kCable);
  at(left + kCable + back, marked ? What::kMarkedAck : What::kAck, number);
}

bool PlainStar::marks_now() {
  const auto queue = static_cast<double>(queue_bytes_);
  if (queue <= kKmin || queue > kKmax) return queue > kKmax;
  return random_.uniform() < kPmax * (queue - kKmin) / (kKmax - kKmin);
}

void PlainStar::ack(std::size_t number, bool marked) {
  Sender& s = senders_[number];
  if (++s.acked == config_.packets) {
    s.done = now_;
  } else if (marked) {
    cnp(number);
  }
}

void PlainStar::cnp(std::size_t number) {
  Sender& s = senders_[number];
  s.paced = s.rate;
  s.alpha_flag = s.congested;
  s.cut_flag = s.congested || config_.first_cnp_cuts;
  if (s.congested) return;
  s.congested = true;
  at(now_ + config_.alpha_period, What::kAlpha, number);
  at(now_ + config_.cut_period + kNanosecond, What::kCut, number);  // after alpha
}

void PlainStar::update_alpha(std::size_t number) {
  Sender& s = senders_[number];
  if (s.done != 0) return;
  s.alpha = (1 - kGain) * s.alpha + (s.alpha_flag ? kGain : 0);
  s.alpha_flag = false;
  at(now_ + config_.alpha_period, What::kAlpha, number);
}

void PlainStar::cut(std::size_t number) {
  Sender& s = senders_[number];
  if (s.done != 0) return;
  at(now_ + config_.cut_period, What::kCut, number);
  if (!s.cut_flag) return;
  s.cut_flag = false;
  if (s.stage != 0) s.target = s.rate;
  s.rate = std::max(kLeast, s.rate * (1 - s.alpha / 2));
  s.stage = 0;
  at(now_ + config_.increase_period, What::kIncrease, number, ++s.timer);
}

void PlainStar::increase(const Event& event) {
  Sender& s = senders_[event.sender];
  if (s.done != 0 || event.timer != s.timer) return;
  at(now_ + config_.increase_period, What::kIncrease, event.sender, event.timer);
  if (s.stage != 0) {
    s.target += s.stage == 1 ? config_.second_increase : kLaterIncrease;
    s.target = std::min(s.target, kLine);
  }
  s.rate = (s.rate + s.target) / 2;
  ++s.stage;
}

}  // namespace railyard::test
