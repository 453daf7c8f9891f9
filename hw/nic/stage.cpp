#include "hw/nic/stage.h"

namespace railyard::nic {

const char* name_of(Cause cause) {
  static constexpr std::array<const char*, static_cast<std::size_t>(Cause::kCount)> kNames = {
      "reads", "memory", "context_miss", "key_miss", "wqe",          "egress",
      "pause", "window", "rate",         "line",     "receive_queue"};
  return kNames[static_cast<std::size_t>(cause)];
}

namespace {

double nanoseconds(Time time) {
  return static_cast<double>(time) / static_cast<double>(kNanosecond);
}

}  // namespace

Stage::Stage(StatisticsRegistry& statistics, const std::string& name, const StageConfig& config,
             Time clock, unsigned classes, const std::vector<Cause>& causes, const std::string& doc)
    : latency_(clock * static_cast<Time>(config.latency)),
      interval_(clock * static_cast<Time>(config.interval)) {
  statistics.on_reset([this](Time now) { reset(now); });
  const auto add = [&](const std::string& metric, const std::string& text,
                       std::function<Time(Time)> value) {
    statistics.add_derived({name + "." + metric + "_ns", "ns", text},
                           [value = std::move(value)](Time now, Time /*measured*/) {
                             return MetricValue::of(nanoseconds(value(now)));
                           });
  };
  const auto add_waits = [&](const std::string& prefix, const std::string& of, unsigned first,
                             unsigned last) {
    add(prefix + "busy", doc + ": time busy" + of, [this, first, last](Time now) {
      Time sum = 0;
      for (unsigned c = first; c <= last; ++c) sum += busy(c, now);
      return sum;
    });
    for (const Cause cause : causes) {
      add(prefix + "blocked_" + name_of(cause),
          doc + ": time that something waited" + of + ", by cause",
          [this, cause, first, last](Time now) {
            Time sum = 0;
            for (unsigned c = first; c <= last; ++c) sum += blocked(cause, c, now);
            return sum;
          });
    }
  };
  add_waits("", "", 0, kClasses - 1);
  add("starved", doc + ": time with nothing to do", [this](Time now) { return starved(now); });
  for (unsigned c = 0; classes > 1 && c < classes; ++c) {
    add_waits("class" + std::to_string(c) + ".", " with that traffic class", c, c);
  }
}

Time Stage::enter(Time at, unsigned cls, Time interval) {
  const Time begin = std::max(at, free_at_);
  wait_until(begin);
  free_at_ = begin + interval;
  busy_[cls] += free_at_ - begin;
  accounted_ = free_at_;
  cause_ = kStarved;
  last_class_ = cls;
  return begin;
}

void Stage::block(Cause cause, unsigned cls, Time now) {
  wait_until(now);
  cause_ = static_cast<std::size_t>(cause);
  class_ = cls;
}

void Stage::unblock(Time now) {
  wait_until(now);
  cause_ = kStarved;
}

void Stage::wait_until(Time until) {
  if (until <= accounted_) return;
  (cause_ == kStarved ? starved_ : blocked_[cause_][class_]) += until - accounted_;
  accounted_ = until;
}

// What is booked ahead of `now` is the last class's; an interval of another before it as well only
// if several were booked ahead, and then the sum is right and the split is off by those.
Time Stage::busy(unsigned cls, Time now) const {
  return busy_[cls] - (cls == last_class_ ? ahead(now) : 0);
}

Time Stage::blocked(Cause cause, unsigned cls, Time now) const {
  const auto index = static_cast<std::size_t>(cause);
  const bool now_so = cause_ == index && class_ == cls && now > accounted_;
  return blocked_[index][cls] + (now_so ? now - accounted_ : 0);
}

Time Stage::starved(Time now) const {
  return starved_ + (cause_ == kStarved && now > accounted_ ? now - accounted_ : 0);
}

void Stage::reset(Time now) {
  busy_ = {};
  blocked_ = {};
  starved_ = 0;
  if (accounted_ > now) {
    busy_[last_class_] = accounted_ - now;
  } else {
    accounted_ = now;
  }
}

}  // namespace railyard::nic
