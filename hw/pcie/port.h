// One end of a PCIe link: what its physical, data link and flow control layers do to time.
//
// Modelled: serialisation at the exact rate of the lanes with 128b/130b; skip ordered sets on their
// grid, behind the packet that is on the line, in idle too; sequence numbers, the replay buffer,
// acknowledgements that cover all that came within a delay, NAK, replay on NAK and on timeout,
// retraining after four replays that did not help; flow control by six credit pools, whose updates
// are packets on the line; the ordering rules. Acknowledgements go before updates, updates before
// TLPs, TLPs to be replayed before new ones (3.6.2.1).
//
// Not modelled: training and power states, lane skew, virtual channels beyond the first, the
// updates that are due every 30 us and say nothing new (24 B in 30 us), start of a packet in other
// lanes than the first, ECRC.
//
// A TLP is handed to what is behind the port when it was checked, and holds its place in the
// receive buffer until release(). A switch's egress frees the ingress buffer when the TLP goes on
// the line.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "hw/pcie/credit_pools.h"
#include "hw/pcie/hierarchy.h"
#include "hw/pcie/line_time.h"
#include "hw/pcie/link_config.h"
#include "hw/pcie/port_observer.h"
#include "hw/pcie/transmit_queue.h"
#include "tlm/base/rate.h"
#include "tlm/base/ring.h"
#include "tlm/link/bit_errors.h"
#include "tlm/link/stall.h"

namespace railyard::pcie {

class Port;

/// What stands behind a port. Called in the hierarchy's time.
class PortClient {
 public:
  virtual ~PortClient() = default;
  /// `tlp` holds its place in the port's receive buffer until the port is told release().
  virtual void received(Port& port, TlpRef tlp) = 0;
  /// A TLP goes on the line; its place in the transmit queue is free.
  virtual void sending(Port& port, const Tlp& tlp) = 0;
};

class Port {
 public:
  /// `receive` is what this end advertises to the other.
  Port(Hierarchy& hierarchy, const std::string& name, const std::string& peer,
       const LinkConfig& config, const CreditConfig& receive, PortClient& client);
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  /// Joins two ends of one configuration.
  static void connect(Port& a, Port& b);

  const std::string& name() const { return name_; }
  const LinkConfig& config() const { return config_; }
  const CreditConfig& receive_credits() const { return receive_config_; }
  const LineTime& line_time() const { return time_; }
  Rate rate() const { return rate_; }
  Port& peer() { return *peer_; }

  /// The largest payload on the link decides the delay of acknowledgements.
  void set_max_payload(std::uint32_t bytes);
  void set_observers(PortObserver* out, PortObserver* in) {
    out_ = out;
    in_ = in;
  }

  /// Nothing comes out of the line before then.
  Time earliest_arrival() const {
    return in_flight_.empty() ? scheduler_.now() + config_.latency : arrival_.time();
  }
  /// No TLP that is queued goes on the line before then: it is taken, or credits must come first.
  Time earliest_start() const { return pick_.pending() ? pick_.time() : earliest_arrival(); }

  /// Queues a sealed TLP whose `since` is set; takes it over.
  void send(TlpRef tlp);
  std::size_t queued(FlowClass flow_class) { return queue_.size(flow_class); }
  /// A received TLP's place is free.
  void release(const Tlp& tlp);
  /// Nothing but a lack of tags or of room for completions keeps a read from the queue.
  void set_starved(bool starved);

 private:
  enum class Arrival : std::uint8_t { kTlp, kAck, kNak, kUpdate };
  struct InFlight {
    Time at = 0;
    Arrival kind = Arrival::kTlp;
    bool good = true;
    FlowClass flow_class = FlowClass::kPosted;
    std::uint64_t sequence = 0;  // kUpdate: headers
    std::uint64_t data = 0;      // kUpdate
    TlpRef tlp;
  };
  struct Unacknowledged {
    TlpRef tlp;
    std::uint64_t sequence = 0;
    std::uint32_t wire_bytes = 0;
    std::uint32_t data_bytes = 0;
  };

