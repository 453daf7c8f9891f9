#include "platforms/rdma_perf/connection.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <new>

#include "tlm/base/error.h"
#include "tlm/core/address_space.h"

namespace railyard::rdma_perf {

namespace {

constexpr std::uint64_t kPage = AddressSpace::kPageBytes;
constexpr std::uint8_t kPort = 1;

/// A program that the run's end, or an error, takes down: verbs would take time that is over.
bool unwinding() { return std::uncaught_exceptions() > 0; }

ibv_mtu verbs_mtu(std::uint32_t bytes) {
  int code = IBV_MTU_256;
  for (std::uint32_t mtu = 256; mtu < bytes; mtu *= 2) ++code;
  return static_cast<ibv_mtu>(code);
}

ibv_wr_opcode opcode_of(TestKind test) {
  switch (test) {
    case TestKind::kRead:
      return IBV_WR_RDMA_READ;
    case TestKind::kSend:
      return IBV_WR_SEND;
    case TestKind::kWrite:
      break;
  }
  return IBV_WR_RDMA_WRITE;
}

}  // namespace

Buffer::Buffer(ibv_pd* pd, std::size_t bytes) : memory_(std::calloc(bytes + kPage, 1)) {
  if (memory_ == nullptr) throw std::bad_alloc();
  const auto address = reinterpret_cast<std::uintptr_t>(memory_);
  data_ = static_cast<std::uint8_t*>(memory_) + (kPage - address % kPage) % kPage;
  mr_ = ibv_reg_mr_iova(pd, data_, bytes, kBase,
                        IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
  if (mr_ != nullptr) return;
  std::free(memory_);
  throw std::bad_alloc();
}

Buffer::~Buffer() {
  if (!unwinding()) ibv_dereg_mr(mr_);
  std::free(memory_);
}

Device::Device(Core& core) : core_(core) {
  int count = 0;
  ibv_device** list = ibv_get_device_list(&count);
  check(count > 0, "ibv_get_device_list finds none");
  context_ = ibv_open_device(list[0]);
  ibv_free_device_list(list);
  check(context_ != nullptr, "ibv_open_device");
  pd_ = ibv_alloc_pd(context_);
  check(pd_ != nullptr, "ibv_alloc_pd");
}

Device::~Device() {
  if (unwinding()) return;
  ibv_dealloc_pd(pd_);
  ibv_close_device(context_);
}

ibv_gid Device::gid() const {
  ibv_gid gid{};
  check(ibv_query_gid(context_, kPort, 0, &gid) == 0, "ibv_query_gid");
  return gid;
}

void Device::check(bool good, const std::string& what) const {
  if (!good) throw InvariantError(core_.name(), core_.now(), "rdma_perf: " + what + " failed");
}

Connection::Connection(Device& device, const TestConfig& config, const ConnectionId& id,
                       std::uint64_t bytes, const CompletionQueues& queues)
    : device_(device), config_(config), id_(id), bytes_(bytes) {
  ibv_qp_init_attr made{};
  made.send_cq = queues.send;
  made.recv_cq = queues.receive;
  made.qp_type = IBV_QPT_RC;
  made.cap.max_send_wr = config.depth;
  made.cap.max_recv_wr = config.test == TestKind::kSend ? config.receive_depth : 1;
  made.cap.max_send_sge = 1;
  made.cap.max_recv_sge = 1;
  made.cap.max_inline_data = config.inlined(bytes) ? config.inline_bytes : 0;
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

Connection::~Connection() {
  if (!unwinding()) ibv_destroy_qp(qp_);
}

void Connection::set_memory(const Buffer& buffer, std::uint64_t offset, std::uint64_t half) {
  source_ = buffer.data() + offset;
  target_ = source_ + half;
  source_address_ = buffer.address_of(source_);
  target_address_ = buffer.address_of(target_);
  lkey_ = buffer.mr().lkey;
  rkey_ = buffer.mr().rkey;
}

void Connection::publish(Board& board) const {
  // A READ takes what the other side would send, everything else goes to where that receives.
  const std::uint64_t reached = config_.test == TestKind::kRead ? source_address_ : target_address_;
  board.publish(id_, {qp_->qp_num, qp_->qp_num & 0xFFFFU, rkey_, reached, device_.gid()});
}

void Connection::connect(const Board& board) {
  ConnectionId other = id_;
  other.client = !id_.client;
  remote_ = board.find(other);
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_RTR;
  attributes.path_mtu = verbs_mtu(config_.path_mtu_of(bytes_));
  attributes.dest_qp_num = remote_.number;
  attributes.rq_psn = remote_.psn;
  attributes.max_dest_rd_atomic = static_cast<std::uint8_t>(config_.reads);
  attributes.min_rnr_timer = 12;
  attributes.ah_attr.is_global = 1;
  attributes.ah_attr.port_num = kPort;
  attributes.ah_attr.grh.dgid = remote_.gid;
  attributes.ah_attr.grh.hop_limit = 64;
  attributes.ah_attr.grh.traffic_class = static_cast<std::uint8_t>(config_.traffic_class);
  int error = ibv_modify_qp(qp_, &attributes,
                            IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                                IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
  device_.check(error == 0, "ibv_modify_qp to RTR");
  attributes = {};
  attributes.qp_state = IBV_QPS_RTS;
  attributes.timeout = 14;
  attributes.retry_cnt = 7;
  attributes.rnr_retry = 7;
  attributes.sq_psn = qp_->qp_num & 0xFFFFU;
  attributes.max_rd_atomic = static_cast<std::uint8_t>(config_.reads);
  error = ibv_modify_qp(qp_, &attributes,
                        IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                            IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
  device_.check(error == 0, "ibv_modify_qp to RTS");
}

void Connection::write_pattern() {
  for (std::uint64_t m = 0; m < positions(); ++m) {
    for (std::uint64_t i = 0; i < bytes_; ++i) source_[offset_of(m) + i] = pattern(i);
  }
}

std::uint64_t Connection::wrong_bytes(std::uint64_t messages) const {
  const std::uint64_t reached =
      config_.test == TestKind::kSend ? 1 : std::min<std::uint64_t>(messages, positions());
  std::uint64_t wrong = 0;
  for (std::uint64_t m = 0; m < reached; ++m) {
    for (std::uint64_t i = 0; i < bytes_; ++i) {
      if (target_[offset_of(m) + i] != pattern(i)) ++wrong;
    }
  }
  return wrong;
}

/// Never 0, as memory is at first.
std::uint8_t Connection::pattern(std::uint64_t index) const {
  constexpr std::uint64_t kValues = 255;
  return static_cast<std::uint8_t>(1 + (index * 7 + index / 256 * 13 + id_.pair * 31 + id_.number) %
                                           kValues);
}

std::uint64_t Connection::stride() const {
  constexpr std::uint64_t kLine = 64;
  return (bytes_ + kLine - 1) / kLine * kLine;
}

std::uint64_t Connection::positions() const { return std::max<std::uint64_t>(kPage / stride(), 1); }

/// Small messages walk round in a page, a cache line apart, as perftest's do.
std::uint64_t Connection::offset_of(std::uint64_t index) const {
  return index % positions() * stride();
}

void Connection::fill(ibv_send_wr& request, ibv_sge& segment, std::uint64_t index,
                      bool signalled) const {
  const std::uint64_t offset = offset_of(index);
  const std::uint64_t local = config_.test == TestKind::kRead ? target_address_ : source_address_;
  // What is inline is read by software.
  segment.addr =
      offset + (config_.inlined(bytes_) ? reinterpret_cast<std::uintptr_t>(source_) : local);
  segment.length = static_cast<std::uint32_t>(bytes_);
  segment.lkey = lkey_;
  request = {};
  request.sg_list = &segment;
  request.num_sge = 1;
  request.opcode = opcode_of(config_.test);
  if (signalled) request.send_flags |= IBV_SEND_SIGNALED;
  if (config_.inlined(bytes_)) request.send_flags |= IBV_SEND_INLINE;
  request.wr.rdma.remote_addr = remote_.address + offset;
  request.wr.rdma.rkey = remote_.rkey;
}

void Connection::post_receive(std::uint64_t wr_id) {
  ibv_sge segment{target_address_, static_cast<std::uint32_t>(bytes_), lkey_};
  ibv_recv_wr request{};
  request.wr_id = wr_id;
  request.sg_list = &segment;
  request.num_sge = 1;
  ibv_recv_wr* bad = nullptr;
  device_.check(ibv_post_recv(qp_, &request, &bad) == 0, "ibv_post_recv");
}

}  // namespace railyard::rdma_perf
