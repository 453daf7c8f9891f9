// Posting: work requests become WQEs in the queues' memory.
//
// In this order: the WQEs, a fence, the doorbell record, a fence, the doorbell. A list rings once.
// A WQE that is posted alone may be written whole to the device (BlueField) in place of the
// doorbell (verbs_config.h), if it fits; the two buffers take turns.
#include <cstring>

#include "sw/verbs/objects.h"

namespace railyard::verbs {

namespace {

constexpr std::uint32_t kMaxWqeBytes = abi::kMaxWqeSegments * abi::kSegmentBytes;
constexpr std::size_t kRoom =
    std::size_t{(kMaxWqeBytes + abi::kWqeBytes - 1) / abi::kWqeBytes} * abi::kWqeBytes;

struct Operation {
  abi::Opcode opcode;
  ibv_wc_opcode completion;
  bool remote_address;
  bool immediate;
};

/// False: there is no such operation for the transport.
bool operation_of(const ibv_send_wr& wr, ibv_qp_type type, Operation& operation) {
  switch (wr.opcode) {
    case IBV_WR_RDMA_WRITE:
      operation = {abi::Opcode::kRdmaWrite, IBV_WC_RDMA_WRITE, true, false};
      return true;
    case IBV_WR_RDMA_WRITE_WITH_IMM:
      operation = {abi::Opcode::kRdmaWriteImm, IBV_WC_RDMA_WRITE, true, true};
      return true;
    case IBV_WR_SEND:
      operation = {abi::Opcode::kSend, IBV_WC_SEND, false, false};
      return true;
    case IBV_WR_SEND_WITH_IMM:
      operation = {abi::Opcode::kSendImm, IBV_WC_SEND, false, true};
      return true;
    case IBV_WR_RDMA_READ:
      operation = {abi::Opcode::kRdmaRead, IBV_WC_RDMA_READ, true, false};
      return type == IBV_QPT_RC;
    default:
      return false;
  }
}

/// A WQE as it is put together, whole blocks. Its segments fit if its work request does.
class Wqe {
 public:
  template <class Segment>
  void add(const Segment& segment) {
    static_assert(sizeof segment <= abi::kSegmentBytes);
    std::memcpy(bytes_.data() + size_, &segment, sizeof segment);
    size_ += sizeof segment;
  }
  void add(const void* data, std::size_t bytes) {
    std::memcpy(bytes_.data() + size_, data, bytes);
    size_ += bytes;
  }
  /// Zeroes up to a multiple of `unit`.
  void pad(std::size_t unit) {
    const std::size_t end = (size_ + unit - 1) / unit * unit;
    std::memset(bytes_.data() + size_, 0, end - size_);
    size_ = end;
  }
  /// The control segment, which is the first, once the others are there.
  void set_control(const abi::ControlSegment& control) {
    std::memcpy(bytes_.data(), &control, sizeof control);
  }
  void begin_behind_control() { size_ = sizeof(abi::ControlSegment); }

  const std::uint8_t* data() const { return bytes_.data(); }
  std::size_t bytes() const { return size_; }
  std::uint32_t segments() const { return static_cast<std::uint32_t>(size_ / abi::kSegmentBytes); }
  /// Once it is padded to those.
  std::uint32_t blocks() const { return static_cast<std::uint32_t>(size_ / abi::kWqeBytes); }

 private:
  std::array<std::uint8_t, kRoom> bytes_;
  std::size_t size_ = 0;
};

std::uint64_t inline_bytes(const ibv_send_wr& wr) {
  std::uint64_t bytes = 0;
  for (int i = 0; i < wr.num_sge; ++i) bytes += wr.sg_list[i].length;
  return bytes;
}

/// A segment of no bytes would mean 2^31: there is none.
void add_data(Wqe& wqe, const ibv_sge* list, int count) {
  for (int i = 0; i < count; ++i) {
    if (list[i].length == 0) continue;
    abi::DataSegment segment;
    segment.length = list[i].length;
    segment.lkey = list[i].lkey;
    segment.address = list[i].addr;
    wqe.add(segment);
  }
}

void add_inline(Wqe& wqe, const ibv_send_wr& wr, std::uint64_t bytes) {
  if (bytes == 0) return;
  wqe.add(abi::InlineHeader{static_cast<std::uint32_t>(bytes) | abi::kInlineFlag});
  for (int i = 0; i < wr.num_sge; ++i) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): verbs give addresses as integers
    wqe.add(reinterpret_cast<const void*>(wr.sg_list[i].addr), wr.sg_list[i].length);
  }
  wqe.pad(abi::kSegmentBytes);
}

