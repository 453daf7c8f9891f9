#include "hw/pcie/link_config.h"

namespace railyard::pcie {

void CreditConfig::declare(Parameters& p) {
  // With the largest scale factor of 4.0, 3.4.1.
  constexpr std::uint32_t kMostHeaders = 127 * 16;
  constexpr std::uint32_t kMostData = 2047 * 16;
  p.add("posted_headers", posted_headers)
      .range(1, kMostHeaders)
      .doc("PH: posted requests that the receiver has room for");
  p.add("posted_data", posted_data)
      .range(1, kMostData)
      .doc("PD: their data, in units of 16 B; at least a largest payload");
  p.add("non_posted_headers", non_posted_headers)
      .range(1, kMostHeaders)
      .doc("NPH: non-posted requests that the receiver has room for");
  p.add("non_posted_data", non_posted_data)
      .range(1, kMostData)
      .doc("NPD: their data, in units of 16 B");
  p.add("completion_headers", completion_headers)
      .max(kMostHeaders)
      .doc(
          "CplH: completions that the receiver has room for; 0: infinite, as endpoints and root "
          "ports must advertise");
  p.add("completion_data", completion_data)
      .max(kMostData)
      .doc("CplD: their data, in units of 16 B; 0: infinite");
  p.check([this](const Bound& bound) {
    if ((completion_headers == 0) == (completion_data == 0)) return;
    bound.fail("completion_data", "one kind of completion credits is infinite, the other is not",
               "write both as 0 or neither");
  });
}

void LinkConfig::declare(Parameters& p) {
  p.choice("generation", generation, {{"3", 3U}, {"4", 4U}, {"5", 5U}})
      .doc("8, 16 or 32 GT/s a lane, 128b/130b encoding");
  p.choice("lanes", lanes, {{"1", 1U}, {"2", 2U}, {"4", 4U}, {"8", 8U}, {"16", 16U}})
      .doc("Width of the link");
  p.add("latency", latency)
      .range(kNanosecond, 10 * kMicrosecond)
      .doc(
          "From a packet's last bit at the transmitter to its being checked at the receiver: "
          "both physical and data link layers, and the way between");
  p.add("skip_interval", skip_interval)
      .max(100'000)
      .doc("Blocks of 130 bits between two skip ordered sets (4.2.7.3 allows 370 to 375); 0: none");
  p.add("ack_delay", ack_delay)
      .max(10 * kMicrosecond)
      .doc(
          "From a TLP's arrival to its acknowledgement, which covers all that came meanwhile; "
          "none: as revision 3 of the standard limits it by width and largest payload");
  p.add("update_delay", update_delay)
      .max(30 * kMicrosecond)
      .doc(
          "From room in the receive buffer to the flow control update that tells of it, and of "
          "all that came meanwhile; none: as ack_delay");
  p.add("replay_buffer", replay_buffer)
      .range(kibibytes(5), 1ULL << 24)
      .doc("Bytes of TLPs that wait for their acknowledgement; when it is full no TLP is sent");
  p.add("replay_timeout", replay_timeout)
      .range(kMicrosecond, kMillisecond)
      .doc("Without an acknowledgement for this time all that wait for one are sent again");
  p.add("retrain_time", retrain_time)
      .range(10 * kMicrosecond, 100 * kMillisecond)
      .doc("The link is down for this time after four replays in a row that did not help");
  p.add("bit_error_rate", bit_error_rate)
      .range(0, 1e-3)
      .doc("Probability that a bit arrives wrong; the packet is then discarded and replayed");
  p.group("receive_stall", receive_stall)
      .doc("Random stalls of what is behind the receivers: buffers fill, credits run out");
}

Rate LinkConfig::rate() const {
  constexpr std::uint64_t kGigatransfers[] = {8, 16, 32};
  const std::uint64_t bits = kGigatransfers[generation - 3] * 1'000'000'000ULL * lanes;
  return {bits * 128, 130};
}

Time LinkConfig::ack_delay_at(std::uint32_t max_payload) const {
  if (ack_delay) return *ack_delay;
  constexpr std::uint64_t kInternalSymbols = 115;
  constexpr std::uint32_t kOverhead = 28;
  // Ten times the factor of the table.
  const bool small = max_payload <= 256;
  std::uint64_t factor = small ? 14 : 10;
  if (lanes == 8 && small) factor = 25;
  if (lanes == 16) factor = small ? 30 : 20;
  const std::uint64_t tenths = (max_payload + kOverhead) * factor / lanes + kInternalSymbols * 10;
  // A symbol is 8 bits of a lane.
  LinkConfig lane = *this;
  lane.lanes = 1;
  return lane.rate().time_of(tenths) / 10;
}

}  // namespace railyard::pcie
