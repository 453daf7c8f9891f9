// Parameters of a PCIe link, both directions alike but for the receivers' buffers.
#pragma once

#include <cstdint>
#include <optional>

#include "tlm/base/quantity.h"
#include "tlm/base/rate.h"
#include "tlm/base/time.h"
#include "tlm/config/parameters.h"
#include "tlm/link/stall.h"

namespace railyard::pcie {

/// What a receiver advertises, in credits: headers of one TLP, data of 16 B. 0 is infinite.
struct CreditConfig {
  std::uint32_t posted_headers = 512;
  std::uint32_t posted_data = 4096;
  std::uint32_t non_posted_headers = 512;
  std::uint32_t non_posted_data = 512;
  std::uint32_t completion_headers = 0;
  std::uint32_t completion_data = 0;

  void declare(Parameters& p);
};

struct LinkConfig {
  unsigned generation = 5;
  unsigned lanes = 16;
  Time latency = 80 * kNanosecond;
  std::uint32_t skip_interval = 370;
  std::optional<Time> ack_delay;
  std::optional<Time> update_delay;
  Bytes replay_buffer = kibibytes(64);
  Time replay_timeout = 10 * kMicrosecond;
  Time retrain_time = 20 * kMicrosecond;
  double bit_error_rate = 0;
  StallConfig receive_stall;

  void declare(Parameters& p);

  /// Lanes x transfers a second x 128/130.
  Rate rate() const;
  /// One block of 130 bits on all lanes: what a skip ordered set takes; the 4 B that announce the
  /// end of the data stream come on top.
  std::uint32_t skip_bytes() const { return lanes * 16 + 4; }
  /// From a TLP's arrival to its acknowledgement: what is configured, or what the standard allowed
  /// up to its revision 3 (Base Specification 3.0, 3.5.2.2.1, table 3-7): (max payload + 28 B) x
  /// factor / lanes symbol times, and 115 inside the receiver.
  Time ack_delay_at(std::uint32_t max_payload) const;
};

}  // namespace railyard::pcie
