#include "hw/pcie/tlm_memory.h"

#include <algorithm>
#include <string>

#include "tlm/observe/checker.h"
#include "tlm/sim/sc_time.h"

namespace railyard::pcie {

namespace {

constexpr std::size_t kLargestAccess = 4096;

/// A write with holes is one within a dword.
bool has_holes(const MemoryAccess& access) {
  return access.write && access.byte_enables != 0xF && (access.address & 3U) + access.bytes <= 4;
}

}  // namespace

void TlmMemoryConfig::declare(Parameters& p) {
  p.add("base", base).doc("Address of the first byte, as the host has it");
  p.add("size", size).min(1).doc("Bytes of the range");
  p.add("target_base", target_base)
      .doc("Address of the first byte, as the target has it; none: as the host");
  p.choice("style", style,
           {{"loosely_timed", TlmStyle::kLooselyTimed},
            {"approximately_timed", TlmStyle::kApproximatelyTimed}})
      .doc("Whether the target is called through b_transport or nb_transport");
  p.add("burst", burst)
      .max(4096)
      .doc("Accesses are cut at multiples of this many bytes; 0: they are not");
  p.add("outstanding", outstanding)
      .range(1, 1024)
      .doc("Transactions that are under way at the target at once");
  p.choice("write_order", write_order,
           {{"kept", WriteOrder::kKept}, {"target", WriteOrder::kTarget}})
      .doc(
          "kept: a write is sent when those before it are answered; target: at once, for a target "
          "that executes in the order of arrival");
  p.add("response_delay", response_delay)
      .range(0, kMillisecond)
      .doc("From BEGIN_RESP to END_RESP; 0: the response is taken by TLM_COMPLETED");
}

TlmMemory::TlmMemory(sc_core::sc_module_name name, LazyScheduler& steps,
                     const TlmMemoryConfig& config)
    : sc_core::sc_module(name),
      steps_(steps),
      partition_(steps.partition()),
      config_(config),
      endpoint_(partition_.endpoint(this->name())),
      send_(Event::of<&TlmMemory::send_more>(*this, endpoint_, Phase::kAct)),
      request_free_(Event::of<&TlmMemory::request_free>(*this, endpoint_, Phase::kTransmitDone)) {
  steps.set_eager();
  partition_.waits().add_source([this](std::vector<Wait>& waits) { append_waits(waits); });
  socket.register_nb_transport_bw(this, &TlmMemory::nb_transport);
  if (config.style == TlmStyle::kApproximatelyTimed) return;
  for (std::uint32_t i = 0; i < config.outstanding; ++i) {
    sc_core::sc_event& work = work_.emplace_back();
    sc_core::sc_spawn([this, &work] { run_thread(work); }, sc_core::sc_gen_unique_name("thread"));
  }
}

TlmMemory::~TlmMemory() = default;

void TlmMemory::append_waits(std::vector<Wait>& waits) const {
  if (in_flight_ == 0) return;
  waits.push_back(
      {{name(), std::string(name()) + ".socket", "an answer of its target"}, last_change_});
}

bool TlmMemory::covers(std::uint64_t address, std::uint64_t bytes) const {
  return address >= config_.base && bytes <= config_.size &&
         address - config_.base <= config_.size - bytes;
}

void TlmMemory::access(Ref<MemoryAccess> access) {
  steps_.on_time(name());
  if (free_jobs_.empty()) free_jobs_.push_back(&jobs_.emplace_back());
  Job& job = *free_jobs_.back();
  free_jobs_.pop_back();
  job = Job{};
  job.number = given_++;
  const bool read = !access->write && access->bytes > 0;
  job.access = std::move(access);
  (read ? reads_ : writes_).push(&job);
  partition_.open_work();
  wake();
}

std::uint32_t TlmMemory::debug(bool write, std::uint64_t address, std::uint8_t* data,
                               std::uint32_t bytes) {
  Payload trans;
  trans.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  trans.set_address(address - config_.base + config_.target_base.value_or(config_.base));
  trans.set_data_ptr(data);
  trans.set_data_length(bytes);
  trans.set_streaming_width(bytes);
  return socket->transport_dbg(trans);
}

// Somebody may have something to send.
void TlmMemory::wake() {
  if (config_.style == TlmStyle::kApproximatelyTimed) {
    if (!send_.pending()) partition_.scheduler().schedule(send_, partition_.now());
  } else if (!idle_.empty()) {
    idle_.back()->notify(sc_core::SC_ZERO_TIME);
    idle_.pop_back();
  }
}

// The access whose next part may be sent: the first given of those that wait for nothing.
TlmMemory::Job* TlmMemory::next_job() {
  if (in_flight_ >= config_.outstanding) return nullptr;
  Job* const read = reads_.empty() ? nullptr : reads_.front();
  Job* const write = writes_.empty() || !may_begin(*writes_.front()) ? nullptr : writes_.front();
  if (read == nullptr || write == nullptr) return read == nullptr ? write : read;
  return read->number < write->number ? read : write;
}

bool TlmMemory::may_begin(const Job& write) const {
  if (write.sent > 0 || open_writes_ == 0) return true;
  return write.access->bytes > 0 && config_.write_order == WriteOrder::kTarget;
}

// The next transaction of the access, or none: it has no byte, and is done.
TlmMemory::Part* TlmMemory::begin_part(Job& job) {
  const MemoryAccess& access = *job.access;
  if (access.bytes == 0) {
    writes_.pop();
    finish(job);
    return nullptr;
  }
  if (access.write && job.sent == 0) ++open_writes_;
  const std::uint64_t address = access.address + job.sent;
  std::uint32_t bytes = access.bytes - job.sent;
  if (config_.burst > 0) {
    bytes = std::min(bytes, static_cast<std::uint32_t>(config_.burst - address % config_.burst));
  }
  Part& part = acquire();
  part.job = &job;
  fill(part, job.sent, bytes);
  job.sent += bytes;
  ++job.parts;
  if (job.sent == access.bytes) (access.write ? writes_ : reads_).pop();
  most_in_flight_ = std::max(most_in_flight_, ++in_flight_);
  ++sent_;
  last_change_ = partition_.now();
  return &part;
}

void TlmMemory::fill(Part& part, std::uint32_t offset, std::uint32_t bytes) {
  const MemoryAccess& access = *part.job->access;
  const std::uint64_t address = access.address + offset;
  part.enables.clear();
  if (!access.payload) {
    // At its largest at once: then nothing is allocated later.
    const std::size_t largest = config_.burst > 0 ? config_.burst : kLargestAccess;
    part.scratch.resize(largest);
    part.enables.reserve(largest);
    if (access.write) part.enables.assign(bytes, TLM_BYTE_DISABLED);
  } else if (has_holes(access)) {
    for (std::uint64_t at = address; at < address + bytes; ++at) {
      const bool enabled = (access.byte_enables >> (at & 3U) & 1U) != 0;
      part.enables.push_back(enabled ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED);
    }
  }
  part.set_command(access.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  part.set_address(address - config_.base + config_.target_base.value_or(config_.base));
  part.set_data_ptr(access.payload ? access.payload->data() + access.payload_offset + offset
                                   : part.scratch.data());
  part.set_data_length(bytes);
  part.set_streaming_width(bytes);
  part.set_byte_enable_ptr(part.enables.empty() ? nullptr : part.enables.data());
  part.set_byte_enable_length(static_cast<unsigned>(part.enables.size()));
  part.set_dmi_allowed(false);
  part.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

TlmMemory::Part& TlmMemory::acquire() {
  if (free_parts_.empty()) free_parts_.push_back(&parts_.emplace_back(*this, endpoint_));
  Part& part = *free_parts_.back();
  free_parts_.pop_back();
  part.enables.reserve(4);
  part.Payload::acquire();
  return part;
}

void TlmMemory::free(Payload* trans) {
  trans->reset();
  free_parts_.push_back(static_cast<Part*>(trans));
}

void TlmMemory::finish(Part& part) {
  Job& job = *part.job;
  if (part.is_response_error()) job.access->failed = true;
  --in_flight_;
  last_change_ = partition_.now();
  part.job = nullptr;
  part.release();
  if (--job.parts == 0 && job.sent == job.access->bytes) finish(job);
  wake();
}

void TlmMemory::finish(Job& job) {
  const Ref<MemoryAccess> access = std::move(job.access);
  if (access->write && access->bytes > 0) --open_writes_;
  free_jobs_.push_back(&job);
  partition_.close_work();
  const LazyScheduler::Visit visit(steps_);
  access->client->memory_done(*access);
}

// Loosely timed: a thread carries one transaction at a time.

void TlmMemory::run_thread(sc_core::sc_event& work) {
  for (;;) {
    Job* job = next_job();
    while (job == nullptr) {
      idle_.push_back(&work);
      sc_core::wait(work);
      job = next_job();
    }
    Part* const part = begin_part(*job);
    if (next_job() != nullptr) wake();  // another thread
    if (part == nullptr) continue;
    sc_core::sc_time delay;
    socket->b_transport(*part, delay);
    if (delay > sc_core::SC_ZERO_TIME) sc_core::wait(delay);
    finish(*part);
  }
}

// Approximately timed.

void TlmMemory::send_more() {
  while (request_ == nullptr) {
    Job* const job = next_job();
    if (job == nullptr) return;
    Part* const part = begin_part(*job);
    if (part != nullptr) send(*part);
  }
}

void TlmMemory::send(Part& part) {
  request_ = &part;
  part.owes_end_resp = false;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  const tlm::tlm_sync_enum result = socket->nb_transport_fw(part, phase, delay);
  if (result == tlm::TLM_ACCEPTED) return;
  if (result == tlm::TLM_COMPLETED) {
    // The request is over with the call; only the end of the transaction lies ahead.
    request_over(0);
    partition_.scheduler().schedule(part.due, partition_.now() + from_sc(delay));
    return;
  }
  request_over(from_sc(delay));
  if (phase != tlm::BEGIN_RESP) return;
  part.owes_end_resp = true;
  partition_.scheduler().schedule(part.due,
                                  partition_.now() + from_sc(delay) + config_.response_delay);
}

tlm::tlm_sync_enum TlmMemory::nb_transport(Payload& trans, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) {
  auto& part = static_cast<Part&>(trans);
  if (phase != tlm::END_REQ && phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
  // A response that comes before END_REQ ends the request, too.
  const bool ends_request = request_ == &part && !request_free_.pending();
  if (phase == tlm::END_REQ) {
    if (!ends_request) break_invariant(name(), partition_.now(), "END_REQ without a request");
    request_over(from_sc(delay));
    return tlm::TLM_ACCEPTED;
  }
  if (part.job == nullptr || part.due.pending()) {
    break_invariant(name(), partition_.now(), "BEGIN_RESP without a request");
  }
  if (ends_request) request_over(from_sc(delay));
  part.owes_end_resp = config_.response_delay > 0;
  partition_.scheduler().schedule(part.due,
                                  partition_.now() + from_sc(delay) + config_.response_delay);
  return part.owes_end_resp ? tlm::TLM_ACCEPTED : tlm::TLM_COMPLETED;
}

void TlmMemory::request_over(Time delay) {
  if (delay > 0) {
    partition_.scheduler().schedule(request_free_, partition_.now() + delay);
  } else {
    request_free();
  }
}

void TlmMemory::request_free() {
  request_ = nullptr;
  wake();
}

void TlmMemory::over(Part& part) {
  if (part.owes_end_resp) {
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay;
    socket->nb_transport_fw(part, phase, delay);
  }
  finish(part);
}

}  // namespace railyard::pcie
