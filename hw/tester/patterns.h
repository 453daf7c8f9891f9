// Who sends what to whom: the flows of a fabric from the keys of group `traffic`. Endpoints are the
// hosts' ports, numbered from 0. Plain C++.
//
//   incast       the first `senders` endpoints other than the receiver, each to the receiver
//   permutation  each to another, a derangement drawn at random: no receiver has two senders
//   all_to_all   each to each other, starting with its successor, so that the first packets of all
//                senders go to different receivers
//   ring         endpoint i to i + hops, modulo their number
//   poisson      open loop: at each endpoint flows begin after exponential gaps, each to another
//                endpoint drawn at random; payload alone makes `load` of the line rate on average
//   on_off       each endpoint sends bursts, each to another endpoint drawn at random. Bursts and
//                the silence before each last exponential times of means `on` and `off`. A burst is
//                as many whole messages, at least one, as its time holds at `rate`
//   list         those of `flows`, or the rows of a CSV file (patterns_csv.h)
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tlm/base/quantity.h"
#include "tlm/base/rate.h"
#include "tlm/base/time.h"
#include "tlm/config/parameters.h"
#include "tlm/sim/random.h"

namespace railyard {

enum class Pattern : std::uint8_t {
  kIncast,
  kPermutation,
  kAllToAll,
  kRing,
  kPoisson,
  kOnOff,
  kList
};

/// As in the configuration: "all_to_all".
const char* name_of(Pattern pattern);

/// A flow that is written out; what it does not say is as the pattern's keys are.
struct FlowRow {
  std::string source;  // as EndpointNames takes them
  std::string destination;
  std::optional<Time> start;
  std::optional<std::uint64_t> messages;
  std::optional<Bytes> message_size;
  std::optional<Rate> rate;
  std::optional<std::uint8_t> priority;
  Mark mark;

  void declare(Parameters& p);
};

struct PatternConfig {
  Pattern pattern = Pattern::kIncast;

  // Of some patterns only; none in the others once bound.
  std::optional<std::uint32_t> senders;
  std::optional<std::uint32_t> receiver;
  std::optional<std::uint64_t> messages = 16;
  std::optional<Time> stagger = 0;
  std::optional<std::uint32_t> hops = 1;
  std::optional<double> load = 0.5;
  std::optional<Time> duration = kMillisecond;
  std::optional<Time> on = 10 * kMicrosecond;
  std::optional<Time> off = 10 * kMicrosecond;
  std::optional<std::string> file;
  std::vector<FlowRow> flows;

  Bytes message_size = kibibytes(64);
  std::optional<Rate> rate;
  Time start = 0;
  std::uint8_t priority = 3;
  std::optional<std::uint8_t> dscp;
  std::optional<std::uint16_t> vlan;
  bool ect = true;
  Mark mark;

  /// To be declared as the group "traffic". Refuses a key that the pattern does not use.
  void declare(Parameters& p);

  /// What the frames of a flow of that priority carry: what is configured; else 26 for priority 3,
  /// as RoCE has it, and 8 * priority (the class selector) for others.
  std::uint8_t dscp_of(std::uint8_t of_priority) const {
    return dscp.value_or(static_cast<std::uint8_t>(of_priority == 3 ? 26 : 8 * of_priority));
  }
};

struct PatternEndpoint {
  std::string host;  // "h3"
  std::string port;  // "h3.nic0"
  Rate line_rate;
};

/// One flow. Its place in the list of flows is its number.
struct FlowSpec {
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  std::uint64_t messages = 0;
  Bytes message_size = 0;
  Time start = 0;
  std::optional<Rate> rate;  // none: line rate
  std::uint8_t priority = 0;

  bool operator==(const FlowSpec& o) const;
};

/// What the keys say of a flow, its ends aside.
FlowSpec default_flow(const PatternConfig& config);

constexpr std::size_t kMostFlows = 200'000;
constexpr std::uint64_t kMostMessages = 1'000'000'000;
constexpr std::uint64_t kLargestMessage = 1ULL << 31;
constexpr Time kLatestStart = 1000 * kSecond;
inline Rate slowest_pace() { return Rate::bits_per_second(1'000'000); }
inline Rate fastest_pace() { return Rate::gbps(10'000); }

/// Refuses a key of group `traffic`: (key, problem, remedy). Does not return.
using RefuseTraffic =
    std::function<void(const std::string&, const std::string&, const std::string&)>;

/// Refuses what make_flows could not make of these endpoints; lists aside.
void check_pattern(const PatternConfig& config, const std::vector<PatternEndpoint>& endpoints,
                   const RefuseTraffic& refuse);

/// The flows, numbered as said above; those of poisson and on_off by their start. The
/// configuration has been checked. Throws ConfigError if a list is wrong.
std::vector<FlowSpec> make_flows(const PatternConfig& config,
                                 const std::vector<PatternEndpoint>& endpoints,
                                 RandomStream random);

}  // namespace railyard
