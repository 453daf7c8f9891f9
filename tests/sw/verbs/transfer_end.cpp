#include "tests/sw/verbs/transfer_end.h"

#include <algorithm>
#include <cstdlib>

namespace railyard::verbs::test {

namespace {

constexpr std::uint32_t kPage = 4096;
constexpr std::uint32_t kGap = 13;   // between pieces
constexpr std::uint32_t kSpare = 7;  // bytes of a receive work request that nothing comes for
constexpr std::uint64_t kSendId = 0x1234'5678'0000'0000;
constexpr std::uint64_t kReceiveId = 0x9000'0000'0000;
constexpr std::uint8_t kReused = 0xEE;  // what a program writes where an inline message was

std::uint8_t message_byte(std::size_t n, std::uint32_t i) {
  return static_cast<std::uint8_t>(n * 101 + std::uint64_t{i} * 7 + i / 251 * 3 + i / 4096);
}
std::uint8_t other_byte(std::uint64_t at) {
  return static_cast<std::uint8_t>(0xA5U ^ (at * 11 + at / 509));
}

ibv_mtu verbs_mtu(std::uint32_t bytes) {
  int code = IBV_MTU_256;
  for (std::uint32_t mtu = 256; mtu < bytes; mtu *= 2) ++code;
  return static_cast<ibv_mtu>(code);
}

ibv_wc_opcode completed_as(const Transfer& transfer) {
  if (transfer.is_read()) return IBV_WC_RDMA_READ;
  return transfer.is_send() ? IBV_WC_SEND : IBV_WC_RDMA_WRITE;
}

}  // namespace

TransferEnd::TransferEnd(Transfers& of, unsigned side, Core& core)
    : of_(of), mine_(of.sides_[side]), other_(of.sides_[1 - side]), core_(core) {
  place();
  memory_ = static_cast<std::uint8_t*>(std::aligned_alloc(kPage, bytes_));
}

TransferEnd::~TransferEnd() { std::free(memory_); }

void TransferEnd::run() {
  open();
  meet();
  connect();
  meet();
  for (std::size_t first = 0; first < of_.transfers_.size(); first += of_.config_.at_once) {
    run_list(first, std::min(first + of_.config_.at_once, of_.transfers_.size()));
  }
  ibv_wc completion{};
  check(ibv_poll_cq(send_cq_, 1, &completion) == 0, "a send completion more");
  check(ibv_poll_cq(receive_cq_, 1, &completion) == 0, "a receive completion more");
  close();
}

// --- objects ---

void TransferEnd::open() {
  ibv_device** list = ibv_get_device_list(nullptr);
  context_ = ibv_open_device(list[0]);
  ibv_free_device_list(list);
  pd_ = ibv_alloc_pd(context_);
  mr_ = ibv_reg_mr(pd_, memory_, bytes_,
                   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
  const auto entries = static_cast<int>(of_.config_.at_once);
  send_cq_ = ibv_create_cq(context_, entries, nullptr, nullptr, 0);
  receive_cq_ = ibv_create_cq(context_, entries, nullptr, nullptr, 0);
  ibv_qp_init_attr made{};
  made.send_cq = send_cq_;
  made.recv_cq = receive_cq_;
  made.qp_type = IBV_QPT_RC;
  made.cap.max_send_wr = made.cap.max_recv_wr = static_cast<std::uint32_t>(of_.config_.at_once);
  made.cap.max_send_sge = made.cap.max_recv_sge = 4;
  made.cap.max_inline_data = Transfers::kInline;
  qp_ = ibv_create_qp(pd_, &made);
  check(qp_ != nullptr, "ibv_create_qp");
  ibv_query_gid(context_, 1, 0, &mine_.gid);
  mine_.qp_number = qp_->qp_num;
  mine_.rkey = mr_->rkey;
  mine_.memory = reinterpret_cast<std::uintptr_t>(memory_);
}

void TransferEnd::connect() {
  ibv_qp_attr set{};
  set.qp_state = IBV_QPS_INIT;
  set.port_num = 1;
  set.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
  modify(set, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
  set = {};
  set.qp_state = IBV_QPS_RTR;
  set.path_mtu = verbs_mtu(of_.config_.path_mtu);
  set.dest_qp_num = other_.qp_number;
  set.rq_psn = Transfers::kFirstPsn[other_.number];
  set.max_dest_rd_atomic = 4;
  set.min_rnr_timer = 12;
  set.ah_attr.is_global = 1;
  set.ah_attr.port_num = 1;
  set.ah_attr.grh.dgid = other_.gid;
  set.ah_attr.grh.hop_limit = 64;
  modify(set, IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                  IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
  set = {};
  set.qp_state = IBV_QPS_RTS;
  set.sq_psn = Transfers::kFirstPsn[mine_.number];
  set.timeout = 14;
  set.retry_cnt = 7;
  set.rnr_retry = 7;
  set.max_rd_atomic = 4;
  modify(set, IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                  IBV_QP_MAX_QP_RD_ATOMIC);
}

void TransferEnd::modify(ibv_qp_attr& set, int mask) {
  check(ibv_modify_qp(qp_, &set, mask | IBV_QP_STATE) == 0, "ibv_modify_qp");
}

void TransferEnd::close() {
  ibv_destroy_qp(qp_);
  ibv_destroy_cq(send_cq_);
  ibv_destroy_cq(receive_cq_);
  ibv_dereg_mr(mr_);
  ibv_dealloc_pd(pd_);
  check(ibv_close_device(context_) == 0, "ibv_close_device");
}

void TransferEnd::meet() {
  ++mine_.steps;
  while (other_.steps < mine_.steps) core_.spend(kMicrosecond);
}

// --- memory ---

/// Where each transfer of a list has its memory; all lists have the same.
void TransferEnd::place() {
  const std::size_t each = of_.config_.at_once;
  for (std::size_t i = 0; i < std::min(each, of_.transfers_.size()); ++i) {
    std::uint64_t largest = 0;
    for (std::size_t n = i; n < of_.transfers_.size(); n += each) {
      largest = std::max<std::uint64_t>(largest, of_.transfers_[n].bytes);
    }
    areas_.push_back(bytes_);
    bytes_ += (largest + std::uint64_t{4} * kPage) / kPage * kPage;
  }
}

/// What is beyond is not looked at: the areas of lists have room for their largest.
std::uint64_t TransferEnd::area_end(std::size_t n) const {
  return area(n) + (of_.transfers_[n].bytes + std::uint64_t{4} * kPage) / kPage * kPage;
}

std::vector<TransferEnd::Piece> TransferEnd::cut(std::uint64_t at, std::uint32_t bytes,
                                                 unsigned pieces) {
  std::vector<Piece> cuts;
  for (unsigned i = 0; i < pieces; ++i) {
    const std::uint32_t each = bytes / (pieces - i);
    cuts.push_back({at, each});
    at += each + kGap;
    bytes -= each;
  }
  return cuts;
}

/// A transfer's memory at a side; the area's first page is nobody's.
std::vector<TransferEnd::Piece> TransferEnd::pieces(std::size_t n, bool poster) const {
  const Transfer& t = of_.transfers_[n];
  const std::uint64_t at = area(n) + kPage + (poster ? t.poster_at : t.responder_at);
  return cut(at, t.bytes, poster || t.is_send() ? t.pieces : 1);
}

std::vector<ibv_sge> TransferEnd::list_of(const std::vector<Piece>& pieces) const {
  std::vector<ibv_sge> list;
  for (const Piece& piece : pieces) {
    list.push_back({reinterpret_cast<std::uintptr_t>(memory_ + piece.at), piece.bytes, mr_->lkey});
  }
  return list;
}

void TransferEnd::fill(std::size_t n) {
  for (std::uint64_t at = area(n); at < area_end(n); ++at) memory_[at] = other_byte(at);
  if (is_source(n)) lay(n, memory_);
}

/// The message as it lies at this side.
void TransferEnd::lay(std::size_t n, std::uint8_t* memory) const {
  std::uint32_t i = 0;
  for (const Piece& piece : pieces(n, posts())) {
    for (std::uint32_t k = 0; k < piece.bytes; ++k) memory[piece.at + k] = message_byte(n, i++);
  }
}

void TransferEnd::check_memory(std::size_t n) {
  if (of_.config_.data == DataMode::kElided) return;
  std::vector<std::uint8_t> wanted(area_end(n));
  for (std::uint64_t at = area(n); at < area_end(n); ++at) wanted[at] = other_byte(at);
  lay(n, wanted.data());
  for (std::uint64_t at = area(n); at < area_end(n); ++at) {
    if (memory_[at] == wanted[at]) continue;
    const auto from = static_cast<std::int64_t>(at) - static_cast<std::int64_t>(area(n)) - kPage;
    return fail(n, "byte " + std::to_string(from) + " of its memory is wrong");
  }
}

// --- transfers ---

void TransferEnd::run_list(std::size_t first, std::size_t end) {
  for (std::size_t n = first; n < end; ++n) {
    fill(n);
    if (!posts() && of_.transfers_[n].is_received()) post_receive(n);
  }
  meet();
  if (posts()) post(first, end);
  for (std::size_t n = first; n < end; ++n) {
    if (posts()) check_sent(n);
    if (!posts() && of_.transfers_[n].is_received()) check_received(n);
  }
  meet();
  core_.spend(kMicrosecond);
  for (std::size_t n = first; n < end; ++n) check_memory(n);
  meet();
}

void TransferEnd::describe(std::size_t n, std::vector<ibv_sge>& list, ibv_send_wr& wr) {
  const Transfer& t = of_.transfers_[n];
  list = list_of(pieces(n, true));
  wr = {};
  wr.wr_id = kSendId + n;
  wr.sg_list = list.data();
  wr.num_sge = static_cast<int>(list.size());
  wr.opcode = t.opcode;
  wr.send_flags = IBV_SEND_SIGNALED;
  if (t.is_inline) wr.send_flags |= IBV_SEND_INLINE;
  if (t.has_immediate()) wr.imm_data = Transfers::immediate(n);
  if (t.is_send()) return;
  wr.wr.rdma.remote_addr = other_.memory + pieces(n, false).front().at;
  wr.wr.rdma.rkey = other_.rkey;
  of_.remote_addresses_[n] = wr.wr.rdma.remote_addr;
}

void TransferEnd::post(std::size_t first, std::size_t end) {
  std::vector<ibv_send_wr> requests(end - first);
  std::vector<std::vector<ibv_sge>> lists(end - first);
  for (std::size_t n = first; n < end; ++n) {
    ibv_send_wr& wr = requests[n - first];
    describe(n, lists[n - first], wr);
    if (n + 1 < end) wr.next = &requests[n + 1 - first];
  }
  ibv_send_wr* bad = nullptr;
  check(ibv_post_send(qp_, requests.data(), &bad) == 0, "ibv_post_send");
  for (std::size_t n = first; n < end; ++n) {
    if (!of_.transfers_[n].is_inline) continue;
    for (const Piece& p : pieces(n, true)) std::fill_n(memory_ + p.at, p.bytes, kReused);
  }
}

void TransferEnd::post_receive(std::size_t n) {
  std::vector<ibv_sge> list;
  if (of_.transfers_[n].is_send()) list = list_of(pieces(n, false));
  if (!list.empty()) list.back().length += kSpare;
  ibv_recv_wr wr{};
  wr.wr_id = kReceiveId + n;
  wr.sg_list = list.data();
  wr.num_sge = static_cast<int>(list.size());
  ibv_recv_wr* bad = nullptr;
  check(ibv_post_recv(qp_, &wr, &bad) == 0, "ibv_post_recv");
}

bool TransferEnd::take(ibv_cq* cq, ibv_wc& completion) {
  const Time patience = core_.now() + 20 * kMillisecond;
  while (core_.now() < patience) {
    if (ibv_poll_cq(cq, 1, &completion) == 1) return true;
  }
  return false;
}

void TransferEnd::check_sent(std::size_t n) {
  const Transfer& t = of_.transfers_[n];
  ibv_wc wc{};
  if (!take(send_cq_, wc)) return fail(n, "it does not complete");
  check_field(n, "send wr_id", wc.wr_id, kSendId + n);
  check_field(n, "send opcode", wc.opcode, completed_as(t));
  check_field(n, "send wc_flags", wc.wc_flags, 0);
  if (t.is_read()) check_field(n, "send byte_len", wc.byte_len, t.bytes);
  check_any(n, wc);
  if (t.is_inline) check_inline_source(n);
}

/// It is as the program left it; then as check_memory() wants it.
void TransferEnd::check_inline_source(std::size_t n) {
  for (const Piece& p : pieces(n, true)) {
    const std::uint8_t* begin = memory_ + p.at;
    if (std::count(begin, begin + p.bytes, kReused) != p.bytes) fail(n, "its source was written");
  }
  lay(n, memory_);
}

void TransferEnd::check_received(std::size_t n) {
  const Transfer& t = of_.transfers_[n];
  ibv_wc wc{};
  if (!take(receive_cq_, wc)) return fail(n, "it is not received");
  check_field(n, "receive wr_id", wc.wr_id, kReceiveId + n);
  check_field(n, "receive opcode", wc.opcode,
              t.is_send() ? IBV_WC_RECV : IBV_WC_RECV_RDMA_WITH_IMM);
  const unsigned flags = t.has_immediate() ? static_cast<unsigned>(IBV_WC_WITH_IMM) : 0;
  check_field(n, "receive wc_flags", wc.wc_flags, flags);
  if (t.has_immediate()) check_field(n, "imm_data", wc.imm_data, Transfers::immediate(n));
  check_field(n, "receive byte_len", wc.byte_len, t.bytes);
  check_any(n, wc);
}

void TransferEnd::check_any(std::size_t n, const ibv_wc& wc) {
  check_field(n, "status", wc.status, IBV_WC_SUCCESS);
  check_field(n, "qp_num", wc.qp_num, mine_.qp_number);
  check_field(n, "vendor_err", wc.vendor_err, 0);
}

void TransferEnd::check_field(std::size_t n, const char* field, std::uint64_t is,
                              std::uint64_t wanted) {
  if (is == wanted) return;
  fail(n, std::string(field) + " is " + std::to_string(is) + ", not " + std::to_string(wanted));
}

void TransferEnd::check(bool good, const std::string& what) {
  if (!good) of_.failures_.push_back("side " + std::to_string(mine_.number) + ": " + what);
}

void TransferEnd::fail(std::size_t n, const std::string& what) {
  check(false, of_.transfers_[n].text() + ": " + what);
}

}  // namespace railyard::verbs::test
