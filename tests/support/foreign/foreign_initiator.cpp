#include "tests/support/foreign/foreign_initiator.h"

#include <algorithm>

namespace foreign {

ForeignInitiator::ForeignInitiator(sc_core::sc_module_name name, const InitiatorConfig& config)
    : sc_core::sc_module(name),
      config_(config),
      random_(config.seed),
      shadow_(config.size),
      steps_(this, &ForeignInitiator::step) {
  socket.register_nb_transport_bw(this, &ForeignInitiator::nb_transport);
  socket.register_invalidate_direct_mem_ptr(this, &ForeignInitiator::invalidate);
  if (!config.blocking) {
    sc_core::sc_spawn([this] { run(); }, "run");
    return;
  }
  for (unsigned i = 0; i < config.outstanding; ++i) {
    sc_core::sc_spawn([this, i] { run_blocking(i); }, sc_core::sc_gen_unique_name("run"));
  }
}

ForeignInitiator::~ForeignInitiator() = default;

// Making and checking transactions.

ForeignInitiator::Transaction& ForeignInitiator::acquire() {
  if (free_.empty()) {
    made_.push_back(std::make_unique<Transaction>());
    free_.push_back(made_.back().get());
  }
  Transaction& trans = *free_.back();
  free_.pop_back();
  trans.set_mm(this);
  trans.acquire();
  return trans;
}

void ForeignInitiator::free(Payload* trans) {
  trans->reset();
  free_.push_back(static_cast<Transaction*>(trans));
}

void ForeignInitiator::make_enables(Transaction& trans) {
  const auto length = static_cast<unsigned>(trans.data.size());
  trans.enables.clear();
  if (!chance(config_.percent_enables)) return;
  // Shorter ones are repeated.
  trans.enables.resize(config_.one_run_of_enables ? length : 1 + below(length));
  for (unsigned char& e : trans.enables) e = chance(50) ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
  if (!config_.one_run_of_enables) return;
  const std::size_t first = below(length);
  const std::size_t last = first + below(length - first);
  for (std::size_t i = 0; i < length; ++i) {
    trans.enables[i] = first <= i && i <= last ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
  }
}

void ForeignInitiator::make(Transaction& trans, std::uint64_t base, std::uint64_t size) {
  const auto length =
      static_cast<unsigned>(1 + below(std::min<std::uint64_t>(config_.longest, size)));
  trans.data.resize(length);
  for (unsigned char& byte : trans.data) byte = static_cast<unsigned char>(random_());
  make_enables(trans);
  trans.set_command(chance(config_.percent_ignored)  ? tlm::TLM_IGNORE_COMMAND
                    : chance(config_.percent_writes) ? tlm::TLM_WRITE_COMMAND
                                                     : tlm::TLM_READ_COMMAND);
  const bool outside = chance(config_.percent_outside);
  trans.set_address(outside ? config_.base + config_.size + below(1U << 20)
                            : base + below(size - length + 1));
  trans.set_data_ptr(trans.data.data());
  trans.set_data_length(length);
  trans.set_byte_enable_ptr(trans.enables.empty() ? nullptr : trans.enables.data());
  trans.set_byte_enable_length(static_cast<unsigned>(trans.enables.size()));
  const bool streaming = length > 1 && chance(config_.percent_streaming);
  trans.set_streaming_width(streaming ? static_cast<unsigned>(1 + below(length - 1)) : length);
  trans.set_dmi_allowed(false);
  trans.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  trans.request_over = trans.responded = false;
  trans.status = tlm::TLM_OK_RESPONSE;
  if (trans.get_command() != tlm::TLM_IGNORE_COMMAND) {
    if (outside) trans.status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
    if (streaming && config_.streaming_refused) trans.status = tlm::TLM_BURST_ERROR_RESPONSE;
    if (!trans.enables.empty() && config_.enables_refused) {
      trans.status = tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    }
  }
  expect(trans);
}

// What the data will be when the transaction is complete; a write's goes to the shadow.
void ForeignInitiator::expect(Transaction& trans) {
  trans.expected = trans.data;
  if (trans.status != tlm::TLM_OK_RESPONSE) return;
  for (std::size_t i = 0; i < trans.data.size(); ++i) {
    if (!trans.enables.empty() && trans.enables[i % trans.enables.size()] != TLM_BYTE_ENABLED) {
      continue;
    }
    if (trans.get_command() == tlm::TLM_IGNORE_COMMAND) continue;
    unsigned char& there =
        shadow_[trans.get_address() - config_.base + i % trans.get_streaming_width()];
    if (trans.is_read()) {
      trans.expected[i] = there;
    } else {
      there = trans.data[i];
    }
  }
}

void ForeignInitiator::finish(Transaction& trans) {
  const std::string what = std::string(trans.is_read() ? "read" : "write") + " of " +
                           std::to_string(trans.data.size()) + " at " +
                           std::to_string(trans.get_address());
  if (trans.get_response_status() != trans.status) {
    faults_.push_back(what + ": " + trans.get_response_string());
  } else if (trans.status == tlm::TLM_OK_RESPONSE && trans.data != trans.expected) {
    faults_.push_back(what + ": other data than expected");
  }
  ++completed_;
  --outstanding_;
  last_ = sc_core::sc_time_stamp();
  trans.release();
  changed_.notify(sc_core::SC_ZERO_TIME);
}

bool ForeignInitiator::verify() {
  Transaction& trans = acquire();
  trans.data.assign(shadow_.size(), 0);
  trans.set_read();
  trans.set_address(config_.base);
  trans.set_data_ptr(trans.data.data());
  trans.set_data_length(static_cast<unsigned>(trans.data.size()));
  const bool same = socket->transport_dbg(trans) == trans.data.size() && trans.data == shadow_;
  trans.release();
  return same;
}

// Loosely timed.

void ForeignInitiator::run_blocking(unsigned index) {
  const std::uint64_t part = config_.size / config_.outstanding;
  while (sent_ < config_.count) {
    ++sent_;
    sc_core::wait(up_to(config_.gap));
    Transaction& trans = acquire();
    make(trans, config_.base + index * part, part);
    most_outstanding_ = std::max(most_outstanding_, ++outstanding_);
    sc_core::sc_time delay = up_to(config_.annotation);
    if (!use_direct(trans, delay)) socket->b_transport(trans, delay);
    sc_core::wait(delay);
    finish(trans);
  }
}

bool ForeignInitiator::use_direct(Transaction& trans, sc_core::sc_time& delay) {
  if (!config_.direct || trans.status != tlm::TLM_OK_RESPONSE || !trans.enables.empty() ||
      trans.get_streaming_width() < trans.data.size() ||
      trans.get_command() == tlm::TLM_IGNORE_COMMAND) {
    return false;
  }
  if (!has_direct_) {
    has_direct_ = socket->get_direct_mem_ptr(trans, direct_);
    if (!has_direct_) return false;
  }
  const std::uint64_t first = trans.get_address();
  if (first < direct_.get_start_address() ||
      first + trans.data.size() - 1 > direct_.get_end_address()) {
    return false;
  }
  unsigned char* const there = direct_.get_dmi_ptr() + (first - direct_.get_start_address());
  if (trans.is_read()) {
    std::copy_n(there, trans.data.size(), trans.data.data());
    delay += direct_.get_read_latency();
  } else {
    std::copy_n(trans.data.data(), trans.data.size(), there);
    delay += direct_.get_write_latency();
  }
  trans.set_response_status(tlm::TLM_OK_RESPONSE);
  ++direct_accesses_;
  return true;
}

void ForeignInitiator::invalidate(sc_dt::uint64, sc_dt::uint64) { has_direct_ = false; }

// Approximately timed.

void ForeignInitiator::run() {
  for (; sent_ < config_.count; ++sent_) {
    sc_core::wait(up_to(config_.gap));
    while (request_ != nullptr || outstanding_ >= config_.outstanding) sc_core::wait(changed_);
    Transaction& trans = acquire();
    make(trans, config_.base, config_.size);
    most_outstanding_ = std::max(most_outstanding_, ++outstanding_);
    send(trans);
  }
}

void ForeignInitiator::send(Transaction& trans) {
  request_ = &trans;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = up_to(config_.annotation);
  const tlm::tlm_sync_enum result = socket->nb_transport_fw(trans, phase, delay);
  if (result == tlm::TLM_COMPLETED) {
    trans.responded = true;
    request_over(trans, delay);
    steps_.notify(trans, tlm::UNINITIALIZED_PHASE, delay);
  } else if (result == tlm::TLM_UPDATED && phase == tlm::END_REQ) {
    request_over(trans, delay);
  } else if (result == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP) {
    request_over(trans, delay);
    trans.responded = true;
    steps_.notify(trans, tlm::END_RESP, delay + up_to(config_.accept_delay));
  }
}

void ForeignInitiator::request_over(Transaction& trans, const sc_core::sc_time& delay) {
  if (trans.request_over) return;
  trans.request_over = true;
  if (request_ != &trans) faults_.emplace_back("a request ended that was not under way");
  steps_.notify(trans, tlm::END_REQ, delay);
}

tlm::tlm_sync_enum ForeignInitiator::nb_transport(Payload& payload, tlm::tlm_phase& phase,
                                                  sc_core::sc_time& delay) {
  auto& trans = static_cast<Transaction&>(payload);
  tlm::tlm_sync_enum result = tlm::TLM_ACCEPTED;
  if (phase == tlm::END_REQ) {
    request_over(trans, delay);
  } else if (phase == tlm::BEGIN_RESP) {
    if (trans.responded) faults_.emplace_back("a second response");
    trans.responded = true;
    request_over(trans, delay);
    answer(trans, result, phase, delay);
  }
  return result;
}

// One of the three ways in which a response may be taken.
void ForeignInitiator::answer(Transaction& trans, tlm::tlm_sync_enum& result, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay) {
  const sc_core::sc_time until = delay + up_to(config_.accept_delay);
  const std::uint64_t way = below(3);
  if (way == 0) {
    steps_.notify(trans, tlm::END_RESP, until);
    return;
  }
  delay = until;
  steps_.notify(trans, tlm::UNINITIALIZED_PHASE, delay);
  if (way == 1) {
    result = tlm::TLM_COMPLETED;
  } else {
    result = tlm::TLM_UPDATED;
    phase = tlm::END_RESP;
  }
}

// END_REQ: the way is free for the next request. END_RESP: the response is taken late.
// UNINITIALIZED_PHASE: the transaction is over.
void ForeignInitiator::step(Payload& payload, const tlm::tlm_phase& phase) {
  auto& trans = static_cast<Transaction&>(payload);
  if (phase == tlm::END_REQ) {
    if (request_ == &trans) request_ = nullptr;
    changed_.notify(sc_core::SC_ZERO_TIME);
    return;
  }
  if (phase == tlm::END_RESP) {
    tlm::tlm_phase sent = tlm::END_RESP;
    sc_core::sc_time delay;
    socket->nb_transport_fw(trans, sent, delay);
  }
  finish(trans);
}

}  // namespace foreign