  // port.cpp: the transmitter
  void kick() {
    if (!pick_.pending()) pick();
  }
  void pick();
  bool send_skip(Time now);
  bool dllp_due() const { return ack_due_ || nak_due_ || update_due_ != 0; }
  void send_dllp(Time now);
  bool send_replay(Time now);
  bool send_tlp(Time now);
  void stand_idle(Time now);
  void put(const Unacknowledged& entry, bool replayed, Time now);
  void put(const Dllp& dllp, Time now);
  Time occupy(std::uint32_t bytes, Time now);
  void register_all();

  // port_receive.cpp: the receiver
  void fly(InFlight&& flying);
  void arrive();
  void take(InFlight& arrived, Time now);
  void arrive_tlp(InFlight& arrived, Time now);
  void accept(TlpRef&& tlp, Time now);
  void serve();
  void acknowledge();
  void update(FlowClass flow_class);
  void update_posted() { update(FlowClass::kPosted); }
  void update_non_posted() { update(FlowClass::kNonPosted); }
  void update_completion() { update(FlowClass::kCompletion); }

  // port_replay.cpp: acknowledgements and what happens without them
  void acknowledged(std::uint64_t sequence, Time now);
  void replay(Time now);
  void replay_timed_out();
  void retrain(Time now);
  void go_down(Time now);
  void come_up();

  struct Buffer {
    std::uint64_t headers_taken = 0, data_taken = 0;
    std::uint64_t headers_allocated = 0, data_allocated = 0;
    bool finite = false;
  };

  Event pick_;
  ByteClock clock_;
  TransmitQueue queue_;
  CreditPools credits_;
  LineTime time_;
  Ring<Unacknowledged> unacknowledged_;
  std::size_t replay_next_ = 0;  // index into unacknowledged_; its size: nothing to replay
  std::uint64_t replay_bytes_ = 0;
  std::uint64_t next_sequence_ = 1;
  Time next_skip_ = kForever;
  Time idle_since_ = 0;
  bool up_ = true;
  bool starved_ = false;
  bool ack_due_ = false;
  bool nak_due_ = false;
  std::uint8_t update_due_ = 0;
  Port* peer_ = nullptr;

  Event arrival_;
  Ring<InFlight> in_flight_;
  std::uint64_t expected_ = 1;
  bool nak_scheduled_ = false;
  std::array<Buffer, kFlowClasses> buffers_;
  Event acknowledge_;
  std::array<Event, kFlowClasses> update_;
  Time ack_delay_ = 0;
  Time update_delay_ = 0;

  Hierarchy& hierarchy_;
  LazyScheduler& scheduler_;
  std::string name_;
  LinkConfig config_;
  CreditConfig receive_config_;
  Rate rate_;
  PortClient& client_;
  PortObserver* out_ = nullptr;
  PortObserver* in_ = nullptr;
  Time skip_interval_ = 0;
  Time skip_time_ = 0;

  RandomStream random_;
  BitErrors bit_errors_;
  Event replay_timer_;
  Time replay_deadline_ = kForever;
  unsigned replays_in_a_row_ = 0;
  Event come_up_;
  StallableQueue<TlpRef> stalled_;

  Counter tx_tlps_, tx_data_bytes_, tx_wire_bytes_, tx_acks_, tx_updates_, tx_skips_;
  Counter replays_, replayed_tlps_, naks_, retrains_, corrupted_, duplicates_, rx_tlps_;
  Probe queue_probe_[kFlowClasses];
  Probe replay_probe_;
  SpanProbe lane_;
};

/// Puts a checker on each direction of a link; they live in the partition.
void check_link(Hierarchy& hierarchy, Port& a, Port& b);

}  // namespace railyard::pcie
