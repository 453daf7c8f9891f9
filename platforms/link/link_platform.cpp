#include "platforms/link/link_platform.h"

#include <algorithm>
#include <vector>

#include "hw/tester/port.h"
#include "tlm/link/link.h"
#include "tlm/link/link_checker.h"

namespace railyard {

namespace {

/// A port and its half of the link, under one name.
struct Node : sc_core::sc_module {
  Node(sc_core::sc_module_name name, const std::string& peer, Partition& partition,
       const LinkNodeConfig& node_config, const LinkPlatformConfig& platform_config)
      : sc_module(name),
        config(node_config),
        port("port", partition, node_config.tester, node_config.address, platform_config.link.rate,
             peer + ".port"),
        link("link", partition, platform_config.link, Announce::kLastBit) {
    bind_both(port, link);
  }

  LinkNodeConfig config;
  TesterPort port;
  LinkEnd link;
  std::optional<std::size_t> receives;  // the flow that it is to receive
};

class LinkFabric : public Fabric {
 public:
  LinkFabric(const LinkPlatformConfig& config, Simulation& simulation, bool checks)
      : config_(config) {
    // In order of name: flow numbers do not depend on the order in the file.
    const auto& [a_name, a_config] = *config.nodes.begin();
    const auto& [b_name, b_config] = *std::next(config.nodes.begin());
    nodes_.push_back(
        std::make_unique<Node>(a_name.c_str(), b_name, simulation.partition(0), a_config, config));
    nodes_.push_back(
        std::make_unique<Node>(b_name.c_str(), a_name, simulation.partition(1), b_config, config));
    Node& a = *nodes_[0];
    Node& b = *nodes_[1];
    LinkEnd::connect(a.link, b.link);
    if (checks) check_link(a.link, b.link);
    if (a.config.sends) connect_flow(a, b);
    if (b.config.sends) connect_flow(b, a);
    register_totals(simulation.partition(0).statistics());
  }

  std::vector<std::string> summary() const override {
    std::vector<std::string> names = {"total.goodput_gbps", "total.unfinished_flows"};
    for (std::uint32_t i = 0; i < flows_; ++i) {
      names.push_back("flow" + std::to_string(i) + ".completion_us");
      names.push_back("flow" + std::to_string(i) + ".goodput_gbps");
    }
    for (const auto& node : nodes_) {
      const std::string prefix = std::string(node->name()) + ".";
      for (const char* metric :
           {"link.tx_frames", "link.rx_frames", "link.tx_utilisation", "port.pause_us",
            "port.pfc_xoff_sent", "port.receive_buffer_bytes_peak", "port.latency_ns_p50",
            "port.latency_ns_p99", "port.overflow", "port.lost_packets"}) {
        names.push_back(prefix + metric);
      }
    }
    return names;
  }

 private:
  void connect_flow(Node& from, Node& to) {
    FlowConfig flow;
    flow.index = flows_++;
    flow.source = from.config.address;
    flow.destination = to.config.address;
    flow.source_qp = 0x100 + 2 * flow.index;
    flow.destination_qp = flow.source_qp + 1;
    const TrafficConfig& traffic = config_.traffic;
    flow.messages = traffic.messages;
    flow.message_size = traffic.message_size;
    flow.path_mtu = traffic.path_mtu;
    flow.priority = traffic.priority;
    flow.dscp = traffic.dscp;
    flow.vlan = traffic.vlan;
    flow.start = from.config.start;
    flow.data = config_.data;
    from.port.send_flow(flow);
    to.port.expect_flow(flow);
    to.receives = flow.index;
  }

  double goodput_gbps(Time now) const {
    Time start = kForever;
    Time end = 0;
    std::uint64_t bytes = 0;
    for (const auto& node : nodes_) {
      if (node->config.sends) start = std::min(start, node->config.start);
      if (!node->receives) continue;
      const std::size_t flow = *node->receives;
      bytes += node->port.received_bytes(flow);
      end = std::max(end, node->port.ended(flow) ? node->port.completed_at(flow) : now);
    }
    const auto ps = static_cast<double>(end - start);
    constexpr double kGigabitsPerSecond = 8000;  // of a byte a picosecond
    return bytes == 0 || ps <= 0 ? 0.0 : static_cast<double>(bytes) * kGigabitsPerSecond / ps;
  }

