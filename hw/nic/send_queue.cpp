#include "hw/nic/send_queue.h"

#include <algorithm>

namespace railyard::nic {

void SendQueue::start(Qp& of, std::uint32_t new_id) {
  qp = &of;
  id = new_id;
  priority = of.priority();
  state = SendState::kIdle;
  flushing = unreadable = false;
  waiting_since = 0;
  fetched.start(of.requester.completed);
  acknowledged = cursor = begun = offset = 0;
  oldest_psn = line_psn = of.requester.next_psn;
  reads = 0;
  turn_left = 0;
  lead = last_at = 0;
  entered = abandoned = false;
  segments.clear();
  gathered = 0;
  retries = rnr_retries = 0;
  rnr = gap_seen = sampling = false;
  round_trip = 0;
}

std::uint32_t SendQueue::place_of(std::uint32_t psn) const {
  const std::uint32_t place = (psn - oldest_psn) & psn::kMask;
  return place < outstanding() ? place : kNone;
}

bool SendQueue::all_sent() const {
  return cursor == wqes.size() && fetched.ahead() == 0 &&
         fetched.fetch_index() == qp->requester.posted;
}

void SendQueue::begin_wqe() {
  SendWqe& wqe = at_cursor();
  wqe.first_psn = next_psn();
  const std::uint32_t whole = (wqe.length + qp->path_mtu - 1) / qp->path_mtu;
  wqe.packets = wqe.opcode == abi::Opcode::kNop ? 0 : std::max(1U, whole);
  if (wqe.is_read()) ++reads;
  ++begun;
}

void SendQueue::step() {
  const SendWqe& wqe = at_cursor();
  const std::uint32_t next = wqe.first_psn + (wqe.is_read() ? wqe.packets : offset + 1);
  if (wqe.packets != 0 && ((next - oldest_psn) & psn::kMask) > outstanding()) {
    qp->requester.next_psn = next & psn::kMask;
  }
  ++offset;
  if (wqe.is_read() || offset >= wqe.packets) {
    ++cursor;
    offset = 0;
    entered = false;
    skip_answered();
  }
}

// A WQE whose last PSN is answered waits no more; nor does a NOP behind it, which has none. What is
// answered need not be sent again: the cursor goes on, and a packet that was being made is not.
void SendQueue::skip_answered() {
  while (acknowledged < begun && wqes[acknowledged]->end_psn() == oldest_psn &&
         wqes[acknowledged]->error == abi::Syndrome::kNone) {
    ++acknowledged;
  }
  if (cursor < acknowledged) {
    cursor = acknowledged;
    offset = 0;
    entered = false;
    abandoned = true;
  }
  if (cursor != acknowledged || cursor == begun) return;
  const std::uint32_t answered = (oldest_psn - at_cursor().first_psn) & psn::kMask;
  if (answered > offset) {
    offset = answered;
    abandoned = true;
  }
}

bool SendQueue::acknowledge(std::uint32_t count) {
  while (count != 0) {
    const SendWqe& wqe = oldest();
    if (wqe.is_read()) return false;
    const std::uint32_t step = std::min(count, (wqe.end_psn() - oldest_psn) & psn::kMask);
    oldest_psn = psn::add(oldest_psn, step);
    count -= step;
    skip_answered();
  }
  return true;
}

void SendQueue::respond() {
  oldest_psn = psn::add(oldest_psn, 1);
  skip_answered();
}

void SendQueue::go_back() {
  cursor = acknowledged;
  offset = acknowledged < begun ? (oldest_psn - oldest().first_psn) & psn::kMask : 0;
  entered = false;
  sampling = false;
}

bool SendQueue::front_complete() const { return acknowledged != 0 && wqes[0]->writes == 0; }

Ref<SendWqe> SendQueue::pop_front() {
  Ref<SendWqe> wqe = wqes.pop();
  if (begun != 0) {
    --begun;
    if (wqe->is_read()) --reads;
  }
  if (acknowledged != 0) --acknowledged;
  if (cursor != 0) {
    --cursor;
  } else {
    offset = 0;
    entered = false;
  }
  qp->requester.completed = static_cast<std::uint16_t>(wqe->index + wqe->blocks);
  return wqe;
}

}  // namespace railyard::nic
