// The NIC as DCQCN's notification point: packets that a switch marked are answered with CNPs.
//
// A CNP goes to the queue pair of the context that was marked last; contexts are queue pairs,
// addresses, or the port (`cnp.scope`). When a context is answered is the affair of the block
// dcqcn_np (hw/congestion/notification_points.h). While a CNP still waits for the line, another of
// its context would say no more, and is not made. Marked READ responses count as requests do.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "hw/congestion/blocks.h"
#include "hw/congestion/notification_points.h"
#include "hw/nic/transmit_path.h"
#include "hw/nic/units.h"
#include "tlm/observe/probe.h"
#include "tlm/observe/statistics.h"

namespace railyard::nic {

class CongestionNotifier : private TransmitClient {
 public:
  CongestionNotifier(Units& units, Blocks& blocks);
  ~CongestionNotifier() override;

  /// The run begins.
  void start() { points_.start(); }
  /// A packet of the queue pair came with CE.
  void marked(const Qp& qp);

 private:
  using Address = std::array<std::uint8_t, 16>;

  struct Context {
    std::uint32_t qp = 0;  // the number of the one that was marked last
    bool waits = false;    // for the line
  };

  std::uint32_t context_of(const Qp& qp);
  void answer(std::uint32_t context);
  void sent(std::uint64_t ticket, const net::Packet& packet) override;
  void read_failed(std::uint64_t ticket) override;

  Units& units_;
  NotificationPoints points_;
  std::vector<Context> contexts_;
  std::map<Address, std::uint32_t> addresses_;
  net::Frame frame_;
  Counter ce_;
  Counter cnps_;
  Moment cnp_moment_;
};

}  // namespace railyard::nic
