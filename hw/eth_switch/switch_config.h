// Parameters of an Ethernet switch: the keys of the group `switch`.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/congestion/pfc_watchdog.h"
#include "hw/eth_switch/buffer_config.h"
#include "hw/eth_switch/classifier.h"
#include "hw/eth_switch/egress_scheduler.h"
#include "hw/eth_switch/load_balance.h"
#include "hw/eth_switch/wred.h"
#include "tlm/config/parameters.h"

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

/// The MAC and the scheduler are a port's own, the others a slice's.
struct PipelineConfig {
  StageConfig mac{160, 0};
  StageConfig parser{64, 1};
  StageConfig ingress{320, 1};
  StageConfig buffer{160, 1};
  StageConfig scheduler{64, 0};
  StageConfig egress{192, 1};

  void declare(Parameters& p);
};

/// WRED of one traffic class.
struct ClassWredConfig {
  std::uint8_t traffic_class = 0;
  WredConfig wred;

  void declare(Parameters& p);
};

struct SwitchConfig {
  Time clock = 1000;  // period, ps
  Switching switching = Switching::kStoreAndForward;
  std::uint32_t cut_through_bytes = 64;
  Arbitration arbitration = Arbitration::kFifo;
  std::uint32_t slices = 1;
  PipelineConfig pipeline;
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
  /// The longest from the buffer's decision for XOFF to the MAC's wish to send it.
  Time pfc_decision_delay() const { return clock * (1 + static_cast<Time>(buffers.pfc.latency)); }
};

}  // namespace railyard
