// DCQCN at the sending end of a port: the blocks dcqcn_rp and pacer (rtl/dcqcn, rtl/pacer), each
// with a context a queue pair. What is sent and the CNPs that come go into dcqcn_rp, which says the
// queue pair's rate twelve cycles later; each packet goes with the latest interval into the pacer,
// which says three cycles later when the next may go.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hw/congestion/algorithms.h"
#include "hw/congestion/blocks.h"
#include "hw/congestion/congestion_config.h"
#include "hw/congestion/congestion_control.h"
#include "hw/congestion/lazy_clock.h"
#include "hw/congestion/qp_context.h"
#include "tlm/base/ring.h"
#include "tlm/observe/probe.h"
#include "tlm/observe/statistics.h"

namespace railyard {

class Dcqcn : public CongestionControl {
 public:
  /// Queue pairs of a port at most.
  static constexpr std::size_t kMostQueuePairs = 4096;
  /// What a rate in dcqcn_rp reaches (UQ20.12 Mb/s), Gb/s.
  static constexpr double kMostGbps = 1048;

  Dcqcn(const CongestionConfig& config, const ControlledPort& port);
  ~Dcqcn() override;

  void open(const QueuePair& qp) override;
  void seal() override;
  void start() override;
  void reopen(std::uint32_t qp, std::uint8_t traffic_class) override;
  void sent(std::uint32_t qp, std::uint32_t line_bytes) override;
  void cnp(std::uint32_t qp) override;
  Time next_packet(std::uint32_t qp) override;
  double rate_gbps(std::uint32_t qp) override;

  /// What the blocks hold of a queue pair, np_valid and np_stamp left out: they are the receiver's.
  QpCongestionContext context(std::uint32_t qp);

 private:
  /// dcqcn_rp and its queues of what happened.
  class ReactionPoint : public Stepped {
   public:
    explicit ReactionPoint(Dcqcn& owner);
    void make(std::size_t qps);
    void start() { clock_.start(); }
    void run() { clock_.run(); }
    void open(std::uint32_t qp);
    void sent(std::uint32_t qp, std::uint32_t bytes);
    /// It does what is due of the queue pair.
    void look(std::uint32_t qp) { sent(qp, 0); }
    void cnp(std::uint32_t qp);
    /// When its timer next raises the queue pair's rate; only after what is due was done.
    Time next_rise(std::uint32_t qp) const;
    /// Cycles a byte with which a queue pair of the class begins.
    std::uint64_t first_interval(unsigned traffic_class) const {
      return first_intervals_[traffic_class];
    }
    std::uint8_t stage(std::uint32_t qp) const;
    rtl::DcqcnContext context(std::uint32_t qp) const { return block_->context(qp); }

   private:
    struct Sent {
      std::uint64_t cycle = 0;  // the edge from which it stands
      std::uint32_t qp = 0;
      std::uint32_t bytes = 0;
      bool open = false;
    };
    struct Cnp {
      std::uint64_t cycle = 0;
      std::uint32_t qp = 0;
    };
    void configure();
    void configure_class(unsigned traffic_class);
    void open_before_run(std::uint32_t qp, unsigned traffic_class);
    void clock_before_run(unsigned edges);
    void step(std::uint64_t cycle) override;

    Dcqcn& owner_;
    std::string name_;
    LazyClock clock_;
    std::unique_ptr<rtl::DcqcnRp> block_;
    rtl::DcqcnRpIn in_;
    rtl::DcqcnRpOut out_;
    Ring<Sent> sent_;
    Ring<Cnp> cnps_;
    std::array<std::uint64_t, CongestionConfig::kClasses> first_intervals_{};
  };

  /// The pacer, likewise.
  class Pacing : public Stepped {
   public:
    explicit Pacing(Dcqcn& owner);
    void make(std::size_t qps);
    void start() { clock_.start(); }
    void run() { clock_.run(); }
    void sent(std::uint32_t qp, std::uint32_t bytes, std::uint64_t interval);
    /// It owes so many bytes from now on, whatever it owed.
    void open(std::uint32_t qp, std::uint32_t bytes, std::uint64_t interval);
    /// Of a packet that has not been answered: not before.
    Time earliest_answer(std::uint64_t taken) const;
    std::uint64_t context(std::uint32_t qp) const { return block_->context(qp); }

   private:
    struct Sent {
      std::uint64_t cycle = 0;
      std::uint64_t interval = 0;
      std::uint32_t qp = 0;
      std::uint16_t bytes = 0;
      bool open = false;
    };
    void push(std::uint32_t qp, const Sent& sent);
    void step(std::uint64_t cycle) override;

    Dcqcn& owner_;
    std::string name_;
    LazyClock clock_;
    std::unique_ptr<rtl::Pacer> block_;
    rtl::PacerIn in_;
    Ring<Sent> sent_;
  };

  /// A queue pair as this side knows it.
  struct Qp {
    std::uint64_t interval = 0;    // cycles a byte, UQ16.24
    Time next = 0;                 // as the pacer said
    std::uint64_t asked_at = 0;    // the edge that its latest packet may enter the pacer by
    std::uint32_t unanswered = 0;  // packets in the pacer
    std::uint64_t paced_by = 0;    // the interval of its latest packet
    Time paced_at = 0;             // and when that was sent
    Time looked_at = 0;            // dcqcn_rp was last asked what is due
    bool looking = false;          // and has not said it yet
    std::uint8_t traffic_class = 0;
    std::string name;
    TimeWeighted rate;   // UQ20.12 Mb/s
    TimeWeighted alpha;  // UQ1.24
    Probe rate_probe, target_probe, alpha_probe, stage_probe;
  };

  void answered(const rtl::DcqcnRpOut& out, Time at);
  Time look_again(std::uint32_t qp);
  Time next_look(const Qp& q, Time rise) const;
  void pace_rest(std::uint32_t qp);
  void register_qp(Qp& qp);

  CongestionConfig config_;
  Partition& partition_;
  std::string name_;
  Rate line_;
  Blocks& blocks_;
  std::vector<std::unique_ptr<Qp>> qps_;
  ReactionPoint reaction_;
  Pacing pacing_;
};

}  // namespace railyard
