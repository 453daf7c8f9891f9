// Polling: completions out of completion queue entries.
//
// A poll looks at the next entry. A program that finds nothing and polls the same queue again, with
// no other verb in between, spins: so that this costs no event a look, each such poll waits for an
// entry up to twice as long as the one before, from kFirstWait up to VerbsConfig::empty_poll.
#include <cstring>

#include "sw/verbs/objects.h"

namespace railyard::verbs {

namespace {

constexpr Time kFirstWait = 125 * kNanosecond;
constexpr std::uint32_t kQpMask = 0xFF'FFFF;

/// Of the entry's last byte: it was written in this pass over the ring.
bool is_new(std::uint8_t opcode_owner, std::uint32_t pass) {
  constexpr auto kInvalid = static_cast<std::uint8_t>(abi::CqeOpcode::kInvalid);
  return opcode_owner >> 4 != kInvalid && (opcode_owner & 1U) == (pass & 1U);
}

/// Looks at the next entry until it is new, at most so long.
bool look(const Cq& cq, Core& core, Time wait) {
  const Address last_byte = cq.entry(cq.ring.consumer) + offsetof(abi::Cqe, opcode_owner);
  const std::uint32_t pass = cq.ring.consumer >> cq.ring.log_entries;
  std::uint64_t value = 0;
  return core.poll_until(
      last_byte, 1,
      [pass](std::uint64_t byte) { return is_new(static_cast<std::uint8_t>(byte), pass); },
      core.now() + wait, value);
}

/// Takes the next entry, which is new. False: it is nobody's.
bool take(Cq& cq, Context& context, ibv_wc& completion) {
  std::array<std::uint8_t, abi::kCqeBytes> bytes{};
  context.core().read(cq.entry(cq.ring.consumer), bytes.data(), bytes.size());
  ++cq.ring.consumer;
  abi::Cqe entry;
  std::memcpy(&entry, bytes.data(), bytes.size());
  const auto qp = context.device.qps.find(entry.opcode_qpn & kQpMask);
  if (qp == context.device.qps.end()) return false;
  completion = completion_of(entry, *qp->second);
  return true;
}

/// How long a poll waits that follows one of the same queue that found nothing.
Time wait_of(Context& context, const Cq& cq) {
  if (context.empty != &cq) return 0;
  return context.empty_wait;
}

void found_nothing(Context& context, const Cq& cq) {
  const Time most = context.device.machine.config().empty_poll;
  const Time next = context.empty == &cq ? 2 * context.empty_wait : kFirstWait;
  context.empty = &cq;
  context.empty_wait = std::min(std::max(next, kFirstWait), most);
}

/// As far as entries are there; only the first is waited for.
int read_entries(Cq& cq, Context& context, int most, ibv_wc* completions) {
  const std::uint32_t before = cq.ring.consumer;
  Time wait = wait_of(context, cq);
  int count = 0;
  while (count < most && look(cq, context.core(), wait)) {
    wait = 0;
    if (take(cq, context, completions[count])) ++count;
  }
  if (cq.ring.consumer == before) {
    if (most > 0) found_nothing(context, cq);
    return count;
  }
  context.empty = nullptr;
  store_be32(context.core(), cq.ring.doorbell_record + offsetof(abi::CqDoorbellRecord, consumer),
             cq.ring.consumer & abi::kConsumerMask);
  return count;
}

ibv_wc_opcode receive_opcode(abi::CqeOpcode opcode) {
  return opcode == abi::CqeOpcode::kResponderWriteImm ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV;
}

void complete_send(const abi::Cqe& entry, SendQueue& queue, ibv_wc& completion) {
  const SendSlot& slot = queue.slots[entry.wqe_counter & queue.mask];
  completion.wr_id = slot.wr_id;
  completion.opcode = slot.opcode;
  queue.completed = slot.order + 1;  // with all before it, of which nothing was said
}

void complete_receive(const abi::Cqe& entry, ReceiveQueue& queue, ibv_wc& completion) {
  const std::uint32_t index = entry.wqe_counter;
  completion.wr_id = queue.wr_ids[index & queue.mask];
  completion.opcode = receive_opcode(entry.opcode());
  queue.completed += ((index - queue.completed) & abi::kWqeCounterMask) + 1;
  if (entry.opcode() == abi::CqeOpcode::kResponderWriteImm ||
      entry.opcode() == abi::CqeOpcode::kResponderSendImm) {
    completion.wc_flags = IBV_WC_WITH_IMM;
    completion.imm_data = __builtin_bswap32(entry.immediate);  // in network order again
  }
}

}  // namespace

ibv_wc_status status_of(abi::Syndrome syndrome) {
  switch (syndrome) {
    case abi::Syndrome::kNone:
      return IBV_WC_SUCCESS;
    case abi::Syndrome::kLocalLength:
      return IBV_WC_LOC_LEN_ERR;
    case abi::Syndrome::kLocalQpOperation:
      return IBV_WC_LOC_QP_OP_ERR;
    case abi::Syndrome::kLocalProtection:
      return IBV_WC_LOC_PROT_ERR;
    case abi::Syndrome::kFlushed:
      return IBV_WC_WR_FLUSH_ERR;
    case abi::Syndrome::kBadResponse:
      return IBV_WC_BAD_RESP_ERR;
    case abi::Syndrome::kLocalAccess:
      return IBV_WC_LOC_ACCESS_ERR;
    case abi::Syndrome::kRemoteInvalidRequest:
      return IBV_WC_REM_INV_REQ_ERR;
    case abi::Syndrome::kRemoteAccess:
      return IBV_WC_REM_ACCESS_ERR;
    case abi::Syndrome::kRemoteOperation:
      return IBV_WC_REM_OP_ERR;
    case abi::Syndrome::kRetryExceeded:
      return IBV_WC_RETRY_EXC_ERR;
    case abi::Syndrome::kRnrRetryExceeded:
      return IBV_WC_RNR_RETRY_EXC_ERR;
    default:
      return IBV_WC_GENERAL_ERR;
  }
}

ibv_wc completion_of(const abi::Cqe& entry, Qp& qp) {
  ibv_wc completion{};
  const bool sent = entry.opcode() == abi::CqeOpcode::kRequester ||
                    entry.opcode() == abi::CqeOpcode::kRequesterError;
  if (sent) {
    complete_send(entry, qp.sends, completion);
  } else {
    complete_receive(entry, qp.receives, completion);
  }
  completion.qp_num = qp.qp_num;
  if (entry.is_error()) {
    completion.status = status_of(entry.syndrome());
    completion.vendor_err = static_cast<std::uint32_t>(std::uint64_t{entry.timestamp} >> 8 & 0xFF);
  } else {
    completion.byte_len = entry.byte_count;
  }
  return completion;
}

int poll_cq(ibv_cq* cq, int entries, ibv_wc* completions) {
  Cq& queue = object(cq);
  int count = 0;
  while (count < entries && !queue.read_already.empty()) {
    completions[count++] = queue.read_already.front();
    queue.read_already.pop_front();
  }
  if (count > 0 && count == entries) return count;
  return count + read_entries(queue, object(cq->context), entries - count, completions + count);
}

void drop_completions(Cq& cq, const Qp& qp) {
  ibv_wc completion{};
  object(cq.context).empty = nullptr;
  while (read_entries(cq, object(cq.context), 1, &completion) == 1) {
    cq.read_already.push_back(completion);
  }
  const auto mine = [&qp](const ibv_wc& one) { return one.qp_num == qp.qp_num; };
  auto& kept = cq.read_already;
  kept.erase(std::remove_if(kept.begin(), kept.end(), mine), kept.end());
}

}  // namespace railyard::verbs
