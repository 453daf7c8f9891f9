// The opcodes of the Base Transport Header (IBTA Vol 1 9.2.1 and table 38; CNP: annex A17.9.3),
// and what follows from one: the extension headers, the place in a message, the transport.
#pragma once

#include <array>
#include <cstdint>

namespace railyard::net {

enum class Opcode : std::uint8_t {
  kRcSendFirst = 0x00,
  kRcSendMiddle = 0x01,
  kRcSendLast = 0x02,
  kRcSendLastWithImmediate = 0x03,
  kRcSendOnly = 0x04,
  kRcSendOnlyWithImmediate = 0x05,
  kRcRdmaWriteFirst = 0x06,
  kRcRdmaWriteMiddle = 0x07,
  kRcRdmaWriteLast = 0x08,
  kRcRdmaWriteLastWithImmediate = 0x09,
  kRcRdmaWriteOnly = 0x0A,
  kRcRdmaWriteOnlyWithImmediate = 0x0B,
  kRcRdmaReadRequest = 0x0C,
  kRcRdmaReadResponseFirst = 0x0D,
  kRcRdmaReadResponseMiddle = 0x0E,
  kRcRdmaReadResponseLast = 0x0F,
  kRcRdmaReadResponseOnly = 0x10,
  kRcAcknowledge = 0x11,
  kRcAtomicAcknowledge = 0x12,
  kRcCompareSwap = 0x13,
  kRcFetchAdd = 0x14,
  kRcSendLastWithInvalidate = 0x16,
  kRcSendOnlyWithInvalidate = 0x17,
  kUcSendFirst = 0x20,
  kUcSendMiddle = 0x21,
  kUcSendLast = 0x22,
  kUcSendLastWithImmediate = 0x23,
  kUcSendOnly = 0x24,
  kUcSendOnlyWithImmediate = 0x25,
  kUcRdmaWriteFirst = 0x26,
  kUcRdmaWriteMiddle = 0x27,
  kUcRdmaWriteLast = 0x28,
  kUcRdmaWriteLastWithImmediate = 0x29,
  kUcRdmaWriteOnly = 0x2A,
  kUcRdmaWriteOnlyWithImmediate = 0x2B,
  kUdSendOnly = 0x64,
  kUdSendOnlyWithImmediate = 0x65,
  kCnp = 0x81,
};

/// kNone: no opcode that we know.
enum class Transport : std::uint8_t { kNone, kRc, kUc, kUd, kCnp };

enum class Operation : std::uint8_t {
  kNone,
  kSend,
  kRdmaWrite,
  kRdmaReadRequest,
  kRdmaReadResponse,
  kAcknowledge,
  kAtomicAcknowledge,
  kAtomic,
  kCnp,
};

/// The place in a message. A READ request and an atomic are a whole request: kOnly. kNone for
/// acknowledgements and CNPs.
enum class Position : std::uint8_t { kNone, kFirst, kMiddle, kLast, kOnly };

/// Bits of extension_headers(), in the order of the headers on the wire.
namespace extension {
constexpr std::uint8_t kDeth = 1 << 0;
constexpr std::uint8_t kReth = 1 << 1;
constexpr std::uint8_t kAtomicEth = 1 << 2;
constexpr std::uint8_t kAeth = 1 << 3;
constexpr std::uint8_t kAtomicAckEth = 1 << 4;
constexpr std::uint8_t kImmDt = 1 << 5;
constexpr std::uint8_t kIeth = 1 << 6;
constexpr std::uint8_t kCnpReserved = 1 << 7;
}  // namespace extension

struct OpcodeInfo {
  const char* name = nullptr;  // the specification's; null if unknown
  Transport transport = Transport::kNone;
  Operation operation = Operation::kNone;
  Position position = Position::kNone;
  std::uint8_t extensions = 0;
  std::uint8_t extension_bytes = 0;
};

/// By the opcode's byte.
extern const std::array<OpcodeInfo, 256> kOpcodeTable;

inline const OpcodeInfo& opcode_info(Opcode opcode) {
  return kOpcodeTable[static_cast<std::uint8_t>(opcode)];
}
inline bool is_known(Opcode opcode) { return opcode_info(opcode).transport != Transport::kNone; }
/// "RC_RDMA_WRITE_ONLY"; "unknown" if it is.
inline const char* opcode_name(Opcode opcode) {
  return is_known(opcode) ? opcode_info(opcode).name : "unknown";
}
inline std::uint8_t extension_headers(Opcode opcode) { return opcode_info(opcode).extensions; }
inline std::uint32_t extension_bytes(Opcode opcode) { return opcode_info(opcode).extension_bytes; }
inline Transport transport(Opcode opcode) { return opcode_info(opcode).transport; }
inline Operation operation(Opcode opcode) { return opcode_info(opcode).operation; }

inline bool is_first(Opcode opcode) { return opcode_info(opcode).position == Position::kFirst; }
inline bool is_middle(Opcode opcode) { return opcode_info(opcode).position == Position::kMiddle; }
inline bool is_last(Opcode opcode) { return opcode_info(opcode).position == Position::kLast; }
inline bool is_only(Opcode opcode) { return opcode_info(opcode).position == Position::kOnly; }
inline bool starts_message(Opcode opcode) { return is_first(opcode) || is_only(opcode); }
inline bool ends_message(Opcode opcode) { return is_last(opcode) || is_only(opcode); }

inline bool is_send(Opcode opcode) { return operation(opcode) == Operation::kSend; }
inline bool is_write(Opcode opcode) { return operation(opcode) == Operation::kRdmaWrite; }
inline bool is_read_response(Opcode opcode) {
  return operation(opcode) == Operation::kRdmaReadResponse;
}
inline bool is_atomic(Opcode opcode) { return operation(opcode) == Operation::kAtomic; }
/// What a responder sends back: acknowledgements and READ responses.
inline bool is_response(Opcode opcode) {
  const Operation op = operation(opcode);
  return op == Operation::kRdmaReadResponse || op == Operation::kAcknowledge ||
         op == Operation::kAtomicAcknowledge;
}
/// May carry payload (a SEND or WRITE of no bytes is legal).
inline bool has_payload(Opcode opcode) {
  const Operation op = operation(opcode);
  return op == Operation::kSend || op == Operation::kRdmaWrite ||
         op == Operation::kRdmaReadResponse;
}
inline bool has_immediate(Opcode opcode) {
  return (extension_headers(opcode) & extension::kImmDt) != 0;
}

}  // namespace railyard::net
