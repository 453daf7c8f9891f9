#include "hw/eth_switch/switch_config.h"

#include <algorithm>
#include <string>

#include "hw/congestion/clocked_pause_receiver.h"

namespace railyard {

void StageConfig::declare(Parameters& p) {
  p.add("latency", latency).max(100'000).doc("Cycles that a frame's head spends in the stage");
  p.add("interval", interval).max(100'000).doc("Cycles from one frame to the next; 0: no limit");
}

void PipelineConfig::declare(Parameters& p) {
  p.add("ports", ports)
      .range(1, 512)
      .doc("Neighbouring ports that share a pipeline, and so its intervals");
  p.group("mac", mac).doc("MAC and PHY of a port, both directions together");
  p.group("parser", parser).doc("Headers to priority and traffic class");
  p.group("ingress", ingress).doc("Tables and load balancing: the egress port");
  p.group("buffer", buffer).doc("Admission, and the write into the buffer");
  p.group("scheduler", scheduler).doc("From a queue's head to the choice of it");
  p.group("egress", egress).doc("Read, marking, and on to the MAC");
}

void ChassisConfig::declare(Parameters& p) {
  p.add("credit_round_trip", credit_round_trip)
      .max(kMillisecond)
      .doc("From a queue's wish for credit to the credit of its first frame");
  p.add("transit", transit).max(kMillisecond).doc("A frame's way across the fabric");
}

void ClassWredConfig::declare(Parameters& p) {
  p.add("traffic_class", traffic_class).max(7).required().doc("The class that this is about");
  wred.declare(p);
}

void SwitchConfig::declare(Parameters& p) {
  p.choice("profile", profile, switch_profile_names())
      .doc(
          "Class of switch whose numbers the keys that are not written have; custom: the defaults "
          "that stand here. It sets link.rate too, and bounds the sum of a switch's port rates");
  p.add("clock", clock)
      .range(100, kMicrosecond)
      .doc("Period of the clock that the pipeline's cycles and PFC's decisions keep to");
  p.choice("switching", switching,
           {{"store_and_forward", Switching::kStoreAndForward},
            {"cut_through", Switching::kCutThrough}})
      .doc(
          "Whether a frame may leave before it has arrived whole: cut_through does so where the "
          "egress is idle and not faster than the ingress");
  p.add("cut_through_bytes", cut_through_bytes)
      .range(64, 1024)
      .doc("Bytes of a frame that must be there before it is cut through");
  p.choice("arbitration", arbitration,
           {{"fifo", Arbitration::kFifo}, {"per_ingress", Arbitration::kPerIngress}})
      .doc("Order in an egress queue: first come first served, or turns of the ingress ports");
  p.add("slices", slices)
      .range(1, 64)
      .doc("Equal parts of the buffer; a frame sees that of its ingress port alone");
  p.group("pipeline", pipeline).doc("Stages");
  p.group("chassis", chassis).doc("Fabric of a chassis with virtual output queues");
  buffers.declare(p);
  p.group("classifier", classifier).doc("Priorities and traffic classes");
  p.group("ecn", ecn).doc("ECN marking at the egress queues");
  p.list("ecn_classes", ecn_classes).doc("Traffic classes that mark otherwise than by `ecn`");
  p.group("scheduler", scheduler).doc("Order of the traffic classes at an egress");
  load_balance.declare(p);
  p.group("watchdog", watchdog).doc("PFC watchdog of the ports");
  p.check([this](const Bound& bound) {
    apply_profile(bound);
    if (switching != Switching::kCutThrough) {
      bound.needs("cut_through_bytes", cut_through_bytes != kCutThroughBytes,
                  "switching: cut_through");
    }
    unsigned seen = 0;
    for (const ClassWredConfig& c : ecn_classes) {
      if ((seen >> c.traffic_class & 1U) != 0) {
        bound.fail("ecn_classes",
                   "traffic class " + std::to_string(c.traffic_class) + " is listed twice",
                   "list each class once");
      }
      seen |= 1U << c.traffic_class;
    }
  });
}

void SwitchConfig::apply_profile(const Bound& bound) {
  if (profile == SwitchProfile::kCustom) return;
  const SwitchProfileValues v = switch_profile(profile);
  const auto apply = [&](const char* key, auto& member, const auto& sourced) {
    if (!bound.has(key)) member = sourced.value;
  };
  apply("buffer", buffers.buffer, v.buffer);
  apply("cell", buffers.cell, v.cell);
  apply("clock", clock, v.clock);
  apply("slices", slices, v.slices);
  apply("pipeline.mac.latency", pipeline.mac.latency, v.mac);
  apply("pipeline.parser.latency", pipeline.parser.latency, v.parser);
  apply("pipeline.ingress.latency", pipeline.ingress.latency, v.ingress);
  apply("pipeline.buffer.latency", pipeline.buffer.latency, v.buffer_manager);
  apply("pipeline.scheduler.latency", pipeline.scheduler.latency, v.scheduler);
  apply("pipeline.egress.latency", pipeline.egress.latency, v.egress);
  apply("chassis.credit_round_trip", chassis.credit_round_trip, v.credit_round_trip);
  apply("chassis.transit", chassis.transit, v.transit);
  if (!bound.has("arbitration")) {
    arbitration = v.per_ingress.value ? Arbitration::kPerIngress : Arbitration::kFifo;
  }
}

PortLine SwitchConfig::port_line(const LinkConfig& link) const {
  return {link.rate, link.length, link.propagation(), pfc_decision_delay(),
          ClockedPauseReceiver::shortest_response(clock)};
}

Time SwitchConfig::dispatch_latency(unsigned traffic_class) const {
  const std::uint32_t before = pipeline.mac.latency + pipeline.parser.latency +
                               pipeline.ingress.latency + pipeline.buffer.latency;
  std::uint32_t cycles = pipeline.scheduler.latency + pipeline.egress.latency;
  const WredConfig& wred = wred_of(traffic_class);
  if (wred.enabled) {
    const std::uint32_t since = wred.point == WredPoint::kEnqueue ? before : 0;
    constexpr std::uint32_t kDecision = rtl::EcnMarker::kLatency;
    cycles = std::max(cycles, kDecision - std::min(since, kDecision));
  }
  return clock * static_cast<Time>(cycles) + chassis.credit_round_trip + chassis.transit;
}

const WredConfig& SwitchConfig::wred_of(unsigned traffic_class) const {
  for (const ClassWredConfig& c : ecn_classes) {
    if (c.traffic_class == traffic_class) return c.wred;
  }
  return ecn;
}

}  // namespace railyard
