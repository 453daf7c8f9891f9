// Receive queues: WQEs are read ahead of the messages that need them.
//
// Software posts receive WQEs without a doorbell: it counts them in the doorbell record in memory.
// So the NIC reads the record when a queue pair may receive, when the WQEs that it knows of run
// low, and when a message comes for which it knows of none: only if a record that was read after
// the message came says so, there is none. In the error state it goes on reading the record, every
// kFlushPoll, and flushes what is posted; how real devices find these is not published.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/nic/dma_path.h"
#include "hw/nic/record_pool.h"
#include "hw/nic/units.h"
#include "tlm/observe/statistics.h"

namespace railyard::nic {

class ReceiveQueueClient {
 public:
  virtual ~ReceiveQueueClient() = default;
  /// A message that waits can ask again.
  virtual void receive_queue_ready(Qp& qp) = 0;
  /// The queue, or its doorbell record, could not be read.
  virtual void receive_queue_failed(Qp& qp) = 0;
};

class ReceiveQueues : private DmaClient {
 public:
  static constexpr Time kFlushPoll = 4 * kMicrosecond;
  enum class Supply : std::uint8_t { kReady, kWait, kNone };

  ReceiveQueues(Units& units, ReceiveQueueClient& client);

  /// The queue pair may receive now: reads ahead.
  void start(Qp& qp);
  /// A message needs a WQE. kWait: the client is told when to ask again.
  Supply want(Qp& qp);
  /// The WQE of the message in progress, of which want() said that it is ready.
  const std::uint8_t* wqe(const Qp& qp) const;
  /// Its bytes that messages may fill.
  std::uint64_t room(const Qp& qp) const;
  /// The message is over: the index of its WQE.
  std::uint16_t take(Qp& qp);
  /// Flushes what has not completed, and what will be posted.
  void flush(Qp& qp);
  void reset(Qp& qp);

  static std::uint32_t segments(const Qp& qp) {
    return (1U << qp.receive.log_stride) / abi::kSegmentBytes;
  }
  /// Of a data segment; 0: it ends the list.
  static std::uint64_t length(const abi::DataSegment& segment) {
    if (segment.lkey == abi::kInvalidLkey) return 0;
    return segment.length == 0U ? std::uint64_t{abi::kMaxMessage} : std::uint64_t{segment.length};
  }

 private:
  struct Fetch {
    std::uint32_t next = 0;
    Qp* qp = nullptr;  // null: nobody waits any more
    bool record = false;
    std::uint16_t first = 0;
    std::uint16_t count = 0;
  };

  std::uint32_t slots() const { return slots_; }
  bool known(const Qp& qp, std::uint16_t index) const;
  void read_ahead(Qp& qp);
  void read_record(Qp& qp);
  void record_came(Qp& qp, std::uint16_t posted);
  void wqes_came(Qp& qp, const Fetch& fetch, const net::Payload& payload);
  void complete_flushed(Qp& qp, std::uint16_t posted);
  void forget_fetches(const Qp& qp);
  void poll();
  void dma_done(std::uint64_t ticket, pcie::Status status, Ref<net::Payload> payload) override;

  Units& units_;
  ReceiveQueueClient& client_;
  std::uint32_t ahead_;  // WQEs read ahead at most
  std::uint32_t slots_;  // a power of two
  RecordPool<Fetch> fetches_;
  std::vector<Qp*> flushing_;
  Event poll_;
  Counter record_reads_;
  Counter wqe_reads_;
  Counter wqes_;
  Counter flushed_;
};

}  // namespace railyard::nic
