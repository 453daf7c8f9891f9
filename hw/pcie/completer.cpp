#include "hw/pcie/completer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "hw/pcie/bridge.h"
#include "hw/pcie/completion.h"
#include "tlm/base/format.h"

namespace railyard::pcie {

void CompleterConfig::declare(Parameters& p) {
  p.choice("completion_split", split,
           {{"mps", CompletionSplit::kMaxPayload}, {"rcb", CompletionSplit::kBoundary}})
      .doc("Completions as large as the max payload lets, or cut at each read completion boundary");
  p.choice("rcb", boundary, {{"64", 64U}, {"128", 128U}})
      .doc("Read completion boundary, bytes (2.3.1.1)");
  p.add("reads_in_flight", reads)
      .range(1, 4096)
      .doc("Reads that the completer works on at once; others wait in the receive buffer");
  p.add("reply_latency", reply_latency)
      .max(10 * kMicrosecond)
      .doc("From a read's data to its first completion in the port's queue");
}

Completer::Completer(Hierarchy& hierarchy, const std::string& name, const CompleterConfig& config,
                     MemoryPort& memory, Stage own, std::function<void(TlpRef)> reply,
                     std::function<void(const Tlp&)> deliver)
    : hierarchy_(hierarchy),
      name_(name),
      config_(config),
      memory_(memory),
      own_(own),
      send_(std::move(reply)),
      deliver_(std::move(deliver)),
      replies_(hierarchy, name + ".reply", config.reply_latency,
               [this](Reading reading) { this->reply(std::move(reading)); }) {}

void Completer::write(TlpRef tlp, std::uint64_t address) {
  Ref<MemoryAccess> access = hierarchy_.accesses().acquire();
  access->write = true;
  access->byte_enables = tlp->byte_enables;
  access->address = address;
  access->bytes = tlp->bytes;
  access->payload = tlp->payload;
  access->payload_offset = tlp->payload_offset;
  access->client = this;
  access->ticket = first_posted_ + posted_.size();
  const Tlp& write = *tlp;
  posted_.push({std::move(tlp), access});
  memory_.access(access);
  hierarchy_.write_goes_on(write, access->done_at);
}

void Completer::memory_done(MemoryAccess& access) {
  if (access.write) {
    write_done(access);
    return;
  }
  Reading& reading = readings_[access.ticket];
  const Time now = hierarchy_.now();
  reading.tlp->spend(Stage::kMemory, now);
  Reading mine = std::move(reading);
  free_readings_.push_back(static_cast<std::uint32_t>(access.ticket));
  if (flushed(mine)) {
    replies_.push(std::move(mine));
  } else {
    held_.push(std::move(mine));
  }
}

void Completer::write_done(MemoryAccess& access) {
  Posted& done = posted_[access.ticket - first_posted_];
  done.done = true;
  if (access.failed) {
    hierarchy_.report(name_, "the memory refused a write of " + std::to_string(access.bytes) +
                                 " B at " + format_hex(access.address));
  }
  if (done.tlp->relaxed) make_visible(done);
  advance();
}

void Completer::message(TlpRef tlp) {
  posted_.push({std::move(tlp), {}, true, false});
  advance();
}

void Completer::advance() {
  while (!posted_.empty() && posted_.front().done) {
    if (!posted_.front().visible) make_visible(posted_.front());
    posted_.pop();
    ++first_posted_;
  }
  if (!held_.empty()) answer_flushed();
  if (!waiting_.empty()) start_waiting();
}

void Completer::make_visible(Posted& posted) {
  posted.visible = true;
  if (!posted.access) {
    deliver_(*posted.tlp);
  } else if (!posted.access->failed) {
    memory_.commit(*posted.access);
  }
  hierarchy_.write_ends(*posted.tlp);
  release(*posted.tlp);
}

// Its data is read again: a write before it may have changed it.
void Completer::answer_flushed() {
  while (!held_.empty() && flushed(held_.front())) {
    Reading reading = held_.pop();
    memory_.commit(*reading.access);
    replies_.push(std::move(reading));
  }
}

void Completer::read(TlpRef tlp, std::uint64_t address) {
  waiting_.push({std::move(tlp), address, first_posted_ + posted_.size()});
  start_waiting();
}

// A memory that shows writes when they are done is not asked before: it could answer with what was
// there before them, and its bytes cannot be read again.
void Completer::start_waiting() {
  while (!waiting_.empty() && reads_ < config_.reads) {
    if (memory_.commits_at_once() && first_posted_ < waiting_.front().after) return;
    Waiting next = waiting_.pop();
    start_read(std::move(next.tlp), next.address);
  }
}

void Completer::start_read(TlpRef tlp, std::uint64_t address) {
  ++reads_;
  release(*tlp);
  std::uint32_t index = 0;
  if (free_readings_.empty()) {
    index = static_cast<std::uint32_t>(readings_.size());
    readings_.emplace_back();
  } else {
    index = free_readings_.back();
    free_readings_.pop_back();
  }
  tlp->spend(own_, hierarchy_.now());
  Ref<MemoryAccess> access = hierarchy_.accesses().acquire();
  access->address = address;
  access->bytes = tlp->bytes;
  access->client = this;
  access->ticket = index;
  if (!tlp->elided && tlp->bytes > 0) {
    access->payload = hierarchy_.payloads().acquire();
    access->payload->resize(tlp->bytes);
  }
  readings_[index] = {std::move(tlp), access, first_posted_ + posted_.size()};
  memory_.access(std::move(access));
}

void Completer::reply(Reading reading) {
  const Tlp& request = *reading.tlp;
  --reads_;
  if (reading.access->failed) {
    send_(plain_completion(hierarchy_, request, id_, Status::kCompleterAbort, own_));
  } else if (request.bytes == 0) {
    // One dword, of which no byte is meant.
    send_(register_completion(hierarchy_, request, id_, 0, 0, own_));
  } else {
    send_data(reading);
  }
  start_waiting();
}

void Completer::send_data(const Reading& reading) {
  const Tlp& request = *reading.tlp;
  const CompletionRule rule{config_.split, max_payload_, config_.boundary};
  for (std::uint32_t offset = 0; offset < request.bytes;) {
    TlpRef tlp = completion_for(hierarchy_, request, id_, TlpType::kCompletionData, own_);
    tlp->address = request.address + offset;
    tlp->bytes_left = request.bytes - offset;
    tlp->bytes = next_completion(tlp->address, tlp->bytes_left, rule);
    tlp->payload = reading.access->payload;
    tlp->payload_offset = offset;
    tlp->seal();
    offset += tlp->bytes;
    send_(std::move(tlp));
  }
}

}  // namespace railyard::pcie
