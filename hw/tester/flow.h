// One flow of a tester: a run of unreliable-connection RDMA writes, packet by packet at the source,
// checked packet by packet at the sink. Plain C++.
#pragma once

#include <cstdint>
#include <string>

#include "hw/tester/tester_config.h"
#include "tlm/net/packet.h"

namespace railyard {

/// What both sides of a flow know.
struct FlowConfig {
  TrafficConfig traffic;
  DataMode data = DataMode::kCarried;
  net::MacAddress source_mac, destination_mac;
  IpAddress source_ip, destination_ip;
  std::uint32_t source_qp = 0x11;
  std::uint32_t destination_qp = 0x12;
  std::uint64_t address = 0x10000;  // of the first message's first byte; messages follow each other
  std::uint32_t rkey = 0x1000;

  std::uint64_t message_bytes() const { return traffic.message_size; }
  std::uint64_t packets_a_message() const {
    return (message_bytes() + traffic.path_mtu - 1) / traffic.path_mtu;
  }
  std::uint64_t packets() const { return traffic.messages * packets_a_message(); }
  /// Which bytes packet number `index` of the flow carries.
  struct Slice {
    std::uint64_t message;
    std::uint64_t offset;  // in the message
    std::uint32_t bytes;
    bool first, last;
  };
  Slice slice(std::uint64_t index) const;
};

/// Bytes at `address` are a fixed function of it, so that a sink knows what must arrive.
void fill_pattern(std::uint64_t address, std::uint8_t* bytes, std::size_t size);
bool matches_pattern(std::uint64_t address, const std::uint8_t* bytes, std::size_t size);

/// Makes the packets of a flow in order.
class FlowSource {
 public:
  explicit FlowSource(const FlowConfig& config);

  bool done() const { return next_ == config_.packets(); }
  /// The next packet, sealed. Its id is its number in the flow.
  Ref<net::Packet> make(net::PacketPool& pool, Time now);

 private:
  FlowConfig config_;
  net::Frame template_;
  std::uint64_t next_ = 0;
};

/// Checks what arrives of a flow.
class FlowSink {
 public:
  explicit FlowSink(const FlowConfig& config) : config_(config) {}

  enum class Verdict : std::uint8_t {
    kInOrder,
    kAfterLoss,  // in order, but packets before it are missing
    kStray,      // not of this flow, or again
    kWrong,      // its headers or bytes are not what was sent
  };
  /// Takes a packet with a good FCS.
  Verdict take(const net::Packet& packet);

  std::uint64_t packets() const { return packets_; }
  std::uint64_t lost() const { return lost_; }
  std::uint64_t bytes() const { return bytes_; }
  /// The last packet has arrived: nothing follows.
  bool saw_last() const { return next_ == config_.packets(); }
  /// All arrived.
  bool complete() const { return packets_ == config_.packets(); }

 private:
  bool as_sent(const net::Packet& packet, const FlowConfig::Slice& slice) const;

  FlowConfig config_;
  std::uint64_t next_ = 0;
  std::uint64_t packets_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace railyard
