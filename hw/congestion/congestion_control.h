// Congestion control of the queue pairs of one port: what it hears of them, and when and how much
// it lets them send. Wide enough for algorithms by marks (DCQCN), by delay (TIMELY, Swift), by
// telemetry (HPCC) and by windows; one that does not care for an input leaves it out.
//
// An algorithm is a class of this interface and a row in algorithms.cpp. It hears of an event at
// the event's simulated time, partition.now(), and keeps what it knows of a queue pair itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tlm/base/rate.h"
#include "tlm/base/time.h"

namespace railyard {

/// What a switch on the way said of the egress that a packet took (in-band telemetry).
struct HopTelemetry {
  Rate rate;
  std::uint64_t queue_bytes = 0;
  std::uint64_t sent_bytes = 0;  // by that egress, ever
  Time at = 0;
};

/// What an acknowledgement told the sender.
struct Acknowledgement {
  std::uint32_t bytes = 0;  // newly acknowledged
  Time rtt = 0;             // of the packet that it answers
  bool ecn_echo = false;    // that packet came with CE
  std::vector<HopTelemetry> telemetry;
};

/// Whom an algorithm tells of what it did not say when it was asked.
class CongestionListener {
 public:
  virtual ~CongestionListener() = default;
  /// The queue pair may send earlier than next_packet() said, or its window has grown.
  virtual void may_send(std::uint32_t qp) = 0;
};

/// Queue pairs are 0, 1, 2, ... in the order in which they were opened.
class CongestionControl {
 public:
  static constexpr std::uint64_t kNoWindow = ~std::uint64_t{0};

  struct QueuePair {
    std::string name;  // of its metrics and signals; empty: it has none
    std::uint8_t traffic_class = 0;
  };

  virtual ~CongestionControl() = default;

  // Before the run.
  virtual void open(const QueuePair& qp) = 0;
  /// All are open, and nothing is traced yet.
  virtual void seal() {}
  virtual void set_listener(CongestionListener* /*listener*/) {}
  /// The run begins.
  virtual void start() {}

  // In.
  /// Another queue pair begins in that one's place, with nothing behind it.
  virtual void reopen(std::uint32_t /*qp*/, std::uint8_t /*traffic_class*/) {}
  /// A packet begins to leave: its bytes on the line, preamble and inter-frame gap included.
  virtual void sent(std::uint32_t qp, std::uint32_t line_bytes) = 0;
  virtual void acknowledged(std::uint32_t /*qp*/, const Acknowledgement& /*ack*/) {}
  virtual void cnp(std::uint32_t /*qp*/) {}
  virtual void nak(std::uint32_t /*qp*/) {}
  virtual void timed_out(std::uint32_t /*qp*/) {}

  // Out.
  /// The queue pair may not send before; when that time has come, ask again. Not after now: it may
  /// send.
  virtual Time next_packet(std::uint32_t qp) = 0;
  /// Bytes that may be unacknowledged.
  virtual std::uint64_t window(std::uint32_t /*qp*/) { return kNoWindow; }
  /// Of the line, in Gb/s.
  virtual double rate_gbps(std::uint32_t qp) = 0;
};

}  // namespace railyard
