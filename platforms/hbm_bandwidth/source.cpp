#include "platforms/hbm_bandwidth/source.h"

namespace railyard::hbm_bandwidth {

namespace {

std::uint64_t write_threshold(double reads) { return RandomStream::threshold(1 - reads); }

}  // namespace

RandomSource::RandomSource(std::uint64_t base, std::uint64_t footprint, std::uint32_t size,
                           double reads, const RandomStream& random)
    : base_(base),
      slots_(footprint / size),
      size_(size),
      writes_(write_threshold(reads)),
      random_(random) {}

Request RandomSource::next() {
  const std::uint64_t address = base_ + random_.below(slots_) * size_;
  return {address, size_, random_.chance(writes_)};
}

StrideSource::StrideSource(std::uint64_t base, std::uint64_t footprint, std::uint32_t size,
                           std::uint64_t stride, double reads, const RandomStream& random)
    : base_(base),
      last_(footprint - size),
      size_(size),
      stride_(stride),
      writes_(write_threshold(reads)),
      random_(random) {}

Request StrideSource::next() {
  if (offset_ > last_) offset_ = 0;
  const Request request = {base_ + offset_, size_, random_.chance(writes_)};
  offset_ += stride_;
  return request;
}

BlockSource::BlockSource(std::uint64_t base, std::uint64_t footprint, std::uint64_t block,
                         std::uint32_t size, double reads, const RandomStream& random)
    : blocks_(base, footprint, static_cast<std::uint32_t>(block), reads, random),
      block_(block),
      size_(size),
      offset_(block) {}

Request BlockSource::next() {
  if (offset_ == block_) {
    current_ = blocks_.next();
    offset_ = 0;
  }
  const Request request = {current_.address + offset_, size_, current_.write};
  offset_ += size_;
  return request;
}

ArraySource::ArraySource(std::uint64_t base, std::uint64_t footprint, std::uint32_t size,
                         const std::vector<std::string>& arrays)
    : size_(size) {
  // At whole pages, as an allocator gives them, if there is room.
  constexpr std::uint64_t kPage = 4096;
  std::uint64_t each = footprint / arrays.size();
  each -= each % (each >= kPage && size <= kPage ? kPage : size);
  last_ = each - size;
  for (const std::string& array : arrays) {
    arrays_.push_back({base + each * arrays_.size(), array == "write"});
  }
}

Request ArraySource::next() {
  const Array& array = arrays_[turn_];
  const Request request = {array.base + offset_, size_, array.write};
  if (++turn_ < arrays_.size()) return request;
  turn_ = 0;
  offset_ += size_;
  if (offset_ > last_) offset_ = 0;
  return request;
}

Request TraceSource::next() {
  const TraceEntry& entry = trace_.entries[next_++];
  return {entry.address, size_, entry.write};
}

std::unique_ptr<Source> make_source(const TrafficConfig& traffic, std::uint64_t capacity,
                                    const Trace& trace, const RandomStream& random) {
  const std::uint64_t base = traffic.base;
  const std::uint64_t footprint = traffic.footprint_in(capacity);
  const auto size = static_cast<std::uint32_t>(traffic.size);
  const double reads = traffic.reads;
  switch (traffic.pattern) {
    case Pattern::kRandom:
      return std::make_unique<RandomSource>(base, footprint, size, reads, random);
    case Pattern::kBlocks:
      return std::make_unique<BlockSource>(
          base, footprint, traffic.block,
          traffic.bulk ? static_cast<std::uint32_t>(traffic.block) : size, reads, random);
    case Pattern::kStreams:
      return std::make_unique<ArraySource>(base, footprint, size, traffic.arrays);
    case Pattern::kTrace:
      return std::make_unique<TraceSource>(trace, size);
    default:
      break;
  }
  const bool strides = traffic.pattern == Pattern::kStride;
  return std::make_unique<StrideSource>(
      base, footprint, size, strides ? std::uint64_t{*traffic.stride} : size, reads, random);
}

}  // namespace railyard::hbm_bandwidth
