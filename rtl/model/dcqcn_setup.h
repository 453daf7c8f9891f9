// Parameters of DCQCN by their mlx5 names, and what they are in the registers of dcqcn_rp.
#pragma once

#include <cstdint>
#include <vector>

#include "rtl/model/dcqcn_rules.h"

namespace railyard::rtl {

/// Times in cycles of the block's clock, rates in Mb/s.
struct DcqcnSetup {
  std::uint32_t time_reset = 55'000;           // rp_time_reset, 2 to 2^31
  std::uint32_t alpha_period = 55'000;         // rp_dce_tcp_rtt
  std::uint32_t rate_reduce_monitor = 50'000;  // rp_rate_reduce_monitor_period
  std::uint32_t byte_reset = 10'000'000;       // rp_byte_reset, bytes
  unsigned threshold = 5;                      // rp_threshold, up to 31
  std::uint32_t ai_rate = 40;                  // rp_ai_rate, up to 65,535
  std::uint32_t hai_rate = 200;                // rp_hai_rate
  double max_rate = 100'000;                   // rp_max_rate: of the line, if the user gives none
  double min_rate = 100;                       // rp_min_rate
  double first_cnp_rate = 0;                   // rp_rate_to_set_on_first_cnp
  double min_dec_fac = 0;                      // rp_min_dec_fac, as a fraction
  double g = 1.0 / 256;                        // rp_dce_tcp_g, up to 1/2
  double initial_alpha = 1;                    // rp_initial_alpha_value
  unsigned gd = 11;                            // rp_gd, up to 15
  bool clamp_target = true;                    // rp_clamp_tgt_rate
  bool clamp_target_ati = false;               // rp_clamp_tgt_rate_ati
  bool fewer_halvings = false;                 // F - 1 of them
  bool alpha_first = false;                    // alpha is updated before the cut
  bool hardware_rules = false;                 // a CNP sets a flag
};

struct DcqcnWrite {
  std::uint16_t addr;
  std::uint32_t data;
};

/// All registers of a class, the decay table included.
std::vector<DcqcnWrite> dcqcn_writes(const DcqcnSetup& setup);

/// pace_factor_i of a clock: cycles a byte at 1 Mb/s, UQ16.8.
std::uint32_t dcqcn_pace_factor(double clock_hz);

}  // namespace railyard::rtl
