// The part of LinkChecker that knows flow control of one direction: six pools, of which the
// receiver gives credits back by updates that go the other way (2.6.1).
#pragma once

#include <array>
#include <cstdint>

#include "hw/pcie/check_place.h"
#include "hw/pcie/link_config.h"
#include "hw/pcie/port_observer.h"

namespace railyard::pcie {

class CreditCheck {
 public:
  /// `receiver` is what the receiver of the direction advertises at first.
  CreditCheck(const CheckPlace& place, const CreditConfig& receiver);

  /// A TLP was sent for the first time.
  void sent(const Tlp& tlp, Time now);
  /// It arrived and takes its place in the receive buffer.
  void stored(const Tlp& tlp, Time now);
  void accepted(const Tlp& tlp);
  void released(FlowClass flow_class, std::uint32_t data_credits, Time now);
  void update_sent(const Dllp& dllp, Time now);
  void update_arrived(const Dllp& dllp);
  void at_end(Time now);

 private:
  struct Amount {
    std::uint64_t headers = 0;
    std::uint64_t data = 0;

    bool within(const Amount& o) const { return headers <= o.headers && data <= o.data; }
    Amount operator+(const Amount& o) const { return {headers + o.headers, data + o.data}; }
    bool operator==(const Amount& o) const { return headers == o.headers && data == o.data; }
  };
  /// Totals since the start.
  struct Pools {
    bool finite = false;
    Amount size;      // the receive buffer
    Amount consumed;  // by the transmitter
    Amount limit;     // of which it knows
    Amount stored;    // in the receive buffer
    Amount accepted;
    Amount released;
    Amount told;  // by the last update
  };

  Pools& pools(FlowClass flow_class) { return pools_[static_cast<std::size_t>(flow_class)]; }
  static Amount of(const Tlp& tlp) { return {1, tlp.data_credits}; }

  const CheckPlace& place_;
  std::array<Pools, kFlowClasses> pools_;
};

}  // namespace railyard::pcie
