// The commands of a NIC, as software gives them: a part of nic_abi.h. An entry of the command queue
// is kCommandBytes.
#pragma once

#include <cstdint>

#include "hw/nic/words_abi.h"

namespace railyard::nic::abi {

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

static_assert(sizeof(CommandEntry) == kCommandBytes);

}  // namespace railyard::nic::abi
