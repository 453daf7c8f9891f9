// What a checker sees of one direction of a PCIe link, and of a requester. One branch when there is
// none. All times are those of LazyScheduler::now().
#pragma once

#include <cstdint>

#include "hw/pcie/tlp.h"

namespace railyard::pcie {

/// What data link layer packets say.
struct Dllp {
  enum class Kind : std::uint8_t { kAck, kNak, kUpdate };
  Kind kind = Kind::kAck;
  FlowClass flow_class = FlowClass::kPosted;  // kUpdate
  std::uint64_t sequence = 0;                 // kAck, kNak: of the last good TLP, counted from 1
  std::uint64_t headers = 0;                  // kUpdate: allocated since the start
  std::uint64_t data = 0;                     // likewise, units of 16 B
};

constexpr std::uint32_t kDllpBytes = 8;  // framing 2, content 4, CRC 2

class PortObserver {
 public:
  virtual ~PortObserver() = default;
  /// The transmit queue took a TLP: from here on the ordering rules hold.
  virtual void queued(const Tlp& tlp, Time now) = 0;
  /// Something is put on the line from `now` to `end`. Sequence numbers count from 1 and do not
  /// wrap here.
  virtual void sent(const Tlp& tlp, std::uint64_t sequence, bool replayed, Time now, Time end) = 0;
  virtual void sent(const Dllp& dllp, Time now, Time end) = 0;
  virtual void sent_skip(Time now, Time end) = 0;
  /// It came out at the other end; `good`: its CRC holds.
  virtual void arrived(const Tlp& tlp, std::uint64_t sequence, bool good, Time now) = 0;
  virtual void arrived(const Dllp& dllp, bool good, Time now) = 0;
  /// The receiver gave a good TLP, that was the next in sequence, to what is behind it.
  virtual void accepted(const Tlp& tlp, Time now) = 0;
  /// The space of an accepted TLP in the receive buffer is free again.
  virtual void released(FlowClass flow_class, std::uint32_t data_credits, Time now) = 0;
};

/// Watches a requester: what it asked for, and what it was answered.
class RequesterObserver {
 public:
  virtual ~RequesterObserver() = default;
  virtual void requested(const Tlp& tlp, Time now) = 0;
  /// A completion for one of its tags was taken.
  virtual void completed(const Tlp& completion, Time now) = 0;
  /// The tag may be used again: answered, or timed out.
  virtual void tag_free(std::uint16_t tag, Time now) = 0;
};

}  // namespace railyard::pcie
