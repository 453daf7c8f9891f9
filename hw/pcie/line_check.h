// The part of LinkChecker that knows the line of one direction: times, skip ordered sets, arrivals.
#pragma once

#include <cstdint>

#include "hw/pcie/check_place.h"
#include "hw/pcie/link_config.h"
#include "hw/pcie/port_observer.h"
#include "tlm/base/ring.h"

namespace railyard::pcie {

class LineCheck {
 public:
  LineCheck(const CheckPlace& place, const LinkConfig& config);

  void sent(const Tlp& tlp, std::uint64_t sequence, std::uint32_t wire_bytes, Time now, Time end);
  void sent(const Dllp& dllp, Time now, Time end);
  void sent_skip(Time now, Time end);
  void arrived(const Tlp& tlp, std::uint64_t sequence, Time now);
  void arrived(const Dllp& dllp, Time now);
  void at_end(Time now);

 private:
  struct Expected {
    Time at = 0;
    const Tlp* tlp = nullptr;    // none: a DLLP
    std::uint64_t sequence = 0;  // of a TLP
    Dllp dllp;
  };

  void occupy(std::uint64_t bytes, Time now, Time end);
  void check_skip_was_not_due(Time now);
  Expected leave(Time now, bool tlp);
  /// The time of so many bytes, in units of 1/den_ ps.
  __extension__ using Wide = unsigned __int128;
  Time rounded(std::uint64_t bytes) const;

  const CheckPlace& place_;
  Time latency_;
  std::uint32_t skip_bytes_;
  Time shortest_skip_interval_;  // 0: there are none
  Time longest_skip_interval_;
  Time longest_packet_;
  std::uint64_t num_;  // a byte takes num_/den_ ps
  std::uint64_t den_;
  Time burst_start_ = 0;
  std::uint64_t burst_bytes_ = 0;
  Time line_free_ = -1;
  Time last_skip_ = -1;
  Time next_skip_ = 0;  // when an even grid would have the next one, at the latest
  Ring<Expected> expected_;
};

}  // namespace railyard::pcie
