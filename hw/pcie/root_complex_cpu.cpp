// The root complex as cores see it.
#include <algorithm>
#include <cstring>
#include <utility>

#include "hw/pcie/root_complex.h"
#include "hw/pcie/root_port.h"
#include "hw/pcie/tlp_rules.h"
#include "tlm/base/format.h"

namespace railyard::pcie {

bool RootComplex::is_device(std::uint64_t address) const {
  return std::any_of(
      windows_.devices.begin(), windows_.devices.end(),
      [address](const Windows::Range& range) { return address - range.base < range.bytes; });
}

TlpRef RootComplex::cpu_request(TlpType type, std::uint64_t address, std::uint32_t bytes) {
  TlpRef tlp = hierarchy_.tlps().acquire();
  tlp->type = type;
  tlp->address = address;
  tlp->bytes = bytes;
  tlp->created = tlp->since = scheduler_.now();
  return tlp;
}

bool RootComplex::cpu_write(std::uint64_t address, const std::uint8_t* data, std::uint32_t bytes) {
  const LazyScheduler::Visit visit(scheduler_);
  RootPort* const port = port_for(address);
  if (port != nullptr && port->cpu_posted == config_.posted_writes) {
    // Writes that nobody watches go late, but not while a core waits for them.
    if (!room_wanted_) scheduler_.attend();
    room_wanted_ = true;
    return false;
  }
  cpu_writes_.add();
  if (port == nullptr) {
    hierarchy_.report(name(), "unsupported request: a core's write of " + std::to_string(bytes) +
                                  " B at " + format_hex(address) + " (" + hierarchy_.who(address) +
                                  ") was lost: no window of a root port");
    return true;
  }
  TlpRef tlp = cpu_request(TlpType::kMemoryWrite, address, bytes);
  tlp->payload = hierarchy_.payloads().acquire();
  tlp->payload->resize(bytes);
  std::memcpy(tlp->payload->data(), data, bytes);
  tlp->seal();
  const Time line = port->port.config().latency;
  hierarchy_.write_starts(*tlp, line);
  hierarchy_.write_goes_on(*tlp, scheduler_.now() + config_.outbound_latency, line);
  ++port->cpu_posted;
  outbound_.push({port, std::move(tlp)});
  return true;
}

void RootComplex::cpu_read(std::uint64_t address, std::uint32_t bytes, std::uint64_t ticket) {
  const LazyScheduler::Visit visit(scheduler_);
  TlpRef tlp = cpu_request(TlpType::kMemoryRead, address, bytes);
  tlp->seal();
  ask(port_for(address), std::move(tlp), {true, false, nullptr, ticket, address, bytes, 0});
}

void RootComplex::config_read(DeviceId id, unsigned register_offset, std::uint64_t ticket) {
  const LazyScheduler::Visit visit(scheduler_);
  TlpRef tlp = cpu_request(TlpType::kConfigRead, register_offset, 4);
  ask_config(id, std::move(tlp), ticket);
}

void RootComplex::config_write(DeviceId id, unsigned register_offset, std::uint32_t value,
                               std::uint64_t ticket) {
  const LazyScheduler::Visit visit(scheduler_);
  TlpRef tlp = cpu_request(TlpType::kConfigWrite, register_offset, 4);
  tlp->payload = hierarchy_.payloads().acquire();
  tlp->payload->resize(sizeof value);
  std::memcpy(tlp->payload->data(), &value, sizeof value);
  ask_config(id, std::move(tlp), ticket);
}

// Bus 0 is the root complex itself.
void RootComplex::ask_config(DeviceId id, TlpRef tlp, std::uint64_t ticket) {
  tlp->completer = id;
  const Asked asked{true, true, nullptr, ticket, tlp->address, 4, 0};
  if (id.bus() == 0) {
    scheduler_.attend();
    Answer one{ticket, Status::kUnsupportedRequest, 0xFFFFFFFF};
    const unsigned index = id.device() - 1;
    if (id.device() > 0 && index < ports_.size() && id.function() == 0) {
      RootPort& port = *ports_[index];
      const TlpRef completion = access_config(hierarchy_, port.space, *tlp, Stage::kRoot);
      one = {ticket, Status::kSuccess, 0};
      if (completion->data() != nullptr) std::memcpy(&one.value, completion->data(), 4);
      port.settings_changed();
    }
    answers_.push(one);
    return;
  }
  RootPort* port = port_for_bus(id.bus());
  if (port != nullptr) {
    tlp->type_1 = id.bus() != port->space.secondary_bus();
    // A link has one device.
    if (!tlp->type_1 && id.device() != 0) port = nullptr;
  }
  tlp->seal();
  ask(port, std::move(tlp), asked);
}

void RootComplex::ask(RootPort* port, TlpRef tlp, Asked asked) {
  cpu_reads_.add();
  scheduler_.attend();
  if (port == nullptr) {
    if (!asked.configuration) {
      hierarchy_.report(name(), "unsupported request: a core's read of " +
                                    std::to_string(asked.bytes) + " B at " +
                                    format_hex(asked.address) + " (" +
                                    hierarchy_.who(asked.address) + "): no window of a root port");
    }
    answers_.push({asked.ticket, Status::kUnsupportedRequest, ~std::uint64_t{0}});
    return;
  }
  if (free_tags_.empty()) {
    throw InvariantError(name(), scheduler_.now(), "more cores' reads are in flight than tags");
  }
  tlp->tag = free_tags_.pop();
  asked.port = port;
  asked.serial = ++serial_;
  asked_[tlp->tag] = asked;
  issued_.push({tlp->tag, asked.serial, scheduler_.now()});
  if (!time_out_.pending()) {
    scheduler_.schedule(time_out_, scheduler_.now() + config_.completion_timeout);
  }
  outbound_.push({port, std::move(tlp)});
}

void RootComplex::leave(Outbound outbound) {
  outbound.tlp->spend(Stage::kRoot, scheduler_.now());
  outbound.port->port.send(std::move(outbound.tlp));
}

void RootComplex::sending(RootPort& port, const Tlp& tlp) {
  if (tlp.type != TlpType::kMemoryWrite || tlp.requester != DeviceId{0}) return;
  --port.cpu_posted;
  if (!room_wanted_) return;
  room_wanted_ = false;
  scheduler_.relax();
  scheduler_.on_time(name());
  if (listener_ != nullptr) listener_->cpu_room();
}

void RootComplex::completed(const Tlp& tlp) {
  if (tlp.tag >= asked_.size() || !asked_[tlp.tag].in_use) {
    hierarchy_.report(name(),
                      "an unexpected completion came from " + hierarchy_.who(tlp.completer));
    return;
  }
  const Asked& asked = asked_[tlp.tag];
  std::uint64_t value = 0;
  if (tlp.status != Status::kSuccess) {
    value = ~std::uint64_t{0};
    if (!asked.configuration) {
      const bool abort = tlp.status == Status::kCompleterAbort;
      hierarchy_.report(name(), std::string(abort ? "completer abort" : "unsupported request") +
                                    " from " + hierarchy_.who(tlp.completer) +
                                    " for a core's read of " + std::to_string(asked.bytes) +
                                    " B at " + format_hex(asked.address) + " (" +
                                    hierarchy_.who(asked.address) + ")");
    }
  } else if (tlp.data() != nullptr) {
    std::memcpy(&value, tlp.data(), std::min<std::size_t>(tlp.bytes, sizeof value));
  }
  cpu_read_latency_.record(
      static_cast<std::uint64_t>(scheduler_.now() - tlp.created + config_.answer_latency));
  end(tlp.tag, tlp.status, value);
}

void RootComplex::end(std::uint16_t tag, Status status, std::uint64_t value) {
  Asked& asked = asked_[tag];
  asked.in_use = false;
  free_tags_.push(tag);
  while (!issued_.empty() && (!asked_[issued_.front().tag].in_use ||
                              asked_[issued_.front().tag].serial != issued_.front().serial)) {
    issued_.pop();
  }
  if (issued_.empty()) scheduler_.cancel(time_out_);
  answers_.push({asked.ticket, status, value});
}

void RootComplex::answer(const Answer& one) {
  scheduler_.relax();
  scheduler_.on_time(name());
  if (listener_ != nullptr) listener_->cpu_read_done(one.ticket, one.status, one.value);
}

void RootComplex::time_out() {
  const Time now = scheduler_.now();
  while (!issued_.empty() && issued_.front().at + config_.completion_timeout <= now) {
    const std::uint16_t tag = issued_.front().tag;
    const Asked& asked = asked_[tag];
    timeouts_.add();
    TlpFields request;  // as far as it is known still
    request.type = asked.configuration ? TlpType::kConfigRead : TlpType::kMemoryRead;
    request.tag = tag;
    request.address = asked.address;
    request.bytes = asked.bytes;
    asked.port->space.log_error(UncorrectableError::kCompletionTimeout, header_of(request));
    const std::string what = asked.configuration
                                 ? "a configuration request"
                                 : "a core's read of " + std::to_string(asked.bytes) + " B at " +
                                       format_hex(asked.address) + " (" +
                                       hierarchy_.who(asked.address) + ")";
    hierarchy_.report(name(), "completion timeout: nobody answered " + what);
    end(tag, Status::kTimeout, ~std::uint64_t{0});
  }
  if (!issued_.empty()) {
    scheduler_.schedule(time_out_, issued_.front().at + config_.completion_timeout);
  }
}

}  // namespace railyard::pcie
