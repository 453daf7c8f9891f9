#include "hw/nic/wqe_queue.h"

#include <algorithm>

namespace railyard::nic {

void WqeQueue::start(std::uint16_t index) {
  fetch_ = parse_ = index;
  while (!reads_.empty()) reads_.pop();
  bytes_.clear();
  head_ = 0;
}

WqeQueue::Fetch WqeQueue::next(const Qp& qp, std::uint32_t prefetch, std::uint32_t fetch,
                               std::uint32_t parsed) {
  const auto unread =
      static_cast<std::uint32_t>(static_cast<std::uint16_t>(qp.requester.posted - fetch_));
  const std::uint32_t whole = std::min(fetch, unread);
  const std::uint32_t used = parsed + ahead();
  std::uint32_t blocks = used < prefetch ? std::min(whole, prefetch - used) : 0;
  if (blocks < whole && used != 0) blocks = 0;
  if (blocks == 0 && parsed == 0 && !reading()) blocks = whole;
  const std::uint32_t to_end = qp.send.mask() + 1 - (fetch_ & qp.send.mask());
  blocks = std::min(blocks, to_end);
  if (blocks == 0) return {};
  Read read;
  read.order = ++last_order_;
  read.blocks = blocks;
  reads_.push(std::move(read));
  const Fetch made{qp.send.entry(fetch_), blocks};
  fetch_ = static_cast<std::uint16_t>(fetch_ + blocks);
  return made;
}

void WqeQueue::arrived(std::uint32_t order, Ref<net::Payload> payload) {
  for (std::size_t i = 0; i < reads_.size(); ++i) {
    if (reads_[i].order != order) continue;
    reads_[i].done = true;
    reads_[i].payload = std::move(payload);
    break;
  }
  while (!reads_.empty() && reads_.front().done) {
    const Read read = reads_.pop();
    const std::uint8_t* data = read.payload->data();
    bytes_.insert(bytes_.end(), data, data + std::size_t{read.blocks} * abi::kWqeBytes);
  }
}

bool WqeQueue::take(const Qp& qp, SendWqe& wqe, WqeFault& fault) {
  const std::size_t here = bytes_.size() - head_;
  if (here == 0) return false;
  const std::uint8_t* at = bytes_.data() + head_;
  // A WQE that claims more than was posted is malformed, not incomplete.
  const auto posted =
      static_cast<std::uint32_t>(static_cast<std::uint16_t>(qp.requester.posted - parse_));
  const std::size_t most = std::size_t{posted} * abi::kWqeBytes;
  const std::size_t wanted = std::size_t{wqe_blocks(at)} * abi::kWqeBytes;
  if (wanted > here && wanted <= most) return false;
  fault = parse_wqe(at, std::min(here, wanted), parse_, qp.number, wqe);
  parse_ = static_cast<std::uint16_t>(parse_ + wqe.blocks);
  head_ += std::size_t{wqe.blocks} * abi::kWqeBytes;
  if (head_ == bytes_.size()) {
    bytes_.clear();
    head_ = 0;
  }
  return true;
}

void WqeQueue::skip(std::uint32_t blocks) {
  fetch_ = static_cast<std::uint16_t>(fetch_ + blocks);
  parse_ = fetch_;
}

}  // namespace railyard::nic
