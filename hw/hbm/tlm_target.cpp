// The phases of the base protocol; what is asked of the memory is in tlm_target_access.cpp.
#include "hw/hbm/tlm_target.h"

#include <algorithm>

#include "tlm/observe/checker.h"
#include "tlm/sim/sc_time.h"

namespace railyard::hbm {

void TlmTargetConfig::declare(Parameters& p) {
  p.add("requests", requests)
      .range(1, 1U << 20)
      .doc("Requests of a socket through nb_transport that are accepted and not answered at once");
  p.add("accept_delay", accept_delay)
      .range(0, kMillisecond)
      .doc("From BEGIN_REQ to END_REQ, while there is room");
  p.add("dmi", dmi).doc("Direct memory access is given, which leaves out the timing");
}

/// Gives a request back, or leaves that to the controller if the thread is killed before the end.
struct TlmTarget::Visitor {
  TlmTarget& target;
  Request& request;
  ~Visitor() {
    if (request.finished) {
      target.put_back(request);
    } else {
      request.trans = nullptr;
    }
  }
};

void TlmTarget::b_transport(Payload& trans, sc_core::sc_time& delay) {
  if (delay > sc_core::SC_ZERO_TIME) sc_core::wait(delay);
  delay = sc_core::SC_ZERO_TIME;
  Request& request = acquire(trans, true);
  const Visitor visitor{*this, request};
  const tlm::tlm_response_status status = start(request);
  if (status != tlm::TLM_INCOMPLETE_RESPONSE) {
    answer(trans, status);
    request.finished = true;
  }
  while (!request.finished) sc_core::wait(request.done);
}

tlm::tlm_sync_enum TlmTarget::nb_transport(Payload& trans, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_REQ) return begin_request(trans, phase, from_sc(delay));
  if (phase != tlm::END_RESP) return tlm::TLM_ACCEPTED;
  if (response_ == nullptr || response_->trans != &trans || response_over_.pending()) {
    break_invariant(name(), partition_.now(), "END_RESP without a response");
  }
  end_response(from_sc(delay));
  // Not within the call: the initiator may not be ready for another one.
  if (response_ == nullptr && !responding_ && !responses_.empty() && !respond_.pending()) {
    partition_.scheduler().schedule(respond_, partition_.now());
  }
  return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum TlmTarget::begin_request(Payload& trans, tlm::tlm_phase& phase, Time delay) {
  if (request_ != nullptr) {
    break_invariant(name(), partition_.now(), "BEGIN_REQ while a request is under way");
  }
  if (delay > 0 || config_.accept_delay > 0 || accepted_ >= config_.requests) {
    request_ = &trans;
    trans.acquire();
    if (delay > 0) {
      partition_.scheduler().schedule(arrived_, partition_.now() + delay);
    } else {
      arrived();
    }
    return tlm::TLM_ACCEPTED;
  }
  Request& request = acquire(trans, false);
  const tlm::tlm_response_status status = start(request);
  if (status != tlm::TLM_INCOMPLETE_RESPONSE) {
    put_back(request);
    answer(trans, status);
    return tlm::TLM_COMPLETED;
  }
  most_accepted_ = std::max(most_accepted_, ++accepted_);
  trans.acquire();
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void TlmTarget::arrived() {
  held_ = accepted_ >= config_.requests;
  if (!held_) take();
}

void TlmTarget::take() {
  most_accepted_ = std::max(most_accepted_, ++accepted_);
  partition_.scheduler().schedule(accept_, partition_.now() + config_.accept_delay);
}

// Within the call of END_REQ the next request may begin: this one goes before it.
void TlmTarget::accept() {
  Payload& trans = *request_;
  Request& request = acquire(trans, false);
  const tlm::tlm_response_status status = start(request);
  request_ = nullptr;
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay;
  socket->nb_transport_bw(trans, phase, delay);
  if (status != tlm::TLM_INCOMPLETE_RESPONSE) finish(request, status);
}

// END_RESP may come within the call of BEGIN_RESP, too.
void TlmTarget::respond() {
  if (responding_) return;
  responding_ = true;
  while (response_ == nullptr && !responses_.empty()) {
    response_ = responses_.pop();
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay;
    const tlm::tlm_sync_enum result = socket->nb_transport_bw(*response_->trans, phase, delay);
    const bool taken =
        result == tlm::TLM_COMPLETED || (result == tlm::TLM_UPDATED && phase == tlm::END_RESP);
    if (taken) end_response(from_sc(delay));
  }
  responding_ = false;
}

void TlmTarget::end_response(Time delay) {
  if (delay > 0) {
    partition_.scheduler().schedule(response_over_, partition_.now() + delay);
  } else {
    response_over();
  }
}

void TlmTarget::response_over() {
  Request& request = *response_;
  response_ = nullptr;
  request.trans->release();
  put_back(request);
  --accepted_;
  if (!held_) return;
  held_ = false;
  take();
}

void TlmTarget::response_over_late() {
  response_over();
  respond();
}

void TlmTarget::finish(Request& request, tlm::tlm_response_status status) {
  if (request.trans == nullptr) {
    put_back(request);
    return;
  }
  answer(*request.trans, status);
  if (request.blocking) {
    request.finished = true;
    request.done.notify(sc_core::SC_ZERO_TIME);
  } else {
    responses_.push(&request);
    respond();
  }
}

void TlmTarget::answer(Payload& trans, tlm::tlm_response_status status) const {
  trans.set_response_status(status);
  if (direct_ && status == tlm::TLM_OK_RESPONSE && trans.get_command() != tlm::TLM_IGNORE_COMMAND) {
    trans.set_dmi_allowed(true);
  }
}

}  // namespace railyard::hbm
