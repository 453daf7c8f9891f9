// The modules of a tester fabric's nodes. Included by the fabric's .cpp files alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/eth_switch/eth_switch.h"
#include "hw/eth_switch/switch_port.h"
#include "hw/tester/port.h"
#include "platforms/common/fabric/tester_fabric.h"
#include "tlm/link/link.h"

namespace railyard {

/// What a host's port is made from.
struct HostPort {
  std::uint32_t number;
  Partition& partition;
  TesterConfig tester;
  TesterAddress address;
  LinkConfig link;
  std::string peer;
};

struct TesterFabric::Host : sc_core::sc_module {
  Host(sc_core::sc_module_name name, const std::vector<HostPort>& ports, Blocks& blocks)
      : sc_module(name) {
    for (const HostPort& p : ports) {
      const std::string number = std::to_string(p.number);
      nics.push_back(std::make_unique<TesterPort>(("nic" + number).c_str(), p.partition, p.tester,
                                                  p.address, p.link.rate, p.peer, &blocks));
      links.push_back(std::make_unique<LinkEnd>(("link" + number).c_str(), p.partition, p.link,
                                                Announce::kLastBit));
      bind_both(*nics.back(), *links.back());
      numbers.push_back(p.number);
    }
  }

  TesterPort& nic(std::uint32_t port) { return *nics[place_of(port)]; }
  LinkEnd& link(std::uint32_t port) { return *links[place_of(port)]; }

  std::size_t place_of(std::uint32_t port) const {
    const auto found = std::lower_bound(numbers.begin(), numbers.end(), port);
    return static_cast<std::size_t>(found - numbers.begin());
  }

  std::vector<std::uint32_t> numbers;  // of the cabled ports, ascending
  std::vector<std::unique_ptr<TesterPort>> nics;
  std::vector<std::unique_ptr<LinkEnd>> links;
};

struct TesterFabric::Switch : EthSwitch {
  Switch(sc_core::sc_module_name name, Partition& partition, const SwitchConfig& config,
         const std::vector<std::optional<SwitchLine>>& lines, Blocks& blocks)
      : EthSwitch(name, partition, config, lines, {}, &blocks), links(lines.size()) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!lines[i]) continue;
      links[i] = std::make_unique<LinkEnd>(("link" + std::to_string(i)).c_str(), partition,
                                           lines[i]->link, announce());
      bind_both(port(static_cast<PortId>(i)), *links[i]);
    }
  }

  LinkEnd& link(std::uint32_t port) { return *links[port]; }

  std::vector<std::unique_ptr<LinkEnd>> links;
};

}  // namespace railyard
