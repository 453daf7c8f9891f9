// Responses to READ requests: a packet a path MTU, in the order of the requests, as the transmit
// path has room and congestion control lets the queue pair send. Queue pairs that have responses to
// make take turns, a packet each.
#pragma once

#include <array>
#include <cstdint>

#include "hw/nic/address_translation.h"
#include "hw/nic/rate_gate.h"
#include "hw/nic/record_pool.h"
#include "hw/nic/transmit_path.h"
#include "hw/nic/units.h"
#include "tlm/base/ring.h"
#include "tlm/observe/statistics.h"

namespace railyard::nic {

struct ReadRequest {
  std::uint32_t psn = 0;
  std::uint32_t msn = 0;  // for its AETHs
  std::uint64_t address = 0;
  std::uint32_t rkey = 0;
  std::uint32_t bytes = 0;
  Time at = 0;
};

class ReadEngineClient {
 public:
  virtual ~ReadEngineClient() = default;
  /// All responses of the queue pair are on the line.
  virtual void reads_done(Qp& qp) = 0;
  /// The response `psn` cannot be made; those before it are on the line, or were dropped, and
  /// nothing is left to do. `syndrome` is a NAK's.
  virtual void read_broken(Qp& qp, std::uint8_t syndrome, std::uint32_t psn) = 0;
};

class ReadEngine : private TransmitClient,
                   private RoomClient,
                   private TranslationClient,
                   private RateGateClient {
 public:
  ReadEngine(Units& units, ReadEngineClient& client);
  ~ReadEngine() override;

  /// A READ whose key was checked. `mapping`: where it is, if it is of one packet. `again`: a
  /// duplicate; the requester goes back to there, so responses from there on are not to be made but
  /// for those to this request and what follows it.
  void add(Qp& qp, const ReadRequest& request, const Mapping& mapping, bool again);
  /// READs of the queue pair that are not answered in full.
  static std::uint32_t outstanding(const Qp& qp) { return qp.responder.reads.list.size; }
  /// Of these, those that the requester's bound is for: duplicates do not count.
  static std::uint32_t bounded(const Qp& qp) { return qp.responder.reads.first_time; }
  /// Forgets them, and takes back what is not on the line.
  void reset(Qp& qp);

 private:
  struct Read {
    std::uint32_t next = 0;
    Qp* qp = nullptr;  // null: forgotten, but its translation is under way
    ReadRequest request;
    std::uint32_t mtu = 0;
    std::uint32_t planned = 0;  // packets; fewer than it asks for if it was cut
    std::uint32_t whole = 0;    // that it asks for
    std::uint32_t made = 0;
    std::uint32_t sent = 0;
    bool mapped = false;
    bool translating = false;
    bool broken = false;
    bool again = false;
    std::uint8_t syndrome = 0;
    Mapping mapping;
    Time mapped_at = 0;  // it left the stage translation
  };

  std::uint32_t next_bytes(const Read& read) const;
  /// Places the queue pair among those that wait for their turn, if it can take one.
  void line_up(Qp& qp);
  void serve(std::uint8_t priority);
  bool rate_allows(Qp& qp);
  void leave_rates(const Qp& qp);
  /// Makes the queue pair's next response if its place is known.
  void make(Qp& qp);
  bool map(Read& read, std::uint32_t index);
  void map_failed(Read& read, KeyError error);
  void send(Read& read);
  void next_read(Qp& qp);
  void retire(Qp& qp);
  void cut(Qp& qp, std::uint32_t psn);
  void leave_turn(Qp& qp);

  void sent(std::uint64_t ticket, const net::Packet& packet) override;
  void read_failed(std::uint64_t ticket) override;
  void transmit_room(std::uint8_t priority) override { serve(priority); }
  void translated(std::uint64_t ticket, const Mapping& mapping) override;
  void may_send(std::uint32_t slot) override;

  Units& units_;
  ReadEngineClient& client_;
  RecordPool<Read> reads_;
  std::array<Ring<Qp*>, 8> turns_;
  net::Frame headers_;
  bool heard_ = false;  // of room
  Counter responses_;
  Counter bytes_;
  Counter cut_;
};

}  // namespace railyard::nic
