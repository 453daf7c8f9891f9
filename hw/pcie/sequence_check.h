// The part of LinkChecker that knows the data link layer of one direction: sequence numbers,
// replay, acknowledgements (which go the other way), each TLP accepted once (3.6).
#pragma once

#include <cstdint>

#include "hw/pcie/check_place.h"
#include "hw/pcie/port_observer.h"
#include "hw/pcie/tlp_image.h"
#include "tlm/base/ring.h"

namespace railyard::pcie {

class SequenceCheck {
 public:
  explicit SequenceCheck(const CheckPlace& place) : place_(place) {}

  /// Gives the bytes that the TLP took on the line when it was sent first: what is behind the
  /// receiver may use it for something else while it is replayed.
  std::uint32_t sent(const Tlp& tlp, std::uint64_t sequence, bool replayed, Time now);
  /// Whether it is the next one, which will be accepted.
  bool arrived(const Tlp& tlp, std::uint64_t sequence, bool good, Time now);
  void accepted(const Tlp& tlp, Time now);
  /// The receiver acknowledges; the transmitter hears of it. A NAK acknowledges too.
  void acknowledgement_sent(const Dllp& dllp, Time now);
  void acknowledgement_arrived(const Dllp& dllp, Time now);
  void at_end(Time now);

 private:
  std::uint32_t sent_first(const Tlp& tlp, std::uint64_t sequence, Time now);
  std::uint32_t sent_again(const Tlp& tlp, std::uint64_t sequence, Time now);

  const CheckPlace& place_;
  // The transmitter's view.
  Ring<TlpImage> unacknowledged_;  // from acknowledged_ + 1
  std::uint64_t last_sent_ = 0;
  std::uint64_t acknowledged_ = 0;
  std::uint64_t last_replayed_ = 0;
  bool replaying_ = false;
  // The receiver's.
  Ring<TlpImage> not_accepted_;
  std::uint64_t last_received_ = 0;
  std::uint64_t last_named_ = 0;
};

}  // namespace railyard::pcie
