// Parameters of DCQCN by the names that mlx5 gives them, and sets of them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rtl/model/dcqcn_setup.h"
#include "tlm/base/quantity.h"
#include "tlm/base/rate.h"
#include "tlm/base/time.h"
#include "tlm/config/parameters.h"

namespace railyard {

/// Named sets; every parameter that is not written has the set's value.
enum class DcqcnSet : std::uint8_t {
  kPaper,         // Zhu et al., SIGCOMM 2015
  kHardware,      // defaults of ConnectX-5 to -7 (mlx5 cc_params)
  kTuned,         // the middle of what Barre et al., ATC 2025, found good at 400 Gb/s
  kHpccSimulator  // the DCQCN of HPCC's ns-3 simulator
};

enum class DcqcnRules : std::uint8_t { kPaper, kHardware };

struct DcqcnParameters {
  DcqcnRules rules = DcqcnRules::kPaper;
  bool alpha_first = false;
  bool fewer_halvings = false;
  bool rp_clamp_tgt_rate = true;
  bool rp_clamp_tgt_rate_ati = false;
  Time rp_time_reset = 55 * kMicrosecond;
  Bytes rp_byte_reset = 10'000'000;
  std::uint32_t rp_threshold = 5;
  std::uint32_t rp_ai_rate = 40;  // Mb/s, here and below
  std::uint32_t rp_hai_rate = 200;
  std::uint32_t rp_max_rate = 0;
  std::uint32_t rp_min_rate = 100;
  std::uint32_t rp_rate_to_set_on_first_cnp = 0;
  std::uint32_t rp_min_dec_fac = 0;  // %
  std::uint32_t rp_dce_tcp_g = 1020;
  Time rp_dce_tcp_rtt = 55 * kMicrosecond;
  Time rp_rate_reduce_monitor_period = 50 * kMicrosecond;
  std::uint32_t rp_initial_alpha_value = 1024;
  std::uint32_t rp_gd = 11;

  static DcqcnParameters of(DcqcnSet set);

  void declare(Parameters& p);
  /// Gives the keys that were not written the values of the set, and refuses one that was and does
  /// nothing. `prefix`: of the keys in `bound`.
  void fill(DcqcnSet set, const Bound& bound, const std::string& prefix);
  bool operator==(const DcqcnParameters& o) const;
  /// Registers of dcqcn_rp with that clock, of a port of that rate.
  rtl::DcqcnSetup setup(Time clock, Rate line) const;
};

/// np_min_time_between_cnps of a set.
Time least_time_between_cnps(DcqcnSet set);

/// Names of the sets in configurations.
std::vector<std::pair<std::string, DcqcnSet>> dcqcn_set_names();

}  // namespace railyard
