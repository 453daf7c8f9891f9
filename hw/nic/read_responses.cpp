#include "hw/nic/read_responses.h"

#include <algorithm>
#include <utility>

namespace railyard::nic {

ReadResponses::ReadResponses(Units& units, ReadResponseClient& client)
    : units_(units),
      client_(client),
      write_stage_(units.partition->statistics(), units.name + ".response_write",
                   units.config->stages.dma_write, units.config->clock, units.classes(),
                   {Cause::kKeyMiss}, "Writes of what READ responses bring"),
      write_(Event::of<&ReadResponses::write_due>(
          *this, units.partition->endpoint(units.name + ".response_write"), Phase::kAct)) {}

std::uint32_t ReadResponses::acquire() {
  if (free_.empty()) {
    records_.emplace_back();
    return static_cast<std::uint32_t>(records_.size() - 1);
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  return index;
}

void ReadResponses::take(ReadResponse response) {
  const std::uint32_t index = acquire();
  Record& record = records_[index];
  record.number = response.qp->number;
  record.pd = response.qp->pd;
  record.at = response.at;
  record.gathered = 0;
  record.error = KeyError::kNone;
  record.relaxed = false;
  record.segments.clear();
  record.response = std::move(response);
  gather(index);
}

void ReadResponses::gather(std::uint32_t index) {
  Record& record = records_[index];
  const ReadResponse& response = record.response;
  const std::uint32_t bytes = response.packet->frame.payload_bytes;
  while (record.gathered < bytes && record.error == KeyError::kNone) {
    const SendWqe::Data piece =
        response.wqe->piece(response.offset + record.gathered, bytes - record.gathered);
    Mapping mapping;
    const Time at = units_.translation->translate(
        {piece.key, piece.address, piece.bytes, abi::access::kLocalWrite, record.pd}, record.at,
        response.cls, *this, index, mapping);
    if (at == kForever) {
      write_stage_.block(Cause::kKeyMiss, response.cls, units_.partition->now());
      return;
    }
    record.at = at;
    use(record, mapping);
  }
  queue(index);
}

void ReadResponses::translated(std::uint64_t ticket, const Mapping& mapping) {
  const auto index = static_cast<std::uint32_t>(ticket);
  Record& record = records_[index];
  record.at = std::max(record.at, units_.partition->now());
  write_stage_.unblock(units_.partition->now());
  use(record, mapping);
  gather(index);
}

void ReadResponses::use(Record& record, const Mapping& mapping) {
  record.error = mapping.error;
  record.relaxed = mapping.relaxed;
  for (std::uint32_t i = 0; i < mapping.count; ++i) {
    record.segments.push_back(mapping.segments[i]);
    record.gathered += mapping.segments[i].bytes;
  }
}

void ReadResponses::queue(std::uint32_t index) {
  Record& record = records_[index];
  const bool good = record.error == KeyError::kNone;
  const Time moving = units_.config->moving(record.response.packet->frame.payload_bytes);
  const Time out = good ? write_stage_.pass(record.at, record.response.cls, moving) : record.at;
  last_due_ = std::max(last_due_, out);
  due_.push({index, last_due_});
  if (!write_.pending()) units_.partition->scheduler().schedule(write_, due_.front().at);
}

void ReadResponses::write_due() {
  const Time now = units_.partition->now();
  while (!due_.empty() && due_.front().at <= now) {
    const std::uint32_t index = due_.pop().record;
    Record& record = records_[index];
    if (record.error == KeyError::kNone) write(record);
    units_.receive_buffer->release(*record.response.packet);
    record.response.packet = Ref<net::Packet>();
    const Ref<SendWqe> wqe = std::move(record.response.wqe);
    const std::uint64_t ticket = record.response.ticket;
    const KeyError error = record.error;
    free_.push_back(index);
    client_.response_written(ticket, *wqe, error);
  }
  if (!due_.empty() && !write_.pending()) {
    units_.partition->scheduler().schedule(write_, due_.front().at);
  }
}

void ReadResponses::write(Record& record) {
  DmaWrite write;
  write.use = DmaUse::kPayload;
  write.payload = record.response.packet->payload;
  write.relaxed = record.relaxed;
  for (const BusSegment& segment : record.segments) {
    write.address = segment.address;
    write.bytes = segment.bytes;
    units_.dma->write(write, nullptr);
    write.payload_offset += segment.bytes;
  }
  units_.passed(Point::kWritten, record.number, units_.partition->now());
}

}  // namespace railyard::nic
