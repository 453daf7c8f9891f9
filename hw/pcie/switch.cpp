#include "hw/pcie/switch.h"

#include <utility>

#include "hw/pcie/bridge.h"

namespace railyard::pcie {

void SwitchConfig::declare(Parameters& p) {
  p.add("latency", latency)
      .max(10 * kMicrosecond)
      .doc("From a TLP's being checked to its place in the egress port's queue");
  p.choice("max_payload", max_payload,
           {{"128", 128U},
            {"256", 256U},
            {"512", 512U},
            {"1024", 1024U},
            {"2048", 2048U},
            {"4096", 4096U}})
      .doc("Largest payload that the switch supports, bytes");
  p.group("credits", credits).doc("Credits that each of its ports advertises");
  p.check([this](const Bound& bound) {
    if (credits.completion_headers != 0) return;
    bound.fail("credits.completion_headers", "a switch cannot take any number of completions",
               "write a number of credits for them");
  });
}

class Switch::Side : public PortClient {
 public:
  Side(Switch& owner, const std::string& name, PortType type, const SwitchConfig& config,
       const Line& line)
      : owner_(owner),
        space(bridge_space(name, type, config.max_payload, 128, line.link)),
        port(owner.hierarchy_, name, line.peer, line.link, config.credits, *this),
        ingress(owner.hierarchy_, name + ".ingress", config.latency,
                [this](TlpRef tlp) { owner_.route(*this, std::move(tlp)); }) {}

  void received(Port& /*port*/, TlpRef tlp) override { ingress.push(std::move(tlp)); }
  void sending(Port& /*port*/, const Tlp& /*tlp*/) override {}

 private:
  Switch& owner_;

 public:
  ConfigSpace space;
  Port port;
  DelayLine<TlpRef> ingress;
  DeviceId id;
};

Switch::Switch(sc_core::sc_module_name name, Hierarchy& hierarchy, const SwitchConfig& config,
               const Line& upstream, const std::vector<Line>& downstream)
    : sc_module(name), hierarchy_(hierarchy) {
  const std::string prefix = std::string(this->name()) + ".";
  upstream_ =
      std::make_unique<Side>(*this, prefix + "up", PortType::kSwitchUpstream, config, upstream);
  for (std::size_t i = 0; i < downstream.size(); ++i) {
    downstream_.push_back(std::make_unique<Side>(*this, prefix + "down" + std::to_string(i),
                                                 PortType::kSwitchDownstream, config,
                                                 downstream[i]));
  }
  StatisticsRegistry& statistics = hierarchy.partition().statistics();
  statistics.add(peer_to_peer_, {prefix + "peer_to_peer", "TLPs",
                                 "TLPs that went from one downstream port to another"});
  statistics.add(redirected_, {prefix + "redirected", "TLPs",
                               "TLPs for another downstream port that access control sent up"});
}

Switch::~Switch() = default;

Port& Switch::upstream() { return upstream_->port; }
Port& Switch::downstream(unsigned index) { return downstream_.at(index)->port; }
ConfigSpace& Switch::upstream_config() { return upstream_->space; }
ConfigSpace& Switch::downstream_config(unsigned index) { return downstream_.at(index)->space; }

Switch::Side* Switch::downstream_for(std::uint64_t address) {
  for (const auto& side : downstream_) {
    if (side->space.memory_enabled() && side->space.in_window(address)) return side.get();
  }
  return nullptr;
}

Switch::Side* Switch::downstream_for_bus(unsigned bus) {
  for (const auto& side : downstream_) {
    if (side->space.has_bus(bus)) return side.get();
  }
  return nullptr;
}

void Switch::pass(Side& to, TlpRef tlp) {
  tlp->spend(Stage::kSwitch, hierarchy_.now());
  to.port.send(std::move(tlp));
}

void Switch::route(Side& from, TlpRef tlp) {
  if (tlp->is_config()) {
    route_config(from, std::move(tlp));
    return;
  }
  if (tlp->is_completion()) {
    route_completion(from, std::move(tlp));
    return;
  }
  const bool upwards = &from != upstream_.get();
  Side* const to = downstream_for(tlp->address);
  if (!upwards) {
    if (to == nullptr) {
      unsupported(from, std::move(tlp));
    } else {
      pass(*to, std::move(tlp));
    }
    return;
  }
  const bool below = to != nullptr && to != &from;
  const bool peer_to_peer = below && !from.space.acs_request_redirect();
  // What a bridge passes on upstream takes its own being a bus master (7.5.1.1.3).
  if (!from.space.bus_master() || (!peer_to_peer && !upstream_->space.bus_master())) {
    unsupported(from, std::move(tlp));
    return;
  }
  if (to == nullptr && upstream_->space.memory_enabled() &&
      upstream_->space.in_window(tlp->address)) {
    unsupported(from, std::move(tlp));
    return;
  }
  if (peer_to_peer) {
    peer_to_peer_.add();
    pass(*to, std::move(tlp));
    return;
  }
  if (below) redirected_.add();
  pass(*upstream_, std::move(tlp));
}

void Switch::route_completion(Side& from, TlpRef tlp) {
  Side* const to = downstream_for_bus(tlp->requester.bus());
  const bool upwards = &from != upstream_.get();
  if (!upwards && to == nullptr) {
    hierarchy_.report(name(),
                      "an unexpected completion came for " + hierarchy_.who(tlp->requester));
    release(*tlp);
    return;
  }
  if (upwards && to != nullptr) {
    if (!from.space.acs_completion_redirect()) {
      peer_to_peer_.add();
      pass(*to, std::move(tlp));
      return;
    }
    redirected_.add();
  }
  pass(upwards ? *upstream_ : *to, std::move(tlp));
}

void Switch::unsupported(Side& from, TlpRef tlp) {
  TlpRef completion =
      refuse(hierarchy_, from.port.name(), from.space, *tlp, from.id, Stage::kSwitch);
  if (completion) from.port.send(std::move(completion));
}

// Configuration requests come from above alone.
void Switch::route_config(Side& from, TlpRef tlp) {
  if (&from != upstream_.get()) {
    unsupported(from, std::move(tlp));
    return;
  }
  const DeviceId target = tlp->completer;
  if (!tlp->type_1) {
    if (target.device() == 0 && target.function() == 0) {
      upstream_->id = target;
      answer_config(*upstream_, tlp);
    } else {
      unsupported(from, std::move(tlp));
    }
    return;
  }
  if (target.bus() == upstream_->space.secondary_bus()) {
    if (target.device() < downstream_.size() && target.function() == 0) {
      downstream_[target.device()]->id = target;
      answer_config(*downstream_[target.device()], tlp);
    } else {
      unsupported(from, std::move(tlp));
    }
    return;
  }
  Side* const to = downstream_for_bus(target.bus());
  if (to == nullptr) {
    unsupported(from, std::move(tlp));
    return;
  }
  tlp->type_1 = target.bus() != to->space.secondary_bus();
  // A link has one device.
  if (!tlp->type_1 && target.device() != 0) {
    unsupported(from, std::move(tlp));
    return;
  }
  pass(*to, std::move(tlp));
}

void Switch::answer_config(Side& bridge, const TlpRef& tlp) {
  upstream_->port.send(access_config(hierarchy_, bridge.space, *tlp, Stage::kSwitch));
  release(*tlp);
  bridge.port.set_max_payload(bridge.space.max_payload());
}

}  // namespace railyard::pcie
