#include "hw/nic/transmitter.h"

#include <algorithm>
#include <utility>

#include "tlm/observe/checker.h"

namespace railyard::nic {

namespace {

constexpr unsigned kSegmentBits = 16;

LineTurns::Kind kind_of(net::Opcode opcode) {
  if (opcode == net::Opcode::kCnp) return LineTurns::kNotices;
  return net::is_response(opcode) ? LineTurns::kResponses : LineTurns::kRequests;
}

std::uint32_t bytes_of(const std::vector<BusSegment>& segments) {
  std::uint32_t bytes = 0;
  for (const BusSegment& segment : segments) bytes += segment.bytes;
  return bytes;
}

}  // namespace

Transmitter::Transmitter(Units& units, Mac& mac)
    : units_(units),
      partition_(*units.partition),
      mac_(mac),
      egress_buffer_(units.config->send.egress_buffer),
      dma_read_(partition_.statistics(), units.name + ".dma_read", units.config->stages.dma_read,
                units.config->clock, units.classes(), {Cause::kReads, Cause::kEgress},
                "Read requests of payload are made"),
      packetiser_(partition_.statistics(), units.name + ".packetiser",
                  units.config->stages.packetiser, units.config->clock, units.classes(),
                  {Cause::kMemory}, "Headers are put before a payload"),
      turns_(units.config->send.weights),
      step_(Event::of<&Transmitter::step>(
          *this, partition_.endpoint(units.name + ".transmitter.step"), Phase::kAct)),
      ready_(Event::of<&Transmitter::offer>(
          *this, partition_.endpoint(units.name + ".transmitter.ready"), Phase::kAct)) {
  mac_.set_source(*this);
  register_all();
}

Transmitter::~Transmitter() = default;

void Transmitter::add_room_client(RoomClient& client) { room_clients_.push_back(&client); }

// --- from a job to its reads ---

void Transmitter::take(const TransmitJob& job) {
  const std::uint32_t slot = new_slot();
  Entry& entry = entries_[slot];
  entry.packet = partition_.packets().packets.acquire();
  net::Packet& packet = *entry.packet;
  packet.id = next_id_++;
  packet.created = partition_.now();
  packet.frame = *job.headers;
  packet.payload = job.inlined;
  packet.seal();
  entry.client = job.client;
  entry.ticket = job.ticket;
  entry.qp = job.qp;
  entry.cls = static_cast<std::uint8_t>(job.cls);
  const unsigned lane = LineTurns::lane_of(kind_of(packet.frame.bth.opcode), job.priority);
  entry.lane = static_cast<std::uint8_t>(lane);
  entry.in_lane = true;
  lanes_[lane].push(slot);
  count_bytes(job.priority, packet.frame.payload_bytes);
  if (!job.inlined && job.count != 0) {
    want_reads(job, slot);
  } else if (job.at <= partition_.now()) {
    complete(slot);
  } else {
    entry.under_way = true;
    insert_direct({job.at, slot});
  }
}

void Transmitter::want_reads(const TransmitJob& job, std::uint32_t slot) {
  Entry& entry = entries_[slot];
  entry.under_way = true;
  entry.segments.assign(job.segments, job.segments + job.count);
  entry.parts.resize(job.count);
  const std::uint32_t bytes = bytes_of(entry.segments);
  if (bytes != entry.packet->frame.payload_bytes) {
    break_invariant(units_.name + ".transmitter", partition_.now(),
                    "a packet's segments are not as long as its payload");
  }
  asking_bytes_ += bytes;
  asks_.push({dma_read_.pass(std::max(job.at, partition_.now()), job.cls), slot});
  if (asks_.size() == 1) plan_step();
}

// They come from two sides of queue pairs, each through stages of its own.
void Transmitter::insert_direct(Due due) {
  const auto behind = std::upper_bound(direct_.begin(), direct_.end(), due.at,
                                       [](Time at, const Due& other) { return at < other.at; });
  const bool first = behind == direct_.begin();
  direct_.insert(behind, due);
  if (first) plan_step();
}

void Transmitter::plan_step() {
  Time next = room_appeared_ ? partition_.now() : kForever;
  if (!asks_.empty()) next = std::min(next, asks_.front().at);
  if (!direct_.empty()) next = std::min(next, direct_.front().at);
  if (next != kForever) partition_.scheduler().schedule(step_, next);
}

void Transmitter::step() {
  const Time now = partition_.now();
  std::size_t come = 0;
  while (come < direct_.size() && direct_[come].at <= now) {
    const std::uint32_t slot = direct_[come++].slot;
    entries_[slot].under_way = false;
    if (entries_[slot].packet) {
      complete(slot);
    } else {
      free_if_unused(slot);
    }
  }
  direct_.erase(direct_.begin(), direct_.begin() + static_cast<std::ptrdiff_t>(come));
  while (!asks_.empty() && asks_.front().at <= now) ask(asks_.pop().slot);
  if (room_appeared_) {
    room_appeared_ = false;
    tell_room();
  }
  plan_step();
}

void Transmitter::ask(std::uint32_t slot) {
  Entry& entry = entries_[slot];
  asking_bytes_ -= bytes_of(entry.segments);
  if (!entry.packet) {
    entry.under_way = false;
    return free_if_unused(slot);
  }
  entry.asked = partition_.now();
  entry.reads_left = static_cast<std::uint32_t>(entry.segments.size());
  ++reading_[entry.cls];
  attribute_packetiser();
  for (std::size_t i = 0; i < entry.segments.size(); ++i) {
    const BusSegment& segment = entry.segments[i];
    const std::uint64_t ticket = std::uint64_t{slot} << kSegmentBits | i;
    units_.dma->read({DmaUse::kPayload, segment.address, segment.bytes, ticket}, *this);
  }
}

// --- from its reads to a packet ---

void Transmitter::dma_done(std::uint64_t ticket, pcie::Status status, Ref<net::Payload> payload) {
  const auto slot = static_cast<std::uint32_t>(ticket >> kSegmentBits);
  Entry& entry = entries_[slot];
  if (status != pcie::Status::kSuccess) entry.failed = true;
  entry.parts[ticket & ((1U << kSegmentBits) - 1)] = std::move(payload);
  if (--entry.reads_left == 0) reads_done(slot);
  tell_room();
}

void Transmitter::reads_done(std::uint32_t slot) {
  const Time now = partition_.now();
  Entry& entry = entries_[slot];
  entry.under_way = false;
  --reading_[entry.cls];
  read_latency_.record(static_cast<std::uint64_t>(now - entry.asked));
  if (!entry.packet) {
    free_if_unused(slot);
  } else if (!entry.failed) {
    gather(entry);
    complete(slot);
  } else {
    reads_failed_.add();
    TransmitClient* const client = entry.client;
    const std::uint64_t its_ticket = entry.ticket;
    const unsigned lane = entry.lane;
    forget(entry);
    show_head(lane);
    if (client != nullptr) client->read_failed(its_ticket);
  }
  attribute_packetiser();
}

void Transmitter::gather(Entry& entry) {
  net::Packet& packet = *entry.packet;
  if (entry.parts.size() == 1) {
    packet.payload = std::move(entry.parts.front());
    return;
  }
  const bool carried = std::all_of(entry.parts.begin(), entry.parts.end(),
                                   [](const auto& part) { return static_cast<bool>(part); });
  if (!carried) return;
  packet.payload = partition_.packets().payloads.acquire();
  packet.payload->resize(packet.frame.payload_bytes);
  std::uint8_t* to = packet.payload->data();
  for (const Ref<net::Payload>& part : entry.parts) {
    to = std::copy_n(part->data(), part->size(), to);
  }
}

void Transmitter::complete(std::uint32_t slot) {
  const Time now = partition_.now();
  Entry& entry = entries_[slot];
  entry.parts.clear();
  const Time made =
      packetiser_.pass(now, entry.cls, units_.config->moving(entry.packet->frame.payload_bytes));
  units_.passed(Point::kPayload, entry.qp, now);
  units_.passed(Point::kPacket, entry.qp, made);
  entry.ready = made + mac_.transmit_latency();
  if (lanes_[entry.lane].front() == slot) show_head(entry.lane);
  attribute_packetiser();
}

// --- to the line ---

/// What is dropped goes; then the lane's head is what stands there.
void Transmitter::show_head(unsigned lane) {
  Ring<std::uint32_t>& ring = lanes_[lane];
  while (!ring.empty() && !entries_[ring.front()].packet) {
    const std::uint32_t slot = ring.pop();
    entries_[slot].in_lane = false;
    free_if_unused(slot);
  }
  if (ring.empty()) return turns_.set_head(lane, {});
  const Entry& entry = entries_[ring.front()];
  turns_.set_head(lane, {entry.ready, net::line_bytes(entry.packet->wire_bytes),
                         entry.packet->frame.payload_bytes != 0});
  if (hungry_) plan_ready(std::max(entry.ready, partition_.now()));
}

// The line asks again by itself while it is busy.
void Transmitter::plan_ready(Time at) {
  if (at < ready_.time()) partition_.scheduler().schedule(ready_, at);
}

void Transmitter::offer() { mac_.wake(); }

Ref<net::Packet> Transmitter::next_packet(std::uint8_t may_send) {
  const Time now = partition_.now();
  const unsigned lane = turns_.next(may_send, now);
  hungry_ = lane == LineTurns::kNone;
  if (hungry_) {
    plan_ready(turns_.next_ready(now));
    return {};
  }
  const std::uint32_t slot = lanes_[lane].pop();
  Entry& entry = entries_[slot];
  Ref<net::Packet> packet = std::move(entry.packet);
  TransmitClient* const client = entry.client;
  const std::uint64_t ticket = entry.ticket;
  units_.passed(Point::kOnLine, entry.qp, now);
  count_bytes(static_cast<std::uint8_t>(LineTurns::priority_of(lane)),
              -std::int64_t{packet->frame.payload_bytes});
  entry.in_lane = false;
  free_if_unused(slot);
  show_head(lane);
  if (client != nullptr) client->sent(ticket, *packet);
  tell_room();
  return packet;
}

void Transmitter::drop(TransmitClient& client, std::uint64_t ticket) {
  for (unsigned lane = 0; lane < LineTurns::kLanes; ++lane) {
    const Ring<std::uint32_t>& ring = lanes_[lane];
    bool dropped = false;
    for (std::size_t i = 0; i < ring.size(); ++i) {
      Entry& entry = entries_[ring[i]];
      if (!entry.packet || entry.client != &client || entry.ticket != ticket) continue;
      forget(entry);
      dropped = true;
    }
    if (!dropped) continue;
    show_head(lane);
    room_appeared_ = refused_ != 0;
  }
  if (room_appeared_) plan_step();
}

/// It is not sent; its slot is free when it has left its lane and its reads have come.
void Transmitter::forget(Entry& entry) {
  count_bytes(static_cast<std::uint8_t>(LineTurns::priority_of(entry.lane)),
              -std::int64_t{entry.packet->frame.payload_bytes});
  entry.packet = {};
}

std::uint32_t Transmitter::new_slot() {
  if (!free_.empty()) {
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  entries_.emplace_back();
  free_.reserve(entries_.capacity());
  return static_cast<std::uint32_t>(entries_.size() - 1);
}

void Transmitter::free_if_unused(std::uint32_t slot) {
  Entry& entry = entries_[slot];
  if (entry.in_lane || entry.under_way) return;
  entry.client = nullptr;
  entry.ready = kForever;
  entry.failed = false;
  entry.segments.clear();
  entry.parts.clear();
  free_.push_back(slot);
}

}  // namespace railyard::nic
