#include "hw/nic/receive_queue.h"

#include <algorithm>
#include <cstring>

#include "hw/nic/completion_sink.h"

namespace railyard::nic {

namespace {

constexpr std::uint32_t kMostAhead = 64;  // bits of `valid`

std::uint32_t power_of_two_from(std::uint32_t n) {
  std::uint32_t power = 1;
  while (power < n) power *= 2;
  return power;
}

std::uint16_t index16(std::uint32_t value) { return static_cast<std::uint16_t>(value); }

}  // namespace

ReceiveQueues::ReceiveQueues(Units& units, ReceiveQueueClient& client)
    : units_(units),
      client_(client),
      ahead_(std::clamp<std::uint32_t>(units.config->receive.wqe_prefetch, 1, kMostAhead)),
      slots_(power_of_two_from(ahead_)),
      poll_(Event::of<&ReceiveQueues::poll>(
          *this, units.partition->endpoint(units.name + ".receive_queue"), Phase::kTimer)) {
  poll_.set_background();
  StatisticsRegistry& statistics = units.partition->statistics();
  const std::string p = units.name + ".receive_queue.";
  statistics.add(record_reads_, {p + "record_reads", "reads", "Doorbell records read"});
  statistics.add(wqe_reads_, {p + "wqe_reads", "reads", "Reads of receive WQEs"});
  statistics.add(wqes_, {p + "wqes", "WQEs", "Receive WQEs that these brought"});
  statistics.add(flushed_, {p + "flushed", "WQEs", "Receive WQEs that completed flushed"});
}

void ReceiveQueues::start(Qp& qp) {
  ReceiveQueueState& q = qp.responder.receive;
  if (q.window.empty()) q.window.resize(std::size_t{slots_} << qp.receive.log_stride);
  read_record(qp);
}

bool ReceiveQueues::known(const Qp& qp, std::uint16_t index) const {
  return (qp.responder.receive.valid >> (index & (slots_ - 1)) & 1U) != 0;
}

ReceiveQueues::Supply ReceiveQueues::want(Qp& qp) {
  ReceiveQueueState& q = qp.responder.receive;
  const bool answered = q.answered;
  q.answered = false;
  q.wanted = false;
  if (known(qp, q.consumed)) return Supply::kReady;
  if (q.asked != q.consumed || q.posted != q.consumed) {
    q.wanted = true;
    read_ahead(qp);
    return Supply::kWait;
  }
  if (answered) return Supply::kNone;
  q.wanted = true;
  if (q.reading_record) {
    q.read_again = true;
  } else {
    read_record(qp);
  }
  return Supply::kWait;
}

const std::uint8_t* ReceiveQueues::wqe(const Qp& qp) const {
  const ReceiveQueueState& q = qp.responder.receive;
  return q.window.data() +
         (static_cast<std::size_t>(q.consumed & (slots_ - 1)) << qp.receive.log_stride);
}

std::uint64_t ReceiveQueues::room(const Qp& qp) const {
  const std::uint8_t* bytes = wqe(qp);
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < segments(qp); ++i) {
    abi::DataSegment segment;
    std::memcpy(&segment, bytes + std::size_t{i} * sizeof(segment), sizeof(segment));
    if (length(segment) == 0) break;
    sum += length(segment);
  }
  return sum;
}

std::uint16_t ReceiveQueues::take(Qp& qp) {
  ReceiveQueueState& q = qp.responder.receive;
  const std::uint16_t index = q.consumed++;
  q.valid &= ~(std::uint64_t{1} << (index & (slots_ - 1)));
  read_ahead(qp);
  return index;
}

// Reads in chunks: one WQE a read would cost a request each.
void ReceiveQueues::read_ahead(Qp& qp) {
  ReceiveQueueState& q = qp.responder.receive;
  const std::uint32_t held = index16(q.asked - q.consumed);
  const std::uint32_t left = index16(q.posted - q.asked);
  if (left == 0) {
    if (held <= ahead_ / 2 && !q.reading_record) read_record(qp);
    return;
  }
  const std::uint32_t free = ahead_ - std::min(ahead_, held);
  if (free < std::max(1U, ahead_ / 4)) return;
  const std::uint32_t to_end = qp.receive.mask() + 1 - (q.asked & qp.receive.mask());
  const std::uint32_t count = std::min({free, left, to_end});
  const std::uint32_t ticket = fetches_.acquire();
  fetches_[ticket] = {0, &qp, false, q.asked, index16(count)};
  const std::uint64_t address = qp.receive.entry(q.asked);
  q.asked = index16(q.asked + count);
  wqe_reads_.add();
  units_.dma->read({DmaUse::kWqe, address, count << qp.receive.log_stride, ticket}, *this);
}