abi::Byte flags_of(const Qp& qp, const ibv_send_wr& wr) {
  unsigned flags = 0;
  if (qp.signal_all || (wr.send_flags & IBV_SEND_SIGNALED) != 0) flags |= abi::wqe_flag::kCqUpdate;
  if ((wr.send_flags & IBV_SEND_SOLICITED) != 0) flags |= abi::wqe_flag::kSolicited;
  if ((wr.send_flags & IBV_SEND_FENCE) != 0) flags |= abi::wqe_flag::kFence;
  return static_cast<abi::Byte>(flags);
}

void build(Wqe& wqe, const Qp& qp, const ibv_send_wr& wr, const Operation& operation) {
  wqe.begin_behind_control();
  if (operation.remote_address) {
    abi::RemoteAddressSegment remote;
    remote.address = wr.wr.rdma.remote_addr;
    remote.rkey = wr.wr.rdma.rkey;
    wqe.add(remote);
  }
  if ((wr.send_flags & IBV_SEND_INLINE) != 0) {
    add_inline(wqe, wr, inline_bytes(wr));
  } else {
    add_data(wqe, wr.sg_list, wr.num_sge);
  }
  abi::ControlSegment control;
  control.index_opcode =
      (qp.sends.blocks & abi::kWqeCounterMask) << 8 | static_cast<std::uint32_t>(operation.opcode);
  control.qpn_ds = qp.qp_num << 8 | wqe.segments();
  control.flags = flags_of(qp, wr);
  if (operation.immediate) control.immediate = __builtin_bswap32(wr.imm_data);
  wqe.set_control(control);
  wqe.pad(abi::kWqeBytes);
}

/// Over the ring's end, if need be.
void write_blocks(Core& core, const SendQueue& queue, const Wqe& wqe) {
  const std::uint32_t at = queue.blocks & queue.mask;
  const std::uint32_t straight = std::min(wqe.blocks(), queue.mask + 1 - at);
  const std::size_t bytes = std::size_t{straight} * abi::kWqeBytes;
  core.write(queue.base + std::uint64_t{at} * abi::kWqeBytes, wqe.data(), bytes);
  if (straight < wqe.blocks()) core.write(queue.base, wqe.data() + bytes, wqe.bytes() - bytes);
}

int check_send(const Qp& qp, const ibv_send_wr& wr, Operation& operation) {
  if (!operation_of(wr, qp.qp_type, operation)) return EINVAL;
  if (wr.num_sge < 0 || static_cast<std::uint32_t>(wr.num_sge) > qp.cap.max_send_sge) {
    return EINVAL;
  }
  if ((wr.send_flags & IBV_SEND_INLINE) != 0) {
    // What is read has no bytes to give.
    if (operation.opcode == abi::Opcode::kRdmaRead) return EINVAL;
    if (inline_bytes(wr) > qp.cap.max_inline_data) return EINVAL;
  }
  return qp.sends.posted - qp.sends.completed >= qp.cap.max_send_wr ? ENOMEM : 0;
}

bool may_send(ibv_qp_state state) { return state == IBV_QPS_RTS || state == IBV_QPS_ERR; }

