// What TlmTarget asks of the controller and of the bytes.
#include <algorithm>

#include "hw/hbm/tlm_target.h"
#include "tlm/sim/sc_time.h"

namespace railyard::hbm {

namespace {

using Payload = tlm::tlm_generic_payload;

// An access to an idle bank whose row is closed.
Time idle_read(const Controller& controller) {
  const Timing& t = controller.config().timing;
  const ControllerConfig& c = controller.config().controller;
  const Tick clocks = t.rcd_read + t.cl + t.burst;
  return c.front_latency + controller.time_of(clocks * kTicksPerClock) + c.back_latency;
}

Time idle_write(const Controller& controller) {
  const Timing& t = controller.config().timing;
  const ControllerConfig& c = controller.config().controller;
  if (c.write_response == WriteResponse::kAccepted) return c.front_latency;
  const Tick clocks = t.rcd_write + t.wl + t.burst;
  return c.front_latency + controller.time_of(clocks * kTicksPerClock) + c.back_latency;
}

/// Bytes of a beat at most.
std::uint32_t beat(const Payload& trans) {
  return std::min(trans.get_streaming_width(), trans.get_data_length());
}

bool enabled(const Payload& trans, std::uint32_t index) {
  const unsigned char* const enables = trans.get_byte_enable_ptr();
  return enables == nullptr || enables[index % trans.get_byte_enable_length()] == TLM_BYTE_ENABLED;
}

/// The end of the enabled bytes from `first` on that are of one beat.
std::uint32_t end_of_run(const Payload& trans, std::uint32_t first) {
  const std::uint32_t left = trans.get_data_length() - first;
  const std::uint32_t last = first + std::min(left, beat(trans) - first % beat(trans));
  if (trans.get_byte_enable_ptr() == nullptr) return last;
  while (first < last && enabled(trans, first)) ++first;
  return first;
}

}  // namespace

TlmTarget::TlmTarget(sc_core::sc_module_name name, Partition& partition, Controller& controller,
                     DeviceMemory& memory, const TlmTargetConfig& config)
    : sc_core::sc_module(name),
      partition_(partition),
      controller_(controller),
      memory_(memory),
      config_(config),
      direct_(config.dmi && !memory.elided()),
      direct_read_(to_sc(idle_read(controller))),
      direct_write_(to_sc(idle_write(controller))),
      endpoint_(partition_.endpoint(this->name())),
      arrived_(Event::of<&TlmTarget::arrived>(*this, endpoint_, Phase::kArrival)),
      accept_(Event::of<&TlmTarget::accept>(*this, endpoint_, Phase::kAct)),
      respond_(Event::of<&TlmTarget::respond>(*this, endpoint_, Phase::kAct)),
      response_over_(
          Event::of<&TlmTarget::response_over_late>(*this, endpoint_, Phase::kTransmitDone)) {
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
  request.finished = false;
  return request;
}

void TlmTarget::put_back(Request& request) { free_.push_back(&request); }

/// The answer to what does not concern the memory; TLM_INCOMPLETE_RESPONSE to all else.
tlm::tlm_response_status TlmTarget::refusal(const Payload& trans) const {
  if (trans.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_OK_RESPONSE;
  if (!trans.is_read() && !trans.is_write()) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (beat(trans) == 0) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (trans.get_data_ptr() == nullptr) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  if (trans.get_byte_enable_ptr() != nullptr && trans.get_byte_enable_length() == 0) {
    return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  }
  return memory_.covers(trans.get_address(), beat(trans)) ? tlm::TLM_INCOMPLETE_RESPONSE
                                                          : tlm::TLM_ADDRESS_ERROR_RESPONSE;
}

void TlmTarget::move_bytes(Payload& trans) {
  for (std::uint32_t first = 0; first < trans.get_data_length();) {
    const std::uint32_t end = end_of_run(trans, first);
    const std::uint64_t address = trans.get_address() + first % beat(trans);
    unsigned char* const data = trans.get_data_ptr() + first;
    if (trans.is_write()) {
      memory_.write(address, data, end - first);
    } else {
      memory_.read(address, data, end - first);
    }
    first = std::max(end, first + 1);
  }
}

tlm::tlm_response_status TlmTarget::start(Request& request) {
  Payload& trans = *request.trans;
  const tlm::tlm_response_status status = refusal(trans);
  if (status != tlm::TLM_INCOMPLETE_RESPONSE) return status;
  move_bytes(trans);
  request.write = trans.is_write();
  request.address = trans.get_address() - memory_.base();
  request.bytes = beat(trans);
  request.client = this;
  request.beats_left = trans.get_data_length();
  ++in_flight_;
  next_beat(request);
  return status;
}

void TlmTarget::next_beat(Request& request) {
  request.bytes = std::min(request.bytes, request.beats_left);
  request.beats_left -= request.bytes;
  controller_.access(request);
}

void TlmTarget::access_done(Access& access) {
  auto& request = static_cast<Request&>(access);
  if (request.beats_left > 0) {
    next_beat(request);
    return;
  }
  --in_flight_;
  finish(request, tlm::TLM_OK_RESPONSE);
}

unsigned TlmTarget::transport_dbg(Payload& trans) {
  const std::uint64_t address = trans.get_address();
  unsigned char* const data = trans.get_data_ptr();
  const std::uint64_t bytes = memory_.within(address, trans.get_data_length());
  if (data == nullptr || bytes == 0) return 0;
  if (trans.is_read()) {
    memory_.read(address, data, bytes);
  } else if (trans.is_write() && !memory_.elided()) {
    memory_.write(address, data, bytes);
  } else {
    return 0;
  }
  return static_cast<unsigned>(bytes);
}

bool TlmTarget::get_direct_mem_ptr(Payload& trans, tlm::tlm_dmi& dmi) {
  dmi.init();  // all addresses, for which it is denied (11.2.5)
  if (!direct_) return false;
  const std::uint64_t address = trans.get_address();
  if (!memory_.covers(address, 1)) {
    dmi.set_start_address(address);
    dmi.set_end_address(address);
    return false;
  }
  const DeviceMemory::Direct direct = memory_.direct(address);
  dmi.set_dmi_ptr(direct.bytes);
  dmi.set_start_address(direct.first);
  dmi.set_end_address(direct.last);
  dmi.set_read_latency(direct_read_);
  dmi.set_write_latency(direct_write_);
  dmi.allow_read_write();
  return true;
}

}  // namespace railyard::hbm
