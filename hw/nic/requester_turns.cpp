// Whose turn it is to send, and how far it may go.
#include <algorithm>

#include "hw/nic/request_packet.h"
#include "hw/nic/requester.h"

namespace railyard::nic {

// --- the front end's event ---

void Requester::act() {
  acting_ = true;
  while (step()) {
  }
  acting_ = false;
  plan();
}

// Takes one decision that is due; false: there is none.
bool Requester::step() {
  const Time now = units_.partition->now();
  if (!fetching_.empty() && fetching_.front().at <= now) {
    SendQueue* sq = find(fetching_.pop().ticket);
    if (sq != nullptr && sq->state == SendState::kTurn) go_on(*sq, 0);
    return true;
  }
  if (gate_ > now) return false;
  if (current_ != nullptr) {
    run(*current_);
    return true;
  }
  if (!resumed_.empty() && resumed_.front().at <= now) {
    SendQueue* sq = find(resumed_.pop().ticket);
    if (sq != nullptr && sq->state == SendState::kTurn) go_on(*sq, 0);
    return true;
  }
  if (scheduler_stage_.free_at() > now) return false;
  const std::uint32_t slot = scheduler_.next();
  if (slot == QpScheduler::kNone) return false;
  begin_turn(*in_slot(slot));
  return true;
}

void Requester::wake(Time at) {
  if (acting_) return;
  if (at < act_.time()) units_.partition->scheduler().schedule(act_, at);
}

void Requester::plan() {
  const Time now = units_.partition->now();
  Time next = kForever;
  if (!fetching_.empty()) next = fetching_.front().at;
  if (current_ != nullptr) {
    next = std::min(next, gate_);
  } else {
    if (!resumed_.empty()) next = std::min(next, std::max(gate_, resumed_.front().at));
    if (scheduler_.runnable()) {
      next = std::min(next, std::max(gate_, scheduler_stage_.free_at()));
    }
  }
  if (next != kForever) {
    const Time at = std::max(next, now);
    if (at != act_.time()) units_.partition->scheduler().schedule(act_, at);
  }
  attribute();
}

// Why nothing enters the scheduler, or the stage wqe, when nothing does.
void Requester::attribute() {
  const Time now = units_.partition->now();
  const auto waiting = [this](SendState state) -> const Waiting& {
    return waiting_[static_cast<std::size_t>(state)];
  };
  if (waiting(SendState::kWqe).count != 0) {
    wqe_stage_.block(Cause::kWqe, waiting(SendState::kWqe).cls, now);
  } else if (waiting(SendState::kTranslation).count != 0) {
    wqe_stage_.block(Cause::kKeyMiss, waiting(SendState::kTranslation).cls, now);
  } else {
    wqe_stage_.unblock(now);
  }
  if (const unsigned cls = scheduler_.ready_class(); cls != QpScheduler::kNone) {
    if (scheduler_.runnable()) return;
    const bool reads = units_.transmit->refused_for_reads();
    scheduler_stage_.block(reads ? Cause::kReads : Cause::kEgress, cls, now);
  } else if (waiting(SendState::kRate).count != 0) {
    scheduler_stage_.block(Cause::kRate, waiting(SendState::kRate).cls, now);
  } else if (waiting(SendState::kWindow).count != 0) {
    scheduler_stage_.block(Cause::kWindow, waiting(SendState::kWindow).cls, now);
  } else if (waiting(SendState::kContext).count != 0) {
    scheduler_stage_.block(Cause::kContextMiss, waiting(SendState::kContext).cls, now);
  } else {
    scheduler_stage_.unblock(now);
  }
}

// --- turns ---

void Requester::begin_turn(SendQueue& sq) {
  const Time now = units_.partition->now();
  metrics_.turns.add();
  sq.turn_left = units_.config->send.quantum;
  const Time chosen = scheduler_stage_.pass(now, sq.cls);
  const Time found = units_.contexts->want(sq.qp->slot, chosen, sq.cls, *this, ticket_of(sq));
  if (found == kForever) {
    set_state(sq, SendState::kContext);
    return;
  }
  set_state(sq, SendState::kTurn);
  const bool must_read = !sq.has_wqe() && !sq.all_sent();
  if (must_read && found > now) {
    const auto cycles = static_cast<Time>(units_.config->send.fetch_latency);
    fetching_.push({ticket_of(sq), found + units_.config->clock * cycles});
    return;
  }
  go_on(sq, found - now);
}

void Requester::go_on(SendQueue& sq, Time lead) {
  sq.lead = lead;
  if (current_ != nullptr) {
    // It comes between: what it can do without the front end is to ask for WQEs.
    if (!sq.flushing) fetch_more(sq);
    if (sq.has_wqe() || sq.flushing) {
      resumed_.push({ticket_of(sq), units_.partition->now()});
    } else {
      set_state(sq, SendState::kWqe);
    }
    return;
  }
  current_ = &sq;
  run(sq);
}

// What it waited for has come.
void Requester::resume(SendQueue& sq) {
  const Time now = units_.partition->now();
  if (sq.turn_left <= 0) {
    make_ready(sq, std::max(now, gate_));
    return;
  }
  set_state(sq, SendState::kTurn);
  resumed_.push({ticket_of(sq), now});
  wake(std::max(now, gate_));
}

void Requester::leave(SendQueue& sq, SendState state) {
  set_state(sq, state);
  if (current_ == &sq) current_ = nullptr;
}

void Requester::end_turn(SendQueue& sq) {
  if (current_ == &sq) current_ = nullptr;
  sq.turn_left = 0;
  if (sq.all_sent()) {
    set_state(sq, SendState::kIdle);
    return;
  }
  fetch_more(sq);
  if (sq.has_wqe() || sq.unreadable) {
    make_ready(sq, units_.partition->now());
    see_room(sq);
  } else {
    set_state(sq, SendState::kWqe);
  }
}

void Requester::run(SendQueue& sq) {
  const Time now = units_.partition->now();
  while (current_ == &sq) {
    if (sq.flushing) {
      flush_turn(sq);
    } else if (may_go_on(sq)) {
      send_packet(sq);
    }
    if (current_ != &sq) return;
    if (sq.turn_left <= 0) {
      end_turn(sq);
    } else if (gate_ > now && !sq.entered) {
      return;
    }
  }
}

// --- what keeps it ---

bool Requester::may_go_on(SendQueue& sq) {
  if (sq.rnr) {
    leave(sq, SendState::kRnr);
    return false;
  }
  if (sq.broken()) {
    leave(sq, SendState::kWindow);
    return false;
  }
  return wqe_there(sq) && window_open(sq) && rate_allows(sq) && room_for(sq);
}

bool Requester::wqe_there(SendQueue& sq) {
  fetch_more(sq);
  if (!sq.has_wqe()) {
    leave(sq, sq.all_sent() ? SendState::kIdle : SendState::kWqe);
    return false;
  }
  const abi::Syndrome error = sq.at_cursor().error;
  if (error == abi::Syndrome::kNone) return true;
  if (!sq.entered) enter_wqe(sq);
  local_error(sq, error);
  return false;
}

bool Requester::window_open(SendQueue& sq) {
  const SendWqe& wqe = sq.at_cursor();
  const bool first = sq.cursor == sq.begun;
  bool open = true;
  if (first) {
    const bool fence = (wqe.flags & abi::wqe_flag::kFence) != 0;
    open = sq.reads < (fence ? 1U : wqe.is_read() ? sq.qp->max_reads : ~0U);
  }
  const bool fresh = first || psn::add(wqe.first_psn, sq.offset) == sq.next_psn();
  if (open && fresh && wqe.opcode != abi::Opcode::kNop) {
    const std::uint32_t mtu = sq.qp->path_mtu;
    const std::uint32_t needed = wqe.is_read() ? wqe.length / mtu + 1 : 1;
    open = sq.outstanding() + std::min(needed, SendQueue::kWindow) <= SendQueue::kWindow;
    if (units_.congestion != nullptr && sq.outstanding() != 0) {
      const std::uint64_t bytes = (std::uint64_t{sq.outstanding()} + 1) * mtu;
      open = open && bytes <= units_.congestion->window(sq.qp->slot);
    }
  }
  if (!open) leave(sq, SendState::kWindow);
  return open;
}

bool Requester::rate_allows(SendQueue& sq) {
  if (units_.rates == nullptr || units_.rates->allows(sq.qp->slot, RateGate::kRequests)) {
    return true;
  }
  leave(sq, SendState::kRate);
  return false;
}

// The next packet has no room as things are: then no turn need be begun to find that out.
void Requester::see_room(const SendQueue& sq) {
  if (sq.flushing || !sq.has_wqe()) return;
  const SendWqe& wqe = *sq.wqes[sq.cursor];
  const bool nop = wqe.opcode == abi::Opcode::kNop;
  const std::uint32_t bytes = nop ? 0 : request_payload(wqe, sq.offset, sq.qp->path_mtu);
  if (!nop && !units_.transmit->room(sq.priority, bytes)) scheduler_.set_blocked(sq.priority, true);
}

// A queue pair that finds no room keeps its place; others of its priority need not look.
bool Requester::room_for(SendQueue& sq) {
  const SendWqe& wqe = sq.at_cursor();
  if (wqe.opcode == abi::Opcode::kNop) return true;
  const std::uint32_t bytes = request_payload(wqe, sq.offset, sq.qp->path_mtu);
  if (units_.transmit->room(sq.priority, bytes)) return true;
  scheduler_.set_blocked(sq.priority, true);
  leave(sq, SendState::kReady);
  scheduler_.add(sq.qp->slot, sq.cls, sq.priority, true);
  return false;
}

void Requester::transmit_room(std::uint8_t priority) {
  if (!scheduler_.blocked(priority)) return;
  scheduler_.set_blocked(priority, false);
  if (scheduler_.runnable()) {
    wake(std::max({units_.partition->now(), gate_, scheduler_stage_.free_at()}));
  }
}

void Requester::context_ready(std::uint32_t /*slot*/, std::uint64_t ticket) {
  SendQueue* sq = find(ticket);
  if (sq != nullptr && sq->state == SendState::kContext) resume(*sq);
}

void Requester::may_send(std::uint32_t slot) {
  SendQueue* sq = in_slot(slot);
  if (sq != nullptr && sq->state == SendState::kRate) make_ready(*sq, units_.partition->now());
}

void Requester::window_grew(std::uint32_t slot) {
  SendQueue* sq = in_slot(slot);
  if (sq != nullptr && sq->state == SendState::kWindow) make_ready(*sq, units_.partition->now());
}

// --- flushing ---

void Requester::flush_turn(SendQueue& sq) {
  if (sq.wqes.empty() && !sq.unreadable) {
    fetch_more(sq);
    leave(sq, SendState::kWqe);
    return;
  }
  if (sq.wqes.empty()) {
    flush_unread(sq);
    return;
  }
  const Time at = enter_wqe(sq);
  sq.entered = false;
  sq.turn_left -= kLeastCharge;
  const Ref<SendWqe> wqe = sq.pop_front();
  metrics_.wqes_flushed.add();
  complete(sq, *wqe, abi::Syndrome::kFlushed, at);
  if (sq.done()) release(sq);
}

// What cannot be read cannot complete either.
void Requester::flush_unread(SendQueue& sq) {
  RequesterState& state = sq.qp->requester;
  units_.partition->close_work(state.open_blocks());
  state.completed = state.posted;
  release(sq);
}

}  // namespace railyard::nic