void ReceiveQueues::read_record(Qp& qp) {
  qp.responder.receive.reading_record = true;
  const std::uint32_t ticket = fetches_.acquire();
  fetches_[ticket] = {0, &qp, true, 0, 0};
  record_reads_.add();
  units_.dma->read({DmaUse::kRecord, qp.doorbell_record, sizeof(abi::Be32), ticket}, *this);
}

void ReceiveQueues::dma_done(std::uint64_t ticket, pcie::Status status, Ref<net::Payload> payload) {
  const auto index = static_cast<std::uint32_t>(ticket);
  const Fetch fetch = fetches_[index];
  fetches_.release(index);
  if (fetch.qp == nullptr) return;
  Qp& qp = *fetch.qp;
  const std::size_t bytes =
      fetch.record ? sizeof(abi::Be32) : std::size_t{fetch.count} << qp.receive.log_stride;
  if (fetch.record) qp.responder.receive.reading_record = false;
  if (status != pcie::Status::kSuccess || !payload || payload->size() < bytes) {
    if (!qp.responder.receive.flushing) client_.receive_queue_failed(qp);
    return;
  }
  if (!fetch.record) {
    wqes_came(qp, fetch, *payload);
    return;
  }
  abi::Be32 posted;
  std::memcpy(&posted, payload->data(), sizeof(posted));
  record_came(qp, index16(std::uint32_t{posted}));
}

void ReceiveQueues::record_came(Qp& qp, std::uint16_t posted) {
  ReceiveQueueState& q = qp.responder.receive;
  if (q.flushing) {
    complete_flushed(qp, posted);
    return;
  }
  // More than the queue holds, or less than before, is garbage, and ignored.
  const std::uint32_t more = index16(posted - q.posted);
  const std::uint32_t in_use = index16(q.posted - q.completed);
  if (more + in_use <= qp.receive.mask() + 1) q.posted = posted;
  const bool again = q.read_again;
  q.read_again = false;
  if (q.posted != q.asked) {
    read_ahead(qp);
  } else if (again) {
    read_record(qp);
  } else if (q.wanted && q.asked == q.consumed) {
    q.answered = true;
    client_.receive_queue_ready(qp);
  }
}

void ReceiveQueues::wqes_came(Qp& qp, const Fetch& fetch, const net::Payload& payload) {
  ReceiveQueueState& q = qp.responder.receive;
  for (std::uint32_t i = 0; i < fetch.count; ++i) {
    const std::uint32_t slot = (fetch.first + i) & (slots_ - 1);
    std::memcpy(q.window.data() + (static_cast<std::size_t>(slot) << qp.receive.log_stride),
                payload.data() + (static_cast<std::size_t>(i) << qp.receive.log_stride),
                std::size_t{1} << qp.receive.log_stride);
    q.valid |= std::uint64_t{1} << slot;
  }
  wqes_.add(fetch.count);
  read_ahead(qp);
  if (q.wanted && known(qp, q.consumed)) client_.receive_queue_ready(qp);
}

void ReceiveQueues::flush(Qp& qp) {
  ReceiveQueueState& q = qp.responder.receive;
  if (q.flushing) return;
  forget_fetches(qp);
  q.flushing = true;
  flushing_.push_back(&qp);
  read_record(qp);
  Scheduler& scheduler = units_.partition->scheduler();
  if (!poll_.pending()) scheduler.schedule(poll_, units_.partition->now() + kFlushPoll);
}

void ReceiveQueues::complete_flushed(Qp& qp, std::uint16_t posted) {
  ReceiveQueueState& q = qp.responder.receive;
  const std::uint32_t count = index16(posted - q.completed);
  if (count > qp.receive.mask() + 1) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    Completion completion;
    completion.cq = qp.receive.cq;
    completion.qp = qp.number;
    completion.opcode = abi::CqeOpcode::kResponderError;
    completion.syndrome = abi::Syndrome::kFlushed;
    completion.wqe_counter = q.completed++;
    completion.cls = units_.class_of(qp.priority());
    flushed_.add();
    units_.completions->complete(completion, units_.partition->now());
  }
}

void ReceiveQueues::poll() {
  if (flushing_.empty()) return;
  for (Qp* qp : flushing_) {
    if (!qp->responder.receive.reading_record) read_record(*qp);
  }
  units_.partition->scheduler().schedule_in(poll_, kFlushPoll);
}

void ReceiveQueues::forget_fetches(const Qp& qp) {
  for (std::uint32_t i = 0; i < fetches_.capacity(); ++i) {
    if (fetches_[i].qp == &qp) fetches_[i].qp = nullptr;
  }
}

void ReceiveQueues::reset(Qp& qp) {
  forget_fetches(qp);
  flushing_.erase(std::remove(flushing_.begin(), flushing_.end(), &qp), flushing_.end());
  qp.responder.receive = ReceiveQueueState();
}

}  // namespace railyard::nic
