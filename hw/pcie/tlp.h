// Transaction layer packets: what crosses PCIe links.
//
// Sizes on the link with 128b/130b encoding, in bytes (PCI Express Base
// Specification 5.0, 2.2, 3.4, 4.2.2): start token with sequence number 4, header 12 or 16, data in
// whole dwords, LCRC 4. So a request with a 64-bit address takes 24 beside its data, with a 32-bit
// address 20; a completion 20.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tlm/base/pool.h"
#include "tlm/base/time.h"
#include "tlm/net/packet.h"

namespace railyard::pcie {

enum class TlpType : std::uint8_t {
  kMemoryRead,
  kMemoryWrite,
  kConfigRead,
  kConfigWrite,
  kCompletion,  // without data
  kCompletionData,
};

/// What flow control and ordering tell apart.
enum class FlowClass : std::uint8_t { kPosted, kNonPosted, kCompletion };
constexpr std::size_t kFlowClasses = 3;

enum class Status : std::uint8_t {
  kSuccess = 0,
  kUnsupportedRequest = 1,
  kConfigRetry = 2,
  kCompleterAbort = 4,
  kTimeout = 0xFF,  // no completion came: never on the link
};

/// Bus, device, function: bbbbbbbb dddddfff.
struct DeviceId {
  std::uint16_t value = 0;

  static constexpr DeviceId of(unsigned bus, unsigned device, unsigned function = 0) {
    return {static_cast<std::uint16_t>(bus << 8 | device << 3 | function)};
  }
  unsigned bus() const { return value >> 8; }
  unsigned device() const { return value >> 3 & 31U; }
  unsigned function() const { return value & 7U; }
  bool operator==(DeviceId o) const { return value == o.value; }
  bool operator!=(DeviceId o) const { return value != o.value; }
};

/// Where a request's time goes; a read's parts sum to its latency.
enum class Stage : std::uint8_t {
  kTag,          // the requester has no tag, or no room for the completions
  kTransmit,     // in a transmit queue: credits, ordering, others first
  kLine,         // serialisation, propagation, physical and data link layers
  kSwitch,       // inside switches
  kRoot,         // inside the root complex
  kTranslation,  // waits for the IOMMU
  kMemory,       // memory: queue and access
  kDevice,       // inside the completer that is a device
};
constexpr std::size_t kStages = 8;

class Port;

/// A posted write, or a transfer of several, that somebody outside may wait for: one of those that
/// the Hierarchy keeps.
struct UnderWay {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t index = kNone;
};

/// `address` is that of the first byte that is meant; `bytes` spans the first to the last, which in
/// a request of one dword may have holes (`byte_enables`).
struct TlpFields {
  TlpType type = TlpType::kMemoryRead;
  Status status = Status::kSuccess;  // completions
  bool relaxed = false;              // relaxed ordering
  bool type_1 = false;               // configuration: to be passed on by a bridge
  bool elided = false;               // reads: for the length of the data only
  std::uint8_t byte_enables = 0xF;   // requests of one dword: which bytes are meant
  DeviceId requester;
  DeviceId completer;  // completions: whose; configuration: for whom
  std::uint16_t tag = 0;
  std::uint64_t address = 0;         // configuration: the register; completions: the first byte's
  std::uint32_t bytes = 0;           // of this TLP; a read's: that it asks for
  std::uint32_t bytes_left = 0;      // completions: byte count, this one's included
  Ref<net::Payload> payload;         // none: no data, or elided
  std::uint32_t payload_offset = 0;  // where this TLP's bytes begin in `payload`

  // What the model knows beyond the link's bytes.
  std::uint32_t wire_bytes = 0;    // once sealed
  std::uint16_t data_credits = 0;  // once sealed: units of 16 B
  UnderWay under_way;              // a posted write: Hierarchy::write_starts
  Port* held_at = nullptr;         // the receive buffer that it occupies
  std::uint64_t ticket = 0;        // its sender's, to know it again
  Time created = 0;
  Time since = 0;  // in the stage that it is in
  std::array<Time, kStages> spent{};

  bool is_completion() const {
    return type == TlpType::kCompletion || type == TlpType::kCompletionData;
  }
  bool is_config() const { return type == TlpType::kConfigRead || type == TlpType::kConfigWrite; }
  bool has_data() const {
    return type == TlpType::kMemoryWrite || type == TlpType::kConfigWrite ||
           type == TlpType::kCompletionData;
  }
  FlowClass flow_class() const {
    constexpr FlowClass kByType[] = {FlowClass::kNonPosted,  FlowClass::kPosted,
                                     FlowClass::kNonPosted,  FlowClass::kNonPosted,
                                     FlowClass::kCompletion, FlowClass::kCompletion};
    return kByType[static_cast<std::size_t>(type)];
  }
  /// Dwords that `bytes` at `address` touch; a request for no byte has one (2.2.5).
  std::uint32_t dwords() const {
    const auto offset = static_cast<std::uint32_t>(address & 3U);
    return bytes == 0 ? 1 : (offset + bytes + 3) / 4;
  }
  /// The first byte's place, if the data is carried.
  const std::uint8_t* data() const { return payload ? payload->data() + payload_offset : nullptr; }
  std::uint8_t* data() { return payload ? payload->data() + payload_offset : nullptr; }

  /// Called when the header is complete.
  void seal() {
    constexpr std::uint32_t kFraming = 8;  // start token with sequence number, LCRC
    const bool long_header = !is_completion() && !is_config() && address >> 32 != 0;
    const std::uint32_t data_bytes = has_data() ? dwords() * 4 : 0;
    wire_bytes = kFraming + (long_header ? 16 : 12) + data_bytes;
    data_credits = static_cast<std::uint16_t>((data_bytes + 15) / 16);
  }
  /// The time until `now` was spent in `stage`.
  void spend(Stage stage, Time now) {
    spent[static_cast<std::size_t>(stage)] += now - since;
    since = now;
  }
};

struct Tlp : Pooled<Tlp>, TlpFields {
  void reset() { static_cast<TlpFields&>(*this) = kBlank; }

 private:
  static inline const TlpFields kBlank;  // to copy is faster than to make one each time
};

using TlpRef = Ref<Tlp>;

}  // namespace railyard::pcie
