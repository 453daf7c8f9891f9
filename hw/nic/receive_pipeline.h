// From the receive buffer to the two sides of queue pairs: parser, queue pair, context. RoCE
// packets that have no queue pair, or the wrong one, are counted and dropped.
//
// A packet is for a queue pair that has its number, is in a state that takes such packets, and has
// the packet's two IP addresses (IBTA Vol 1 9.6.1, A17); MAC addresses are not compared, for a
// router changes them. Packets of a queue pair stay in order: ContextStore answers in its. Of those
// that came with CE the notification point hears (congestion_notifier.h).
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "hw/nic/context_store.h"
#include "hw/nic/receive_path.h"
#include "hw/nic/units.h"
#include "tlm/observe/statistics.h"

namespace railyard::nic {

class CongestionNotifier;

class ReceivePipeline : private ContextClient {
 public:
  ReceivePipeline(Units& units, CongestionNotifier& notifier);
  ~ReceivePipeline() override;

  /// A packet with a good FCS whose last bit came now, and whose place in the buffer is taken.
  void take(net::Packet& packet);

 private:
  /// The queue pair that takes the packet; null: none, and it was counted.
  Qp* find(const net::Frame& frame);
  void take_cnp(const net::Packet& packet);
  void deliver(Ref<net::Packet> packet, Qp& qp, Time at);
  void context_ready(std::uint32_t slot, std::uint64_t ticket) override;

  Units& units_;
  CongestionNotifier& notifier_;
  // Packets that wait for contexts, by ticket.
  std::vector<Ref<net::Packet>> waiting_;
  std::vector<std::uint32_t> free_;
  Counter requests_;
  Counter responses_;
  Counter cnps_;
  Histogram cnp_latency_;
  Counter stray_no_qp_;
  Counter stray_state_;
  Counter stray_address_;
  Counter stray_opcode_;
  Counter stray_p_key_;
};

}  // namespace railyard::nic
