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
       const TesterConfig& tester_config, const LinkPlatformConfig& config)
      : sc_module(name),
        tester(tester_config),
        port("port", partition, tester_config, config.traffic, config.link.rate, peer + ".port"),
        link("link", partition, config.link, Announce::kLastBit) {
    bind_both(port, link);
  }

  TesterConfig tester;
  TesterPort port;
  LinkEnd link;
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
    if (a.tester.sends) connect_flow(a, b);
    if (b.tester.sends) connect_flow(b, a);
    register_totals(simulation.partition(0).statistics());
  }

  std::vector<std::string> summary() const override {
    std::vector<std::string> names = {"total.goodput_gbps", "total.unfinished_flows"};
    for (std::size_t i = 0; i < flows_; ++i) {
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
    flow.traffic = config_.traffic;
    flow.data = config_.data;
    flow.source_mac = from.tester.mac;
    flow.destination_mac = to.tester.mac;
    flow.source_ip = from.tester.ip;
    flow.destination_ip = to.tester.ip;
    flow.source_qp = 0x100 + static_cast<std::uint32_t>(2 * flows_);
    flow.destination_qp = flow.source_qp + 1;
    from.port.send_flow(flow);
    to.port.expect_flow(flow, flows_++, from.tester.start);
  }

  double goodput_gbps(Time now) const {
    Time start = kForever;
    Time end = 0;
    std::uint64_t bytes = 0;
    for (const auto& node : nodes_) {
      if (node->tester.sends) start = std::min(start, node->tester.start);
      bytes += node->port.received_bytes();
      end = std::max(end, node->port.flow_ended() ? node->port.completed_at() : now);
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
            return !node->port.received_all();
          });
          return MetricValue::of(static_cast<std::uint64_t>(left));
        });
  }

  LinkPlatformConfig config_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::size_t flows_ = 0;
};

}  // namespace

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
    if (first.ip.index() != second.ip.index()) {
      bound.fail(other + ".ip", "it is of another family than that of " + first_name,
                 "write both as IPv4 or both as IPv6");
    }
    if (first.ip == second.ip) {
      bound.fail(other + ".ip", "it is that of " + first_name, "give each node its own");
    }
    if (first.mac == second.mac) {
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
