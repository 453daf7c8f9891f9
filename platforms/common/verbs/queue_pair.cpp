#include "platforms/common/verbs/queue_pair.h"

#include <exception>

namespace railyard::rdma {

namespace {

ibv_mtu verbs_mtu(std::uint32_t bytes) {
  int code = IBV_MTU_256;
  for (std::uint32_t mtu = 256; mtu < bytes; mtu *= 2) ++code;
  return static_cast<ibv_mtu>(code);
}

std::uint32_t first_psn(const ibv_qp& qp) { return qp.qp_num & 0xFFFFU; }

}  // namespace

bool unwinding() { return std::uncaught_exceptions() > 0; }

QueuePair::QueuePair(Device& device, const QueuePairShape& shape) : device_(device) {
  ibv_qp_init_attr made{};
  made.send_cq = shape.send;
  made.recv_cq = shape.receive;
  made.qp_type = IBV_QPT_RC;
  made.cap.max_send_wr = shape.sends;
  made.cap.max_recv_wr = shape.receives;
  made.cap.max_send_sge = 1;
  made.cap.max_recv_sge = 1;
  made.cap.max_inline_data = shape.inline_bytes;
  qp_ = ibv_create_qp(device.pd(), &made);
  device.check(qp_ != nullptr, "ibv_create_qp");
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_INIT;
  attributes.port_num = kPort;
  attributes.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
  const int error = ibv_modify_qp(
      qp_, &attributes, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
  device.check(error == 0, "ibv_modify_qp to INIT");
}

QueuePair::~QueuePair() {
  if (!unwinding()) ibv_destroy_qp(qp_);
}

Destination QueuePair::here() const {
  Destination destination;
  destination.number = qp_->qp_num;
  destination.psn = first_psn(*qp_);
  destination.gid = device_.gid();
  return destination;
}

void QueuePair::connect(const Destination& remote, const QueuePairPath& path) {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_RTR;
  attributes.path_mtu = verbs_mtu(path.mtu);
  attributes.dest_qp_num = remote.number;
  attributes.rq_psn = remote.psn;
  attributes.max_dest_rd_atomic = static_cast<std::uint8_t>(path.reads);
  attributes.min_rnr_timer = 12;
  attributes.ah_attr.is_global = 1;
  attributes.ah_attr.port_num = kPort;
  attributes.ah_attr.grh.dgid = remote.gid;
  attributes.ah_attr.grh.hop_limit = 64;
  attributes.ah_attr.grh.traffic_class = static_cast<std::uint8_t>(path.traffic_class);
  int error = ibv_modify_qp(qp_, &attributes,
                            IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                                IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
  device_.check(error == 0, "ibv_modify_qp to RTR");
  attributes = {};
  attributes.qp_state = IBV_QPS_RTS;
  attributes.timeout = path.timeout;
  attributes.retry_cnt = 7;
  attributes.rnr_retry = 7;
  attributes.sq_psn = first_psn(*qp_);
  attributes.max_rd_atomic = static_cast<std::uint8_t>(path.reads);
  error = ibv_modify_qp(qp_, &attributes,
                        IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                            IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
  device_.check(error == 0, "ibv_modify_qp to RTS");
}

}  // namespace railyard::rdma
