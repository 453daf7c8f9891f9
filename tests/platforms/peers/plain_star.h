// A plain simulation of HPCC's ns-3 simulator on a star: senders at 100 Gb/s, links of 1 us,
// packets of 1,048 B, marks as they leave the queue, an ACK of 60 B a packet that carries the mark
// back, and its DCQCN. Without buffer limits, pauses and losses. Written from its rules; it shares
// nothing with the fabric.
//
// As there, if nothing is set. What is set makes it as the fabric is, one thing each.
#pragma once

#include <cstdint>
#include <deque>
#include <queue>
#include <vector>

#include "tlm/base/time.h"
#include "tlm/sim/random.h"

namespace railyard::test {

struct PlainStarConfig {
  std::size_t senders = 8;
  std::uint32_t packets = 10'000;  // of each
  Time alpha_period = kMicrosecond;
  Time cut_period = 4 * kMicrosecond;
  Time increase_period = 300 * kMicrosecond;
  double second_increase = 20;  // Mb/s; every later one is 200
  bool whole_nanoseconds = true;
  bool first_cnp_cuts = true;  // at the end of its period; else the second does
  bool late_rates = false;     // a packet goes by the rate at its sender's latest packet or CNP
  std::uint64_t seed = 1;
};

class PlainStar {
 public:
  struct Result {
    std::vector<double> completion_us;  // in their order
    std::uint64_t queue_bytes = 0;      // at most
    std::uint64_t marks = 0;
  };

  explicit PlainStar(const PlainStarConfig& config);
  Result run();

 private:
  enum class What : std::uint8_t {
    kSend,
    kSent,
    kArrive,
    kLeave,
    kAck,
    kMarkedAck,
    kAlpha,
    kCut,
    kIncrease
  };
  struct Event {
    Time at;
    std::uint64_t order;  // of events at one time
    What what;
    std::size_t sender;
    std::uint64_t timer;  // of an increase: one of an older timer is void
    bool operator<(const Event& o) const { return at != o.at ? at > o.at : order > o.order; }
  };
  struct Sender {
    std::uint32_t sent = 0;
    std::uint32_t acked = 0;
    bool busy = false;
    Time next = 0;
    double rate;  // Mb/s, here and below
    double target;
    double paced;  // the rate as late_rates has it
    double alpha = 1;
    bool congested = false;  // had a CNP
    bool alpha_flag = false;
    bool cut_flag = false;
    unsigned stage = 0;
    std::uint64_t timer = 0;
    Time done = 0;
  };

  void at(Time time, What what, std::size_t sender = 0, std::uint64_t timer = 0);
  void handle(const Event& event);
  Time line_time(double rate, unsigned bytes) const;
  void send(std::size_t number);
  void arrive(std::size_t number);
  void leave();
  bool marks_now();
  void ack(std::size_t number, bool marked);
  void cnp(std::size_t number);
  void update_alpha(std::size_t number);
  void cut(std::size_t number);
  void increase(const Event& event);

  PlainStarConfig config_;
  RandomStream random_;
  std::priority_queue<Event> events_;
  std::uint64_t order_ = 0;
  Time now_ = 0;
  std::vector<Sender> senders_;
  std::deque<std::size_t> queue_;  // whose packets
  std::uint64_t queue_bytes_ = 0;
  bool sending_ = false;
  Result result_;
};

}  // namespace railyard::test
