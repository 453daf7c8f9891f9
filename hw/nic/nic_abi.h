// What software and the NIC agree on: registers, doorbells, work queue elements, completion and
// event queue entries, commands. All of it is big endian in memory and in registers, and laid out
// as mlx5 devices have it (rdma-core providers/mlx5, Linux include/linux/mlx5) wherever that is
// simple enough to state; what differs is said beside it. This header is all that software may
// include of hw/.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace railyard::nic::abi {

/// An integer in big-endian bytes, without alignment: structs of them are images of memory.
template <class T>
class BigEndian {
 public:
  constexpr BigEndian() = default;
  constexpr BigEndian(T value) { set(value); }  // NOLINT(google-explicit-constructor)
  constexpr operator T() const {                // NOLINT(google-explicit-constructor)
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) value = static_cast<T>(value << 8 | bytes_[i]);
    return value;
  }

 private:
  constexpr void set(T value) {
    for (std::size_t i = sizeof(T); i-- > 0; value = static_cast<T>(value >> 8)) {
      bytes_[i] = static_cast<std::uint8_t>(value);
    }
  }
  std::array<std::uint8_t, sizeof(T)> bytes_{};
};
using Be16 = BigEndian<std::uint16_t>;
using Be32 = BigEndian<std::uint32_t>;
using Be64 = BigEndian<std::uint64_t>;
// A shift by 8 of one byte is none of BigEndian's: single bytes are plain.
using Byte = std::uint8_t;

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
constexpr std::uint64_t kInitializing = 0x01FC;     // RO: bit 31: not ready yet
constexpr std::uint64_t kHealth = 0x0200;           // RO: Health
constexpr std::uint64_t kHealthQp = 0x0204;         // RO: number of the object that it is about
constexpr std::uint64_t kReset = 0x0208;            // WO: kResetMagic resets the function
constexpr std::uint64_t kBytes = 0x1000;            // accesses behind it and before the UARs: none
}  // namespace reg

constexpr std::uint32_t kAbiRevision = 0x0001'0000;
constexpr std::uint32_t kResetMagic = 0x5245'5345;

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

// --- work queue elements ---

constexpr std::uint32_t kWqeBytes = 64;      // a basic block of the send queue
constexpr std::uint32_t kSegmentBytes = 16;  // what `ds` counts
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

// --- commands. An entry of the command queue is kCommandBytes. ---

constexpr std::uint32_t kCommandBytes = 64;
constexpr std::uint32_t kMaxLogCommands = 5;
constexpr std::uint32_t kMaxInputBytes = 1U << 24;
constexpr Byte kCommandType = 0x07;

/// Where mlx5 chains mailboxes of 512 bytes, input and output here are each one range of memory;
/// their first 16 bytes are in the entry. The lengths count these too: the input's is what the
/// command says, the output's at least that. Mailboxes lie at multiples of 16.
struct CommandEntry {
  Byte type = kCommandType;
  Byte reserved0[3] = {};
  Be32 input_bytes;
  Be64 input_address;  // of what follows the first 16 bytes
  Be32 input[4];       // opcode << 16, then the command's own
  Be32 output[4];      // status << 24, syndrome, then the command's own
  Be64 output_address;
  Be32 output_bytes;
  Byte token = 0;  // given back as it came
  Byte signature = 0;
  Byte reserved1 = 0;
  Byte status_owner = 0;  // bit 0: the device's
};

enum class Command : std::uint16_t {
  kQueryCapabilities = 0x100,
  kInitHca = 0x102,
  kTeardownHca = 0x103,  // forgets all objects; the memory is software's again
  kGiveMemory = 0x108,   // MANAGE_PAGES: host memory for contexts and translation tables
  kCreateMkey = 0x200,
  kDestroyMkey = 0x202,
  kCreateEq = 0x301,
  kDestroyEq = 0x302,
  kCreateCq = 0x400,
  kDestroyCq = 0x401,
  kModifyCq = 0x403,  // moderation
  kCreateQp = 0x500,
  kDestroyQp = 0x501,
  kRstToInit = 0x502,
  kInitToRtr = 0x503,
  kRtrToRts = 0x504,
  kRtsToRts = 0x505,
  kToError = 0x507,
  kToReset = 0x50A,
  kQueryQp = 0x50B,
  kQueryPort = 0x750,
  kAllocPd = 0x800,
  kDeallocPd = 0x801,
  kAllocUar = 0x802,
  kDeallocUar = 0x803,
};

