// What a fabric's ports counted, summed: total.pfc_xoff_sent and its like.
#pragma once

#include "tlm/sim/simulation.h"

namespace railyard {

/// Adds total.pfc_xoff_sent, total.pause_us, total.ecn_marked and total.cnp_sent, once all ports
/// have registered theirs. The simulation outlives the last use of metrics.
void register_port_sums(Simulation& simulation);

}  // namespace railyard
