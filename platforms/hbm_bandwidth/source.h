// Where requests come from: one after the other, whoever paces them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "platforms/hbm_bandwidth/trace_file.h"
#include "platforms/hbm_bandwidth/traffic_config.h"
#include "tlm/sim/random.h"

namespace railyard::hbm_bandwidth {

struct Request {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  bool write = false;
};

class Source {
 public:
  virtual ~Source() = default;
  virtual Request next() = 0;
};

/// Random requests in a range of addresses, at multiples of their size.
class RandomSource : public Source {
 public:
  RandomSource(std::uint64_t base, std::uint64_t footprint, std::uint32_t size, double reads,
               const RandomStream& random);
  Request next() override;

 private:
  std::uint64_t base_;
  std::uint64_t slots_;
  std::uint32_t size_;
  std::uint64_t writes_;  // threshold
  RandomStream random_;
};

/// A request each `stride`, from the first byte on again when the next would end beyond the
/// footprint.
class StrideSource : public Source {
 public:
  StrideSource(std::uint64_t base, std::uint64_t footprint, std::uint32_t size,
               std::uint64_t stride, double reads, const RandomStream& random);
  Request next() override;

 private:
  std::uint64_t base_;
  std::uint64_t last_;  // offset of the last that has room
  std::uint32_t size_;
  std::uint64_t stride_;
  std::uint64_t writes_;
  RandomStream random_;
  std::uint64_t offset_ = 0;
};

/// Blocks anywhere, each of requests one after the other; of one kind, all of them.
class BlockSource : public Source {
 public:
  BlockSource(std::uint64_t base, std::uint64_t footprint, std::uint64_t block, std::uint32_t size,
              double reads, const RandomStream& random);
  Request next() override;

 private:
  RandomSource blocks_;
  std::uint64_t block_;
  std::uint32_t size_;
  Request current_;
  std::uint64_t offset_;
};

/// Arrays in turn, one request of each.
class ArraySource : public Source {
 public:
  ArraySource(std::uint64_t base, std::uint64_t footprint, std::uint32_t size,
              const std::vector<std::string>& arrays);
  Request next() override;

 private:
  struct Array {
    std::uint64_t base;
    bool write;
  };
  std::vector<Array> arrays_;
  std::uint64_t last_;
  std::uint32_t size_;
  std::size_t turn_ = 0;
  std::uint64_t offset_ = 0;
};

class TraceSource : public Source {
 public:
  TraceSource(const Trace& trace, std::uint32_t size) : trace_(trace), size_(size) {}
  /// At most trace.entries.size() times.
  Request next() override;

 private:
  const Trace& trace_;
  std::uint32_t size_;
  std::size_t next_ = 0;
};

/// Of a pattern, in a device of `capacity`. `trace` outlives the source.
std::unique_ptr<Source> make_source(const TrafficConfig& traffic, std::uint64_t capacity,
                                    const Trace& trace, const RandomStream& random);

}  // namespace railyard::hbm_bandwidth
