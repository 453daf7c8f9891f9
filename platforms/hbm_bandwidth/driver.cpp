#include "platforms/hbm_bandwidth/driver.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace railyard::hbm_bandwidth {

Driver::Driver(const std::string& name, Partition& partition, hbm::Controller& controller,
               std::unique_ptr<Source> source, DriverOwner& owner)
    : partition_(partition),
      controller_(controller),
      source_(std::move(source)),
      owner_(owner),
      arrival_(
          Event::of<&Driver::arrive>(*this, partition.endpoint(name), railyard::Phase::kArrival)),
      random_(partition.random(name + ".arrivals")) {}

// Clocks are counted from time 0, as the controller does.
void Driver::begin(std::uint64_t requests, Time end) {
  requests_ = requests;
  end_ = end;
  giving_ = true;
  const auto tick = static_cast<std::uint64_t>(controller_.tick_at(partition_.now()));
  first_clock_ = (tick + hbm::kTicksPerClock - 1) / hbm::kTicksPerClock;
}

void Driver::begin_closed(std::uint64_t outstanding, std::uint64_t requests, Time end) {
  begin(requests, end);
  closed_ = true;
  for (std::uint64_t i = 0; i < outstanding && giving_; ++i) give(acquire());
}

void Driver::begin_open(double mean, std::uint64_t requests, Time end) {
  begin(requests, end);
  trials_ = static_cast<std::uint64_t>(std::max(1.0, std::ceil(mean)));
  probability_ = std::min(1.0, mean / static_cast<double>(trials_));
  trial_ = probability_ < 1 ? random_.geometric(probability_) : 0;
  schedule_next();
}

void Driver::begin_timed(const Trace& trace, std::uint64_t requests) {
  begin(requests, kForever);
  trace_ = &trace;
  schedule_next();
}

void Driver::stop() {
  giving_ = false;
  partition_.scheduler().cancel(arrival_);
}

Time Driver::clock_time(std::uint64_t clock) const {
  return controller_.time_of(static_cast<hbm::Tick>(first_clock_ + clock) * hbm::kTicksPerClock);
}

void Driver::schedule_next() {
  const Time at = clock_time(trace_ != nullptr ? trace_->entries[given_].clock : trial_ / trials_);
  if (at >= end_) {
    end_giving();
  } else {
    partition_.scheduler().schedule(arrival_, at);
  }
}

// All of this clock.
void Driver::arrive() {
  const Time now = partition_.now();
  while (giving_) {
    give(acquire());
    if (!giving_) return;
    if (trace_ == nullptr) trial_ += 1 + (probability_ < 1 ? random_.geometric(probability_) : 0);
    const std::uint64_t clock =
        trace_ != nullptr ? trace_->entries[given_].clock : trial_ / trials_;
    if (clock_time(clock) > now) break;
  }
  schedule_next();
}

hbm::Access& Driver::acquire() {
  if (free_.empty()) {
    accesses_.emplace_back();
    accesses_.back().client = this;
    return accesses_.back();
  }
  hbm::Access& access = *free_.back();
  free_.pop_back();
  return access;
}

void Driver::give(hbm::Access& access) {
  const Request request = source_->next();
  access.address = request.address;
  access.bytes = request.bytes;
  access.write = request.write;
  ++given_;
  controller_.access(access);
  if (given_ == requests_) end_giving();
}

void Driver::end_giving() {
  giving_ = false;
  owner_.last_given();
  if (done_ == given_) owner_.all_done();
}

void Driver::access_done(hbm::Access& access) {
  ++done_;
  owner_.request_done(access.bytes, access.write, partition_.now() - access.given_at);
  if (closed_ && giving_) {
    if (partition_.now() < end_) {
      give(access);
      return;
    }
    giving_ = false;
    owner_.last_given();
  }
  free_.push_back(&access);
  if (!giving_ && done_ == given_) owner_.all_done();
}

}  // namespace railyard::hbm_bandwidth
