#include "hw/pcie/completion.h"

#include "hw/pcie/tlp_rules.h"

namespace railyard::pcie {

TlpRef completion_for(Hierarchy& hierarchy, const Tlp& request, DeviceId completer, TlpType type,
                      Stage own) {
  TlpRef tlp = hierarchy.tlps().acquire();
  tlp->type = type;
  tlp->relaxed = request.relaxed;
  tlp->requester = request.requester;
  tlp->completer = completer;
  tlp->tag = request.tag;
  tlp->address = request.is_config() ? 0 : request.address;
  tlp->ticket = request.ticket;
  tlp->created = request.created;
  tlp->since = request.since;
  tlp->spent = request.spent;
  tlp->spend(own, hierarchy.now());
  return tlp;
}

TlpRef plain_completion(Hierarchy& hierarchy, const Tlp& request, DeviceId completer, Status status,
                        Stage own) {
  TlpRef tlp = completion_for(hierarchy, request, completer, TlpType::kCompletion, own);
  tlp->status = status;
  tlp->bytes_left = byte_count(request);
  tlp->seal();
  return tlp;
}

TlpRef register_completion(Hierarchy& hierarchy, const Tlp& request, DeviceId completer,
                           std::uint64_t value, std::uint32_t bytes, Stage own) {
  TlpRef tlp = completion_for(hierarchy, request, completer, TlpType::kCompletionData, own);
  tlp->bytes = bytes;
  tlp->bytes_left = byte_count(request);
  tlp->payload = hierarchy.payloads().acquire();
  tlp->payload->resize(sizeof value);
  for (std::size_t i = 0; i < sizeof value; ++i) {
    tlp->payload->data()[i] = static_cast<std::uint8_t>(value >> 8 * i);
  }
  tlp->seal();
  return tlp;
}

}  // namespace railyard::pcie