/// MLX5_CMD_STAT_*.
enum class CommandStatus : std::uint8_t {
  kOk = 0x00,
  kInternal = 0x01,
  kBadOperation = 0x02,
  kBadParameter = 0x03,
  kBadSystemState = 0x04,
  kBadResource = 0x05,   // no such object
  kResourceBusy = 0x06,  // something still uses it
  kLimit = 0x08,
  kBadResourceState = 0x09,
  kNoResources = 0x0F,
  kBadInputLength = 0x50,
  kBadOutputLength = 0x51,
};

// Input and output of the commands as one image: 16 bytes in the entry and what follows them.
// Outputs begin with CommandResult.
struct CommandHeader {
  Be16 opcode;
  Be16 reserved;
  Be32 reserved1;
};
struct CommandResult {
  Byte status = 0;  // CommandStatus
  Byte reserved[3] = {};
  /// Says more, for a log: the number of the field at fault. Those of a command's own input count
  /// from 1 behind the header, reserved ones left out; those of the entry are in entry_field.
  Be32 syndrome;
};
namespace entry_field {
constexpr std::uint32_t kType = 0x101;
constexpr std::uint32_t kInputBytes = 0x102;
constexpr std::uint32_t kInputAddress = 0x103;
constexpr std::uint32_t kOpcode = 0x104;
constexpr std::uint32_t kOutputAddress = 0x105;
constexpr std::uint32_t kOutputBytes = 0x106;
}  // namespace entry_field

/// Commands that name one object and nothing else: DESTROY_*, 2ERR, 2RST, QUERY_*, DEALLOC_*.
struct NumberInput {
  CommandHeader header;
  Be32 number;
  Be32 reserved;
};
/// Answer of CREATE_* and ALLOC_*.
struct NumberOutput {
  CommandResult result;
  Be32 number;
  Be32 reserved;
};

struct CapabilitiesOutput {
  CommandResult result;
  Be32 reserved[2];
  Be32 max_qps;
  Be32 max_cqs;
  Be32 max_eqs;
  Be32 max_mkeys;
  Be32 max_pds;
  Be32 max_log_wqes;  // entries of a send or receive queue
  Be32 max_log_cqes;
  Be32 max_log_eqes;
  Be32 max_sge;       // data segments of a WQE
  Be32 max_reads;     // READs and atomics outstanding of a QP, each way
  Be32 max_message;   // bytes
  Be32 vectors;       // MSI-X
  Be64 memory_bytes;  // that GIVE_MEMORY must give before INIT_HCA
  Be32 clock_khz;     // of the timestamps
  Be32 max_inline;
};

struct GiveMemoryInput {
  CommandHeader header;
  Be32 reserved[2];
  Be64 address;  // of 4 KiB pages
  Be64 bytes;
};

namespace access {  // as enum ibv_access_flags
constexpr std::uint32_t kLocalWrite = 1;
constexpr std::uint32_t kRemoteWrite = 2;
constexpr std::uint32_t kRemoteRead = 4;
constexpr std::uint32_t kRemoteAtomic = 8;
constexpr std::uint32_t kRelaxedOrdering = 1U << 20;
}  // namespace access

/// Followed by the bus addresses of its pages, Be64 each.
struct CreateMkeyInput {
  CommandHeader header;
  Be32 reserved[2];
  Be64 address;  // virtual, of the first byte
  Be64 bytes;
  Be32 pd;
  Be32 access;
  Be32 log_page;  // 12 to 30
  Be32 pages;     // that the range touches
};
/// The key is both lkey and rkey: index << 8 | a byte that changes with each use of the index.
using CreateMkeyOutput = NumberOutput;

struct CreateEqInput {
  CommandHeader header;
  Be32 reserved[2];
  Be64 address;  // of its entries, contiguous
  Be32 log_entries;
  Be32 vector;            // MSI-X
  Be32 moderation_ns;     // an interrupt at most once in this time...
  Be32 moderation_count;  // ...or after so many events; 0, 0: one an event, if armed
  Be32 uar;               // that it is armed by
  Be32 reserved1;
};

struct CreateCqInput {
  CommandHeader header;
  Be32 reserved[2];
  Be64 address;  // of its entries, contiguous
  Be64 doorbell_record;
  Be32 log_entries;
  Be32 eq;
  Be32 uar;
  Be32 moderation_ns;     // an event at most once in this time...
  Be32 moderation_count;  // ...or after so many completions
  Be32 reserved1;
};

