// A function as its device sees it: what it asks for, how that leaves and comes back.
#include <algorithm>
#include <utility>

#include "hw/pcie/ideal.h"
#include "tlm/base/error.h"
#include "tlm/base/format.h"

namespace railyard::pcie {

namespace {

constexpr std::uint32_t kPage = 4096;
constexpr std::uint32_t kMessage = 4;  // bytes of an interrupt

std::uint32_t next_piece(std::uint64_t address, std::uint32_t bytes) {
  return std::min(bytes, kPage - static_cast<std::uint32_t>(address % kPage));
}

}  // namespace

IdealFunction::IdealFunction(sc_core::sc_module_name name, IdealPcie& pcie,
                             const IdealConfig& config, const BarShapes& bars, MemoryPort& memory)
    : sc_module(name),
      pcie_(pcie),
      hierarchy_(pcie.hierarchy()),
      scheduler_(hierarchy_.scheduler()),
      config_(config),
      host_memory_(memory),
      config_space_(ConfigSpace::endpoint(this->name(), {}, bars)),
      id_(pcie.add(*this)),
      up_(hierarchy_, std::string(this->name()) + ".up", config.bandwidth,
          [this](MoveRef move) { left(std::move(move)); }),
      down_(hierarchy_, std::string(this->name()) + ".down", config.bandwidth,
            [this](MoveRef move) { came_down(std::move(move)); }),
      rising_(hierarchy_, std::string(this->name()) + ".rising", config.latency,
              [this](MoveRef move) { at_root(std::move(move)); }),
      falling_(hierarchy_, std::string(this->name()) + ".falling", config.latency,
               [this](MoveRef move) { at_function(std::move(move)); }),
      replies_(hierarchy_, std::string(this->name()) + ".replies", config.read_latency,
               [this](MoveRef move) {
                 const std::uint32_t bytes = move->status == Status::kSuccess ? move->bytes : 0;
                 down_.push(std::move(move), bytes, scheduler_.now());
               }),
      register_reads_(
          hierarchy_, std::string(this->name()) + ".register_reads", config.register_read_latency,
          [](MoveRef move) {
            IdealFunction& to = *move->to;
            (move->from != nullptr ? move->from->order_ : to.cores_).hold(std::move(move));
          }),
      order_(
          hierarchy_, [this](IdealMove& move) { pcie_.show(move); },
          [this](MoveRef move) { answer(std::move(move)); }),
      cores_(
          hierarchy_, [this](IdealMove& move) { pcie_.show(move); },
          [this](MoveRef move) { answer(std::move(move)); }),
      asking_(config.bandwidth),
      ask_(Event::of<&IdealFunction::ask>(
          *this, hierarchy_.partition().endpoint(std::string(this->name()) + ".ask"),
          Phase::kTransmitDone)) {
  scheduler_.add(*this);
  register_all();
}

void IdealFunction::register_all() {
  StatisticsRegistry& statistics = hierarchy_.partition().statistics();
  const std::string p = std::string(name()) + ".dma.";
  constexpr auto kPerNs = static_cast<double>(kNanosecond);
  statistics.add(writes_done_, {p + "writes", "transfers", "Writes that have left in whole"});
  statistics.add(reads_done_, {p + "reads", "transfers", "Reads that are done"});
  statistics.add(write_bytes_, {p + "write_bytes", "bytes", "Bytes of those writes"});
  statistics.add(read_bytes_, {p + "read_bytes", "bytes", "Bytes that reads have brought"});
  statistics.add(failed_, {p + "reads_failed", "transfers", "Reads that ended without their data"});
  statistics.add(read_latency_,
                 {p + "read_latency_ns", "ns", "From a read's being given to its last byte"},
                 kPerNs);
  statistics.add(write_latency_,
                 {p + "write_latency_ns", "ns", "From a write's being given to its leaving"},
                 kPerNs);
}

void IdealFunction::place(unsigned bar, std::uint64_t base) {
  constexpr unsigned kUpper = 32;
  const unsigned offset = config::kBar0 + 4 * bar;
  config_space_.write(offset, static_cast<std::uint32_t>(base));
  if ((config_space_.read(offset) & config::kBar64) != 0) {
    config_space_.write(offset + 4, static_cast<std::uint32_t>(base >> kUpper));
  }
  config_space_.write(config::kCommand, config::kMemorySpace | config::kBusMaster);
  const ConfigSpace::Bar placed = config_space_.bar(bar);
  if (placed.size == 0 || placed.base != base) {
    throw ConfigError(name(),
                      "BAR " + std::to_string(bar) + " of " + format_bytes(placed.size) +
                          " cannot lie at " + format_hex(base),
                      "give it an address that is a multiple of its size, below 4 GiB if it is not "
                      "a 64-bit one");
  }
  pcie_.place(*this, bar);
}

std::uint32_t IdealFunction::new_read() {
  if (free_reads_.empty()) {
    reads_.emplace_back();
    return static_cast<std::uint32_t>(reads_.size() - 1);
  }
  const std::uint32_t index = free_reads_.back();
  free_reads_.pop_back();
  return index;
}

void IdealFunction::dma(DmaRequest request, DmaListener& listener) {
  const LazyScheduler::Visit visit(scheduler_);
  const Time now = scheduler_.now();
  if (request.write) {
    Write write;
    write.listener = &listener;
    write.given = now;
    write.transfer = hierarchy_.tlps().acquire();
    write.transfer->address = request.address;
    write.transfer->bytes = write.transfer->bytes_left = request.bytes;
    hierarchy_.write_starts(*write.transfer);
    write.request = std::move(request);
    writes_.push(std::move(write));
    feed();
    return;
  }
  const std::uint32_t index = new_read();
  Read& read = reads_[index];
  read = Read{};
  read.attended = !hierarchy_.plain(request.address, request.bytes);
  if (read.attended) scheduler_.attend();
  if (!request.elided && request.bytes > 0) {
    request.payload = hierarchy_.payloads().acquire();
    request.payload->resize(request.bytes);
  }
  if (request.fenced || request.bytes == 0) read.fence = writes_left_ + writes_.size();
  read.request = std::move(request);
  read.listener = &listener;
  read.given = now;
  ++active_reads_;
  waiting_reads_.push(index);
  ask();
}

void IdealFunction::interrupt(unsigned vector) {
  const LazyScheduler::Visit visit(scheduler_);
  scheduler_.attend();
  Write write;
  write.request.bytes = kMessage;
  write.request.ticket = first_interrupt_ + vector;
  writes_.push(std::move(write));
  feed();
}

// One piece of this function's writes is on the lane at once: what it answers takes turns with
// them.
void IdealFunction::feed() {
  if (write_on_lane_ || writes_.empty()) return;
  write_on_lane_ = true;
  Write& write = writes_.front();
  const DmaRequest& request = write.request;
  MoveRef move = pcie_.moves_.acquire();
  move->kind = write.listener == nullptr ? MoveKind::kInterrupt : MoveKind::kWrite;
  move->from = this;
  move->relaxed = request.relaxed;
  move->address = request.address + write.cut;
  move->bytes = next_piece(move->address, request.bytes - write.cut);
  move->payload = request.payload;
  move->payload_offset = request.payload_offset + write.cut;
  move->ticket = request.ticket;
  move->transfer = write.transfer;
  write.cut += move->bytes;
  move->last = write.cut == request.bytes;
  const std::uint32_t bytes = move->bytes;
  up_.push(std::move(move), bytes, scheduler_.now());
}

void IdealFunction::left(MoveRef move) {
  const bool mine = !move->is_read();
  const bool last = move->last;
  rising_.push(std::move(move));
  if (!mine) return;
  write_on_lane_ = false;
  if (last) {
    write_left();
  } else {
    feed();
  }
}

void IdealFunction::write_left() {
  const Write write = writes_.pop();
  ++writes_left_;
  feed();
  ask();
  if (write.listener == nullptr) return;
  writes_done_.add();
  write_bytes_.add(write.request.bytes);
  write_latency_.record(static_cast<std::uint64_t>(scheduler_.now() - write.given));
  scheduler_.on_time(name());
  write.listener->dma_done({write.request.ticket, Status::kSuccess, {}});
}

// Reads leave no faster than their data may come, so that they queue here and not in the memory.
void IdealFunction::ask() {
  while (!waiting_reads_.empty()) {
    const std::uint32_t index = waiting_reads_.front();
    if (reads_[index].fence > writes_left_) return;
    const Time now = scheduler_.now();
    if (asking_.now() > now) {
      if (!ask_.pending()) scheduler_.schedule(ask_, asking_.now());
      return;
    }
    if (asking_.now() < now) asking_.start(now);
    cut_read(index);
  }
}

void IdealFunction::cut_read(std::uint32_t index) {
  Read& read = reads_[index];
  const DmaRequest& request = read.request;
  MoveRef move = pcie_.moves_.acquire();
  move->kind = MoveKind::kRead;
  move->from = this;
  move->relaxed = request.relaxed;
  move->address = request.address + read.asked;
  move->bytes = next_piece(move->address, request.bytes - read.asked);
  move->payload = request.payload;
  move->payload_offset = read.asked;
  move->read = index;
  asking_.advance(move->bytes);
  read.asked += move->bytes;
  ++read.pending;
  ++read.coming;
  if (read.asked == request.bytes) {
    read.all_asked = true;
    waiting_reads_.pop();
  }
  rising_.push(std::move(move));
}

std::string IdealFunction::who_failed(const IdealMove& move) const {
  if (move.status == Status::kUnsupportedRequest) return "unsupported request";
  const std::string by = move.to != nullptr ? move.to->name() : "host memory";
  return (move.status == Status::kTimeout ? "completion timeout of " : "completer abort from ") +
         by;
}

void IdealFunction::complete(const IdealMove& move) {
  Read& read = reads_[move.read];
  if (move.status == Status::kSuccess) {
    read_bytes_.add(move.bytes);
  } else {
    hierarchy_.report(name(), who_failed(move) + " for a read of " + std::to_string(move.bytes) +
                                  " B at " + format_hex(move.address) + " (" +
                                  hierarchy_.who(move.address) + ")");
    if (read.status == Status::kSuccess) read.status = move.status;
  }
  if (--read.pending == 0 && read.all_asked) finish_read(move.read);
}

void IdealFunction::finish_read(std::uint32_t index) {
  Read& read = reads_[index];
  const bool good = read.status == Status::kSuccess;
  reads_done_.add();
  if (!good) failed_.add();
  read_latency_.record(static_cast<std::uint64_t>(scheduler_.now() - read.given));
  DmaListener& listener = *read.listener;
  DmaDone done{read.request.ticket, read.status, {}};
  if (good) done.payload = std::move(read.request.payload);
  if (read.attended) scheduler_.relax();
  read = Read{};
  free_reads_.push_back(index);
  --active_reads_;
  calls_.pop();
  scheduler_.on_time(name());
  listener.dma_done(done);
}

// The front write ends when the lane has moved what is on it and the rest of that write. A read is
// done when its last piece ends its last way, on which it is not before the next step.
Time IdealFunction::earliest() const {
  Time earliest = kForever;
  if (!writes_.empty()) {
    const std::uint32_t rest = writes_[0].request.bytes - writes_[0].cut;
    earliest = up_.end() + (rest == 0 ? 0 : config_.bandwidth.time_of(rest) - 1);
  }
  if (!calls_.empty()) {
    earliest = std::min(earliest, calls_[0]);
  } else if (active_reads_ > 0) {
    earliest = std::min(earliest, scheduler_.now() + config_.latency);
  }
  return earliest;
}

}  // namespace railyard::pcie
