#include "hw/pcie/sequence_check.h"

#include <algorithm>
#include <string>

namespace railyard::pcie {

std::uint32_t SequenceCheck::sent(const Tlp& tlp, std::uint64_t sequence, bool replayed, Time now) {
  return replayed ? sent_again(tlp, sequence, now) : sent_first(tlp, sequence, now);
}

std::uint32_t SequenceCheck::sent_first(const Tlp& tlp, std::uint64_t sequence, Time now) {
  place_.require(sequence == last_sent_ + 1, now, "sequence numbers are not consecutive");
  place_.require(!replaying_ || std::max(last_replayed_, acknowledged_) >= last_sent_, now,
                 "a new TLP went before one that was to be replayed");
  replaying_ = false;
  last_sent_ = sequence;
  unacknowledged_.push(TlpImage::of(tlp));
  return tlp.wire_bytes;
}

std::uint32_t SequenceCheck::sent_again(const Tlp& tlp, std::uint64_t sequence, Time now) {
  place_.require(sequence <= last_sent_, now, "a TLP was replayed that was not sent before");
  place_.require(sequence > acknowledged_, now, "a TLP was replayed that was acknowledged");
  // From the oldest on, each the next; a NAK or the timer begins anew.
  const bool begins = sequence == acknowledged_ + 1;
  const bool goes_on = replaying_ && sequence == last_replayed_ + 1;
  place_.require(begins || goes_on, now, "TLPs were replayed in another order");
  replaying_ = true;
  last_replayed_ = sequence;
  const TlpImage& image = unacknowledged_[sequence - acknowledged_ - 1];
  place_.require(image.object == &tlp, now, "another TLP was replayed under the sequence number");
  return image.wire_bytes;
}

bool SequenceCheck::arrived(const Tlp& tlp, std::uint64_t sequence, bool good, Time now) {
  if (!good || sequence != last_received_ + 1) return false;
  // It cannot be acknowledged yet, so the transmitter's side remembers it.
  const TlpImage& image = unacknowledged_[sequence - acknowledged_ - 1];
  place_.require(image.is(tlp), now, "a TLP changed on the way");
  last_received_ = sequence;
  not_accepted_.push(image);
  return true;
}

void SequenceCheck::accepted(const Tlp& tlp, Time now) {
  place_.require(!not_accepted_.empty(), now,
                 "a TLP was accepted that did not arrive good and in sequence, or twice");
  const TlpImage image = not_accepted_.pop();
  place_.require(image.is(tlp), now, "TLPs were accepted out of sequence");
}

void SequenceCheck::acknowledgement_sent(const Dllp& dllp, Time now) {
  place_.require(dllp.sequence <= last_received_, now,
                 "an acknowledgement names what has not arrived");
  place_.require(dllp.sequence >= last_named_, now, "acknowledgements went back");
  last_named_ = dllp.sequence;
}

void SequenceCheck::acknowledgement_arrived(const Dllp& dllp, Time now) {
  place_.require(dllp.sequence <= last_sent_, now, "an acknowledgement names what was not sent");
  for (; acknowledged_ < dllp.sequence; ++acknowledged_) unacknowledged_.pop();
}

void SequenceCheck::at_end(Time now) {
  if (!unacknowledged_.empty()) {
    place_.fail(now, std::to_string(unacknowledged_.size()) + " TLPs were never acknowledged");
  }
  if (!not_accepted_.empty()) {
    place_.fail(now, std::to_string(not_accepted_.size()) + " TLPs arrived but were not accepted");
  }
}

}  // namespace railyard::pcie
