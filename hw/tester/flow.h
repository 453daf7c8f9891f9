// One flow of a tester: a run of unreliable-connection RDMA writes, packet by packet at the source,
// checked packet by packet at the sink. Plain C++.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "hw/tester/tester_config.h"
#include "tlm/base/data_mode.h"
#include "tlm/net/packet.h"

namespace railyard {

/// A flow, that is one queue pair's traffic, as both sides know it: `messages` RDMA writes of
/// `message_size`, one behind the other.
struct FlowConfig {
  std::uint32_t index = 0;  // in the fabric: flow<i>
  TesterAddress source, destination;
  std::uint32_t source_qp = 0x11;
  std::uint32_t destination_qp = 0x12;
  std::uint64_t messages = 1;
  Bytes message_size = kibibytes(64);
  std::uint32_t path_mtu = 4096;
  std::uint8_t priority = 3;  // PFC class, and PCP with a VLAN
  std::uint8_t dscp = 26;
  std::optional<std::uint16_t> vlan;
  bool ecn = true;  // ECT(0): switches may mark
  Time start = 0;
  /// Of the line, preamble and inter-frame gap included, so that the line's own is no limit; none:
  /// line rate.
  std::optional<Rate> rate;
  DataMode data = DataMode::kCarried;
  std::uint64_t address = 0x10000;  // of the first message's first byte; messages follow each other
  std::uint32_t rkey = 0x1000;

  std::uint64_t packets_a_message() const { return (message_size + path_mtu - 1) / path_mtu; }
  std::uint64_t packets() const { return messages * packets_a_message(); }
};

/// Bytes at `address` are a fixed function of it, so that a sink knows what must arrive.
void fill_pattern(std::uint64_t address, std::uint8_t* bytes, std::size_t size);
bool matches_pattern(std::uint64_t address, const std::uint8_t* bytes, std::size_t size);

/// Makes the packets of a flow in order.
class FlowSource {
 public:
  explicit FlowSource(const FlowConfig& config);

  bool done() const { return left_ == 0; }
  std::uint8_t priority() const { return priority_; }
  /// The next packet, sealed. Its id is its number in the flow.
  Ref<net::Packet> make(net::PacketPool& pool, Time now);

 private:
  net::Frame template_;
  std::uint64_t next_ = 0;    // packet
  std::uint64_t left_;        // packets
  std::uint64_t offset_ = 0;  // in the message
  std::uint64_t message_address_;
  std::uint32_t message_bytes_;
  std::uint32_t path_mtu_;
  std::uint32_t rkey_;
  std::uint8_t priority_;
  DataMode data_;
};

/// Checks what arrives of a flow, in whatever order.
class FlowSink {
 public:
  /// How many packets a packet may come late, more than a shared buffer holds: of the latest kReach
  /// numbers it is known which have come. One that is later still cannot be told from a duplicate,
  /// and is a stray. Memory grows with how late packets really are.
  static constexpr std::uint64_t kReach = 65'536;

  explicit FlowSink(const FlowConfig& config);

  enum class Verdict : std::uint8_t {
    kInOrder,
    kAfterGap,    // later than all before it, but packets between are missing
    kOutOfOrder,  // behind a later one
    kDuplicate,
    kStray,  // not of this flow, or too late
    kWrong,  // its headers or bytes are not what was sent
  };
  /// Takes a packet with a good FCS.
  Verdict take(const net::Packet& packet);

  /// Packets that came, each counted once.
  std::uint64_t packets() const { return packets_; }
  std::uint64_t bytes() const { return bytes_; }
  /// Packets before the latest that have not come.
  std::uint64_t missing() const { return edge_ - packets_; }
  /// The last packet of the flow has arrived.
  bool saw_last() const { return edge_ == total_; }
  /// All arrived.
  bool complete() const { return packets_ == total_; }

 private:
  /// Which bytes a packet carries.
  struct Slice {
    std::uint64_t address;
    std::uint64_t message_address;
    std::uint32_t bytes;
    bool first, last;
  };
  Slice slice(std::uint64_t index) const;
  bool as_sent(const net::Packet& packet, const Slice& slice) const;
  /// Of the latest reach() numbers it is kept which have come.
  std::uint64_t reach() const { return seen_.size() * 64; }
  std::size_t word(std::uint64_t index) const { return index / 64 & (seen_.size() - 1); }
  static std::uint64_t bit(std::uint64_t index) { return std::uint64_t{1} << (index % 64); }
  bool seen(std::uint64_t index) const { return (seen_[word(index)] & bit(index)) != 0; }
  void mark(std::uint64_t index) { seen_[word(index)] |= bit(index); }
  void move_edge(std::uint64_t edge);
  void grow(std::uint64_t end);

  std::uint64_t total_;  // packets
  std::uint64_t each_;   // packets a message
  std::uint64_t message_bytes_;
  std::uint64_t address_;
  std::uint32_t path_mtu_;
  std::uint32_t destination_qp_;
  DataMode data_;
  std::uint64_t edge_ = 0;  // behind the latest packet that came
  std::uint64_t packets_ = 0;
  std::uint64_t bytes_ = 0;
  std::vector<std::uint64_t> seen_ = std::vector<std::uint64_t>(4);  // a bit a packet; 2^n words
};

}  // namespace railyard
