// What the responder keeps of a queue pair. What grows with its load lies in pools of the NIC.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/nic/nic_abi.h"

namespace railyard::nic {

/// A list through records of a pool.
struct RecordList {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t head = kNone;
  std::uint32_t tail = kNone;
  std::uint32_t size = 0;
};

/// Receive WQEs; indices count all that were ever posted, modulo 2^16.
struct ReceiveQueueState {
  /// Of the WQEs read ahead: that of index i at (i & (slots - 1)) * stride.
  std::vector<std::uint8_t> window;
  std::uint64_t valid = 0;      // slots whose WQE has come
  std::uint16_t posted = 0;     // as last read from the doorbell record
  std::uint16_t asked = 0;      // WQEs that are read, or being read
  std::uint16_t consumed = 0;   // by messages that are over
  std::uint16_t completed = 0;  // by CQEs
  bool reading_record = false;
  bool read_again = false;  // the record that is being read may be older than who asks
  bool answered = false;    // the record was read for a message that waits
  bool wanted = false;      // a message waits
  bool flushing = false;
};

/// READ requests that are carried out, in order.
struct ReadState {
  RecordList list;
  std::uint32_t first_time = 0;              // of these, those that are no duplicates
  std::uint32_t making = RecordList::kNone;  // whose next response is to be made
  bool in_turn = false;                      // waits for its turn, or for room
  bool held = false;                         // by congestion control
};

/// Acknowledgements: what is owed to the requester.
struct AckState {
  std::uint32_t psn = 0;  // of the last request that was carried out
  std::uint32_t msn = 0;
  std::uint32_t nak_psn = 0;
  std::uint16_t since = 0;  // request packets since the last ACK was wanted
  std::uint8_t nak = 0;     // syndrome; 0: none
  bool fatal = false;       // the queue pair breaks when the NAK is made
  bool wanted = false;
  bool delayed = false;  // waits for later ones
  bool in_path = false;  // one is on its way to the line
  bool held = false;     // for the statistics of the stage
};

/// How a queue pair breaks.
struct Failure {
  abi::EventType event = abi::EventType::kCompletion;  // kCompletion: none
  abi::Syndrome completion = abi::Syndrome::kNone;     // of the receive WQE in use; kNone: none
};

struct ResponderState {
  std::uint32_t expected_psn = 0;  // set by INIT2RTR
  std::uint32_t msn = 0;           // messages completed, 24 bits

  enum class Message : std::uint8_t { kNone, kSend, kWrite };
  Message message = Message::kNone;  // that is in progress
  bool nak_sent = false;             // of a gap; until the expected PSN comes
  bool broken = false;               // takes nothing any more
  std::uint8_t reads_coming = 0;     // READs taken and not carried out
  std::uint8_t stall = 0;            // what packets wait for, as the stage counts it
  std::uint32_t offset = 0;          // bytes of the message before the next packet
  std::uint32_t length = 0;          // of a WRITE
  std::uint64_t address = 0;
  std::uint32_t rkey = 0;

  RecordList waiting;  // packets not carried out, the first of which waits for something
  ReceiveQueueState receive;
  ReadState reads;
  AckState ack;
  Failure failure;
};

}  // namespace railyard::nic
