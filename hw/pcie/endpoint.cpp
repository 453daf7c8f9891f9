#include "hw/pcie/endpoint.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "hw/pcie/bridge.h"
#include "hw/pcie/completion.h"
#include "hw/pcie/tlp_rules.h"
#include "tlm/base/format.h"

namespace railyard::pcie {

namespace {

constexpr const char* kNoMemory = "there is no memory behind this part of the BAR";

ConfigSpace make_config_space(const std::string& name, const EndpointConfig& config,
                              const LinkConfig& link) {
  ConfigSpace space = ConfigSpace::endpoint(name, config.identity, config.bars);
  ExpressShape shape;
  shape.max_payload = config.max_payload;
  shape.extended_tag = config.dma.tags > 32;
  shape.ten_bit_requester = config.dma.tags > 256;
  shape.generation = link.generation;
  shape.lanes = link.lanes;
  space.add_express(shape);
  if (config.msix.vectors > 0) space.add_msix(config.msix);
  space.add_error_reporting();
  space.set_link(link.generation, link.lanes);
  return space;
}

}  // namespace

Endpoint::Endpoint(sc_core::sc_module_name name, Hierarchy& hierarchy, const EndpointConfig& config,
                   const LinkConfig& link, const std::string& peer)
    : sc_module(name),
      hierarchy_(hierarchy),
      scheduler_(hierarchy.scheduler()),
      config_(config),
      config_space_(make_config_space(this->name(), config, link)),
      port_(hierarchy, std::string(this->name()) + ".port", peer, link, config.credits, *this),
      requester_(hierarchy, std::string(this->name()) + ".dma", config.dma, port_),
      requests_(hierarchy, std::string(this->name()) + ".requests", config.register_write_latency,
                [this](TlpRef tlp) { handle(std::move(tlp)); }),
      register_reads_(
          hierarchy, std::string(this->name()) + ".register_reads",
          std::max<Time>(config.register_read_latency - config.register_write_latency, 0),
          [this](TlpRef tlp) { read_registers(std::move(tlp)); }),
      refused_(hierarchy, std::string(this->name()) + ".refused", kNanosecond,
               [this](Refused refused) { give_back(refused); }) {
  if (config.msix.vectors > 0) msix_ = std::make_unique<MsixTable>(config.msix.vectors);
  requester_.set_error_log(
      [this](UncorrectableError error) { config_space_.log_error(error, {}); });
  hierarchy.add_function(*this);
  apply_config();
}

Endpoint::~Endpoint() = default;

void Endpoint::put_memory(unsigned bar, MemoryPort& memory) {
  memory_.at(bar) = &memory;
  completers_.at(bar) = std::make_unique<Completer>(
      hierarchy_, std::string(name()) + ".bar" + std::to_string(bar), config_.memory, memory,
      Stage::kDevice, [this](TlpRef tlp) { port_.send(std::move(tlp)); });
  apply_config();
}

const MemoryPort* Endpoint::memory_behind(unsigned bar) const { return memory_.at(bar); }

// What software has set decides how the function may behave.
void Endpoint::apply_config() {
  const std::uint32_t max_payload = config_space_.max_payload();
  constexpr std::uint32_t kShortTags = 32;
  constexpr std::uint32_t kExtendedTags = 256;
  const std::uint32_t tags = config_space_.ten_bit_tags()    ? config_.dma.tags
                             : config_space_.extended_tags() ? kExtendedTags
                                                             : kShortTags;
  requester_.set_limits(max_payload, config_space_.max_read_request(), tags);
  port_.set_max_payload(max_payload);
  for (const auto& completer : completers_) {
    if (!completer) continue;
    completer->set_max_payload(max_payload);
    completer->set_id(id_);
  }
  if (!msix_) return;
  // Messages are memory writes: they wait until the function may send any.
  msix_->set_control(config_space_.msix_enabled() && config_space_.bus_master(),
                     config_space_.msix_function_mask());
  while (const auto message = msix_->release()) send_message(*message);
}

void Endpoint::dma(DmaRequest request, DmaListener& listener) {
  const LazyScheduler::Visit visit(scheduler_);
  if (config_space_.changes() != config_changes_) {
    config_changes_ = config_space_.changes();
    apply_config();
  }
  if (config_space_.bus_master()) {
    if (!config_space_.relaxed_ordering()) request.relaxed = false;
    requester_.dma(std::move(request), listener);
    return;
  }
  hierarchy_.report(name(), "a transfer of " + std::to_string(request.bytes) + " B at " +
                                format_hex(request.address) +
                                " was not begun: the host has not made the function a bus master");
  scheduler_.attend();
  refused_.push({request.ticket, &listener});
}

void Endpoint::give_back(const Refused& refused) {
  scheduler_.relax();
  scheduler_.on_time(name());
  refused.listener->dma_done({refused.ticket, Status::kUnsupportedRequest, {}});
}

void Endpoint::interrupt(unsigned vector) {
  const LazyScheduler::Visit visit(scheduler_);
  if (!msix_ || vector >= msix_->vectors()) {
    throw InvariantError(name(), scheduler_.now(),
                         "there is no interrupt vector " + std::to_string(vector));
  }
  if (const auto message = msix_->raise(vector)) send_message(*message);
}

void Endpoint::send_message(const MsixMessage& message) {
  DmaRequest request;
  request.write = true;
  request.address = message.address;
  request.bytes = sizeof message.data;
  request.payload = hierarchy_.payloads().acquire();
  request.payload->resize(sizeof message.data);
  for (unsigned i = 0; i < sizeof message.data; ++i) {
    request.payload->data()[i] = static_cast<std::uint8_t>(message.data >> 8 * i);
  }
  requester_.dma(std::move(request), *this);
}

void Endpoint::sending(Port& /*port*/, const Tlp& tlp) {
  if (!tlp.is_completion()) requester_.sending(tlp);
}

void Endpoint::received(Port& /*port*/, TlpRef tlp) {
  if (tlp->is_completion()) {
    config_space_.log_completion(tlp->status);
    requester_.completed(*tlp);
    release(*tlp);
    return;
  }
  hierarchy_.write_goes_on(*tlp, hierarchy_.now() + config_.register_write_latency);
  requests_.push(std::move(tlp));
}

void Endpoint::handle(TlpRef tlp) {
  if (tlp->is_config()) {
    handle_config(tlp);
  } else if (tlp->type == TlpType::kMemoryWrite) {
    handle_write(std::move(tlp));
  } else {
    handle_read(std::move(tlp));
  }
}

std::optional<Endpoint::Target> Endpoint::target(const Tlp& tlp) const {
  const auto index = config_space_.bar_at(tlp.address);
  if (!index) return std::nullopt;
  const ConfigSpace::Bar bar = config_space_.bar(*index);
  const std::uint64_t offset = tlp.address - bar.base;
  if (tlp.bytes > bar.size - offset) return std::nullopt;
  return Target{*index, offset};
}

void Endpoint::unsupported(const TlpRef& tlp) {
  TlpRef completion = refuse(hierarchy_, name(), config_space_, *tlp, id_, Stage::kDevice);
  if (completion) port_.send(std::move(completion));
}

void Endpoint::abort(const TlpRef& tlp, const std::string& why) {
  const bool write = tlp->type == TlpType::kMemoryWrite;
  hierarchy_.report(name(), std::string("completer abort: a ") + (write ? "write" : "read") +
                                " of " + std::to_string(tlp->bytes) + " B at " +
                                format_hex(tlp->address) + " from " +
                                hierarchy_.who(tlp->requester) + ": " + why);
  config_space_.log_error(UncorrectableError::kCompleterAbort, header_of(*tlp));
  if (write) {
    hierarchy_.write_ends(*tlp);
  } else {
    port_.send(plain_completion(hierarchy_, *tlp, id_, Status::kCompleterAbort, Stage::kDevice));
  }
  release(*tlp);
}

void Endpoint::handle_config(const TlpRef& tlp) {
  // It has one function: 0.
  if (tlp->type_1 || tlp->completer.function() != 0) {
    unsupported(tlp);
    return;
  }
  id_ = tlp->completer;
  requester_.set_id(id_);
  port_.send(access_config(hierarchy_, config_space_, *tlp, Stage::kDevice));
  if (tlp->type == TlpType::kConfigWrite) {
    apply_config();
    const std::uint64_t offset = tlp->address;
    const bool moves = offset == config::kCommand ||
                       (offset >= config::kBar0 && offset < config::kBar0 + 4 * config::kBars);
    if (moves) hierarchy_.report_overlaps(*this);
  }
  release(*tlp);
}

// Finds the BAR that a memory request is for, and has memory behind it answer; none: that is done,
// or nobody is there.
std::optional<Endpoint::Target> Endpoint::find_registers(TlpRef& tlp) {
  const auto to = target(*tlp);
  if (!to) {
    unsupported(tlp);
    return std::nullopt;
  }
  const MemoryPort* const memory = memory_[to->bar];
  if (memory == nullptr) return to;
  Completer& completer = *completers_[to->bar];
  if (!memory->covers(to->offset, tlp->bytes)) {
    abort(tlp, kNoMemory);
  } else if (tlp->type == TlpType::kMemoryWrite) {
    completer.write(std::move(tlp), to->offset);
  } else {
    completer.read(std::move(tlp), to->offset);
  }
  return std::nullopt;
}

void Endpoint::handle_write(TlpRef tlp) {
  const auto to = find_registers(tlp);
  if (!to) return;
  write_registers(*tlp, *to);
  hierarchy_.write_ends(*tlp);
  release(*tlp);
}

void Endpoint::write_registers(const Tlp& tlp, const Target& to) {
  if (tlp.data() == nullptr) {
    hierarchy_.report(name(), "a write without data came to a register at " +
                                  format_hex(tlp.address) + " from " +
                                  hierarchy_.who(tlp.requester));
    return;
  }
  if (write_msix(to.bar, to.offset, tlp) || registers_ == nullptr) return;
  scheduler_.on_time(name());
  const auto shifted = static_cast<std::uint8_t>(tlp.byte_enables >> (tlp.address & 3U));
  const std::uint8_t enables = tlp.dwords() == 1 && tlp.byte_enables != 0xF ? shifted : 0xFF;
  registers_->register_write(to.bar, to.offset, tlp.data(), tlp.bytes, enables);
}

void Endpoint::handle_read(TlpRef tlp) {
  if (find_registers(tlp)) register_reads_.push(std::move(tlp));
}

void Endpoint::read_registers(TlpRef tlp) {
  const auto to = target(*tlp);
  std::uint64_t value = 0;
  if (!to) {
    unsupported(tlp);
    return;
  }
  if (tlp->bytes > sizeof value) {
    abort(tlp, "registers are read by 8 B at most");
    return;
  }
  Status status = Status::kSuccess;
  if (!read_msix(to->bar, to->offset, tlp->bytes, value) && registers_ != nullptr) {
    scheduler_.on_time(name());
    std::array<std::uint8_t, sizeof value> data{};
    status = registers_->register_read(to->bar, to->offset, data.data(), tlp->bytes);
    std::memcpy(&value, data.data(), sizeof value);
  }
  if (status == Status::kCompleterAbort) {
    abort(tlp, "the device failed it");
    return;
  }
  if (status == Status::kSuccess) {
    port_.send(register_completion(hierarchy_, *tlp, id_, value, tlp->bytes, Stage::kDevice));
  } else if (status != Status::kTimeout) {
    port_.send(plain_completion(hierarchy_, *tlp, id_, status, Stage::kDevice));
  }
  release(*tlp);
}

bool Endpoint::read_msix(unsigned bar, std::uint64_t offset, std::uint32_t bytes,
                         std::uint64_t& value) {
  if (!msix_) return false;
  const MsixShape& shape = config_.msix;
  const auto inside = [&](unsigned at, std::uint32_t base, std::uint32_t size) {
    return bar == at && offset >= base && offset - base < size;
  };
  const bool table = inside(shape.table_bar, shape.table_offset, msix_->table_bytes());
  if (!table && !inside(shape.pending_bar, shape.pending_offset, msix_->pending_bytes())) {
    return false;
  }
  const auto in =
      static_cast<std::uint32_t>(offset - (table ? shape.table_offset : shape.pending_offset));
  const auto dword = [&](std::uint32_t at) -> std::uint64_t {
    return table ? msix_->read_table(at) : msix_->read_pending(at);
  };
  value = dword(in & ~3U) >> 8 * (in & 3U);
  if (bytes > 4) value |= dword((in & ~3U) + 4) << 32;
  return true;
}

bool Endpoint::write_msix(unsigned bar, std::uint64_t offset, const Tlp& tlp) {
  const MsixShape& shape = config_.msix;
  if (!msix_ || bar != shape.table_bar || offset < shape.table_offset ||
      offset - shape.table_offset >= msix_->table_bytes()) {
    return false;
  }
  auto at = static_cast<std::uint32_t>(offset - shape.table_offset);
  for (std::uint32_t done = 0; done < tlp.bytes; done += 4 - (at + done) % 4) {
    const std::uint32_t shift = (at + done) % 4;
    const std::uint32_t count = std::min(4 - shift, tlp.bytes - done);
    std::uint32_t value = 0;
    std::memcpy(reinterpret_cast<std::uint8_t*>(&value) + shift, tlp.data() + done, count);
    auto enables = static_cast<std::uint8_t>(((1U << count) - 1) << shift);
    if (tlp.dwords() == 1) enables &= tlp.byte_enables;
    const auto message = msix_->write_table((at + done) & ~3U, value, enables);
    if (message) send_message(*message);
  }
  return true;
}

}  // namespace railyard::pcie
