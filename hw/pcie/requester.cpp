#include "hw/pcie/requester.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "hw/pcie/tlp_rules.h"
#include "tlm/base/format.h"

namespace railyard::pcie {

void RequesterConfig::declare(Parameters& p) {
  p.choice("tags", tags, {{"32", 32U}, {"256", 256U}, {"768", 768U}})
      .doc("Reads in flight: 5-bit, 8-bit and 10-bit tags (2.2.6.2)");
  p.add("completion_room", completion_room)
      .range(kibibytes(4), 1ULL << 24)
      .doc("Bytes of completions that may be asked for at once");
  p.add("completion_timeout", completion_timeout)
      .range(50 * kMicrosecond, 64 * kSecond)
      .doc("A read that is not answered in this time fails (7.5.3.15)");
  p.add("queue", queue)
      .range(1, 1024)
      .doc(
          "Requests of a kind, writes and reads, that stand in the port's queue before the line "
          "takes them");
}

Requester::Requester(Hierarchy& hierarchy, const std::string& name, const RequesterConfig& config,
                     Port& port)
    : hierarchy_(hierarchy),
      scheduler_(hierarchy.scheduler()),
      name_(name),
      config_(config),
      port_(port),
      tags_(config.tags),
      tag_limit_(config.tags),
      time_out_(Event::of<&Requester::time_out>(
          *this, hierarchy.partition().endpoint(name + ".timeout"), Phase::kTimer)),
      tell_(Event::of<&Requester::tell_all>(*this, hierarchy.partition().endpoint(name + ".done"),
                                            Phase::kAct)) {
  for (std::uint32_t i = 0; i < config.tags; ++i) free_tags_.push(static_cast<std::uint16_t>(i));
  scheduler_.add(*this);
  register_all(name);
}

void Requester::set_limits(std::uint32_t max_payload, std::uint32_t max_read_request,
                           std::uint32_t tags) {
  max_payload_ = max_payload;
  max_read_request_ = max_read_request;
  tag_limit_ = std::min<std::uint32_t>(tags, config_.tags);
}

void Requester::dma(DmaRequest&& request, DmaListener& listener) {
  const LazyScheduler::Visit visit(scheduler_);
  if (request.write) {
    give_write(std::move(request), listener);
  } else {
    give_read(std::move(request), listener);
  }
  giving_ = true;
  fill();
  giving_ = false;
}

void Requester::give_write(DmaRequest&& request, DmaListener& listener) {
  UnderWay under_way;
  hierarchy_.write_starts(under_way, request.address, request.bytes, port_.config().latency);
  if (request.relaxed) ++relaxed_uncut_;
  writes_.push({std::move(request), &listener, scheduler_.now(), 0, 0, under_way});
}

void Requester::give_read(DmaRequest&& request, DmaListener& listener) {
  std::uint32_t index = 0;
  if (free_reads_.empty()) {
    index = static_cast<std::uint32_t>(reads_.size());
    reads_.emplace_back();
  } else {
    index = free_reads_.back();
    free_reads_.pop_back();
  }
  Read& read = reads_[index];
  read = Read{};
  read.attended = !hierarchy_.plain(request.address, request.bytes);
  if (read.attended) scheduler_.attend();
  if (!request.elided && request.bytes > 0) {
    request.payload = hierarchy_.payloads().acquire();
    request.payload->resize(request.bytes);
  }
  read.left = request.bytes;
  read.fence = request.fenced ? first_write_ + writes_.size() : 0;
  read.request = std::move(request);
  read.listener = &listener;
  read.given = read.wanted = scheduler_.now();
  read.active = true;
  if (active_reads_++ == 0) waits_for_completion_.begin(read.given);
  waiting_reads_.push(index);
}

// What the line took within the call that gave it is told after that call.
void Requester::tell(DmaListener& listener, DmaDone&& done) {
  scheduler_.on_time(name_);
  if (!giving_) {
    listener.dma_done(done);
    return;
  }
  told_later_.push({&listener, std::move(done)});
  Partition& partition = hierarchy_.partition();
  if (!tell_.pending()) partition.scheduler().schedule(tell_, partition.now());
}

void Requester::tell_all() {
  while (!told_later_.empty()) {
    const Told told = told_later_.pop();
    told.listener->dma_done(told.done);
  }
}

// Both kinds are cut as the port's queue has room for them: a callback of the port may ask again.
void Requester::fill() {
  if (filling_) return;
  filling_ = true;
  fill_writes();
  fill_reads();
  filling_ = false;
}

void Requester::fill_writes() {
  while (next_write_ < writes_.size() && port_.queued(FlowClass::kPosted) < config_.queue) {
    Write& write = writes_[next_write_];
    cut_write(write);
  }
}

void Requester::cut_write(Write& write) {
  const DmaRequest& request = write.request;
  const std::uint64_t address = request.address + write.cut;
  const std::uint32_t bytes = next_request(address, request.bytes - write.cut, max_payload_);
  TlpRef tlp = hierarchy_.tlps().acquire();
  tlp->type = TlpType::kMemoryWrite;
  tlp->relaxed = request.relaxed;
  tlp->requester = id_;
  tlp->address = address;
  tlp->bytes = bytes;
  tlp->payload = request.payload;
  tlp->payload_offset = request.payload_offset + write.cut;
  tlp->ticket = first_write_ + next_write_;
  tlp->created = tlp->since = scheduler_.now();
  tlp->seal();
  write.cut += bytes;
  if (write.cut == request.bytes) {
    ++next_write_;
    if (request.relaxed) --relaxed_uncut_;
  }
  hierarchy_.write_starts(*tlp, write.under_way, port_.config().latency);
  if (observer_ != nullptr) observer_->requested(*tlp, tlp->since);
  port_.send(std::move(tlp));
}

void Requester::sending(const Tlp& tlp) {
  if (tlp.type == TlpType::kMemoryWrite) {
    Write& write = writes_[tlp.ticket - first_write_];
    write.sent += tlp.bytes;
    if (write.sent == write.request.bytes) {
      const Time now = scheduler_.now();
      hierarchy_.write_ends(write.under_way);
      writes_done_.add();
      write_bytes_.add(write.sent);
      write_latency_.record(static_cast<std::uint64_t>(now - write.given));
      DmaListener& listener = *write.listener;
      const std::uint64_t ticket = write.request.ticket;
      while (!writes_.empty() && writes_.front().sent == writes_.front().request.bytes) {
        writes_.pop();
        ++first_write_;
        --next_write_;
      }
      tell(listener, {ticket, Status::kSuccess, {}});
    }
  }
  fill();
}

bool Requester::may_ask(const Read& read, std::uint32_t bytes) const {
  return tags_in_use_ < tag_limit_ && room_used_ + bytes <= config_.completion_room &&
         read.fence <= first_write_ + next_write_;
}

void Requester::fill_reads() {
  bool starved = false;
  while (!waiting_reads_.empty() && port_.queued(FlowClass::kNonPosted) < config_.queue) {
    const std::uint32_t index = waiting_reads_.front();
    const Read& read = reads_[index];
    const std::uint32_t bytes = next_request(read.request.address + read.cut,
                                             read.request.bytes - read.cut, max_read_request_);
    if (!may_ask(read, bytes)) {
      starved = read.fence <= first_write_ + next_write_;
      break;
    }
    cut_read(index);
  }
  port_.set_starved(starved);
}

void Requester::cut_read(std::uint32_t index) {
  Read& read = reads_[index];
  const Time now = scheduler_.now();
  const std::uint64_t address = read.request.address + read.cut;
  const std::uint32_t bytes =
      next_request(address, read.request.bytes - read.cut, max_read_request_);
  const std::uint16_t number = free_tags_.pop();
  Tag& tag = tags_[number];
  tag.in_use = true;
  tag.read = index;
  tag.offset = read.cut;
  tag.left = tag.bytes = tag.room = bytes;
  tag.address = address;
  tag.serial = ++serial_;
  room_used_ += bytes;
  ++tags_in_use_;
  in_flight_.set(tags_in_use_, now);
  in_flight_probe_.set(tags_in_use_, now);
  issued_.push({number, tag.serial, now});
  if (!time_out_.pending()) scheduler_.schedule(time_out_, now + config_.completion_timeout);

  TlpRef tlp = hierarchy_.tlps().acquire();
  tlp->type = TlpType::kMemoryRead;
  tlp->relaxed = read.request.relaxed;
  tlp->byte_enables = bytes == 0 ? 0 : 0xF;
  tlp->elided = read.request.elided;
  tlp->requester = id_;
  tlp->tag = number;
  tlp->address = address;
  tlp->bytes = bytes;
  tlp->created = tlp->since = read.wanted;
  tlp->spend(Stage::kTag, now);
  tlp->seal();
  read.cut += bytes;
  read.wanted = now;
  ++read.pending;
  if (read.cut == read.request.bytes) {
    read.all_cut = true;
    waiting_reads_.pop();
  }
  if (observer_ != nullptr) observer_->requested(*tlp, now);
  port_.send(std::move(tlp));
}

void Requester::completed(const Tlp& completion) {
  const Time now = scheduler_.now();
  if (completion.tag >= tags_.size() || !tags_[completion.tag].in_use) {
    unexpected_.add();
    if (error_log_) error_log_(UncorrectableError::kUnexpectedCompletion);
    hierarchy_.report(name_, "an unexpected completion of tag " + std::to_string(completion.tag) +
                                 " came from " + hierarchy_.who(completion.completer));
    return;
  }
  if (observer_ != nullptr) observer_->completed(completion, now);
  Tag& tag = tags_[completion.tag];
  if (completion.status != Status::kSuccess) {
    const bool abort = completion.status == Status::kCompleterAbort;
    hierarchy_.report(name_, std::string(abort ? "completer abort" : "unsupported request") +
                                 " from " + hierarchy_.who(completion.completer) +
                                 " for a read of " + std::to_string(tag.bytes) + " B at " +
                                 format_hex(tag.address) + " (" + hierarchy_.who(tag.address) +
                                 ")");
    answer(tag, completion.tag, &completion, completion.status);
    return;
  }
  Read& read = reads_[tag.read];
  const std::uint32_t bytes = std::min(completion.bytes, tag.left);
  if (read.request.payload && completion.payload) {
    std::memcpy(read.request.payload->data() + tag.offset, completion.data(), bytes);
  }
  tag.offset += bytes;
  tag.left -= bytes;
  read.left -= bytes;
  read_bytes_.add(bytes);
  if (tag.left == 0) answer(tag, completion.tag, &completion, Status::kSuccess);
}

void Requester::answer(Tag& tag, std::uint16_t number, const Tlp* last, Status status) {
  const Time now = scheduler_.now();
  Read& read = reads_[tag.read];
  read.left -= tag.left;
  if (status != Status::kSuccess && read.status == Status::kSuccess) read.status = status;
  if (last != nullptr) {
    requests_.add();
    request_latency_.record(static_cast<std::uint64_t>(now - last->created));
    for (std::size_t i = 0; i < kStages; ++i) {
      stage_time_[i].add(static_cast<std::uint64_t>(last->spent[i]));
    }
  }
  room_used_ -= tag.room;
  tag.in_use = false;
  --tags_in_use_;
  in_flight_.set(tags_in_use_, now);
  in_flight_probe_.set(tags_in_use_, now);
  free_tags_.push(number);
  while (!issued_.empty() && !waits(issued_.front())) issued_.pop();
  if (observer_ != nullptr) observer_->tag_free(number, now);
  if (--read.pending == 0 && read.all_cut) finish_read(tag.read);
  fill();
}

void Requester::finish_read(std::uint32_t index) {
  const Time now = scheduler_.now();
  Read& read = reads_[index];
  const bool good = read.status == Status::kSuccess;
  reads_done_.add();
  if (!good) failed_.add();
  read_latency_.record(static_cast<std::uint64_t>(now - read.given));
  DmaListener& listener = *read.listener;
  DmaDone done{read.request.ticket, read.status, {}};
  if (good) done.payload = std::move(read.request.payload);
  if (read.attended) scheduler_.relax();
  read = Read{};
  free_reads_.push_back(index);
  if (--active_reads_ == 0) {
    scheduler_.cancel(time_out_);
    while (!issued_.empty()) issued_.pop();
    waits_for_completion_.end();
  }
  tell(listener, std::move(done));
}

// All wait for the same time, so the oldest is the first to wait too long.
void Requester::time_out() {
  const Time now = scheduler_.now();
  while (!issued_.empty()) {
    const Issued issued = issued_.front();
    if (waits(issued) && issued.at + config_.completion_timeout > now) break;
    issued_.pop();
    if (!waits(issued)) continue;
    Tag& tag = tags_[issued.tag];
    timeouts_.add();
    if (error_log_) error_log_(UncorrectableError::kCompletionTimeout);
    hierarchy_.report(name_, "completion timeout: nobody answered a read of " +
                                 std::to_string(tag.bytes) + " B at " + format_hex(tag.address) +
                                 " (" + hierarchy_.who(tag.address) + ")");
    answer(tag, issued.tag, nullptr, Status::kTimeout);
  }
  if (!issued_.empty()) {
    scheduler_.schedule(time_out_, issued_.front().at + config_.completion_timeout);
  }
}

Time Requester::earliest() const { return std::min(earliest_write(), earliest_read()); }

// The last TLP of a write starts when those before it have passed. A relaxed write need not wait
// for those that were given before it, which may be cut while the line takes less than their bytes.
Time Requester::earliest_write() const {
  if (writes_.empty()) return kForever;
  const Time start = port_.earliest_start();
  const bool next_is_relaxed = next_write_ < writes_.size() && writes_[next_write_].request.relaxed;
  if (relaxed_uncut_ > (next_is_relaxed ? 1 : 0)) return start;
  std::uint32_t least = ~std::uint32_t{0};
  for (std::size_t i = 0; i < writes_.size() && i <= next_write_; ++i) {
    least = std::min(least, writes_[i].request.bytes - writes_[i].sent);
    if (least <= max_payload_) break;
  }
  return start + line_time_beyond_one(least);
}

// The last completion of a read ends no earlier than the line needs for those after the next one.
Time Requester::earliest_read() const {
  if (active_reads_ == 0) return kForever;
  std::uint32_t least = ~std::uint32_t{0};
  for (const Read& read : reads_) {
    if (read.active) least = std::min(least, read.left);
    if (least <= max_payload_) break;
  }
  return port_.earliest_arrival() + line_time_beyond_one(least);
}

Time Requester::line_time_beyond_one(std::uint32_t bytes) const {
  if (bytes <= max_payload_) return 0;
  constexpr std::uint32_t kLeastOverhead = 20;  // of a TLP with data: Tlp::seal
  constexpr Time kRounding = 2;
  const std::uint32_t beyond = bytes - max_payload_;
  const std::uint32_t tlps = (beyond + max_payload_ - 1) / max_payload_;
  return std::max<Time>(0, port_.rate().time_of(beyond + tlps * kLeastOverhead) - kRounding);
}

}  // namespace railyard::pcie
