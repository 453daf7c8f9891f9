// A port of a root complex. Included by root_complex*.cpp alone.
#pragma once

#include <string>
#include <utility>

#include "hw/pcie/bridge.h"
#include "hw/pcie/completer.h"
#include "hw/pcie/delay_line.h"
#include "hw/pcie/root_complex.h"

namespace railyard::pcie {

class RootComplex::RootPort : public PortClient {
 public:
  RootPort(RootComplex& owner, unsigned number, const std::string& name, const Line& line,
           std::function<void(TlpRef)> ingress_done)
      : owner_(owner),
        id(RootComplex::port_id(number)),
        index(number),
        space(bridge_space(name, PortType::kRootPort, owner.config_.max_payload,
                           owner.config_.completer.boundary, line.link)),
        port(owner.hierarchy_, name, line.peer, line.link, owner.config_.credits, *this),
        completer(
            owner.hierarchy_, name + ".memory", owner.config_.completer, owner.memory_,
            Stage::kRoot, [this](TlpRef tlp) { port.send(std::move(tlp)); },
            [this](const Tlp& tlp) { owner_.deliver(tlp); }),
        ingress(owner.hierarchy_, name + ".ingress", owner.config_.request_latency,
                std::move(ingress_done)) {
    completer.set_id(id);
    settings_changed();
  }

  /// After a configuration write.
  void settings_changed() {
    completer.set_max_payload(space.max_payload());
    port.set_max_payload(space.max_payload());
  }

  void received(Port& /*port*/, TlpRef tlp) override {
    owner_.hierarchy_.write_goes_on(*tlp, owner_.hierarchy_.now() + owner_.config_.request_latency);
    ingress.push(std::move(tlp));
  }
  void sending(Port& /*port*/, const Tlp& tlp) override { owner_.sending(*this, tlp); }

 private:
  RootComplex& owner_;

 public:
  DeviceId id;
  unsigned index;
  ConfigSpace space;
  Port port;
  Completer completer;
  DelayLine<TlpRef> ingress;
  std::uint32_t cpu_posted = 0;  // writes of cores that are not on the line
};

}  // namespace railyard::pcie
