// Send WQEs from memory.
#include <utility>

#include "hw/nic/requester.h"

namespace railyard::nic {

void Requester::fetch_more(SendQueue& sq) {
  const SendConfig& config = units_.config->send;
  while (!sq.unreadable) {
    const auto parsed = static_cast<std::uint32_t>(sq.wqes.size() - sq.begun);
    const WqeQueue::Fetch fetch =
        sq.fetched.next(*sq.qp, config.wqe_prefetch, config.wqe_fetch, parsed);
    if (fetch.blocks == 0) return;
    if (free_wqe_reads_.empty()) {
      free_wqe_reads_.push_back(static_cast<std::uint32_t>(wqe_reads_.size()));
      wqe_reads_.emplace_back();
    }
    const std::uint32_t index = free_wqe_reads_.back();
    free_wqe_reads_.pop_back();
    wqe_reads_[index] = {ticket_of(sq), sq.fetched.asked()};
    units_.dma->read({DmaUse::kWqe, fetch.address, fetch.blocks * abi::kWqeBytes, index}, *this);
  }
}

void Requester::parse(SendQueue& sq) {
  while (true) {
    Ref<SendWqe> wqe = wqes_.acquire();
    WqeFault fault = WqeFault::kNone;
    if (!sq.fetched.take(*sq.qp, *wqe, fault)) return;
    if (fault != WqeFault::kNone) wqe->error = abi::Syndrome::kLocalQpOperation;
    metrics_.wqes_fetched.add();
    sq.wqes.push(std::move(wqe));
  }
}

void Requester::dma_done(std::uint64_t ticket, pcie::Status status, Ref<net::Payload> payload) {
  const auto index = static_cast<std::uint32_t>(ticket);
  const WqeRead read = wqe_reads_[index];
  free_wqe_reads_.push_back(index);
  SendQueue* sq = find(read.ticket);
  if (sq == nullptr) return;
  if (status != pcie::Status::kSuccess || !payload) {
    fetch_failed(*sq);
    return;
  }
  if (sq->unreadable) return;
  sq->fetched.arrived(read.order, std::move(payload));
  parse(*sq);
  if (sq->state == SendState::kWqe && sq->has_wqe()) {
    resume(*sq);
  } else if (sq->state == SendState::kWqe) {
    fetch_more(*sq);
  }
}

void Requester::fetch_failed(SendQueue& sq) {
  if (sq.unreadable) return;
  sq.unreadable = true;
  Qp& qp = *sq.qp;
  if (sq.flushing) {
    if (sq.state == SendState::kWqe) make_ready(sq, units_.partition->now());
    return;
  }
  enter_flush(sq);
  units_.control->fail(qp, abi::EventType::kQpCatastrophic);
}

}  // namespace railyard::nic
