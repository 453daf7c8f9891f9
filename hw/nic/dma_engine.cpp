#include "hw/nic/dma_engine.h"

#include <limits>
#include <string>
#include <utility>

#include "tlm/base/error.h"

namespace railyard::nic {

namespace {

constexpr unsigned kGenerationShift = 32;
/// Of a function's ticket: a write that nobody asks for, its use below.
constexpr std::uint64_t kNobody = std::uint64_t{1} << 63;
constexpr std::uint32_t kGenerations = 0x7FFF'FFFF;

/// What the NIC writes itself and reads again.
bool is_own(DmaUse use) { return use == DmaUse::kContext || use == DmaUse::kTranslation; }

bool is_read(DmaUse use) { return use != DmaUse::kQueueEntry; }

bool is_written(DmaUse use) { return use != DmaUse::kWqe && use != DmaUse::kRecord; }

}  // namespace

const char* name_of(DmaUse use) {
  static constexpr std::array<const char*, static_cast<std::size_t>(DmaUse::kCount)> kNames = {
      "payload", "wqe", "context", "translation", "queue_entry", "record", "command"};
  return kNames[static_cast<std::size_t>(use)];
}

DmaEngine::DmaEngine(Units& units, pcie::Function& function) : units_(units), function_(function) {
  const DmaConfig& config = units.config->dma;
  payload_.most_reads = config.payload_reads;
  payload_.most_bytes = config.payload_bytes;
  control_.most_reads = config.control_reads;
  control_.most_bytes = std::numeric_limits<std::uint64_t>::max();
  register_all();
}

DmaEngine::~DmaEngine() = default;

void DmaEngine::register_all() {
  const std::string p = units_.name + ".dma.";
  for (std::size_t i = 0; i < kUses; ++i) {
    const auto use = static_cast<DmaUse>(i);
    register_use(use, p + name_of(use) + ".");
  }
  StatisticsRegistry& statistics = units_.partition->statistics();
  statistics.add(payload_.waiting_level,
                 {p + "payload_reads_waiting", "reads", "Payload reads beyond their bound"});
  statistics.add(control_.waiting_level,
                 {p + "control_reads_waiting", "reads", "Other reads beyond their bound"});
  constexpr std::uint32_t kWidth = 16;
  units_.partition->probes().add(in_flight_probe_, {units_.name + ".dma_reads_in_flight",
                                                    ProbeKind::kUnsigned,
                                                    kWidth,
                                                    "reads",
                                                    "Payload reads in flight",
                                                    {}});
}

void DmaEngine::register_use(DmaUse use, const std::string& p) {
  StatisticsRegistry& statistics = units_.partition->statistics();
  UseMetrics& m = metrics_of(use);
  const std::string of = std::string(" (") + name_of(use) + ")";
  if (is_read(use)) {
    statistics.add(m.reads, {p + "reads", "reads", "Reads that are done" + of});
    statistics.add(m.read_bytes, {p + "read_bytes", "bytes", "Bytes that they brought" + of});
    statistics.add(m.failed, {p + "reads_failed", "reads", "Reads that ended without data" + of});
    statistics.add(m.latency,
                   {p + "read_latency_ns", "ns",
                    "From a read's being asked for, its wait for the bound included, to its last "
                    "byte" +
                        of},
                   static_cast<double>(kNanosecond));
    statistics.add(m.in_flight, {p + "reads_in_flight", "reads", "Reads outstanding" + of});
  }
  if (is_written(use)) {
    statistics.add(m.writes, {p + "writes", "writes", "Writes given to PCIe" + of});
    statistics.add(m.write_bytes, {p + "write_bytes", "bytes", "Bytes of those writes" + of});
  }
}

bool DmaEngine::payload_room(std::uint32_t bytes) const {
  return payload_.waiting.empty() && payload_.fits(bytes);
}

void DmaEngine::read(const DmaRead& read, DmaClient& client) {
  const Time now = units_.partition->now();
  Bound& bound = bound_of(read.use);
  const Waiting wish{read, &client, now};
  if (bound.waiting.empty() && bound.fits(read.bytes)) {
    start(bound, wish);
    return;
  }
  bound.waiting.push(wish);
  bound.waiting_level.set(bound.waiting.size(), now);
}

void DmaEngine::start(Bound& bound, const Waiting& wish) {
  const DmaRead& read = wish.read;
  change(bound, read.use, 1, read.bytes);
  Slot slot;
  slot.client = wish.client;
  slot.ticket = read.ticket;
  slot.since = wish.since;
  slot.bytes = read.bytes;
  slot.use = read.use;
  pcie::DmaRequest request;
  request.fenced = must_fence(read);
  request.address = read.address;
  request.bytes = read.bytes;
  request.elided = read.use == DmaUse::kPayload && !units_.config->payload_carried;
  request.ticket = take_slot(slot);
  function_.dma(std::move(request), *this);
}

void DmaEngine::start_waiting(Bound& bound) {
  if (bound.waiting.empty()) return;
  while (!bound.waiting.empty() && bound.fits(bound.waiting.front().read.bytes)) {
    start(bound, bound.waiting.pop());
  }
  bound.waiting_level.set(bound.waiting.size(), units_.partition->now());
}

void DmaEngine::change(Bound& bound, DmaUse use, std::int32_t reads, std::int64_t bytes) {
  const Time now = units_.partition->now();
  bound.reads += static_cast<std::uint32_t>(reads);
  bound.bytes += static_cast<std::uint64_t>(bytes);
  TimeWeighted& level = metrics_of(use).in_flight;
  level.set(level.value() + static_cast<std::uint64_t>(std::int64_t{reads}), now);
  if (use == DmaUse::kPayload) in_flight_probe_.set(bound.reads, now);
}

bool DmaEngine::must_fence(const DmaRead& read) const {
  if (!is_own(read.use)) return false;
  for (std::size_t i = 0; i < own_writes_.size(); ++i) {
    const Range& write = own_writes_[i];
    if (read.address < write.address + write.bytes && write.address < read.address + read.bytes) {
      return true;
    }
  }
  return false;
}

void DmaEngine::write(const DmaWrite& write, DmaClient* client) {
  if (write.use != DmaUse::kPayload && write.bytes > 0 && !write.payload) {
    throw InvariantError(units_.name + ".dma", units_.partition->now(),
                         std::string("a write has no bytes: ") + name_of(write.use));
  }
  UseMetrics& metrics = metrics_of(write.use);
  metrics.writes.add();
  metrics.write_bytes.add(write.bytes);
  if (is_own(write.use)) own_writes_.push({write.address, write.bytes});
  pcie::DmaRequest request;
  request.write = true;
  request.relaxed = write.relaxed;
  request.address = write.address;
  request.bytes = write.bytes;
  request.payload = write.payload;
  request.payload_offset = write.payload_offset;
  if (client == nullptr) {
    request.ticket = kNobody | static_cast<std::uint64_t>(write.use);
  } else {
    Slot slot;
    slot.client = client;
    slot.ticket = write.ticket;
    slot.use = write.use;
    slot.write = true;
    request.ticket = take_slot(slot);
  }
  function_.dma(std::move(request), *this);
}

void DmaEngine::interrupt(unsigned vector) { function_.interrupt(vector); }

std::uint64_t DmaEngine::take_slot(const Slot& slot) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t index = free_slots_.back();
  free_slots_.pop_back();
  const std::uint32_t generation = (slots_[index].generation + 1) & kGenerations;
  slots_[index] = slot;
  slots_[index].generation = generation;
  slots_[index].taken = true;
  return std::uint64_t{generation} << kGenerationShift | index;
}

