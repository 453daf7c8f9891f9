// Gives requests of a source to a controller: so many in flight (closed loop), at random clocks
// (open loop), or at the clocks that a trace says. It opens no window and counts no bytes: that is
// its owner's.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "hw/hbm/controller.h"
#include "platforms/hbm_bandwidth/source.h"
#include "tlm/sim/partition.h"

namespace railyard::hbm_bandwidth {

class DriverOwner {
 public:
  virtual ~DriverOwner() = default;
  virtual void request_done(std::uint32_t bytes, bool write, Time latency) = 0;
  /// No request is given any more.
  virtual void last_given() = 0;
  /// And all are done.
  virtual void all_done() = 0;
};

class Driver : public hbm::Client {
 public:
  static constexpr std::uint64_t kEndless = std::numeric_limits<std::uint64_t>::max();

  /// `name` is that of its endpoint and of its random stream.
  Driver(const std::string& name, Partition& partition, hbm::Controller& controller,
         std::unique_ptr<Source> source, DriverOwner& owner);

  // Before it begins, one of them. Requests are given until there were `requests`, or up to `end`.
  void begin_closed(std::uint64_t outstanding, std::uint64_t requests, Time end);
  /// Each clock there are so many trials, each with the same probability, that together bring
  /// `mean` requests a clock.
  void begin_open(double mean, std::uint64_t requests, Time end);
  /// Each not before its entry's clock, counted from now on.
  void begin_timed(const Trace& trace, std::uint64_t requests);
  void stop();

  std::uint64_t given() const { return given_; }
  std::uint64_t done() const { return done_; }

  void access_done(hbm::Access& access) override;

 private:
  void begin(std::uint64_t requests, Time end);
  void give(hbm::Access& access);
  hbm::Access& acquire();
  void arrive();
  void schedule_next();
  void end_giving();
  Time clock_time(std::uint64_t clock) const;

  Partition& partition_;
  hbm::Controller& controller_;
  std::unique_ptr<Source> source_;
  DriverOwner& owner_;
  Event arrival_;
  RandomStream random_;
  std::deque<hbm::Access> accesses_;
  std::vector<hbm::Access*> free_;
  std::uint64_t requests_ = 0;
  Time end_ = kForever;
  std::uint64_t first_clock_ = 0;
  // Open loop.
  std::uint64_t trials_ = 0;  // a clock; 0: closed loop or a trace
  double probability_ = 0;
  std::uint64_t trial_ = 0;  // the next arrival's
  const Trace* trace_ = nullptr;
  bool closed_ = false;
  bool giving_ = false;
  std::uint64_t given_ = 0;
  std::uint64_t done_ = 0;
};

}  // namespace railyard::hbm_bandwidth
