// What a frame's headers say of its priority (IEEE 802.1Q priority: PFC class and ingress priority
// group), and which traffic class a priority is queued in.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tlm/config/parameters.h"
#include "tlm/net/frame.h"

namespace railyard {

struct DscpToPriority {
  std::uint8_t dscp = 0;
  std::uint8_t priority = 0;

  void declare(Parameters& p);
};

struct PcpToPriority {
  std::uint8_t pcp = 0;
  std::uint8_t priority = 0;

  void declare(Parameters& p);
};

struct PriorityToTrafficClass {
  std::uint8_t priority = 0;
  std::uint8_t traffic_class = 0;

  void declare(Parameters& p);
};

/// Which field gives the priority. A frame without it falls through: DSCP (no IP), PCP (no VLAN
/// tag), the port's own.
enum class Trust : std::uint8_t { kDscp, kPcp, kPort };

/// Lists hold what differs from, or is worth saying beside: priority = DSCP >> 3, priority = PCP,
/// traffic class = priority.
struct ClassifierConfig {
  Trust trust = Trust::kDscp;
  std::uint8_t port_priority = 0;
  std::vector<DscpToPriority> dscp = {{26, 3}, {48, 6}};  // RoCE, CNP
  std::vector<PcpToPriority> pcp;
  std::vector<PriorityToTrafficClass> traffic_classes;

  void declare(Parameters& p);
};

class Classifier {
 public:
  static constexpr unsigned kPriorities = 8;

  explicit Classifier(const ClassifierConfig& config);

  std::uint8_t priority(const net::Frame& frame) const {
    if (trust_ == Trust::kDscp && frame.is_ip()) return dscp_[frame.dscp() & 63U];
    if (trust_ != Trust::kPort && frame.ethernet.has_vlan) return pcp_[frame.ethernet.pcp & 7U];
    return port_priority_;
  }
  std::uint8_t traffic_class(std::uint8_t priority) const { return traffic_class_[priority]; }

 private:
  Trust trust_;
  std::uint8_t port_priority_;
  std::array<std::uint8_t, 64> dscp_;
  std::array<std::uint8_t, 8> pcp_;
  std::array<std::uint8_t, kPriorities> traffic_class_;
};

}  // namespace railyard
