// Queue pairs: made, asked, destroyed.
#include "sw/verbs/objects.h"

namespace railyard::verbs {

namespace {

constexpr std::uint32_t kSegment = abi::kSegmentBytes;
constexpr std::uint32_t kHeaderBytes =
    sizeof(abi::ControlSegment) + sizeof(abi::RemoteAddressSegment);
constexpr std::uint32_t kInlineHeader = sizeof(abi::InlineHeader);
constexpr std::uint32_t kMinLogStride = 4;
constexpr std::uint32_t kMaxLogStride = 10;

std::uint32_t whole(std::uint32_t bytes, std::uint32_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// Sizes of the queues that hold what was asked for.
struct Sizes {
  std::uint32_t wqe_blocks = 1;  // of a send WQE at most
  std::uint32_t log_send = 0;    // blocks
  std::uint32_t log_receive = 0;
  std::uint32_t log_stride = kMinLogStride;
};

/// False: the device has no such queues.
bool sizes_of(const ibv_qp_cap& cap, const abi::CapabilitiesOutput& has, Sizes& sizes) {
  const std::uint32_t most_wqes = 1U << has.max_log_wqes;
  const std::uint32_t max_inline = std::min<std::uint32_t>(has.max_inline, abi::kMaxInline);
  if (cap.max_send_wr > most_wqes || cap.max_recv_wr > most_wqes) return false;
  if (cap.max_send_sge > has.max_sge || cap.max_recv_sge > has.max_sge) return false;
  if (cap.max_inline_data > max_inline) return false;
  const std::uint32_t inline_bytes =
      cap.max_inline_data == 0 ? 0 : whole(kInlineHeader + cap.max_inline_data, kSegment);
  const std::uint32_t sge_bytes = std::max(cap.max_send_sge, 1U) * kSegment;
  const std::uint32_t wqe = kHeaderBytes + std::max(inline_bytes, sge_bytes);
  if (wqe > abi::kMaxWqeSegments * kSegment) return false;
  sizes.wqe_blocks = whole(wqe, abi::kWqeBytes) / abi::kWqeBytes;
  sizes.log_send = log2_ceil(std::uint64_t{std::max(cap.max_send_wr, 1U)} * sizes.wqe_blocks);
  sizes.log_receive = log2_ceil(std::max(cap.max_recv_wr, 1U));
  sizes.log_stride =
      std::max(kMinLogStride, log2_ceil(std::uint64_t{std::max(cap.max_recv_sge, 1U)} * kSegment));
  return sizes.log_send <= has.max_log_wqes && sizes.log_stride <= kMaxLogStride;
}

/// What there is of each, at least what was asked for.
ibv_qp_cap cap_of(const Sizes& sizes, const abi::CapabilitiesOutput& has) {
  const std::uint32_t room = sizes.wqe_blocks * abi::kWqeBytes - kHeaderBytes;
  const std::uint32_t max_inline = std::min<std::uint32_t>(has.max_inline, abi::kMaxInline);
  ibv_qp_cap cap{};
  cap.max_send_wr = (1U << sizes.log_send) / sizes.wqe_blocks;
  cap.max_recv_wr = 1U << sizes.log_receive;
  cap.max_send_sge = std::min<std::uint32_t>(room / kSegment, has.max_sge);
  cap.max_recv_sge = std::min<std::uint32_t>((1U << sizes.log_stride) / kSegment, has.max_sge);
  cap.max_inline_data = std::min(room - kInlineHeader, max_inline);
  return cap;
}

bool acceptable(const ibv_pd* pd, const ibv_qp_init_attr& wish) {
  return wish.send_cq != nullptr && wish.recv_cq != nullptr &&
         wish.send_cq->context == pd->context && wish.recv_cq->context == pd->context;
}

driver::QueuePairWish wish_of(const ibv_pd* pd, const Context& context,
                              const ibv_qp_init_attr& init, const Sizes& sizes) {
  driver::QueuePairWish wish;
  wish.type = init.qp_type == IBV_QPT_RC ? abi::QpType::kRc : abi::QpType::kUc;
  wish.pd = pd->handle;
  wish.uar = context.uar;
  wish.send_cq = init.send_cq->handle;
  wish.receive_cq = init.recv_cq->handle;
  wish.log_send = sizes.log_send;
  wish.log_receive = sizes.log_receive;
  wish.log_receive_stride = sizes.log_stride;
  wish.signal_all = init.sq_sig_all != 0;
  return wish;
}

void fill(Qp& qp, ibv_pd* pd, const ibv_qp_init_attr& init, const Sizes& sizes) {
  qp.context = pd->context;
  qp.qp_context = init.qp_context;
  qp.pd = pd;
  qp.send_cq = init.send_cq;
  qp.recv_cq = init.recv_cq;
  qp.qp_type = init.qp_type;
  qp.state = IBV_QPS_RESET;
  qp.qp_num = qp.ring.number;
  qp.handle = qp.ring.number;
  qp.signal_all = init.sq_sig_all != 0;
  qp.sends.base = qp.ring.send;
  qp.sends.mask = (1U << sizes.log_send) - 1;
  qp.sends.slots.resize(std::size_t{1} << sizes.log_send);
  qp.receives.base = qp.ring.receive;
  qp.receives.mask = (1U << sizes.log_receive) - 1;
  qp.receives.log_stride = sizes.log_stride;
  qp.receives.wr_ids.resize(std::size_t{1} << sizes.log_receive);
}

ibv_qp_attr attributes_of(const Qp& qp, const abi::QueryQpOutput& answer) {
  const abi::ModifyQpInput& set = answer.attributes;
  ibv_qp_attr attributes = qp.attributes;
  attributes.qp_state = static_cast<ibv_qp_state>(static_cast<std::uint32_t>(answer.state));
  attributes.cur_qp_state = attributes.qp_state;
  attributes.path_mtu = mtu_of(set.path_mtu);
  attributes.path_mig_state = IBV_MIG_MIGRATED;
  attributes.rq_psn = answer.receive_psn;
  attributes.sq_psn = answer.send_psn;
  attributes.dest_qp_num = set.remote_qp;
  attributes.qp_access_flags = set.access;
  attributes.cap = qp.cap;
  attributes.max_rd_atomic = set.max_reads;
  attributes.max_dest_rd_atomic = set.max_dest_reads;
  attributes.min_rnr_timer = set.min_rnr_timer;
  attributes.port_num = set.port;
  attributes.timeout = set.timeout;
  attributes.retry_cnt = set.retry_count;
  attributes.rnr_retry = set.rnr_retry;
  return attributes;
}

}  // namespace

void reset_queues(Qp& qp) {
  drop_completions(object(qp.send_cq), qp);
  if (qp.recv_cq != qp.send_cq) drop_completions(object(qp.recv_cq), qp);
  qp.sends.blocks = qp.sends.posted = qp.sends.completed = 0;
  qp.receives.posted = qp.receives.completed = 0;
}

}  // namespace railyard::verbs

namespace verbs = railyard::verbs;
using verbs::object;

ibv_qp* ibv_create_qp(ibv_pd* pd, ibv_qp_init_attr* qp_init_attr) {
  verbs::Context& context = object(pd->context);
  const bool connected = qp_init_attr->qp_type == IBV_QPT_RC || qp_init_attr->qp_type == IBV_QPT_UC;
  if (!connected || qp_init_attr->srq != nullptr) {
    errno = EOPNOTSUPP;
    return nullptr;
  }
  const auto& has = context.driver().capabilities();
  verbs::Sizes sizes;
  if (!verbs::acceptable(pd, *qp_init_attr) || !verbs::sizes_of(qp_init_attr->cap, has, sizes)) {
    errno = EINVAL;
    return nullptr;
  }
  auto made = std::make_unique<verbs::Qp>();
  verbs::Qp& qp = *made;
  const int error = verbs::error_of([&] {
    qp.ring = context.driver().create_qp(verbs::wish_of(pd, context, *qp_init_attr, sizes));
    qp.uar = context.driver().uar_address(context.uar);
  });
  if (error != 0) return verbs::pointer_or_errno<ibv_qp>(nullptr, error);
  verbs::fill(qp, pd, *qp_init_attr, sizes);
  qp.cap = verbs::cap_of(sizes, has);
  qp_init_attr->cap = qp.cap;
  ++object(pd).users;
  ++object(qp.send_cq).users;
  ++object(qp.recv_cq).users;
  context.device.qps[qp.qp_num] = &qp;
  context.qps.push_back(std::move(made));
  return &qp;
}

int ibv_query_qp(ibv_qp* qp, ibv_qp_attr* attributes, int /*mask*/, ibv_qp_init_attr* init) {
  verbs::Qp& one = object(qp);
  const int error = verbs::error_of([&] {
    const auto answer = object(qp->context).driver().query_qp(qp->qp_num);
    *attributes = verbs::attributes_of(one, answer);
  });
  if (error != 0) return error;
  qp->state = attributes->qp_state;
  *init = {};
  init->qp_context = qp->qp_context;
  init->send_cq = qp->send_cq;
  init->recv_cq = qp->recv_cq;
  init->cap = one.cap;
  init->qp_type = qp->qp_type;
  init->sq_sig_all = one.signal_all ? 1 : 0;
  return 0;
}

int ibv_destroy_qp(ibv_qp* qp) {
  verbs::Qp& one = object(qp);
  verbs::Context& context = object(qp->context);
  const int error = verbs::error_of([&] { context.driver().destroy_qp(one.ring); });
  if (error != 0) return error;
  verbs::reset_queues(one);
  --object(qp->pd).users;
  --object(qp->send_cq).users;
  --object(qp->recv_cq).users;
  context.device.qps.erase(qp->qp_num);
  verbs::forget(context.qps, one);
  return 0;
}
