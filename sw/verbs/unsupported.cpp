// Verbs that the device does not have: each says so, as a device without them does.
#include <cstring>

#include "sw/verbs/objects.h"

namespace {

template <class T>
T* none(int error) {
  errno = error;
  return nullptr;
}

}  // namespace

int ibv_resize_cq(ibv_cq* /*cq*/, int /*cqe*/) { return ENOSYS; }

ibv_srq* ibv_create_srq(ibv_pd* /*pd*/, ibv_srq_init_attr* /*init*/) {
  return none<ibv_srq>(ENOSYS);
}
int ibv_modify_srq(ibv_srq* /*srq*/, ibv_srq_attr* /*attributes*/, int /*mask*/) { return ENOSYS; }
int ibv_query_srq(ibv_srq* /*srq*/, ibv_srq_attr* /*attributes*/) { return ENOSYS; }
int ibv_destroy_srq(ibv_srq* /*srq*/) { return ENOSYS; }

int ibv_rereg_mr(ibv_mr* /*mr*/, int /*flags*/, ibv_pd* /*pd*/, void* /*addr*/,
                 std::size_t /*length*/, int /*access*/) {
  errno = EOPNOTSUPP;
  return IBV_REREG_MR_ERR_INPUT;
}
ibv_mr* ibv_reg_dmabuf_mr(ibv_pd* /*pd*/, std::uint64_t /*offset*/, std::size_t /*length*/,
                          std::uint64_t /*iova*/, int /*fd*/, int /*access*/) {
  return none<ibv_mr>(EOPNOTSUPP);
}

ibv_context* ibv_import_device(int /*cmd_fd*/) { return none<ibv_context>(EOPNOTSUPP); }
ibv_pd* ibv_import_pd(ibv_context* /*context*/, std::uint32_t /*handle*/) {
  return none<ibv_pd>(EOPNOTSUPP);
}
void ibv_unimport_pd(ibv_pd* /*pd*/) {}
ibv_mr* ibv_import_mr(ibv_pd* /*pd*/, std::uint32_t /*handle*/) { return none<ibv_mr>(EOPNOTSUPP); }
void ibv_unimport_mr(ibv_mr* /*mr*/) {}
ibv_dm* ibv_import_dm(ibv_context* /*context*/, std::uint32_t /*handle*/) {
  return none<ibv_dm>(EOPNOTSUPP);
}
void ibv_unimport_dm(ibv_dm* /*dm*/) {}

// Datagrams are not modelled, nor what says where one came from.
int ibv_init_ah_from_wc(ibv_context* /*context*/, std::uint8_t /*port*/, ibv_wc* /*wc*/,
                        ibv_grh* /*grh*/, ibv_ah_attr* /*attributes*/) {
  errno = EOPNOTSUPP;
  return -1;
}
ibv_ah* ibv_create_ah_from_wc(ibv_pd* /*pd*/, ibv_wc* /*wc*/, ibv_grh* /*grh*/,
                              std::uint8_t /*port*/) {
  return none<ibv_ah>(EOPNOTSUPP);
}
int ibv_attach_mcast(ibv_qp* /*qp*/, const ibv_gid* /*gid*/, std::uint16_t /*lid*/) {
  return EOPNOTSUPP;
}
int ibv_detach_mcast(ibv_qp* /*qp*/, const ibv_gid* /*gid*/, std::uint16_t /*lid*/) {
  return EOPNOTSUPP;
}

ibv_qp_ex* ibv_qp_to_qp_ex(ibv_qp* /*qp*/) { return nullptr; }
int ibv_set_ece(ibv_qp* /*qp*/, ibv_ece* /*ece*/) { return EOPNOTSUPP; }
int ibv_query_ece(ibv_qp* /*qp*/, ibv_ece* ece) {
  std::memset(ece, 0, sizeof *ece);
  return 0;
}
/// Nothing is promised.
int ibv_query_qp_data_in_order(ibv_qp* /*qp*/, ibv_wr_opcode /*op*/, std::uint32_t /*flags*/) {
  return 0;
}

int ibv_resolve_eth_l2_from_gid(ibv_context* context, ibv_ah_attr* attributes,
                                std::uint8_t eth_mac[ETHERNET_LL_SIZE], std::uint16_t* vid) {
  namespace verbs = railyard::verbs;
  verbs::Gid gid{};
  verbs::Mac mac{};
  std::memcpy(gid.data(), attributes->grh.dgid.raw, gid.size());
  if (!verbs::object(context).device.machine.find_neighbour(gid, mac)) return EHOSTUNREACH;
  std::copy(mac.begin(), mac.end(), eth_mac);
  constexpr std::uint16_t kNoVlan = 0xFFFF;
  if (vid != nullptr) *vid = kNoVlan;
  return 0;
}

// A program is never forked: its host is this process's.
int ibv_fork_init() { return ENOSYS; }
ibv_fork_status ibv_is_fork_initialized() { return IBV_FORK_DISABLED; }
