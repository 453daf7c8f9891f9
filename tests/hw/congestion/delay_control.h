// An algorithm of a user's own, to see that CongestionControl is wide enough: a window by delay, in
// the manner of Swift (Kumar et al., SIGCOMM 2020).
//
// While round trips are shorter than the target, the window grows by a packet a round trip. Longer
// ones take a share of it that grows with the excess, once a round trip. A window of less than a
// packet becomes a pause between packets. An ECN echo keeps it from growing, a NAK halves it, a
// timeout leaves a packet of it or less. Of telemetry, the slowest hop bounds it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hw/congestion/congestion_control.h"
#include "tlm/sim/partition.h"

namespace railyard::test {

class DelayControl : public CongestionControl {
 public:
  struct Config {
    Time target = 30 * kMicrosecond;
    std::uint32_t packet = 4194;  // bytes
    double first_window = 16;     // packets
    double least_window = 0.01;
  };

  DelayControl(const Config& config, Partition& partition)
      : config_(config), partition_(partition) {}

  void open(const QueuePair& /*qp*/) override {
    qps_.emplace_back();
    qps_.back().window = config_.first_window * config_.packet;
    qps_.back().rtt = config_.target;
  }
  void set_listener(CongestionListener* listener) override { listener_ = listener; }

  void sent(std::uint32_t qp, std::uint32_t line_bytes) override {
    Qp& q = qps_[qp];
    q.next =
        partition_.now() + static_cast<Time>(line_bytes / q.window * static_cast<double>(q.rtt));
  }

  void acknowledged(std::uint32_t qp, const Acknowledgement& ack) override {
    Qp& q = qps_[qp];
    const double before = q.window;
    q.rtt = ack.rtt;
    if (ack.rtt > config_.target) {
      const double excess =
          static_cast<double>(ack.rtt - config_.target) / static_cast<double>(ack.rtt);
      cut(q, std::max(0.5, 1 - 0.8 * excess));
    } else if (!ack.ecn_echo) {
      q.window += static_cast<double>(config_.packet) * ack.bytes / std::max(q.window, packets(1));
    }
    for (const HopTelemetry& hop : ack.telemetry) {
      q.window = std::min(q.window,
                          hop.rate.bits_per_second() / 8e12 * static_cast<double>(config_.target));
    }
    if (q.window > before && listener_ != nullptr) listener_->may_send(qp);
  }

  void nak(std::uint32_t qp) override { cut(qps_[qp], 0.5); }
  void timed_out(std::uint32_t qp) override {
    Qp& q = qps_[qp];
    q.window = std::max(packets(config_.least_window), std::min(packets(1), q.window / 2));
  }

  Time next_packet(std::uint32_t qp) override {
    return qps_[qp].window < packets(1) ? qps_[qp].next : 0;
  }
  std::uint64_t window(std::uint32_t qp) override {
    return static_cast<std::uint64_t>(std::max(qps_[qp].window, packets(1)));
  }
  double rate_gbps(std::uint32_t qp) override {
    return qps_[qp].window * 8000 / static_cast<double>(qps_[qp].rtt);
  }

 private:
  struct Qp {
    double window = 0;  // bytes
    Time rtt = 0;
    Time next = 0;
    Time cut_at = -kSecond;
  };

  double packets(double count) const { return count * config_.packet; }
  void cut(Qp& q, double factor) {
    if (partition_.now() - q.cut_at < q.rtt) return;
    q.cut_at = partition_.now();
    q.window = std::max(packets(config_.least_window), q.window * factor);
  }

  Config config_;
  Partition& partition_;
  CongestionListener* listener_ = nullptr;
  std::vector<Qp> qps_;
};

}  // namespace railyard::test
