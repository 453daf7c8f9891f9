// What software and the NIC agree on: registers, doorbells, work queue elements, completion and
// event queue entries; commands are in command_abi.h. All of it is big endian in memory and in
// registers, and laid out as mlx5 devices have it (rdma-core providers/mlx5, Linux
// include/linux/mlx5) wherever that is simple enough to state; what differs is said beside it. This
// header is all that software may include of hw/.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hw/nic/command_abi.h"
#include "hw/nic/words_abi.h"

namespace railyard::nic::abi {

// --- identity and BARs ---

constexpr std::uint16_t kVendor = 0x1AF5;
constexpr std::uint16_t kDevice = 0x0101;
constexpr std::uint32_t kClassCode = 0x020000;  // Ethernet controller
constexpr unsigned kRegisterBar = 0;            // 64-bit, prefetchable: write combining is allowed
constexpr unsigned kMsixBar = 2;
constexpr std::uint64_t kRegisterBarBytes = std::uint64_t{1} << 25;  // 32 MiB
constexpr std::uint64_t kMsixPendingOffset = std::uint64_t{1} << 14;
constexpr std::uint64_t kMsixBarBytes = std::uint64_t{1} << 15;

// --- initialization segment (BAR 0 from offset 0), dwords ---

namespace reg {
constexpr std::uint64_t kRevision = 0x0000;  // RO: kAbiRevision
// Registers are read and written by whole dwords, those of the command queue only until it starts.
/// RW: bits 63:32 of the command queue's address.
constexpr std::uint64_t kCommandQueueHigh = 0x0010;
/// RW: bits 31:12 of the address; bits 7:4 log2 of the entries. Writing it starts the interface,
/// once a reset.
constexpr std::uint64_t kCommandQueueLow = 0x0014;
constexpr std::uint64_t kCommandDoorbell = 0x0018;  // WO: bit n: entry n is the device's
constexpr std::uint64_t kInitializing = 0x01FC;     // RO: kInitializingBit: not ready yet
constexpr std::uint64_t kHealth = 0x0200;           // RO: Health
constexpr std::uint64_t kHealthQp = 0x0204;         // RO: number of the object that it is about
constexpr std::uint64_t kReset = 0x0208;            // WO: kResetMagic resets the function
constexpr std::uint64_t kBytes = 0x1000;            // accesses behind it and before the UARs: none
}  // namespace reg

constexpr std::uint32_t kAbiRevision = 0x0001'0000;
constexpr std::uint32_t kResetMagic = 0x5245'5345;
constexpr std::uint32_t kInitializingBit = 1U << 31;

/// What is wrong with the device as a whole.
enum class Health : std::uint32_t {
  kGood = 0,
  kBadCommandQueue = 1,    // its memory could not be read or written
  kBadRegisterAccess = 2,  // the latest access hit nothing, or had a wrong size; it was ignored
  kEventQueueOverrun = 3,
};

// --- UAR pages: doorbells. Page n is at kUarBase + n * kUarBytes. ---
//
// A page is its owner's: a doorbell for a queue pair, CQ or EQ that was not made with this UAR does
// nothing, and neither does one for a queue pair that may not send. Pages read as nothing.

constexpr std::uint64_t kUarBase = std::uint64_t{1} << 20;
constexpr std::uint64_t kUarBytes = 4096;
constexpr std::uint32_t kUars = 1024;

namespace uar {
/// 8 bytes: (arm sequence number << 28 | command | consumer index), CQ number.
constexpr std::uint64_t kCqArm = 0x20;
/// 4 bytes: EQ number << 24 | consumer index (24 bits); arms the EQ.
constexpr std::uint64_t kEqArm = 0x40;
/// 4 bytes, likewise; does not arm it.
constexpr std::uint64_t kEqConsumer = 0x48;
/// The send doorbell: 8 bytes, the first of the control segment of the WQE that was posted last. It
/// names the queue pair, and says how many basic blocks were ever posted: the WQE's index and its
/// own (the doorbell record says the same in memory, for when the queue is flushed). Or a BlueField
/// write of the whole WQE, at most kBlueFieldBytes, at either of two buffers in turn: in pieces of
/// whole segments, upwards, none over a multiple of 64 bytes, the last one with or without the rest
/// of its basic block. One that is broken off for another is a doorbell.
constexpr std::uint64_t kSendDoorbell = 0x800;
constexpr std::uint64_t kBlueFieldBytes = 256;
constexpr std::uint64_t kBlueFieldBuffers = 2;
}  // namespace uar

constexpr std::uint32_t kCqArmSolicited = 1U << 24;  // else for the next completion
constexpr std::uint32_t kConsumerMask = 0xFF'FFFF;   // what consumer counters of queues keep

constexpr std::uint64_t kQueueAlignment = 64;  // of each queue's address
constexpr std::uint64_t kRecordBytes = 8;      // a doorbell record, and its alignment

// --- work queue elements ---

/// The longest message (IBTA Vol 1 9.7.7).
constexpr std::uint32_t kMaxMessage = std::uint32_t{1} << 31;
constexpr std::uint32_t kWqeCounterMask = 0xFFFF;  // what WQE counters keep
constexpr std::uint32_t kWqeBytes = 64;            // a basic block of the send queue
constexpr std::uint32_t kSegmentBytes = 16;        // what `ds` counts
constexpr std::uint32_t kMaxWqeSegments = 63;
constexpr std::uint32_t kInlineFlag = 0x8000'0000;
constexpr std::uint32_t kMaxInline =
    220;  // bytes of a WRITE's or SEND's payload, as perftest has it

enum class Opcode : std::uint8_t {
  kNop = 0x00,
  kRdmaWrite = 0x08,
  kRdmaWriteImm = 0x09,
  kSend = 0x0A,
  kSendImm = 0x0B,
  kRdmaRead = 0x10,
  kCompareSwap = 0x11,
  kFetchAdd = 0x12,
};

namespace wqe_flag {  // ControlSegment::flags
constexpr Byte kSolicited = 0x02;
constexpr Byte kCqUpdate = 0x08;  // a completion, if it succeeds; errors always have one
constexpr Byte kFence = 0x80;     // after all READs before it are done
}  // namespace wqe_flag

struct ControlSegment {
  Be32 index_opcode;  // index (16 bits) << 8 | opcode
  Be32 qpn_ds;        // QP number << 8 | segments of 16 bytes, this one included
  Byte signature = 0;
  Byte reserved[2] = {};
  Byte flags = 0;
  Be32 immediate;
};

struct RemoteAddressSegment {
  Be64 address;
  Be32 rkey;
  Be32 reserved;
};

struct DataSegment {
  Be32 length;  // 0: 2^31 bytes
  Be32 lkey;
  Be64 address;
};

/// Followed by the bytes, padded to a whole segment.
struct InlineHeader {
  Be32 length;  // | kInlineFlag
};

/// A receive WQE is data segments alone, as many as its stride has room for; one with kInvalidLkey
/// ends the list.
constexpr std::uint32_t kInvalidLkey = 0x100;

/// Doorbell record of a queue pair: how many WQEs were posted, 16 bits each.
struct QpDoorbellRecord {
  Be32 receive;
  Be32 send;
};

/// Doorbell record of a CQ.
struct CqDoorbellRecord {
  Be32 consumer;  // 24 bits
  Be32 arm;       // as the arm doorbell's first word
};

// --- completion queue entries ---

constexpr std::uint32_t kCqeBytes = 64;

enum class CqeOpcode : std::uint8_t {
  kRequester = 0x0,
  kResponderWriteImm = 0x1,
  kResponderSend = 0x2,
  kResponderSendImm = 0x3,
  kRequesterError = 0xD,
  kResponderError = 0xE,
  kInvalid = 0xF,
};

enum class Syndrome : std::uint8_t {
  kNone = 0x00,
  kLocalLength = 0x01,
  kLocalQpOperation = 0x02,
  kLocalProtection = 0x04,
  kFlushed = 0x05,
  kBadResponse = 0x10,
  kLocalAccess = 0x11,
  kRemoteInvalidRequest = 0x12,
  kRemoteAccess = 0x13,
  kRemoteOperation = 0x14,
  kRetryExceeded = 0x15,
  kRnrRetryExceeded = 0x16,
};

struct Cqe {
  Byte reserved0[36] = {};
  Be32 immediate;
  Byte reserved1[4] = {};
  Be32 byte_count;
  Be64 timestamp;   // of an error: vendor syndrome in byte 6, syndrome in byte 7
  Be32 opcode_qpn;  // the WQE's opcode << 24 | QP number
  Be16 wqe_counter;
  Byte signature = 0;
  Byte opcode_owner = 0xF0;  // CqeOpcode << 4 | solicited << 1 | owner