  void register_totals(StatisticsRegistry& statistics) {
    statistics.add_derived({"total.goodput_gbps", "Gb/s",
                            "Payload received by all nodes over the time from the first start to "
                            "the last completion, warm-up or not"},
                           [this](Time now, Time) { return MetricValue::of(goodput_gbps(now)); });
    statistics.add_derived(
        {"total.unfinished_flows", "flows", "Flows of which not every packet has been received"},
        [this](Time, Time) {
          const auto left = std::count_if(nodes_.begin(), nodes_.end(), [](const auto& node) {
            return node->receives && !node->port.complete(*node->receives);
          });
          return MetricValue::of(static_cast<std::uint64_t>(left));
        });
  }

  LinkPlatformConfig config_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::uint32_t flows_ = 0;
};

}  // namespace

void TrafficConfig::declare(Parameters& p) {
  p.add("messages", messages)
      .range(1, 1'000'000'000)
      .doc("RDMA writes (unreliable connection) that each sending port sends");
  p.add("message_size", message_size).range(1, 1ULL << 31).doc("Bytes of a message");
  p.choice("path_mtu", path_mtu,
           {{"256", 256}, {"512", 512}, {"1024", 1024}, {"2048", 2048}, {"4096", 4096}})
      .doc("Largest payload of a RoCE packet, bytes");
  p.add("priority", priority)
      .max(7)
      .doc("Priority (PFC class, and PCP with a VLAN) of the traffic");
  p.add("dscp", dscp).max(63).doc("DSCP of the traffic");
  p.add("vlan", vlan).range(1, 4094).doc("VLAN id; none: untagged frames");
}

void LinkNodeConfig::declare(Parameters& p) {
  p.add("mac", address.mac).required().doc("Address of the port");
  p.add("ip", address.ip)
      .required()
      .doc("IPv4 or IPv6 address, of one family in the whole platform");
  p.add("sends", sends).doc("The port sends the platform's traffic to its peer");
  p.add("start", start).range(0, 1000 * kSecond).doc("When the port begins to send");
  tester.declare(p);
}

void LinkPlatformConfig::declare(Parameters& p) {
  p.choice("data", data, {{"carried", DataMode::kCarried}, {"elided", DataMode::kElided}})
      .doc("Whether payload bytes move and are checked, or are a length only; timing is the same");
  p.group("link", link).doc("The link");
  p.group("traffic", traffic).doc("What each sending node sends");
  p.map("nodes", nodes).doc("The two ports, by name");
  p.check([this](const Bound& bound) {
    if (nodes.size() != 2) {
      bound.fail("nodes", "a link has two nodes, not " + std::to_string(nodes.size()),
                 "name two under nodes");
    }
    const auto& [first_name, first] = *nodes.begin();
    const auto& [second_name, second] = *std::next(nodes.begin());
    const std::string other = "nodes." + second_name;
    if (first.address.ip.index() != second.address.ip.index()) {
      bound.fail(other + ".ip", "it is of another family than that of " + first_name,
                 "write both as IPv4 or both as IPv6");
    }
    if (first.address.ip == second.address.ip) {
      bound.fail(other + ".ip", "it is that of " + first_name, "give each node its own");
    }
    if (first.address.mac == second.address.mac) {
      bound.fail(other + ".mac", "it is that of " + first_name, "give each node its own");
    }
  });
}

std::string LinkPlatform::default_config() const {
  return RAILYARD_SOURCE_DIR "/platforms/link/link.yaml";
}

std::unique_ptr<Fabric> LinkPlatform::build(Simulation& simulation, const RunConfig& run) {
  return std::make_unique<LinkFabric>(config_, simulation, run.checks);
}

}  // namespace railyard
