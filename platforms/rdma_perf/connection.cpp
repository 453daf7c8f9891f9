#include "platforms/rdma_perf/connection.h"

#include <algorithm>

#include "tlm/core/address_space.h"

namespace railyard::rdma_perf {

namespace {

constexpr std::uint64_t kPage = AddressSpace::kPageBytes;

rdma::QueuePairShape shape_of(const TestConfig& config, std::uint64_t bytes,
                              const CompletionQueues& queues) {
  rdma::QueuePairShape shape;
  shape.send = queues.send;
  shape.receive = queues.receive;
  shape.sends = config.depth;
  shape.receives = config.test == TestKind::kSend ? config.receive_depth : 1;
  shape.inline_bytes = config.inlined(bytes) ? config.inline_bytes : 0;
  return shape;
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

Connection::Connection(Device& device, const TestConfig& config, const ConnectionId& id,
                       std::uint64_t bytes, const CompletionQueues& queues)
    : device_(device),
      config_(config),
      id_(id),
      bytes_(bytes),
      qp_(device, shape_of(config, bytes, queues)) {}

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
  Destination here = qp_.here();
  here.rkey = rkey_;
  here.address = reached;
  board.publish(id_, here);
}

void Connection::connect(const Board& board) {
  ConnectionId other = id_;
  other.client = !id_.client;
  remote_ = board.find(other);
  rdma::QueuePairPath path;
  path.mtu = config_.path_mtu_of(bytes_);
  path.reads = config_.reads;
  path.traffic_class = config_.traffic_class;
  qp_.connect(remote_, path);
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
  device_.check(ibv_post_recv(qp_.verbs(), &request, &bad) == 0, "ibv_post_recv");
}

}  // namespace railyard::rdma_perf
