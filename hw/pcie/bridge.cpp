#include "hw/pcie/bridge.h"

#include <cstring>
#include <utility>

#include "hw/pcie/completion.h"
#include "hw/pcie/tlp_rules.h"
#include "tlm/base/error.h"
#include "tlm/base/format.h"

namespace railyard::pcie {

namespace {

std::string shape_of(const Port& port) {
  return port.name() + " is Gen" + std::to_string(port.config().generation) + " x" +
         std::to_string(port.config().lanes);
}

}  // namespace

void join(Port& a, Port& b) {
  if (a.config().generation != b.config().generation || a.config().lanes != b.config().lanes) {
    throw ConfigError(a.name(), "the ends of this link differ: " + shape_of(a) + ", " + shape_of(b),
                      "write the same generation and lanes for both");
  }
  Port::connect(a, b);
}

ConfigSpace bridge_space(const std::string& name, PortType type, std::uint32_t max_payload,
                         std::uint32_t read_completion_boundary, const LinkConfig& link) {
  FunctionIdentity identity;
  identity.vendor = 0x1DE5;  // of no vendor that is known
  identity.device = static_cast<std::uint16_t>(0x0100U + static_cast<unsigned>(type));
  identity.class_code = 0x060400;  // PCI-to-PCI bridge
  ConfigSpace space = ConfigSpace::bridge(name, identity);
  ExpressShape shape;
  shape.type = type;
  shape.max_payload = max_payload;
  shape.generation = link.generation;
  shape.lanes = link.lanes;
  shape.read_completion_boundary = read_completion_boundary;
  space.add_express(shape);
  space.add_error_reporting();
  if (type != PortType::kSwitchUpstream) space.add_access_control();
  space.set_link(link.generation, link.lanes);
  return space;
}

TlpRef access_config(Hierarchy& hierarchy, ConfigSpace& space, const Tlp& request, Stage own) {
  const auto offset = static_cast<unsigned>(request.address);
  if (request.type == TlpType::kConfigRead) {
    return register_completion(hierarchy, request, request.completer, space.read(offset), 4, own);
  }
  std::uint32_t value = 0;
  std::memcpy(&value, request.data(), sizeof value);
  space.write(offset, value, request.byte_enables);
  return plain_completion(hierarchy, request, request.completer, Status::kSuccess, own);
}

void release(Tlp& tlp) {
  if (tlp.held_at != nullptr) std::exchange(tlp.held_at, nullptr)->release(tlp);
}

TlpRef refuse(Hierarchy& hierarchy, const std::string& where, ConfigSpace& space, Tlp& request,
              DeviceId completer, Stage own) {
  const std::string target = request.is_config() ? "" : hierarchy.who(request.address);
  return refuse(hierarchy, where, space, request, completer, own, target);
}

TlpRef refuse(Hierarchy& hierarchy, const std::string& where, ConfigSpace& space, Tlp& request,
              DeviceId completer, Stage own, const std::string& target) {
  const bool write = request.type == TlpType::kMemoryWrite;
  // A host that looks for functions asks where there are none.
  if (!request.is_config()) {
    hierarchy.report(where, std::string("unsupported request: a ") + (write ? "write" : "read") +
                                " of " + std::to_string(request.bytes) + " B at " +
                                format_hex(request.address) + " (" + target + ") from " +
                                hierarchy.who(request.requester));
    space.log_error(UncorrectableError::kUnsupportedRequest, header_of(request));
  }
  if (write) {
    hierarchy.write_ends(request);
    release(request);
    return {};
  }
  TlpRef completion =
      plain_completion(hierarchy, request, completer, Status::kUnsupportedRequest, own);
  release(request);
  return completion;
}

}  // namespace railyard::pcie
