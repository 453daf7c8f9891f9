#include "tlm/net/opcode.h"

#include <cstddef>

#include "tlm/net/headers.h"

namespace railyard::net {

namespace {

struct Entry {
  Opcode opcode;
  OpcodeInfo info;
};

constexpr std::uint8_t bytes_of(std::uint8_t extensions) {
  constexpr std::uint32_t kSizes[8] = {kDethBytes, kRethBytes,         kAtomicEthBytes,
                                       kAethBytes, kAtomicAckEthBytes, kImmDtBytes,
                                       kIethBytes, kCnpReservedBytes};
  std::uint32_t bytes = 0;
  for (std::size_t bit = 0; bit < 8; ++bit) {
    if ((extensions >> bit & 1) != 0) bytes += kSizes[bit];
  }
  return static_cast<std::uint8_t>(bytes);
}

constexpr std::array<OpcodeInfo, 256> make_table() {
  namespace ext = extension;
  using O = Opcode;
  using T = Transport;
  using Op = Operation;
  using P = Position;
  constexpr Entry kEntries[] = {
      {O::kRcSendFirst, {"RC_SEND_FIRST", T::kRc, Op::kSend, P::kFirst, 0}},
      {O::kRcSendMiddle, {"RC_SEND_MIDDLE", T::kRc, Op::kSend, P::kMiddle, 0}},
      {O::kRcSendLast, {"RC_SEND_LAST", T::kRc, Op::kSend, P::kLast, 0}},
      {O::kRcSendLastWithImmediate,
       {"RC_SEND_LAST_WITH_IMMEDIATE", T::kRc, Op::kSend, P::kLast, ext::kImmDt}},
      {O::kRcSendOnly, {"RC_SEND_ONLY", T::kRc, Op::kSend, P::kOnly, 0}},
      {O::kRcSendOnlyWithImmediate,
       {"RC_SEND_ONLY_WITH_IMMEDIATE", T::kRc, Op::kSend, P::kOnly, ext::kImmDt}},
      {O::kRcRdmaWriteFirst,
       {"RC_RDMA_WRITE_FIRST", T::kRc, Op::kRdmaWrite, P::kFirst, ext::kReth}},
      {O::kRcRdmaWriteMiddle, {"RC_RDMA_WRITE_MIDDLE", T::kRc, Op::kRdmaWrite, P::kMiddle, 0}},
      {O::kRcRdmaWriteLast, {"RC_RDMA_WRITE_LAST", T::kRc, Op::kRdmaWrite, P::kLast, 0}},
      {O::kRcRdmaWriteLastWithImmediate,
       {"RC_RDMA_WRITE_LAST_WITH_IMMEDIATE", T::kRc, Op::kRdmaWrite, P::kLast, ext::kImmDt}},
      {O::kRcRdmaWriteOnly, {"RC_RDMA_WRITE_ONLY", T::kRc, Op::kRdmaWrite, P::kOnly, ext::kReth}},
      {O::kRcRdmaWriteOnlyWithImmediate,
       {"RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE", T::kRc, Op::kRdmaWrite, P::kOnly,
        ext::kReth | ext::kImmDt}},
      {O::kRcRdmaReadRequest,
       {"RC_RDMA_READ_REQUEST", T::kRc, Op::kRdmaReadRequest, P::kOnly, ext::kReth}},
      {O::kRcRdmaReadResponseFirst,
       {"RC_RDMA_READ_RESPONSE_FIRST", T::kRc, Op::kRdmaReadResponse, P::kFirst, ext::kAeth}},
      {O::kRcRdmaReadResponseMiddle,
       {"RC_RDMA_READ_RESPONSE_MIDDLE", T::kRc, Op::kRdmaReadResponse, P::kMiddle, 0}},
      {O::kRcRdmaReadResponseLast,
       {"RC_RDMA_READ_RESPONSE_LAST", T::kRc, Op::kRdmaReadResponse, P::kLast, ext::kAeth}},
      {O::kRcRdmaReadResponseOnly,
       {"RC_RDMA_READ_RESPONSE_ONLY", T::kRc, Op::kRdmaReadResponse, P::kOnly, ext::kAeth}},
      {O::kRcAcknowledge, {"RC_ACKNOWLEDGE", T::kRc, Op::kAcknowledge, P::kNone, ext::kAeth}},
      {O::kRcAtomicAcknowledge,
       {"RC_ATOMIC_ACKNOWLEDGE", T::kRc, Op::kAtomicAcknowledge, P::kNone,
        ext::kAeth | ext::kAtomicAckEth}},
      {O::kRcCompareSwap, {"RC_COMPARE_SWAP", T::kRc, Op::kAtomic, P::kOnly, ext::kAtomicEth}},
      {O::kRcFetchAdd, {"RC_FETCH_ADD", T::kRc, Op::kAtomic, P::kOnly, ext::kAtomicEth}},
      {O::kRcSendLastWithInvalidate,
       {"RC_SEND_LAST_WITH_INVALIDATE", T::kRc, Op::kSend, P::kLast, ext::kIeth}},
      {O::kRcSendOnlyWithInvalidate,
       {"RC_SEND_ONLY_WITH_INVALIDATE", T::kRc, Op::kSend, P::kOnly, ext::kIeth}},
      {O::kUcSendFirst, {"UC_SEND_FIRST", T::kUc, Op::kSend, P::kFirst, 0}},
      {O::kUcSendMiddle, {"UC_SEND_MIDDLE", T::kUc, Op::kSend, P::kMiddle, 0}},
      {O::kUcSendLast, {"UC_SEND_LAST", T::kUc, Op::kSend, P::kLast, 0}},
      {O::kUcSendLastWithImmediate,
       {"UC_SEND_LAST_WITH_IMMEDIATE", T::kUc, Op::kSend, P::kLast, ext::kImmDt}},
      {O::kUcSendOnly, {"UC_SEND_ONLY", T::kUc, Op::kSend, P::kOnly, 0}},
      {O::kUcSendOnlyWithImmediate,
       {"UC_SEND_ONLY_WITH_IMMEDIATE", T::kUc, Op::kSend, P::kOnly, ext::kImmDt}},
      {O::kUcRdmaWriteFirst,
       {"UC_RDMA_WRITE_FIRST", T::kUc, Op::kRdmaWrite, P::kFirst, ext::kReth}},
      {O::kUcRdmaWriteMiddle, {"UC_RDMA_WRITE_MIDDLE", T::kUc, Op::kRdmaWrite, P::kMiddle, 0}},
      {O::kUcRdmaWriteLast, {"UC_RDMA_WRITE_LAST", T::kUc, Op::kRdmaWrite, P::kLast, 0}},
      {O::kUcRdmaWriteLastWithImmediate,
       {"UC_RDMA_WRITE_LAST_WITH_IMMEDIATE", T::kUc, Op::kRdmaWrite, P::kLast, ext::kImmDt}},
      {O::kUcRdmaWriteOnly, {"UC_RDMA_WRITE_ONLY", T::kUc, Op::kRdmaWrite, P::kOnly, ext::kReth}},
      {O::kUcRdmaWriteOnlyWithImmediate,
       {"UC_RDMA_WRITE_ONLY_WITH_IMMEDIATE", T::kUc, Op::kRdmaWrite, P::kOnly,
        ext::kReth | ext::kImmDt}},
      {O::kUdSendOnly, {"UD_SEND_ONLY", T::kUd, Op::kSend, P::kOnly, ext::kDeth}},
      {O::kUdSendOnlyWithImmediate,
       {"UD_SEND_ONLY_WITH_IMMEDIATE", T::kUd, Op::kSend, P::kOnly, ext::kDeth | ext::kImmDt}},
      {O::kCnp, {"CNP", T::kCnp, Op::kCnp, P::kNone, ext::kCnpReserved}},
  };
  std::array<OpcodeInfo, 256> table{};
  for (const Entry& entry : kEntries) {
    OpcodeInfo& info = table[static_cast<std::uint8_t>(entry.opcode)];
    info = entry.info;
    info.extension_bytes = bytes_of(info.extensions);
  }
  return table;
}

}  // namespace

constexpr std::array<OpcodeInfo, 256> kOpcodeTable = make_table();

}  // namespace railyard::net