/// Of the last WQE: whether no other was posted with it, and whether its payload is inline.
void ring(Context& context, Qp& qp, const Wqe& last, bool alone, bool inlined) {
  Core& core = context.core();
  core.fence();
  store_be32(core, qp.ring.doorbell_record + offsetof(abi::QpDoorbellRecord, send),
             qp.sends.blocks & abi::kWqeCounterMask);
  core.fence();
  const Address doorbell = qp.uar + abi::uar::kSendDoorbell;
  const BlueField policy = context.device.machine.config().blue_field;
  const bool wanted = policy == BlueField::kAlways || (policy == BlueField::kInline && inlined);
  const bool whole = wanted && alone && last.bytes() <= abi::uar::kBlueFieldBytes;
  if (whole) {
    core.store_combining(doorbell + context.blue_field_buffer * abi::uar::kBlueFieldBytes,
                         last.data(), last.bytes());
    context.blue_field_buffer = (context.blue_field_buffer + 1) % abi::uar::kBlueFieldBuffers;
  } else {
    std::uint64_t first = 0;
    std::memcpy(&first, last.data(), sizeof first);
    core.store(doorbell, first, sizeof first);
  }
  core.fence();
}

int check_receive(const Qp& qp, const ibv_recv_wr& wr) {
  if (wr.num_sge < 0 || static_cast<std::uint32_t>(wr.num_sge) > qp.cap.max_recv_sge) {
    return EINVAL;
  }
  return qp.receives.posted - qp.receives.completed >= qp.cap.max_recv_wr ? ENOMEM : 0;
}

void write_receive(Core& core, ReceiveQueue& queue, const ibv_recv_wr& wr) {
  Wqe wqe;
  add_data(wqe, wr.sg_list, wr.num_sge);
  const std::uint32_t stride = 1U << queue.log_stride;
  if (wqe.bytes() < stride) {
    abi::DataSegment end;
    end.lkey = abi::kInvalidLkey;
    wqe.add(end);
  }
  const std::uint32_t at = queue.posted & queue.mask;
  core.write(queue.base + std::uint64_t{at} * stride, wqe.data(), wqe.bytes());
  queue.wr_ids[at] = wr.wr_id;
  ++queue.posted;
}

}  // namespace

int post_send(ibv_qp* qp, ibv_send_wr* wr, ibv_send_wr** bad_wr) {
  Qp& to = object(qp);
  Context& context = object(qp->context);
  context.empty = nullptr;
  Wqe wqe;
  unsigned posted = 0;
  bool inlined = false;
  int error = may_send(qp->state) ? 0 : EINVAL;
  for (; wr != nullptr && error == 0; wr = wr->next) {
    Operation operation{};
    error = check_send(to, *wr, operation);
    if (error != 0) break;
    build(wqe, to, *wr, operation);
    write_blocks(context.core(), to.sends, wqe);
    to.sends.slots[to.sends.blocks & to.sends.mask] = {wr->wr_id, to.sends.posted,
                                                       operation.completion};
    ++to.sends.posted;
    to.sends.blocks += wqe.blocks();
    ++posted;
    inlined = (wr->send_flags & IBV_SEND_INLINE) != 0;
  }
  if (error != 0) *bad_wr = wr;
  if (posted > 0) ring(context, to, wqe, posted == 1, inlined);
  return error;
}

int post_recv(ibv_qp* qp, ibv_recv_wr* wr, ibv_recv_wr** bad_wr) {
  Qp& to = object(qp);
  Context& context = object(qp->context);
  context.empty = nullptr;
  const std::uint32_t before = to.receives.posted;
  int error = qp->state == IBV_QPS_RESET ? EINVAL : 0;
  for (; wr != nullptr && error == 0; wr = wr->next) {
    error = check_receive(to, *wr);
    if (error != 0) break;
    write_receive(context.core(), to.receives, *wr);
  }
  if (error != 0) *bad_wr = wr;
  if (to.receives.posted == before) return error;
  Core& core = context.core();
  core.fence();
  store_be32(core, to.ring.doorbell_record + offsetof(abi::QpDoorbellRecord, receive),
             to.receives.posted & abi::kWqeCounterMask);
  return error;
}

}  // namespace railyard::verbs