DmaEngine::Slot DmaEngine::give_back(std::uint64_t ticket) {
  const auto index = static_cast<std::uint32_t>(ticket);
  if (index >= slots_.size() || !slots_[index].taken ||
      slots_[index].generation != ticket >> kGenerationShift) {
    throw InvariantError(units_.name + ".dma", units_.partition->now(),
                         "the function has finished a transfer that it was not given, or twice");
  }
  slots_[index].taken = false;
  free_slots_.push_back(index);
  return slots_[index];
}

// Writes leave in the order in which they were given.
void DmaEngine::write_left(DmaUse use) {
  if (is_own(use)) own_writes_.pop();
}

void DmaEngine::dma_done(const pcie::DmaDone& done) {
  if ((done.ticket & kNobody) != 0) {
    write_left(static_cast<DmaUse>(done.ticket & ~kNobody));
    return;
  }
  const Slot slot = give_back(done.ticket);
  if (slot.write) {
    write_left(slot.use);
    slot.client->dma_done(slot.ticket, done.status, {});
    return;
  }
  UseMetrics& metrics = metrics_of(slot.use);
  metrics.reads.add();
  metrics.latency.record(static_cast<std::uint64_t>(units_.partition->now() - slot.since));
  if (done.status == pcie::Status::kSuccess) {
    metrics.read_bytes.add(slot.bytes);
  } else {
    metrics.failed.add();
  }
  Bound& bound = bound_of(slot.use);
  change(bound, slot.use, -1, -static_cast<std::int64_t>(slot.bytes));
  start_waiting(bound);  // before the client, who may ask for more
  slot.client->dma_done(slot.ticket, done.status, done.payload);
}

}  // namespace railyard::nic
