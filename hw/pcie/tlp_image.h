// What a checker remembers of a TLP: all that must not change on the way, without its payload,
// which it must not keep alive.
#pragma once

#include <cstdint>

#include "hw/pcie/tlp.h"

namespace railyard::pcie {

struct TlpImage {
  const Tlp* object = nullptr;  // for its identity alone
  TlpType type = TlpType::kMemoryRead;
  Status status = Status::kSuccess;
  bool relaxed = false;
  std::uint8_t byte_enables = 0;
  DeviceId requester;
  std::uint16_t tag = 0;
  std::uint16_t data_credits = 0;
  std::uint32_t bytes = 0;
  std::uint32_t bytes_left = 0;
  std::uint32_t wire_bytes = 0;
  std::uint64_t address = 0;

  static TlpImage of(const Tlp& tlp) {
    return {&tlp,    tlp.type,         tlp.status, tlp.relaxed,    tlp.byte_enables, tlp.requester,
            tlp.tag, tlp.data_credits, tlp.bytes,  tlp.bytes_left, tlp.wire_bytes,   tlp.address};
  }
  bool is(const Tlp& tlp) const {
    return object == &tlp && type == tlp.type && status == tlp.status && relaxed == tlp.relaxed &&
           byte_enables == tlp.byte_enables && requester == tlp.requester && tag == tlp.tag &&
           data_credits == tlp.data_credits && bytes == tlp.bytes && bytes_left == tlp.bytes_left &&
           wire_bytes == tlp.wire_bytes && address == tlp.address;
  }
  FlowClass flow_class() const { return header().flow_class(); }
  /// What the ordering rules look at.
  TlpFields header() const {
    TlpFields fields;
    fields.type = type;
    fields.relaxed = relaxed;
    fields.requester = requester;
    fields.tag = tag;
    return fields;
  }
};

}  // namespace railyard::pcie
