// One QP's reaction point of DCQCN in double precision: the referee of rtl/dcqcn/dcqcn_rp.sv and of
// its twin. Written from the algorithm (SIGCOMM 2015, and the variants of the authors' ns-3 code
// and of the HPCC simulator's Mellanox mode), step by step in time; it shares nothing with either.
//
// Rates in Mb/s; times in the unit of the periods, microseconds if these are left as they are.
// Where the sources are silent:
// - until the first CNP nothing runs: no timer, no byte counter, and alpha is the initial one;
// - of things due at one time a timer comes first, and alpha's before the cut;
// - R_T is not limited in the increase phases, R_C is (line); a CNP brings R_T to the line at most;
// - bytes beyond byte_reset count for the next stage;
// - by the hardware's rules the first CNP starts the periods and cuts at once, by the initial
// alpha.
#pragma once

#include <cstdint>

namespace railyard::test {

struct DcqcnParameters {
  double line = 100'000;          // rp_max_rate
  double min_rate = 100;          // rp_min_rate
  double first_cnp_rate = 0;      // rp_rate_to_set_on_first_cnp; 0: the usual cut
  double ai_rate = 40;            // rp_ai_rate
  double hai_rate = 200;          // rp_hai_rate
  double rate_period = 55;        // rp_time_reset
  double alpha_period = 55;       // rp_dce_tcp_rtt
  double monitor_period = 4;      // rp_rate_reduce_monitor_period, of the hardware's rules
  double byte_reset = 10e6;       // rp_byte_reset, bytes
  unsigned threshold = 5;         // rp_threshold, F
  double g = 1.0 / 256;           // rp_dce_tcp_g
  double initial_alpha = 1;       // rp_initial_alpha_value
  double min_dec_fac = 0;         // rp_min_dec_fac, as a fraction
  int gd = 11;                    // rp_gd: a cut by alpha * 2^(10 - gd)
  bool clamp_target = true;       // rp_clamp_tgt_rate
  bool clamp_target_ati = false;  // rp_clamp_tgt_rate_ati
  bool fewer_halvings = false;    // F - 1 halvings
  bool alpha_first = false;       // the authors' order: alpha, then the cut
  bool hardware_rules = false;    // a CNP sets a flag; alpha and the cut look at it by periods

  /// What a ConnectX has when it is delivered.
  static DcqcnParameters hardware(double line);
};

class DcqcnReference {
 public:
  DcqcnReference(const DcqcnParameters& parameters, double now);

  void transmit(double now, double bytes);
  void cnp(double now);
  /// All that is due up to `now`, with what is due at it.
  void advance(double now);

  double rate() const { return rate_; }
  double target() const { return target_; }
  double alpha() const { return alpha_; }
  std::uint64_t time_stage() const { return time_stage_; }
  std::uint64_t byte_stage() const { return byte_stage_; }

 private:
  void start(double now, double before);
  void increase();
  void update_alpha(bool congested);
  void cut(double now);
  void alpha_due();
  void monitor_due();

  DcqcnParameters p_;
  double rate_;
  double target_;
  double alpha_;
  double bytes_ = 0;
  std::uint64_t time_stage_ = 0;
  std::uint64_t byte_stage_ = 0;
  // What is next due; means something once a CNP came.
  double rate_at_;
  double alpha_at_;
  double monitor_at_;
  bool running_ = false;
  bool alpha_flag_ = false;
  bool cut_flag_ = false;
  bool raised_by_bytes_ = false;
  bool raised_by_time_ = false;
};

}  // namespace railyard::test
