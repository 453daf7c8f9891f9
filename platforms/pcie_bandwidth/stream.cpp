#include "platforms/pcie_bandwidth/stream.h"

#include <algorithm>
#include <utility>

namespace railyard::pcie_bandwidth {

namespace {

constexpr std::uint64_t kAlone = ~std::uint64_t{0};
constexpr std::uint64_t kFlush = kAlone - 1;

/// The byte that belongs to an address.
std::uint8_t byte_of(std::uint64_t address, std::uint8_t salt) {
  constexpr std::uint64_t kOdd = 0x9E37;
  return static_cast<std::uint8_t>((address * kOdd >> 8) + address + salt);
}

}  // namespace

void Stream::set_shape(const StreamShape& shape, StreamOwner& owner) {
  shape_ = shape;
  owner_ = &owner;
  given_.assign(shape.outstanding, {});
  next_ = done_ = 0;
  stopping_ = false;
  if (writes_ || !shape.carried) return;
  std::vector<std::uint8_t> bytes(shape.size);
  for (std::uint64_t slot = 0; slot < shape.slots; ++slot) {
    const std::uint64_t address = shape.address(slot);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = byte_of(address + i, shape.salt);
    shape.memory->write(shape.memory_base + (address - shape.base), bytes.data(), bytes.size());
  }
}

void Stream::alone(std::uint64_t address, std::uint32_t bytes, StreamOwner& owner) {
  owner_ = &owner;
  pcie::DmaRequest request;
  request.address = address;
  request.bytes = bytes;
  request.elided = true;
  request.ticket = kAlone;
  alone_since_ = partition_.now();
  send(std::move(request));
}

void Stream::begin() {
  for (std::uint64_t i = 0; i < shape_.outstanding; ++i) give(i);
}

void Stream::give(std::uint64_t slot) {
  const std::uint64_t address = shape_.address(next_++);
  given_[slot] = {partition_.now(), address};
  pcie::DmaRequest request;
  request.write = writes_;
  request.fenced = shape_.fenced && !writes_;
  request.relaxed = shape_.relaxed;
  request.address = address;
  request.bytes = shape_.size;
  request.elided = !shape_.carried;
  if (writes_ && shape_.carried) request.payload = bytes_at(address);
  request.ticket = slot;
  send(std::move(request));
}

void Stream::send(pcie::DmaRequest request) {
  ++in_flight_;
  partition_.open_work();
  function_.dma(std::move(request), *this);
}

Ref<net::Payload> Stream::bytes_at(std::uint64_t address) {
  Ref<net::Payload> payload = partition_.packets().payloads.acquire();
  payload->resize(shape_.size);
  for (std::uint32_t i = 0; i < shape_.size; ++i) {
    payload->data()[i] = byte_of(address + i, shape_.salt);
  }
  return payload;
}

bool Stream::holds(const std::uint8_t* data, std::uint64_t address, std::uint64_t bytes) const {
  for (std::uint64_t i = 0; i < bytes; ++i) {
    if (data[i] != byte_of(address + i, shape_.salt)) return false;
  }
  return true;
}

void Stream::dma_done(const pcie::DmaDone& done) {
  --in_flight_;
  partition_.close_work();
  if (done.status != pcie::Status::kSuccess) ++errors_;
  if (done.ticket == kAlone) {
    owner_->alone_done(*this, partition_.now() - alone_since_);
    return;
  }
  if (done.ticket == kFlush) {
    if (shape_.carried) check_memory();
    owner_->drained(*this);
    return;
  }
  const Given given = given_[done.ticket];
  if (done.payload && !holds(done.payload->data(), given.address, done.payload->size())) {
    ++errors_;
  }
  ++done_;
  owner_->transfer_done(*this, partition_.now() - given.at);
  if (!stopping_) {
    give(done.ticket);
  } else if (in_flight_ == 0) {
    drain();
  }
}

// A read of no byte is answered when the writes before it can be seen.
void Stream::drain() {
  if (!writes_) {
    owner_->drained(*this);
    return;
  }
  pcie::DmaRequest flush;
  flush.fenced = true;
  flush.address = shape_.base;
  flush.ticket = kFlush;
  send(std::move(flush));
}

void Stream::check_memory() {
  std::vector<std::uint8_t> bytes(shape_.size);
  for (std::uint64_t slot = 0; slot < std::min(next_, shape_.slots); ++slot) {
    const std::uint64_t address = shape_.address(slot);
    shape_.memory->read(shape_.memory_base + (address - shape_.base), bytes.data(), bytes.size());
    if (!holds(bytes.data(), address, bytes.size())) ++errors_;
  }
}

}  // namespace railyard::pcie_bandwidth
