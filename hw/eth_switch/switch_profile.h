// Classes of switches: numbers that an architect can start from, each with where it comes from.
// Silicon vendors publish few of them; what is assumed says so.
//
// A profile is a class of devices, not a model of one: capacity, ports and buffer are as published,
// the pipeline's cycles are ours. They are chosen so that a 64 B frame, stored and forwarded, takes
// 930 ns from last bit in to first bit out: the average that SONiC's measurement published of such
// a device (800 ns at least, 960 ns at most). The deep-buffer class adds its fabric to that.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tlm/base/quantity.h"
#include "tlm/base/rate.h"
#include "tlm/base/time.h"

namespace railyard {

enum class SwitchProfile : std::uint8_t { kCustom, k12T, k25T, k51T, k25TVoq };

/// A number and its source: a publication, or "assumed".
template <class T>
struct Sourced {
  T value{};
  const char* source = "";
};

struct SwitchProfileValues {
  Sourced<std::uint32_t> ports;
  Sourced<Rate> rate;  // of a port
  Sourced<Bytes> buffer;
  Sourced<std::uint32_t> cell;  // bytes
  Sourced<Time> clock;          // period
  // Latency of each stage, in cycles.
  Sourced<std::uint32_t> mac;
  Sourced<std::uint32_t> parser;
  Sourced<std::uint32_t> ingress;
  Sourced<std::uint32_t> buffer_manager;
  Sourced<std::uint32_t> scheduler;
  Sourced<std::uint32_t> egress;
  Sourced<std::uint32_t> slices;  // equal parts of the buffer
  Sourced<bool> per_ingress;      // arbitration: turns of the ingress ports, else first come
  // Of a fabric between virtual output queues and egress ports; 0: there is none.
  Sourced<Time> credit_round_trip;  // from the wish of a queue to the credit for its first frame
  Sourced<Time> transit;            // of a frame

  std::uint64_t cycles() const;
  /// From the last bit in to the first bit out of a frame that meets no other.
  Time store_and_forward() const;
};

/// The words of the parameter, as Parameters::choice takes them.
const std::vector<std::pair<std::string, SwitchProfile>>& switch_profile_names();

/// `custom` stands for the defaults of the parameters themselves.
SwitchProfileValues switch_profile(SwitchProfile profile);

/// One number of one profile as text, for --describe and READMEs.
struct SwitchProfileRow {
  std::string profile;
  std::string quantity;
  std::string value;
  std::string source;
};
std::vector<SwitchProfileRow> switch_profile_rows();

}  // namespace railyard
