// What TlmTarget asks of memory and devices.
#include <algorithm>
#include <cstring>

#include "hw/pcie/tlm_target.h"
#include "tlm/observe/checker.h"

namespace railyard::pcie {

namespace {

using Payload = tlm::tlm_generic_payload;

bool enabled(const Payload& trans, std::uint32_t index) {
  const unsigned char* const enables = trans.get_byte_enable_ptr();
  return enables == nullptr || enables[index % trans.get_byte_enable_length()] == TLM_BYTE_ENABLED;
}

/// The first enabled byte from `from` on; the length if there is none.
std::uint32_t next_enabled(const Payload& trans, std::uint32_t from) {
  while (from < trans.get_data_length() && !enabled(trans, from)) ++from;
  return from;
}

/// The end of the enabled bytes that begin with `from`.
std::uint32_t end_of_run(const Payload& trans, std::uint32_t from) {
  if (trans.get_byte_enable_ptr() == nullptr) return trans.get_data_length();
  while (from < trans.get_data_length() && enabled(trans, from)) ++from;
  return from;
}

bool overlap(const Payload& a, const Payload& b) {
  return a.get_address() < b.get_address() + b.get_data_length() &&
         b.get_address() < a.get_address() + a.get_data_length();
}

/// Bytes up to the next multiple of `boundary`.
std::uint32_t room(std::uint64_t address, std::uint32_t boundary) {
  return boundary - static_cast<std::uint32_t>(address % boundary);
}

}  // namespace

// Memory.

tlm::tlm_response_status TlmTarget::start_memory(Request& request) {
  const Payload& trans = *request.trans;
  if (next_enabled(trans, 0) == trans.get_data_length()) return tlm::TLM_OK_RESPONSE;
  memory_.push_back(&request);
  begin_memory();
  return tlm::TLM_INCOMPLETE_RESPONSE;
}

void TlmTarget::begin_memory() {
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    if (!memory_[i]->begun && !must_wait(i)) access_memory(*memory_[i]);
  }
}

bool TlmTarget::must_wait(std::size_t index) const {
  const Payload& trans = *memory_[index]->trans;
  return std::any_of(memory_.begin(), memory_.begin() + static_cast<std::ptrdiff_t>(index),
                     [&](const Request* before) {
                       return overlap(trans, *before->trans) &&
                              (trans.is_write() || before->trans->is_write());
                     });
}

void TlmTarget::access_memory(Request& request) {
  request.begun = true;
  constexpr std::uint32_t kPage = 4096;
  const Payload& trans = *request.trans;
  const std::uint32_t bytes = trans.get_data_length();
  for (std::uint32_t first = next_enabled(trans, 0); first < bytes;) {
    const std::uint32_t end =
        std::min(end_of_run(trans, first), first + room(trans.get_address() + first, kPage));
    access_memory(request, {first, end});
    first = next_enabled(trans, end);
  }
}

void TlmTarget::access_memory(Request& request, Run run) {
  const Payload& trans = *request.trans;
  Ref<MemoryAccess> access = accesses_.acquire();
  access->write = trans.is_write();
  access->address = trans.get_address() + run.first;
  access->bytes = run.end - run.first;
  access->payload = partition_.packets().payloads.acquire();
  access->payload->resize(access->bytes);
  if (access->write) {
    std::memcpy(access->payload->data(), trans.get_data_ptr() + run.first, access->bytes);
  }
  access->client = this;
  access->context = &request;
  access->ticket = run.first;
  ++request.parts;
  memory_port_.access(std::move(access));
}

void TlmTarget::memory_done(MemoryAccess& access) {
  Request& request = *static_cast<Request*>(access.context);
  if (access.failed) {
    request.failed = true;
  } else if (access.write) {
    memory_port_.commit(access);
  } else {
    std::memcpy(request.trans->get_data_ptr() + access.ticket,
                access.payload->data() + access.payload_offset, access.bytes);
  }
  if (--request.parts > 0) return;
  memory_.erase(std::find(memory_.begin(), memory_.end(), &request));
  finish(request, request.failed ? tlm::TLM_ADDRESS_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
  const LazyScheduler::Visit visit(steps_);
  begin_memory();
}

// Devices: strictly one after the other.

tlm::tlm_response_status TlmTarget::start_device(Request& request) {
  const Payload& trans = *request.trans;
  const std::uint32_t bytes = trans.get_data_length();
  const std::uint32_t first = next_enabled(trans, 0);
  if (first == bytes) return tlm::TLM_OK_RESPONSE;
  if (next_enabled(trans, end_of_run(trans, first)) < bytes) {
    return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  }
  device_.push(&request);
  if (device_.size() == 1) {
    device_run_ = {first, end_of_run(trans, first)};
    go_on_device();
  }
  return tlm::TLM_INCOMPLETE_RESPONSE;
}

// Goes on with the first; until it waits for something, or none is left.
void TlmTarget::go_on_device() {
  while (!device_.empty()) {
    if (!device_.front()->trans->is_write()) {
      read_device();
      return;
    }
    if (!write_device()) return;
    end_device(tlm::TLM_OK_RESPONSE);
  }
}

/// False if there is no room for the next piece.
bool TlmTarget::write_device() {
  constexpr std::uint32_t kMost = 64;
  const Payload& trans = *device_.front()->trans;
  while (device_run_.first < device_run_.end) {
    const std::uint64_t address = trans.get_address() + device_run_.first;
    const std::uint32_t bytes = std::min(device_run_.end - device_run_.first, room(address, kMost));
    device_stalled_ = !devices_.cpu_write(address, trans.get_data_ptr() + device_run_.first, bytes);
    if (device_stalled_) return false;
    device_run_.first += bytes;
  }
  return true;
}

void TlmTarget::read_device() {
  constexpr std::uint32_t kMost = 8;
  const std::uint64_t address = device_.front()->trans->get_address() + device_run_.first;
  device_bytes_ = std::min(device_run_.end - device_run_.first, room(address, kMost));
  devices_.cpu_read(address, device_bytes_, ticket_);
}

void TlmTarget::cpu_room() {
  if (!device_stalled_) return;
  device_stalled_ = false;
  const LazyScheduler::Visit visit(steps_);
  go_on_device();
}

void TlmTarget::cpu_read_done(std::uint64_t ticket, Status status, std::uint64_t value) {
  if (ticket != ticket_ || device_bytes_ == 0) {
    break_invariant(name(), partition_.now(), "a device's answer that was not asked for");
  }
  const LazyScheduler::Visit visit(steps_);
  unsigned char* const to = device_.front()->trans->get_data_ptr() + device_run_.first;
  for (std::uint32_t i = 0; i < device_bytes_; ++i) {
    to[i] = static_cast<unsigned char>(value >> 8 * i);
  }
  device_run_.first += device_bytes_;
  device_bytes_ = 0;
  if (status == Status::kUnsupportedRequest) {
    end_device(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  } else if (status != Status::kSuccess) {
    end_device(tlm::TLM_GENERIC_ERROR_RESPONSE);
  } else if (device_run_.first == device_run_.end) {
    end_device(tlm::TLM_OK_RESPONSE);
  }
  go_on_device();
}

void TlmTarget::end_device(tlm::tlm_response_status status) {
  finish(*device_.pop(), status);
  if (device_.empty()) return;
  const Payload& trans = *device_.front()->trans;
  const std::uint32_t first = next_enabled(trans, 0);
  device_run_ = {first, end_of_run(trans, first)};
}

}  // namespace railyard::pcie
