#include "hw/pcie/tlm_target.h"

#include <algorithm>

#include "tlm/observe/checker.h"
#include "tlm/sim/sc_time.h"

namespace railyard::pcie {

namespace {

/// The error of a transaction that nobody could carry out; TLM_INCOMPLETE_RESPONSE if it has none.
tlm::tlm_response_status refusal(const tlm::tlm_generic_payload& trans) {
  if (!trans.is_read() && !trans.is_write()) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  const unsigned bytes = trans.get_data_length();
  if (bytes == 0 || trans.get_data_ptr() == nullptr) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  if (trans.get_streaming_width() < bytes) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (trans.get_byte_enable_ptr() != nullptr && trans.get_byte_enable_length() == 0) {
    return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  }
  const bool wraps = trans.get_address() + (bytes - 1) < trans.get_address();
  return wraps ? tlm::TLM_ADDRESS_ERROR_RESPONSE : tlm::TLM_INCOMPLETE_RESPONSE;
}

}  // namespace

void TlmTargetConfig::declare(Parameters& p) {
  p.add("requests", requests)
      .range(1, 1024)
      .doc("Requests through nb_transport that are accepted and not answered at once");
  p.add("accept_delay", accept_delay)
      .range(0, kMillisecond)
      .doc("From BEGIN_REQ to END_REQ, while there is room");
}

TlmTarget::TlmTarget(sc_core::sc_module_name name, LazyScheduler& steps, MemoryPort& memory,
                     CpuPort& devices, std::uint64_t ticket, const TlmTargetConfig& config)
    : sc_core::sc_module(name),
      steps_(steps),
      partition_(steps.partition()),
      memory_port_(memory),
      devices_(devices),
      ticket_(ticket),
      config_(config),
      endpoint_(partition_.endpoint(this->name())),
      arrived_(Event::of<&TlmTarget::arrived>(*this, endpoint_, Phase::kArrival)),
      accept_(Event::of<&TlmTarget::accept>(*this, endpoint_, Phase::kAct)),
      respond_(Event::of<&TlmTarget::respond>(*this, endpoint_, Phase::kAct)),
      response_over_(Event::of<&TlmTarget::response_over>(*this, endpoint_, Phase::kTransmitDone)) {
  socket.register_b_transport(this, &TlmTarget::b_transport);
  socket.register_nb_transport_fw(this, &TlmTarget::nb_transport);
  socket.register_transport_dbg(this, &TlmTarget::transport_dbg);
  socket.register_get_direct_mem_ptr(this, &TlmTarget::get_direct_mem_ptr);
}

TlmTarget::~TlmTarget() = default;

TlmTarget::Request& TlmTarget::acquire(Payload& trans, bool blocking) {
  if (free_.empty()) free_.push_back(&requests_.emplace_back());
  Request& request = *free_.back();
  free_.pop_back();
  request.trans = &trans;
  request.blocking = blocking;
  request.finished = request.begun = request.failed = false;
  request.parts = 0;
  return request;
}

void TlmTarget::put_back(Request& request) {
  request.trans = nullptr;
  free_.push_back(&request);
}

void TlmTarget::b_transport(Payload& trans, sc_core::sc_time& delay) {
  if (delay > sc_core::SC_ZERO_TIME) sc_core::wait(delay);
  delay = sc_core::SC_ZERO_TIME;
  Request& request = acquire(trans, true);
  start(request);
  while (!request.finished) sc_core::wait(request.done);
  put_back(request);
}

unsigned TlmTarget::transport_dbg(Payload& trans) {
  const std::uint64_t address = trans.get_address();
  const unsigned bytes = trans.get_data_length();
  if (trans.get_command() == tlm::TLM_IGNORE_COMMAND || !memory_port_.covers(address, bytes)) {
    return 0;
  }
  const LazyScheduler::Visit visit(steps_);
  return memory_port_.debug(trans.is_write(), address, trans.get_data_ptr(), bytes);
}

bool TlmTarget::get_direct_mem_ptr(Payload&, tlm::tlm_dmi& dmi) {
  // All addresses, for which it is denied (11.2.5).
  dmi.init();
  return false;
}

// Non-blocking transport.

tlm::tlm_sync_enum TlmTarget::nb_transport(Payload& trans, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_REQ) {
    if (request_ != nullptr) {
      break_invariant(name(), partition_.now(), "BEGIN_REQ while a request is under way");
    }
    request_ = &trans;
    trans.acquire();
    partition_.scheduler().schedule(arrived_, partition_.now() + from_sc(delay));
  } else if (phase == tlm::END_RESP) {
    if (response_ == nullptr || response_->trans != &trans || response_over_.pending()) {
      break_invariant(name(), partition_.now(), "END_RESP without a response");
    }
    end_response(from_sc(delay));
    return tlm::TLM_COMPLETED;
  }
  return tlm::TLM_ACCEPTED;
}

void TlmTarget::arrived() {
  held_ = accepted_ >= config_.requests;
  if (!held_) {
    ++accepted_;
    partition_.scheduler().schedule(accept_, partition_.now() + config_.accept_delay);
  }
}

void TlmTarget::accept() {
  most_accepted_ = std::max(most_accepted_, accepted_);
  Payload& trans = *request_;
  request_ = nullptr;
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay;
  socket->nb_transport_bw(trans, phase, delay);
  start(acquire(trans, false));
}

void TlmTarget::respond() {
  if (response_ != nullptr || responses_.empty()) return;
  response_ = responses_.pop();
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay;
  const tlm::tlm_sync_enum result = socket->nb_transport_bw(*response_->trans, phase, delay);
  const bool taken =
      result == tlm::TLM_COMPLETED || (result == tlm::TLM_UPDATED && phase == tlm::END_RESP);
  if (taken) end_response(from_sc(delay));
}

void TlmTarget::end_response(Time delay) {
  partition_.scheduler().schedule(response_over_, partition_.now() + delay);
}

void TlmTarget::response_over() {
  response_->trans->release();
  put_back(*response_);
  response_ = nullptr;
  --accepted_;
  if (held_) arrived();
  respond();
}

// What is asked for.

void TlmTarget::start(Request& request) {
  const LazyScheduler::Visit visit(steps_);
  ++in_flight_;
  steps_.attend();
  const Payload& trans = *request.trans;
  tlm::tlm_response_status status = refusal(trans);
  if (trans.get_command() == tlm::TLM_IGNORE_COMMAND) {
    status = tlm::TLM_OK_RESPONSE;
  } else if (status == tlm::TLM_INCOMPLETE_RESPONSE) {
    const std::uint64_t address = trans.get_address();
    const unsigned bytes = trans.get_data_length();
    if (memory_port_.covers(address, bytes)) {
      status = start_memory(request);
    } else if (devices_.is_device(address) && devices_.is_device(address + bytes - 1)) {
      status = start_device(request);
    } else {
      status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
    }
  }
  if (status != tlm::TLM_INCOMPLETE_RESPONSE) finish(request, status);
}

void TlmTarget::finish(Request& request, tlm::tlm_response_status status) {
  steps_.on_time(name());
  steps_.relax();
  --in_flight_;
  request.trans->set_response_status(status);
  request.finished = true;
  if (request.blocking) {
    request.done.notify(sc_core::SC_ZERO_TIME);
    return;
  }
  responses_.push(&request);
  // Not within a step: the initiator may answer with its next request.
  if (!respond_.pending()) partition_.scheduler().schedule(respond_, partition_.now());
}

}  // namespace railyard::pcie
