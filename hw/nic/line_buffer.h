// The receive buffer of a NIC: bytes of packets by priority, from the last bit's arrival until
// their consumer has written what they carry, and the pauses that come of it.
//
// The buffer is one for all priorities. When it holds more than `xoff` bytes, the peer is asked to
// pause the priorities that hold any of them, and each that brings more while it is so; all may go
// on when it holds `xon` bytes or less. A packet that does not fit is dropped and counted. With PFC
// none is as long as `buffer - xoff` is enough for what still arrives after an XOFF: what is on its
// way over a round trip, what the peer sends in its response time, and a largest frame at each end;
// once for each priority that is first heard of above `xoff`.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "hw/congestion/pause_sender.h"
#include "hw/nic/nic_config.h"
#include "tlm/sim/partition.h"

namespace railyard::nic {

/// The priority of a frame with an IP header, as queue pairs have theirs: DSCP >> 3.
inline std::uint8_t priority_of(const net::Frame& frame) {
  return static_cast<std::uint8_t>(frame.dscp() >> 3);
}

class LineBuffer {
 public:
  static constexpr unsigned kPriorities = PauseTimers::kPriorities;

  /// `name` is the NIC's, `port` the port's, by which waits speak of it.
  LineBuffer(Partition& partition, const std::string& name, const std::string& port,
             const ReceiveConfig& config, PauseSender& pauses);

  /// Takes a place for the packet; false: there is none, and it is counted as dropped.
  bool take(const net::Packet& packet);
  void release(const net::Packet& packet);

  std::uint64_t bytes() const { return bytes_; }

 private:
  void level_changed(Time now);
  void update_waits(std::uint8_t wanted, Time now);

  Partition& partition_;
  std::string port_;
  PauseSender& pauses_;
  std::uint64_t size_;
  std::uint64_t xoff_;
  std::uint64_t xon_;
  bool pfc_;

  std::uint64_t bytes_ = 0;
  std::array<std::uint64_t, kPriorities> bytes_of_{};
  std::uint8_t holding_ = 0;  // bit n: of priority n there are bytes
  bool above_ = false;        // above xoff, and not yet at xon

  std::array<WaitPoint, kPriorities> host_waits_;
  Counter overflow_;
  TimeWeighted level_;
  Probe level_probe_;
  Moment drop_moment_;
};

}  // namespace railyard::nic
