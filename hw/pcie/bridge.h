// What root ports and the ports of switches share: a port with a bridge's configuration space.
#pragma once

#include <string>

#include "hw/pcie/config_space.h"
#include "hw/pcie/hierarchy.h"
#include "hw/pcie/link_config.h"
#include "hw/pcie/port.h"

namespace railyard::pcie {

/// Joins the two ends of a link. A ConfigError that names both if they are not configured alike:
/// what width and speed two such ends would agree on is not modelled.
void join(Port& a, Port& b);

/// The configuration space of a bridge whose link trains as it is built.
ConfigSpace bridge_space(const std::string& name, PortType type, std::uint32_t max_payload,
                         std::uint32_t read_completion_boundary, const LinkConfig& link);

/// Carries out a configuration request in `space` and returns its completion.
TlpRef access_config(Hierarchy& hierarchy, ConfigSpace& space, const Tlp& request, Stage own);

/// Frees a TLP's place in the receive buffer that holds it.
void release(Tlp& tlp);

/// Reports an unsupported request that came to `where`, logs it in `space`, and returns the
/// completion to send; none for a posted one, which is lost. `target` says what is at the address.
TlpRef refuse(Hierarchy& hierarchy, const std::string& where, ConfigSpace& space, Tlp& request,
              DeviceId completer, Stage own, const std::string& target);
TlpRef refuse(Hierarchy& hierarchy, const std::string& where, ConfigSpace& space, Tlp& request,
              DeviceId completer, Stage own);

}  // namespace railyard::pcie
