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

std::uint32_t frame_of(const FabricConfig& config, std::uint32_t payload) {
  net::Frame frame;
  frame.ethernet.has_vlan = config.traffic.vlan.has_value();
  frame.ethernet.type =
      config.nic.ip == IpVersion::k4 ? net::EtherType::kIpv4 : net::EtherType::kIpv6;
  frame.ipv4.protocol = frame.ipv6.next_header = net::kProtocolUdp;
  frame.udp.destination_port = net::kRoceUdpPort;
  frame.bth.opcode = net::Opcode::kUcRdmaWriteOnly;
  frame.payload_bytes = payload;
  return net::frame_bytes(frame);
}

class Checks {
 public:
  Checks(const FabricConfig& config, const LosslessHosts& hosts)
      : config_(config), hosts_(hosts), classifier_(config.switches.classifier) {}

  /// Of a link from a switch to a switch or a host.
  void response(const Topology::Link& link, bool to_host) const {
    const BufferConfig& buffers = config_.switches.buffers;
    const std::uint64_t limit = peer_response_quanta(buffers, link.rate);
    const std::uint64_t taken =
        to_host ? hosts_.response_quanta : own_response_quanta(buffers, link.rate);
    if (taken <= limit) return;
    refuse((to_host ? hosts_.response_key : "switch.pfc.response_quanta") + " of " +
               std::to_string(taken) + " is more than the " + std::to_string(limit) +
               " that headrooms at " + format_rate(link.rate) + " are for",
           "write switch.headroom.response_quanta: " + std::to_string(taken));
  }

  /// Of a host that does not take frames as fast as they come: what still comes after its XOFF.
  void receive_buffer(const Topology::Link& link) const {
    if (!hosts_.pauses || !hosts_.slow(link)) return;
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
        hosts_.xoff + 2ULL * headroom.largest_lossless_frame + pause_window(line);
    if (hosts_.buffer >= least) return;
    refuse(hosts_.buffer_key + " of " + format_bytes(hosts_.buffer) +
               " does not hold what comes until a pause acts at " + format_rate(link.rate) +
               ": with " + hosts_.xoff_key + " of " + format_bytes(hosts_.xoff) + " it takes " +
               format_bytes(least),
           "enlarge " + hosts_.buffer_key + ", or lower " + hosts_.xoff_key);
  }

  void flow(const LosslessFlow& flow) const {
    const std::uint8_t priority = counted_as("traffic", flow.priority, flow.dscp);
    const std::uint32_t accepted =
        std::min(config_.switches.buffers.headroom.largest_frame,
                 config_.switches.buffers.headroom.largest_lossless_frame);
    const std::uint32_t bytes = frame_of(config_, flow.payload);
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
  const LosslessHosts& hosts_;
  Classifier classifier_;
};

}  // namespace

void check_lossless(const FabricConfig& config, const Topology& topology,
                    const LosslessHosts& hosts, const std::vector<LosslessFlow>& flows) {
  const BufferConfig& buffers = config.switches.buffers;
  if (!buffers.pfc.enabled || buffers.pfc.priorities.empty()) return;
  if (buffers.headroom.rule == HeadroomRule::kByHand) return;
  const Checks checks(config, hosts);
  for (const Topology::Link& link : topology.links()) {
    if (link.b.node < topology.hosts()) continue;  // back to back
    const bool to_host = link.a.node < topology.hosts();
    checks.response(link, to_host);
    if (to_host) checks.receive_buffer(link);
  }
  for (const LosslessFlow& flow : flows) checks.flow(flow);
  if (hosts.cnp.enabled) checks.counted_as(hosts.cnp_key, hosts.cnp.priority, hosts.cnp.dscp);
}

}  // namespace railyard
