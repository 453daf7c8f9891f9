// What decides in each stage of the pipeline, behind interfaces of a few methods: to study a stage,
// write one class and give it to the switch. When it happens is the pipeline's latencies' affair
// (stage.h); the MAC is SwitchPort.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "hw/congestion/ecn_marking.h"
#include "hw/eth_switch/egress_scheduler.h"
#include "hw/eth_switch/forwarding.h"
#include "hw/eth_switch/shared_buffer.h"
#include "hw/eth_switch/switch_config.h"
#include "hw/eth_switch/wred.h"
#include "tlm/net/packet.h"
#include "tlm/sim/partition.h"

namespace railyard {

struct Parsed {
  std::uint8_t priority = 0;
  std::uint8_t traffic_class = 0;
};

class Parser {
 public:
  virtual ~Parser() = default;
  virtual Parsed parse(const net::Packet& packet, PortId in) = 0;
};

/// Chooses among a port's traffic classes; see EgressScheduler::pick.
class ClassScheduler {
 public:
  virtual ~ClassScheduler() = default;
  virtual std::optional<unsigned> pick(std::uint8_t eligible,
                                       const EgressScheduler::Heads& head_bytes) = 0;
};

/// Judges the frames of one egress queue. Depths in bytes, without the frame itself.
class QueueMarker {
 public:
  virtual ~QueueMarker() = default;
  virtual WredVerdict at_enqueue(std::uint64_t depth, net::Ecn ecn, Time now) = 0;
  virtual WredVerdict at_dequeue(std::uint64_t depth, net::Ecn ecn, Time now) = 0;
};

/// What a marker is made for: a queue of a port.
struct MarkedQueue {
  std::string name;
  unsigned traffic_class = 0;
  Rate rate;  // the port's
  Partition& partition;
  EcnMarking& block;  // the port's
};

/// Makers of the stages; the default ones are those of the configuration.
struct SwitchStages {
  std::function<std::unique_ptr<Parser>(const SwitchConfig&)> parser;
  std::function<std::unique_ptr<BufferManager>(const SharedBufferShape&)> buffer;
  std::function<std::unique_ptr<ClassScheduler>(const SwitchConfig&)> scheduler;
  std::function<std::unique_ptr<QueueMarker>(const SwitchConfig&, const MarkedQueue&)> marker;
};

/// Fills in what is empty.
SwitchStages with_defaults(SwitchStages stages);

}  // namespace railyard