  CqeOpcode opcode() const { return static_cast<CqeOpcode>(opcode_owner >> 4); }
  unsigned owner() const { return opcode_owner & 1U; }
  bool is_error() const {
    return opcode() == CqeOpcode::kRequesterError || opcode() == CqeOpcode::kResponderError;
  }
  Syndrome syndrome() const {
    return static_cast<Syndrome>(static_cast<std::uint64_t>(timestamp) & 0xFF);
  }
};

// --- event queue entries ---

constexpr std::uint32_t kEqeBytes = 64;

enum class EventType : std::uint8_t {
  kCompletion = 0x00,
  kCommunicationEstablished = 0x02,
  kCqError = 0x04,
  kQpCatastrophic = 0x05,
  kPortChange = 0x09,
  kQpInvalidRequest = 0x10,
  kQpAccessError = 0x11,
};

struct Eqe {
  Byte reserved0 = 0;
  Byte type = 0;  // EventType
  Byte reserved1 = 0;
  Byte subtype = 0;
  Byte reserved2[52] = {};
  Be32 number;  // of the CQ or QP
  Byte reserved3[3] = {};
  Byte owner = 1;  // as a CQE's
};

static_assert(sizeof(ControlSegment) == 16 && sizeof(RemoteAddressSegment) == 16 &&
              sizeof(DataSegment) == 16);
static_assert(sizeof(Cqe) == kCqeBytes && sizeof(Eqe) == kEqeBytes);
static_assert(offsetof(Cqe, byte_count) == 44 && offsetof(Cqe, opcode_qpn) == 56);

}  // namespace railyard::nic::abi
