#include "platforms/hbm_bandwidth/traffic_config.h"

#include <algorithm>

namespace railyard::hbm_bandwidth {

namespace {
constexpr std::uint64_t kLargest = 1ULL << 30;  // of a request
}

void TrafficConfig::declare(Parameters& p) {
  p.where(mark);
  p.choice("pattern", pattern,
           {{"sequential", Pattern::kSequential},
            {"random", Pattern::kRandom},
            {"stride", Pattern::kStride},
            {"blocks", Pattern::kBlocks},
            {"streams", Pattern::kStreams},
            {"trace", Pattern::kTrace}})
      .doc(
          "Addresses: one after the other; any; each `stride` on; blocks anywhere, each from its "
          "first byte to its last; arrays in turn, each from its first byte on; or as a file says");
  p.add("reads", reads).range(0, 1).doc("Share of reads, the rest are writes, at random");
  p.add("size", size)
      .range(1, kLargest)
      .doc("Bytes of a request; more than an access of the device is a bulk");
  p.add("stride", stride)
      .range(1, 1ULL << 40)
      .doc("From a request's first byte to the next one's; pattern stride alone");
  p.add("block", block).range(1, kLargest).doc("Bytes of a block, at a multiple of it");
  p.add("bulk", bulk).doc("A block is one request, of all its bytes");
  p.list("arrays", arrays)
      .size(1, 64)
      .accept("is neither", "read or write",
              [](const std::string& word) { return word == "read" || word == "write"; })
      .doc("Pattern streams: what each array is for; each has its part of the footprint");
  p.add("base", base).doc("First address");
  p.add("footprint", footprint)
      .min(1)
      .doc("Bytes from base on that are used; none: up to the end of the device");
  p.add("outstanding", outstanding)
      .range(1, 1U << 20)
      .doc(
          "Closed loop: requests in flight for each channel of the device, all taken from one "
          "sequence; the next is given when one is done");
  p.add("load", load)
      .range(kLeastLoad, 1)
      .doc(
          "Open loop instead: share of the peak that arrives, each clock with the same "
          "probability, "
          "whatever is done; none: closed loop");
  p.add("requests", requests)
      .range(1, 1'000'000'000'000)
      .doc("How many are given; of a trace at most all of it");
  p.add("duration", duration)
      .range(kNanosecond, 100 * kSecond)
      .doc("How long requests are given, in place of requests");
  p.add("trace", trace)
      .doc(
          "File, from the working directory: lines `ADDRESS R|W CYCLE`, given not before that "
          "clock, "
          "or `R|W ADDRESS`, closed loop. READ and WRITE will do, addresses are 0x... or decimal, "
          "rounded down to an access of the device; # begins a comment");
  p.choice("trace_format", trace_format,
           {{"detect", TraceFormat::kDetect},
            {"address_first", TraceFormat::kTimed},
            {"command_first", TraceFormat::kUntimed}})
      .doc("Which of them; detect: as its first line has it");
  p.check([this](const Bound& bound) { check(bound); });
}

void TrafficConfig::check(const Bound& bound) const {
  const TrafficConfig usual;
  const bool own = pattern == Pattern::kStreams || pattern == Pattern::kTrace;
  if (own) {
    bound.needs("reads", reads != usual.reads, "pattern: sequential, random, stride or blocks");
  }
  if (pattern == Pattern::kStride && !stride) {
    bound.fail("pattern", "it needs a stride", "write stride too");
  }
  if (pattern != Pattern::kStride) bound.needs("stride", stride.has_value(), "pattern: stride");
  if (pattern != Pattern::kBlocks) {
    bound.needs("block", block != usual.block, "pattern: blocks");
    bound.needs("bulk", bulk, "pattern: blocks");
  } else if (bulk) {
    bound.needs("size", size != usual.size, "bulk: false");
  } else if (block % size != 0) {
    bound.fail("block", "it is no whole number of requests", "write a multiple of size");
  }
  if (pattern != Pattern::kStreams) {
    bound.needs("arrays", arrays != usual.arrays, "pattern: streams");
  }
  if (pattern == Pattern::kTrace) {
    if (trace.empty()) bound.fail("pattern", "it needs a file", "write trace too");
    bound.needs("base", base != 0, "another pattern");
    bound.needs("footprint", footprint.has_value(), "another pattern");
    bound.needs("load", load.has_value(), "another pattern");
    bound.needs("duration", duration.has_value(), "another pattern");
  } else {
    bound.needs("trace", !trace.empty(), "pattern: trace");
    bound.needs("trace_format", trace_format != usual.trace_format, "pattern: trace");
  }
  if (load) bound.needs("outstanding", outstanding != usual.outstanding, "no load");
  if (duration && bound.has("requests")) {
    bound.fail("requests", "duration says how long", "leave one of them out");
  }
}

std::uint64_t TrafficConfig::least_footprint() const {
  switch (pattern) {
    case Pattern::kBlocks:
      return block;
    case Pattern::kStreams:
      return size * arrays.size();
    case Pattern::kTrace:
      return 1;
    default:
      return size;
  }
}

void BackgroundConfig::declare(Parameters& p) {
  p.add("load", load)
      .range(0, 1)
      .doc("Share of the peak that random requests ask for beside the traffic; 0: none");
  p.add("reads", reads).range(0, 1).doc("Share of reads");
  p.add("size", size).range(1, kLargest).doc("Bytes of a request");
  p.check([this](const Bound& bound) {
    const BackgroundConfig usual;
    if (load > 0) return;
    bound.needs("reads", reads != usual.reads, "load above 0");
    bound.needs("size", size != usual.size, "load above 0");
  });
}

}  // namespace railyard::hbm_bandwidth
