#include "hw/eth_switch/classifier.h"

#include <cstddef>
#include <string>

namespace railyard {

namespace {

/// Refuses a list that maps something twice, even to the same.
template <class Entry>
void refuse_repeats(const Bound& bound, const std::string& key, const std::vector<Entry>& entries,
                    std::uint8_t Entry::*from, const std::string& what) {
  std::uint64_t seen = 0;
  for (const Entry& entry : entries) {
    const std::uint64_t bit = std::uint64_t{1} << (entry.*from);
    if ((seen & bit) != 0) {
      bound.fail(key, what + " " + std::to_string(entry.*from) + " is mapped twice",
                 "map each " + what + " once");
    }
    seen |= bit;
  }
}

}  // namespace

void DscpToPriority::declare(Parameters& p) {
  p.add("dscp", dscp).max(63).required().doc("DSCP of IPv4 or IPv6");
  p.add("priority", priority).max(7).required().doc("Priority of its frames");
}

void PcpToPriority::declare(Parameters& p) {
  p.add("pcp", pcp).max(7).required().doc("PCP of a VLAN tag");
  p.add("priority", priority).max(7).required().doc("Priority of its frames");
}

void PriorityToTrafficClass::declare(Parameters& p) {
  p.add("priority", priority).max(7).required().doc("Priority");
  p.add("traffic_class", traffic_class).max(7).required().doc("Egress queue of its frames");
}

void ClassifierConfig::declare(Parameters& p) {
  p.choice("trust", trust, {{"dscp", Trust::kDscp}, {"pcp", Trust::kPcp}, {"port", Trust::kPort}})
      .doc("What gives the priority; without IP, PCP does; without a VLAN tag, the port");
  p.add("port_priority", port_priority).max(7).doc("Priority of frames that carry none");
  p.list("dscp", dscp).doc("Priority by DSCP; of a DSCP that is not listed it is DSCP / 8");
  p.list("pcp", pcp).doc("Priority by PCP; of a PCP that is not listed it is the PCP");
  p.list("traffic_classes", traffic_classes)
      .doc("Traffic class by priority; of a priority that is not listed it is the same");
  p.check([this](const Bound& bound) {
    refuse_repeats(bound, "dscp", dscp, &DscpToPriority::dscp, "DSCP");
    refuse_repeats(bound, "pcp", pcp, &PcpToPriority::pcp, "PCP");
    refuse_repeats(bound, "traffic_classes", traffic_classes, &PriorityToTrafficClass::priority,
                   "priority");
  });
}

Classifier::Classifier(const ClassifierConfig& config)
    : trust_(config.trust), port_priority_(config.port_priority) {
  for (std::size_t i = 0; i < dscp_.size(); ++i) dscp_[i] = static_cast<std::uint8_t>(i >> 3);
  for (std::size_t i = 0; i < kPriorities; ++i) {
    pcp_[i] = traffic_class_[i] = static_cast<std::uint8_t>(i);
  }
  for (const DscpToPriority& e : config.dscp) dscp_[e.dscp] = e.priority;
  for (const PcpToPriority& e : config.pcp) pcp_[e.pcp] = e.priority;
  for (const PriorityToTrafficClass& e : config.traffic_classes) {
    traffic_class_[e.priority] = e.traffic_class;
  }
}

}  // namespace railyard
