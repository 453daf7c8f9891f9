#include "tests/support/foreign/foreign_memory.h"

#include <algorithm>

namespace foreign {

ForeignMemory::ForeignMemory(sc_core::sc_module_name name, const MemoryConfig& config)
    : sc_core::sc_module(name),
      config_(config),
      storage_(config.size),
      random_(config.seed),
      steps_(this, &ForeignMemory::step) {
  socket.register_b_transport(this, &ForeignMemory::b_transport);
  socket.register_nb_transport_fw(this, &ForeignMemory::nb_transport);
  socket.register_transport_dbg(this, &ForeignMemory::transport_dbg);
  socket.register_get_direct_mem_ptr(this, &ForeignMemory::get_direct_mem_ptr);
}

void ForeignMemory::invalidate() {
  socket->invalidate_direct_mem_ptr(config_.base, config_.base + config_.size - 1);
}

sc_core::sc_time ForeignMemory::latency() {
  const std::uint64_t most = config_.jitter.value();
  if (most == 0) return config_.latency;
  return config_.latency + sc_core::sc_time::from_value(random_() % (most + 1));
}

void ForeignMemory::b_transport(Payload& trans, sc_core::sc_time& delay) {
  if (config_.wait) {
    sc_core::wait(delay + latency());
    delay = sc_core::SC_ZERO_TIME;
  } else {
    delay += latency();
  }
  execute(trans);
}

unsigned ForeignMemory::transport_dbg(Payload& trans) {
  const std::uint64_t address = trans.get_address();
  if (address < config_.base || address - config_.base >= config_.size) return 0;
  const std::uint64_t at = address - config_.base;
  const auto bytes =
      static_cast<unsigned>(std::min<std::uint64_t>(trans.get_data_length(), config_.size - at));
  unsigned char* const there = storage_.data() + at;
  if (trans.is_read()) std::copy_n(there, bytes, trans.get_data_ptr());
  if (trans.is_write()) std::copy_n(trans.get_data_ptr(), bytes, there);
  return bytes;
}

bool ForeignMemory::get_direct_mem_ptr(Payload& trans, tlm::tlm_dmi& dmi) {
  dmi.set_start_address(config_.base);
  dmi.set_end_address(config_.base + config_.size - 1);
  const std::uint64_t address = trans.get_address();
  if (!config_.direct || address < config_.base || address - config_.base >= config_.size) {
    return false;
  }
  dmi.set_dmi_ptr(storage_.data());
  dmi.set_read_latency(config_.latency);
  dmi.set_write_latency(config_.latency);
  dmi.allow_read_write();
  return true;
}

tlm::tlm_sync_enum ForeignMemory::nb_transport(Payload& trans, tlm::tlm_phase& phase,
                                               sc_core::sc_time& delay) {
  if (phase == tlm::END_RESP) {
    steps_.notify(trans, phase, delay);
    return tlm::TLM_COMPLETED;
  }
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;  // an ignorable phase
  const bool idle = active_ == 0;
  // At once only where nothing that came before could still lie ahead of it.
  if (idle && chance(config_.percent_completed)) {
    execute(trans);
    delay += latency();
    return tlm::TLM_COMPLETED;
  }
  trans.acquire();
  if (idle && chance(config_.percent_updated)) {
    ++active_;
    delay += config_.accept_delay;
    phase = tlm::END_REQ;
    execute(trans);
    steps_.notify(trans, tlm::BEGIN_RESP, delay + latency());
    return tlm::TLM_UPDATED;
  }
  steps_.notify(trans, phase, delay);
  return tlm::TLM_ACCEPTED;
}

// BEGIN_REQ: a request arrives. END_REQ: it is accepted. BEGIN_RESP: its latency is over. END_RESP:
// the initiator has taken the response.
void ForeignMemory::step(Payload& trans, const tlm::tlm_phase& phase) {
  if (phase == tlm::BEGIN_REQ) {
    held_ = &trans;
    accept_next();
  } else if (phase == tlm::END_REQ) {
    request_ended(trans);
  } else if (phase == tlm::BEGIN_RESP) {
    ready(trans);
  } else {
    response_ended();
  }
}

void ForeignMemory::accept_next() {
  if (held_ == nullptr || active_ >= config_.capacity) return;
  Payload& trans = *held_;
  held_ = nullptr;
  ++active_;
  most_active_ = std::max(most_active_, active_);
  steps_.notify(trans, tlm::END_REQ, config_.accept_delay);
}

void ForeignMemory::request_ended(Payload& trans) {
  execute(trans);
  if (!chance(config_.percent_implied)) {
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay;
    socket->nb_transport_bw(trans, phase, delay);
  }
  steps_.notify(trans, tlm::BEGIN_RESP, latency());
}

void ForeignMemory::ready(Payload& trans) {
  ready_.push_back(&trans);
  respond();
}

void ForeignMemory::respond() {
  if (response_ != nullptr || ready_.empty()) return;
  const std::size_t which = config_.out_of_order ? random_() % ready_.size() : 0;
  response_ = ready_[which];
  ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(which));
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay;
  Payload& trans = *response_;
  if (socket->nb_transport_bw(trans, phase, delay) != tlm::TLM_ACCEPTED) {
    steps_.notify(trans, tlm::END_RESP, delay);
  }
}

void ForeignMemory::response_ended() {
  response_->release();
  response_ = nullptr;
  --active_;
  accept_next();
  respond();
}

tlm::tlm_response_status ForeignMemory::status_of(const Payload& trans) const {
  if (trans.get_byte_enable_ptr() != nullptr && !config_.byte_enables) {
    return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  }
  const unsigned width = trans.get_streaming_width();
  const unsigned length = trans.get_data_length();
  if (width == 0 || (width < length && !config_.streaming)) return tlm::TLM_BURST_ERROR_RESPONSE;
  const std::uint64_t address = trans.get_address();
  const std::uint64_t span = std::min(width, length);
  const bool inside = address >= config_.base && span <= config_.size &&
                      address - config_.base <= config_.size - span;
  return inside ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE;
}

void ForeignMemory::execute(Payload& trans) {
  ++executed_;
  if (trans.get_command() == tlm::TLM_IGNORE_COMMAND) {
    trans.set_response_status(tlm::TLM_OK_RESPONSE);
    return;
  }
  const tlm::tlm_response_status status = status_of(trans);
  trans.set_response_status(status);
  if (status != tlm::TLM_OK_RESPONSE) return;
  unsigned char* const data = trans.get_data_ptr();
  const unsigned char* const enables = trans.get_byte_enable_ptr();
  const std::uint64_t first = trans.get_address() - config_.base;
  for (unsigned i = 0; i < trans.get_data_length(); ++i) {
    if (enables != nullptr && enables[i % trans.get_byte_enable_length()] != TLM_BYTE_ENABLED) {
      continue;
    }
    unsigned char& there = storage_[first + i % trans.get_streaming_width()];
    if (trans.is_read()) {
      data[i] = there;
    } else {
      there = data[i];
    }
  }
  trans.set_dmi_allowed(config_.direct);
}

}  // namespace foreign
