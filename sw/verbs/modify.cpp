// The state machine of a queue pair: which attributes a transition needs and which it takes (IBTA
// Vol 1 11.2.5.2, table 91; as Linux has it, ib_modify_qp_is_ok).
//
// Refused: alternate paths, the states SQD and SQE, and a transition from INIT to INIT.
#include <cstring>

#include "sw/verbs/objects.h"

namespace railyard::verbs {

namespace {

struct Transition {
  ibv_qp_state from;
  ibv_qp_state to;
  abi::Command command;
  int required_uc;
  int required_rc;  // beside those
  int optional_uc;
  int optional_rc;  // beside those
};

constexpr std::array<Transition, 4> kTransitions{{
    {IBV_QPS_RESET, IBV_QPS_INIT, abi::Command::kRstToInit,
     IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, 0, 0, 0},
    {IBV_QPS_INIT, IBV_QPS_RTR, abi::Command::kInitToRtr,
     IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN,
     IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER, IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX, 0},
    {IBV_QPS_RTR, IBV_QPS_RTS, abi::Command::kRtrToRts, IBV_QP_SQ_PSN,
     IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC,
     IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_PATH_MIG_STATE, IBV_QP_MIN_RNR_TIMER},
    {IBV_QPS_RTS, IBV_QPS_RTS, abi::Command::kRtsToRts, 0, 0,
     IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_PATH_MIG_STATE, IBV_QP_MIN_RNR_TIMER},
}};

const Transition* find_transition(ibv_qp_state from, ibv_qp_state to) {
  for (const Transition& one : kTransitions) {
    if (one.from == from && one.to == to) return &one;
  }
  return nullptr;
}

bool mask_fits(const Transition& transition, ibv_qp_type type, int mask) {
  const bool rc = type == IBV_QPT_RC;
  const int required = transition.required_uc | (rc ? transition.required_rc : 0);
  const int optional = transition.optional_uc | (rc ? transition.optional_rc : 0);
  return (mask & required) == required && (mask & ~(required | optional | IBV_QP_STATE)) == 0;
}

/// Of the attributes that are in the mask.
bool values_fit(const ibv_qp_attr& set, int mask, std::uint32_t max_reads) {
  constexpr std::uint32_t k24Bits = 0xFF'FFFF;
  constexpr unsigned kAccess = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
                               IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
  const auto has = [mask](int bit) { return (mask & bit) != 0; };
  if (has(IBV_QP_PORT) && set.port_num != 1) return false;
  if (has(IBV_QP_PKEY_INDEX) && set.pkey_index != 0) return false;
  if (has(IBV_QP_ACCESS_FLAGS) && (set.qp_access_flags & ~kAccess) != 0) return false;
  if (has(IBV_QP_PATH_MTU) && (set.path_mtu < IBV_MTU_256 || set.path_mtu > IBV_MTU_4096)) {
    return false;
  }
  if (has(IBV_QP_DEST_QPN) && set.dest_qp_num > k24Bits) return false;
  if (has(IBV_QP_RQ_PSN) && set.rq_psn > k24Bits) return false;
  if (has(IBV_QP_SQ_PSN) && set.sq_psn > k24Bits) return false;
  if (has(IBV_QP_TIMEOUT) && set.timeout > 31) return false;
  if (has(IBV_QP_MIN_RNR_TIMER) && set.min_rnr_timer > 31) return false;
  if (has(IBV_QP_RETRY_CNT) && set.retry_cnt > 7) return false;
  if (has(IBV_QP_RNR_RETRY) && set.rnr_retry > 7) return false;
  if (has(IBV_QP_PATH_MIG_STATE) && set.path_mig_state != IBV_MIG_MIGRATED) return false;
  if (has(IBV_QP_MAX_QP_RD_ATOMIC) && set.max_rd_atomic > max_reads) return false;
  return !has(IBV_QP_MAX_DEST_RD_ATOMIC) || set.max_dest_rd_atomic <= max_reads;
}

/// The way to the peer; RoCE has none without a GID.
int set_address(const Machine& machine, const ibv_ah_attr& to, abi::ModifyQpInput& input) {
  if (to.is_global == 0 || to.grh.sgid_index != 0) return EINVAL;
  if (to.port_num != 0 && to.port_num != 1) return EINVAL;
  Gid gid{};
  Mac mac{};
  std::memcpy(gid.data(), to.grh.dgid.raw, gid.size());
  if (!machine.find_neighbour(gid, mac)) return EHOSTUNREACH;
  std::copy(gid.begin(), gid.end(), input.remote_ip);
  std::copy(mac.begin(), mac.end(), input.remote_mac);
  input.traffic_class = to.grh.traffic_class;
  // As Linux does where a program gives none.
  constexpr std::uint8_t kHopLimit = 64;
  input.hop_limit = to.grh.hop_limit == 0 ? kHopLimit : to.grh.hop_limit;
  return 0;
}

void set_values(const ibv_qp_attr& set, int mask, abi::ModifyQpInput& input) {
  std::uint32_t fields = input.fields;
  const auto take = [&](int bit, std::uint32_t field, auto& to, auto value) {
    if ((mask & bit) == 0) return;
    fields |= field;
    to = value;
  };
  namespace field = abi::qp_field;
  constexpr unsigned kRemote =
      abi::access::kRemoteWrite | abi::access::kRemoteRead | abi::access::kRemoteAtomic;
  take(IBV_QP_ACCESS_FLAGS, field::kAccess, input.access, set.qp_access_flags & kRemote);
  take(IBV_QP_PORT, field::kPort, input.port, set.port_num);
  take(IBV_QP_PATH_MTU, field::kPathMtu, input.path_mtu, 128U << set.path_mtu);
  take(IBV_QP_DEST_QPN, field::kRemoteQp, input.remote_qp, set.dest_qp_num);
  take(IBV_QP_RQ_PSN, field::kReceivePsn, input.receive_psn, set.rq_psn);
  take(IBV_QP_MAX_DEST_RD_ATOMIC, field::kMaxDestReads, input.max_dest_reads,
       set.max_dest_rd_atomic);
  take(IBV_QP_MIN_RNR_TIMER, field::kMinRnrTimer, input.min_rnr_timer, set.min_rnr_timer);
  take(IBV_QP_SQ_PSN, field::kSendPsn, input.send_psn, set.sq_psn);
  take(IBV_QP_TIMEOUT, field::kTimeout, input.timeout, set.timeout);
  take(IBV_QP_RETRY_CNT, field::kRetryCount, input.retry_count, set.retry_cnt);
  take(IBV_QP_RNR_RETRY, field::kRnrRetry, input.rnr_retry, set.rnr_retry);
  take(IBV_QP_MAX_QP_RD_ATOMIC, field::kMaxReads, input.max_reads, set.max_rd_atomic);
  input.fields = fields;
}

/// To RESET or ERROR, from wherever it is.
int leave(Qp& qp, ibv_qp_state to) {
  driver::Device& driver = object(qp.context).driver();
  const int error = error_of([&] {
    if (to == IBV_QPS_ERR) return driver.to_error(qp.qp_num);
    driver.to_reset(qp.qp_num);
    reset_queues(qp);
    store_be32(driver.core(), qp.ring.doorbell_record + offsetof(abi::QpDoorbellRecord, receive),
               0);
    store_be32(driver.core(), qp.ring.doorbell_record + offsetof(abi::QpDoorbellRecord, send), 0);
  });
  if (error == 0) qp.state = to;
  return error;
}

int go(Qp& qp, const Transition& transition, const ibv_qp_attr& set, int mask) {
  Context& context = object(qp.context);
  if (!mask_fits(transition, qp.qp_type, mask)) return EINVAL;
  if (!values_fit(set, mask, context.driver().capabilities().max_reads)) return EINVAL;
  if ((mask & IBV_QP_CUR_STATE) != 0 && set.cur_qp_state != transition.from) return EINVAL;
  abi::ModifyQpInput input;
  input.number = qp.qp_num;
  if ((mask & IBV_QP_AV) != 0) {
    const int error = set_address(context.device.machine, set.ah_attr, input);
    if (error != 0) return error;
    input.fields = abi::qp_field::kAddress;
  }
  set_values(set, mask, input);
  const int error = error_of([&] { context.driver().modify_qp(transition.command, input); });
  if (error != 0) return error;
  qp.state = transition.to;
  if ((mask & IBV_QP_AV) != 0) qp.attributes.ah_attr = set.ah_attr;
  return 0;
}

}  // namespace

}  // namespace railyard::verbs

namespace verbs = railyard::verbs;

int ibv_modify_qp(ibv_qp* qp, ibv_qp_attr* attributes, int mask) {
  verbs::Qp& one = verbs::object(qp);
  const ibv_qp_state to = (mask & IBV_QP_STATE) != 0 ? attributes->qp_state : qp->state;
  if (to == IBV_QPS_RESET || to == IBV_QPS_ERR) {
    const bool only_state = (mask & ~(IBV_QP_STATE | IBV_QP_CUR_STATE)) == 0;
    return only_state && (mask & IBV_QP_STATE) != 0 ? verbs::leave(one, to) : EINVAL;
  }
  const verbs::Transition* transition = verbs::find_transition(qp->state, to);
  return transition == nullptr ? EINVAL : verbs::go(one, *transition, *attributes, mask);
}
