#include "platforms/common/fabric/lossless_checks.h"

#include <algorithm>
#include <string>

#include "hw/eth_switch/classifier.h"
#include "hw/eth_switch/headroom.h"
#include "tlm/base/error.h"

namespace railyard {

namespace {

bool is_lossless(const FabricConfig& config, std::uint8_t priority) {
  const auto& lossless = config.switches.buffers.pfc.priorities;
  return std::find(lossless.begin(), lossless.end(), priority) != lossless.end();
}

/// The priority of a host's frame in the switches.
std::uint8_t priority_in_switches(const FabricConfig& config, const Classifier& classifier,
                                  std::uint8_t pcp, std::uint8_t dscp) {
  net::Frame frame;
  frame.ethernet.has_vlan = config.traffic.vlan.has_value();
  frame.ethernet.pcp = pcp;
  frame.ethernet.type =
      config.nic.ip == IpVersion::k4 ? net::EtherType::kIpv4 : net::EtherType::kIpv6;
  frame.ipv4.dscp = frame.ipv6.dscp = dscp;
  return classifier.priority(frame);
}

std::uint32_t largest_frame(const FlowConfig& flow) {
  net::Frame frame;
  frame.ethernet.has_vlan = flow.vlan.has_value();
  frame.ethernet.type = std::holds_alternative<net::Ipv4Address>(flow.source.ip)
                            ? net::EtherType::kIpv4
                            : net::EtherType::kIpv6;
  frame.ipv4.protocol = frame.ipv6.next_header = net::kProtocolUdp;
  frame.udp.destination_port = net::kRoceUdpPort;
  frame.bth.opcode = net::Opcode::kUcRdmaWriteOnly;
  frame.payload_bytes =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(flow.path_mtu, flow.message_size));
  return net::frame_bytes(frame);
}

class Checks {
 public:
  explicit Checks(const FabricConfig& config)
      : config_(config), classifier_(config.switches.classifier) {}

  /// Of a link from a switch to a switch or a host.
  void response(const Topology::Link& link, bool to_host) const {
    const BufferConfig& buffers = config_.switches.buffers;
    const std::uint64_t limit = peer_response_quanta(buffers, link.rate);
    const std::uint64_t taken =
        to_host ? config_.tester.response_quanta : own_response_quanta(buffers, link.rate);
    if (taken <= limit) return;
    refuse(std::string(to_host ? "tester" : "switch.pfc") + ".response_quanta of " +
               std::to_string(taken) + " is more than the " + std::to_string(limit) +
               " that headrooms at " + format_rate(link.rate) + " are for",
           "write switch.headroom.response_quanta: " + std::to_string(taken));
  }

  /// Of a host that does not take frames as fast as they come: what still comes after its XOFF.
  void receive_buffer(const Topology::Link& link) const {
    const TesterConfig& tester = config_.tester;
    const bool slow = tester.drain_rate.has_value() || tester.receive_stall.probability > 0 ||
                      !tester.stuck.empty() || !config_.stuck.empty();
    if (!slow || !tester.pfc.enabled) return;
    LinkConfig cable = config_.link;
    cable.length = link.length;
    const HeadroomConfig& headroom = config_.switches.buffers.headroom;
    LosslessLine line;
    line.rate = link.rate;
    line.propagation = cable.propagation();
    line.largest_frame = headroom.largest_frame;
    line.response_quanta =
        quanta_at_least(own_response_quanta(config_.switches.buffers, link.rate), link.rate,
                        config_.switches.port_line(cable).shortest_response);
    line.interface_delay = 0;
    // The frame that crosses, what comes until the pause acts, and a frame that has begun by then.
    const std::uint64_t least =
        tester.pfc.xoff + 2ULL * headroom.largest_lossless_frame + pause_window(line);
    if (tester.receive_buffer >= least) return;
    refuse("tester.receive_buffer of " + format_bytes(tester.receive_buffer) +
               " does not hold what comes until a pause acts at " + format_rate(link.rate) +
               ": with tester.pfc.xoff of " + format_bytes(tester.pfc.xoff) + " it takes " +
               format_bytes(least),
           "enlarge tester.receive_buffer, or lower tester.pfc.xoff");
  }

  void flow(const FlowConfig& flow) const {
    const std::uint8_t priority = counted_as("traffic", flow.priority, flow.dscp);
    const std::uint32_t accepted =
        std::min(config_.switches.buffers.headroom.largest_frame,
                 config_.switches.buffers.headroom.largest_lossless_frame);
    const std::uint32_t bytes = largest_frame(flow);
    if (!is_lossless(config_, priority) || bytes <= accepted) return;
    refuse("traffic: frames of " + std::to_string(bytes) + " B in lossless priority " +
               std::to_string(priority) + " are larger than the " + std::to_string(accepted) +
               " B that switches accept there",
           "reduce nic.path_mtu, or enlarge switch.headroom.largest_frame and "
           "largest_lossless_frame");
  }

  /// The priority that switches count a host's frames to; refused if its pause does not hold them.
  std::uint8_t counted_as(const std::string& whose, std::uint8_t priority,
                          std::uint8_t dscp) const {
    const std::uint8_t counted = priority_in_switches(config_, classifier_, priority, dscp);
    if (counted == priority || !is_lossless(config_, counted)) return counted;
    refuse(whose + ": frames of priority " + std::to_string(priority) + " with DSCP " +
               std::to_string(dscp) + " have lossless priority " + std::to_string(counted) +
               " in the switches, whose pauses do not hold their sender",
           "write priority " + std::to_string(counted) + ", or another DSCP or classifier");
  }

 private:
  [[noreturn]] void refuse(const std::string& problem, const std::string& remedy) const {
    throw ConfigError(config_.switches.buffers.mark.place(), problem,
                      remedy + "; or set the headroom by hand");
  }

  const FabricConfig& config_;
  Classifier classifier_;
};

}  // namespace

void check_lossless(const FabricConfig& config, const Topology& topology,
                    const std::vector<FlowConfig>& flows) {
  const BufferConfig& buffers = config.switches.buffers;
  if (!buffers.pfc.enabled || buffers.pfc.priorities.empty()) return;
  if (buffers.headroom.rule == HeadroomRule::kByHand) return;
  const Checks checks(config);
  for (const Topology::Link& link : topology.links()) {
    if (link.b.node < topology.hosts()) continue;  // back to back
    const bool to_host = link.a.node < topology.hosts();
    checks.response(link, to_host);
    if (to_host) checks.receive_buffer(link);
  }
  for (const FlowConfig& flow : flows) checks.flow(flow);
  if (config.tester.cnp.enabled) {
    checks.counted_as("tester.cnp", config.tester.cnp.priority, config.tester.cnp.dscp);
  }
}

}  // namespace railyard
