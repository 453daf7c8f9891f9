// What a NIC's requester measures.
#pragma once

#include <array>
#include <string>

#include "hw/nic/units.h"

namespace railyard::nic {

struct RequesterMetrics {
  static constexpr std::uint32_t kProbedSlots = 16;

  explicit RequesterMetrics(Units& units);

  Counter packets;  // request packets that began to leave for the first time
  Counter bytes;
  Counter packets_again;
  Counter bytes_again;
  Counter acks;
  Counter responses;
  Counter naks;
  Counter rnr_naks;
  Counter timeouts;
  Counter gaps;   // missing READ responses
  Counter stale;  // answers to nothing that is outstanding
  Counter wqes_fetched;
  Counter wqes_pushed;  // by BlueField
  Counter wqes_completed;
  Counter wqe_errors;
  Counter wqes_flushed;
  Counter bad_doorbells;
  Counter turns;
  TimeWeighted reads;

  /// PSN and packets outstanding of the queue pairs in the first slots.
  std::array<Probe, kProbedSlots> psn;
  std::array<Probe, kProbedSlots> outstanding;
};

}  // namespace railyard::nic
