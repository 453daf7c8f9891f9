// A PCIe switch: one upstream port, any number of downstream ports, each a bridge with its own
// configuration space; the downstream ones are devices 0, 1, ... of the switch's internal bus.
//
// Modelled: routing by address windows, by bus number and by id; peer to peer between downstream
// ports, or by way of the root complex where access control redirects it; a latency from ingress to
// egress queue. A TLP keeps its place in the ingress port's buffer until it goes on its egress
// line, so that credits run out hop by hop; TLPs of one class do not wait for another's. Not
// modelled: cut-through (a TLP is checked whole before it is passed on), arbitration between
// ingress ports other than in order of arrival, multicast. The default latency is assumed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hw/pcie/config_space.h"
#include "hw/pcie/delay_line.h"
#include "hw/pcie/hierarchy.h"
#include "hw/pcie/link_config.h"
#include "hw/pcie/port.h"
#include "tlm/config/parameters.h"

namespace railyard::pcie {

struct SwitchConfig {
  Time latency = 110 * kNanosecond;
  std::uint32_t max_payload = 512;
  CreditConfig credits = switch_credits();

  void declare(Parameters& p);

  /// A switch takes completions that it did not ask for: theirs are finite.
  static CreditConfig switch_credits() {
    CreditConfig credits;
    credits.completion_headers = credits.posted_headers;
    credits.completion_data = credits.posted_data;
    return credits;
  }
};

class Switch : public sc_core::sc_module {
 public:
  /// What a link leads to.
  struct Line {
    LinkConfig link;
    std::string peer;  // the name of the port at the other end
  };

  Switch(sc_core::sc_module_name name, Hierarchy& hierarchy, const SwitchConfig& config,
         const Line& upstream, const std::vector<Line>& downstream);
  ~Switch() override;

  Port& upstream();
  Port& downstream(unsigned index);
  ConfigSpace& upstream_config();
  ConfigSpace& downstream_config(unsigned index);

 private:
  class Side;

  void route(Side& from, TlpRef tlp);
  void route_config(Side& from, TlpRef tlp);
  void route_completion(Side& from, TlpRef tlp);
  void pass(Side& to, TlpRef tlp);
  void unsupported(Side& from, TlpRef tlp);
  void answer_config(Side& bridge, const TlpRef& tlp);
  Side* downstream_for(std::uint64_t address);
  Side* downstream_for_bus(unsigned bus);

  Hierarchy& hierarchy_;
  std::unique_ptr<Side> upstream_;
  std::vector<std::unique_ptr<Side>> downstream_;
  Counter peer_to_peer_, redirected_;
};

}  // namespace railyard::pcie
