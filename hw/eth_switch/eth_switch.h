// An Ethernet switch: shared buffer, PFC, ECN, scheduling, load balancing. Frames go through
//   MAC (SwitchPort) -> parser -> ingress pipeline (Forwarding) -> buffer manager
//   -> scheduler -> egress pipeline (marking) -> MAC
// of which each stage is a class (stages.h) with a latency and an interval in cycles (stage.h).
//
// Modelled: store-and-forward, and cut-through where the egress is idle and not faster than the
// ingress; buffer accounts at a frame's last bit (at its first if it is cut through) until it has
// left; PFC both ways with clocked decisions, refresh and response delay; a frame in progress is
// never cut; WRED with ECN; frames stomped in cut-through. It is a layer-2 or same-subnet switch:
// it routes by address and changes nothing in a frame but ECN. Not modelled: TTL, multicast and
// flooding (an unknown address is a counted drop), learning, CPU port, memory bandwidth; FEC and
// SerDes latency is part of the MAC stage's.
//
// Two events a hop, arrival and transmit done; a third when a frame finds its port idle.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/congestion/blocks.h"
#include "hw/congestion/pause_log.h"
#include "hw/eth_switch/frame_queue.h"
#include "hw/eth_switch/stage.h"
#include "hw/eth_switch/stages.h"
#include "hw/eth_switch/switch_config.h"
#include "tlm/link/link.h"
#include "tlm/sim/partition.h"

namespace railyard {

class SwitchPort;

/// What is at a port.
struct SwitchLine {
  LinkConfig link;
  std::string peer;  // hierarchical name of the port at the other end
};

enum class DropReason : std::uint8_t {
  kBadFcs,
  kOversize,
  kUnknownDestination,
  kLinkDown,
  kGroupThreshold,
  kQueueThreshold,
  kHeadroom,
  kWred,
  kWatchdog,
};
constexpr std::size_t kDropReasons = 9;

class EthSwitch : public sc_core::sc_module {
 public:
  static constexpr std::size_t kPriorities = 8;

  /// `lines[i]` is at port i; none: no cable. `blocks` makes the blocks of PFC; none: the twins,
  /// gated. ConfigError if the ports' headrooms and reserves do
  /// not fit into the buffer, or a response time is missing.
  EthSwitch(sc_core::sc_module_name name, Partition& partition, const SwitchConfig& config,
            const std::vector<std::optional<SwitchLine>>& lines, SwitchStages stages = {},
            Blocks* blocks = nullptr);
  ~EthSwitch() override;

  /// A port with a cable.
  SwitchPort& port(PortId id) { return *ports_[id]; }
  bool has_port(PortId id) const { return ports_[id] != nullptr; }
  std::size_t port_count() const { return ports_.size(); }
  /// Routes are added before the run.
  Forwarding& forwarding() { return *forwarding_; }
  /// How links are to announce frames to this switch.
  Announce announce() const {
    return config_.switching == Switching::kCutThrough ? Announce::kFirstBit : Announce::kLastBit;
  }
  const PauseLog& pause_log() const { return pause_log_; }
  const SwitchConfig& config() const { return config_; }
  /// Bytes of the buffer that are in use, by cells.
  std::uint64_t buffered_bytes() const { return cells_ * config_.buffers.cell; }
  /// Frames dropped since warm-up, for whatever reason.
  std::uint64_t dropped_frames() const;
  /// What is wrong with the accounts of buffer and queues, or nothing.
  std::optional<std::string> check() const;

 private:
  friend class SwitchPort;
  class EndChecker;

  /// Where a frame is to go.
  struct Path {
    Parsed parsed;
    Route route;
  };

  Partition& partition() { return partition_; }
  bool is_lossless(unsigned priority) const { return (lossless_ >> priority & 1U) != 0; }
  std::uint8_t lossless() const { return lossless_; }
  unsigned traffic_class_of(unsigned priority) const { return traffic_classes_[priority]; }
  /// Bit n: priority n is of the traffic class.
  std::uint8_t priorities_of(unsigned traffic_class) const { return priorities_[traffic_class]; }

  /// Parser and ingress pipeline; nothing if the frame is dropped there.
  std::optional<Path> find_path(SwitchPort& in, const net::Packet& packet);
  /// Buffer manager and queue: of a frame whose head, or whole, was there at `at`.
  void store(SwitchPort& in, Ref<net::Packet> packet, const Path& path, Time at, bool cut_through);
  /// A frame has left its port, or was dropped in its queue.
  void release(const HeldFrame& frame, PortId out);
  void drop(SwitchPort& in, DropReason reason);
  void drop_held(const HeldFrame& frame, PortId out, DropReason reason);

  void refuse(SwitchPort& in, const Admission& admission, PortClass group);
  void raise_xoff(SwitchPort& in, PortClass group);
  BufferManager& buffer_of(PortId in) { return *buffers_[slice_of(in)]; }
  std::size_t slice_of(PortId port) const {
    return std::size_t{port} * config_.slices / queued_bytes_.size();
  }
  struct Pipeline {
    Stage parser, ingress, buffer, scheduler, egress;
  };
  Pipeline& pipeline_of(PortId port) { return pipelines_[port / config_.pipeline.ports]; }
  std::uint32_t& held_cells(unsigned priority, PortId in, PortId out) {
    return held_cells_[priority][in * ports_.size() + out];
  }
  void note_buffer(Time now);
  void account_for_frames();
  void append_waits(std::vector<Wait>& waits);
  void build_buffers(const std::vector<std::optional<SwitchLine>>& lines,
                     const SwitchStages& stages);
  void register_statistics();

  SwitchConfig config_;
  Partition& partition_;
  Blocks own_blocks_;
  Blocks& blocks_;
  std::uint8_t lossless_ = 0;
  std::uint32_t largest_frame_;
  std::uint32_t largest_lossless_frame_;

  std::array<std::uint8_t, kPriorities> traffic_classes_{};
  std::array<std::uint8_t, kPriorities> priorities_{};  // [traffic class], as masks
  /// [traffic class]: of a frame that finds its port idle.
  std::array<Time, EgressScheduler::kClasses> dispatch_latency_{};
  std::unique_ptr<Parser> parser_;
  std::vector<std::uint64_t> queued_bytes_;  // [port], for load balancing
  std::unique_ptr<Forwarding> forwarding_;
  std::vector<std::unique_ptr<BufferManager>> buffers_;  // [slice]
  std::vector<Pipeline> pipelines_;
  FrameStore store_;
  std::vector<std::unique_ptr<SwitchPort>> ports_;
  std::vector<bool> loses_frames_;  // [port]: its link is configured to lose or damage some
  /// [lossless priority][in * ports + out]: cells from `in` that wait at, or are leaving by, `out`.
  std::array<std::vector<std::uint32_t>, kPriorities> held_cells_;
  PauseLog pause_log_;

  std::uint64_t cells_ = 0;     // held in all slices
  std::uint64_t received_ = 0;  // data frames; all = forwarded + dropped + held
  std::uint64_t held_ = 0;
  std::uint64_t forwarded_all_ = 0;
  std::uint64_t dropped_all_ = 0;
  Counter forwarded_, cut_through_;
  std::array<Counter, kDropReasons> dropped_;
  TimeWeighted buffer_level_;
  Probe buffer_probe_;
  Moment drop_moment_;
};

}  // namespace railyard
