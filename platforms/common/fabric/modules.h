// The hosts of a tester fabric. Included by the fabric's .cpp files alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "hw/eth_switch/eth_switch.h"
#include "hw/eth_switch/switch_port.h"
#include "hw/tester/port.h"
#include "platforms/common/fabric/network.h"
#include "platforms/common/fabric/tester_fabric.h"
#include "tlm/link/link.h"

namespace railyard {

struct TesterFabric::Host : sc_core::sc_module, HostNode {
  Host(sc_core::sc_module_name name, const std::vector<HostPort>& ports, TesterFabric& fabric)
      : sc_module(name) {
    for (const HostPort& p : ports) {
      const std::string number = std::to_string(p.number);
      nics.push_back(std::make_unique<TesterPort>(
          ("nic" + number).c_str(), p.partition, fabric.tester_config(p.endpoint),
          address_of(p.endpoint, fabric.config_.nic.ip), p.link.rate, p.peer, &fabric.blocks_));
      links.push_back(std::make_unique<LinkEnd>(("link" + number).c_str(), p.partition, p.link,
                                                Announce::kLastBit));
      bind_both(*nics.back(), *links.back());
      numbers.push_back(p.number);
    }
  }

  LinkEnd& link(std::uint32_t port) override { return *links[place_of(port)]; }
  const PauseLog& pause_log(std::uint32_t port) override {
    return nics[place_of(port)]->pause_log();
  }

  std::size_t place_of(std::uint32_t port) const {
    const auto found = std::lower_bound(numbers.begin(), numbers.end(), port);
    return static_cast<std::size_t>(found - numbers.begin());
  }

  std::vector<std::uint32_t> numbers;  // of the cabled ports, ascending
  std::vector<std::unique_ptr<TesterPort>> nics;
  std::vector<std::unique_ptr<LinkEnd>> links;
};

}  // namespace railyard
