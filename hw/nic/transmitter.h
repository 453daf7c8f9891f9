// Reads payloads, makes packets, feeds the line: stages dma_read, packetiser, transmit.
//
// A packet with payload in memory passes `dma_read`, where a read is asked for each segment of it;
// they may complete in any order. When the last has come, or at once if nothing is to be read, it
// passes `packetiser`, and `transmit`'s latency later it may leave. It waits in its lane
// (line_turns.h), one for each priority and each of CNPs, responses and requests, behind those of
// its lane that were taken before it. So a queue pair's requests keep their order, and so do its
// responses: an ACK passes requests, but no READ response, which it would acknowledge by that.
//
// Not modelled: memory for packets that carry no payload.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "hw/nic/dma_path.h"
#include "hw/nic/line_turns.h"
#include "hw/nic/mac.h"
#include "hw/nic/stage.h"
#include "hw/nic/transmit_path.h"
#include "hw/nic/units.h"
#include "tlm/base/ring.h"

namespace railyard::nic {

class Transmitter : public TransmitPath, public LineSource, private DmaClient {
 public:
  Transmitter(Units& units, Mac& mac);
  ~Transmitter() override;

  bool room(std::uint8_t priority, std::uint32_t payload_bytes) const override;
  bool refused_for_reads() const override;
  void add_room_client(RoomClient& client) override;
  void take(const TransmitJob& job) override;
  void drop(TransmitClient& client, std::uint64_t ticket) override;
  Ref<net::Packet> next_packet(std::uint8_t may_send) override;
  std::uint8_t waiting() const override { return turns_.waiting(partition_.now()); }

 private:
  static constexpr unsigned kPriorities = LineTurns::kPriorities;

  /// A packet that was taken and is not on the line.
  struct Entry {
    Ref<net::Packet> packet;  // none: dropped
    TransmitClient* client = nullptr;
    std::uint64_t ticket = 0;
    std::uint32_t qp = 0;
    std::uint32_t reads_left = 0;
    Time asked = 0;
    Time ready = kForever;
    std::uint8_t lane = 0;
    std::uint8_t cls = 0;
    bool failed = false;
    bool in_lane = false;
    bool under_way = false;  // before or in its reads
    std::vector<BusSegment> segments;
    std::vector<Ref<net::Payload>> parts;
  };
  struct Due {
    Time at = 0;
    std::uint32_t slot = 0;
  };
  struct Refusal {
    std::uint32_t bytes = 0;    // the fewest that were refused
    std::uint32_t clients = 0;  // bit n: room_clients_[n] is to be told
    std::size_t last = 0;       // who was told last
  };

  void dma_done(std::uint64_t ticket, pcie::Status status, Ref<net::Payload> payload) override;

  std::uint32_t new_slot();
  void free_if_unused(std::uint32_t slot);
  void want_reads(const TransmitJob& job, std::uint32_t slot);
  void insert_direct(Due due);
  void step();
  void plan_step();
  void ask(std::uint32_t slot);
  void reads_done(std::uint32_t slot);
  void gather(Entry& entry);
  void complete(std::uint32_t slot);
  void forget(Entry& entry);

  void show_head(unsigned lane);
  void plan_ready(Time at);
  void offer();

  bool fits(std::uint8_t priority, std::uint32_t payload_bytes) const;
  bool egress_fits(std::uint8_t priority, std::uint32_t payload_bytes) const;
  void tell_room();
  void tell_room_of(std::uint8_t priority);
  void count_bytes(std::uint8_t priority, std::int64_t change);
  void attribute_packetiser();
  void register_all();

  Units& units_;
  Partition& partition_;
  Mac& mac_;
  std::uint64_t egress_buffer_;
  std::vector<RoomClient*> room_clients_;

  mutable Stage dma_read_;  // asking for room in vain is noted there
  Stage packetiser_;
  LineTurns turns_;

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
  std::array<Ring<std::uint32_t>, LineTurns::kLanes> lanes_;
  Event step_;
  Ring<Due> asks_;           // by time
  std::vector<Due> direct_;  // what needs no read and has not come yet, by time
  std::uint64_t asking_bytes_ = 0;
  std::array<std::uint32_t, Stage::kClasses> reading_{};  // packets whose reads are under way

  Event ready_;
  bool hungry_ = true;  // the line was given nothing when it asked last
  std::uint64_t next_id_ = 0;

  std::array<std::uint64_t, kPriorities> bytes_of_{};  // of payload, taken and not on the line
  std::uint64_t bytes_ = 0;
  mutable std::array<Refusal, kPriorities> refusals_{};
  mutable std::uint8_t refused_ = 0;  // bit n: somebody is to be told of room of priority n
  bool room_appeared_ = false;        // by drop(), and nobody has been told

  Histogram read_latency_;
  Counter reads_failed_;
  TimeWeighted egress_level_;
  Probe egress_probe_;
  std::array<TimeWeighted, Stage::kClasses> class_levels_;
  std::array<std::uint64_t, Stage::kClasses> class_bytes_{};
};

}  // namespace railyard::nic