struct ModifyCqInput {
  CommandHeader header;
  Be32 number;
  Be32 reserved;
  Be32 moderation_ns;
  Be32 moderation_count;
};

enum class QpType : std::uint32_t { kRc = 0, kUc = 1, kUd = 3 };

struct CreateQpInput {
  CommandHeader header;
  Be32 reserved[2];
  Be32 type;  // QpType
  Be32 pd;
  Be32 uar;
  Be32 send_cq;
  Be32 receive_cq;
  Be32 signal_all;    // 1: every send WQE has a completion
  Be64 send_address;  // of its basic blocks, contiguous
  Be64 receive_address;
  Be64 doorbell_record;
  Be32 log_send;            // basic blocks
  Be32 log_receive;         // WQEs
  Be32 log_receive_stride;  // bytes of a receive WQE: 4 to 10
  Be32 reserved1;
};

/// A bit for each field of ModifyQpInput that a transition sets.
namespace qp_field {
constexpr std::uint32_t kAccess = 1U << 0;
constexpr std::uint32_t kPort = 1U << 1;
constexpr std::uint32_t kAddress = 1U << 2;  // mac, ip, traffic class, hop limit
constexpr std::uint32_t kPathMtu = 1U << 3;
constexpr std::uint32_t kRemoteQp = 1U << 4;
constexpr std::uint32_t kReceivePsn = 1U << 5;
constexpr std::uint32_t kMaxDestReads = 1U << 6;
constexpr std::uint32_t kMinRnrTimer = 1U << 7;
constexpr std::uint32_t kSendPsn = 1U << 8;
constexpr std::uint32_t kTimeout = 1U << 9;
constexpr std::uint32_t kRetryCount = 1U << 10;
constexpr std::uint32_t kRnrRetry = 1U << 11;
constexpr std::uint32_t kMaxReads = 1U << 12;
}  // namespace qp_field

/// RST2INIT, INIT2RTR, RTR2RTS, RTS2RTS. A field that the transition needs and that is not in
/// `fields`, or one that it does not take, is a bad parameter. As ibv_modify_qp has it: INIT needs
/// port and access; RTR address, path MTU, remote QP, receive PSN, max_dest_reads, min_rnr_timer;
/// RTS timeout, both retry counts, send PSN, max_reads. RTR and RTS also take access, RTS
/// min_rnr_timer.
struct ModifyQpInput {
  CommandHeader header;
  Be32 number;
  Be32 fields;    // qp_field
  Be32 access;    // kRemoteWrite, kRemoteRead, kRemoteAtomic; kLocalWrite says nothing
  Be32 path_mtu;  // bytes: 256, 512, 1024, 2048 or 4096
  Be32 remote_qp;
  Be32 receive_psn;
  Be32 send_psn;
  Byte min_rnr_timer = 0;
  Byte timeout = 0;
  Byte retry_count = 0;
  Byte rnr_retry = 0;
  Byte max_reads = 0;       // that this side has outstanding
  Byte max_dest_reads = 0;  // that the peer has
  Byte traffic_class = 0;   // of IP: DSCP << 2; the two bits below are the NIC's
  Byte hop_limit = 64;
  Byte remote_mac[6] = {};
  Byte port = 1;
  Byte reserved = 0;
  Byte remote_ip[16] = {};  // a GID: IPv6, or IPv4 as ::ffff:a.b.c.d
};

enum class QpState : std::uint32_t {  // as enum ibv_qp_state
  kReset = 0,
  kInit = 1,
  kRtr = 2,
  kRts = 3,
  kSqd = 4,
  kSqe = 5,
  kError = 6,
};

struct QueryQpOutput {
  CommandResult result;
  Be32 state;
  Be32 send_psn;
  Be32 receive_psn;
  Be32 reserved;
  ModifyQpInput attributes;
};

struct QueryPortOutput {
  CommandResult result;
  Be32 up;
  Be32 interface_mtu;
  Be32 rate_mbps;
  Byte mac[6] = {};
  Byte reserved[2] = {};
  Byte gid[16] = {};
};

static_assert(sizeof(ControlSegment) == 16 && sizeof(RemoteAddressSegment) == 16 &&
              sizeof(DataSegment) == 16);
static_assert(sizeof(Cqe) == kCqeBytes && sizeof(Eqe) == kEqeBytes);
static_assert(offsetof(Cqe, byte_count) == 44 && offsetof(Cqe, opcode_qpn) == 56);
static_assert(sizeof(CommandEntry) == kCommandBytes);

}  // namespace railyard::nic::abi
