#include "hw/congestion/cnp_config.h"

namespace railyard {

void CnpConfig::declare(Parameters& p) {
  p.add("enabled", enabled)
      .doc("Answers packets that came with CE with congestion notification packets (CNP)");
  p.add("interval", interval)
      .range(0, kSecond)
      .doc("Least time between two CNPs of a flow; the first goes at once");
  p.add("delay", delay)
      .range(0, 100 * kMicrosecond)
      .doc("From a packet with CE to its CNP, beyond the three or four cycles of the block");
  p.choice("scope", scope,
           {{"queue_pair", CnpScope::kQueuePair},
            {"address", CnpScope::kAddress},
            {"port", CnpScope::kPort}})
      .doc("What the interval counts for: a flow, all flows from an address, or all of a port");
  p.add("dscp", dscp).max(63).doc("DSCP of CNPs");
  p.add("priority", priority)
      .max(7)
      .doc("Priority (PFC class, and PCP with a VLAN) of CNPs; a pause of it holds them");
}

void CnpConfig::follow(const CongestionConfig& congestion, const Bound& bound,
                       const std::string& key) {
  if (!congestion.controls()) return;
  if (!bound.has(key + ".enabled")) enabled = true;
  if (!bound.has(key + ".interval")) interval = least_time_between_cnps(congestion.set);
}

}  // namespace railyard
