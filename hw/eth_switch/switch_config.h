// Parameters of an Ethernet switch: the keys of the group `switch`.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/congestion/watchdog_config.h"
#include "hw/eth_switch/buffer_config.h"
#include "hw/eth_switch/classifier.h"
#include "hw/eth_switch/egress_scheduler.h"
#include "hw/eth_switch/load_balance.h"
#include "hw/eth_switch/switch_profile.h"
#include "hw/eth_switch/wred.h"
#include "tlm/config/parameters.h"
#include "tlm/link/link_config.h"

namespace railyard {

enum class Switching : std::uint8_t { kStoreAndForward, kCutThrough };

/// Which of a queue's frames is first.
enum class Arbitration : std::uint8_t {
  kFifo,        // the oldest: one that cannot go holds up all behind it
  kPerIngress,  // ingress ports take turns, a frame each: virtual output queues
};

/// A stage of the pipeline, in cycles of the switch's clock.
struct StageConfig {
  std::uint32_t latency = 0;
  std::uint32_t interval = 1;  // from a frame to the next

  void declare(Parameters& p);
};

/// The MAC is a port's own; the others are shared by `ports` neighbouring ports.
struct PipelineConfig {
  std::uint32_t ports = 1;
  StageConfig mac{160, 0};
  StageConfig parser{60, 1};
  StageConfig ingress{310, 1};
  StageConfig buffer{150, 1};
  StageConfig scheduler{60, 1};
  StageConfig egress{190, 1};

  void declare(Parameters& p);
};

/// What lies between virtual output queues and egress ports of a chassis; none in one chip. A frame
/// that meets an idle egress takes both times; one that waits behind others has its credit in time.
struct ChassisConfig {
  Time credit_round_trip = 0;
  Time transit = 0;

  void declare(Parameters& p);
};

/// WRED of one traffic class.
struct ClassWredConfig {
  std::uint8_t traffic_class = 0;
  WredConfig wred;

  void declare(Parameters& p);
};

struct SwitchConfig {
  static constexpr std::uint32_t kCutThroughBytes = 64;  // the default

  SwitchProfile profile = SwitchProfile::kCustom;
  Time clock = 1000;  // period, ps
  Switching switching = Switching::kStoreAndForward;
  std::uint32_t cut_through_bytes = kCutThroughBytes;
  Arbitration arbitration = Arbitration::kFifo;
  std::uint32_t slices = 1;
  PipelineConfig pipeline;
  ChassisConfig chassis;
  BufferConfig buffers;
  ClassifierConfig classifier;
  WredConfig ecn;
  std::vector<ClassWredConfig> ecn_classes;
  EgressSchedulerConfig scheduler;
  LoadBalanceConfig load_balance;
  WatchdogConfig watchdog;

  /// To be declared as the group "switch".
  void declare(Parameters& p);

  const WredConfig& wred_of(unsigned traffic_class) const;
  /// From the choice of a frame, or from when it could be chosen, to its launch. What lies between
  /// the depth that a frame is judged by and its launch is at least the marker's latency.
  Time dispatch_latency(unsigned traffic_class) const;
  /// The longest from the buffer's decision for XOFF to the MAC's wish to send it.
  /// What a port's headroom is reckoned from.
  PortLine port_line(const LinkConfig& link) const;
  Time pfc_decision_delay() const { return clock * (1 + static_cast<Time>(buffers.pfc.latency)); }

 private:
  void apply_profile(const Bound& bound);
};

}  // namespace railyard
