#include "hw/eth_switch/buffer_config.h"

#include <algorithm>
#include <array>
#include <limits>

#include "hw/congestion/pause_timers.h"
#include "tlm/base/error.h"

namespace railyard {

namespace {

constexpr int kSmallestExponent = -7;
constexpr int kLargestExponent = 3;
constexpr std::uint64_t kLargestBuffer = 16ULL << 30;  // cells of 64 B then count in 32 bits

std::uint32_t limit(std::uint64_t cells) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(cells, std::numeric_limits<std::uint32_t>::max()));
}

GroupShape group_shape(const BufferConfig& config, bool lossless, std::uint64_t headroom) {
  GroupShape group;
  group.lossless = lossless;
  group.alpha = lossless ? config.lossless.alpha : config.lossy.alpha;
  const Bytes reserved = lossless ? config.lossless.reserved : config.lossy.reserved;
  group.reserved = limit(cells_of(reserved, config.cell));
  if (!lossless) return group;
  group.headroom = limit(headroom);
  group.xon_offset = limit(cells_of(config.lossless.xon_offset, config.cell));
  return group;
}

std::uint32_t written_or_standard(const BufferConfig& config,
                                  const std::optional<std::uint32_t>& written, const Rate& rate,
                                  const char* remedy) {
  if (written) return *written;
  if (const auto quanta = standard_response_quanta(rate)) return *quanta;
  throw ConfigError(config.mark.place(),
                    "IEEE 802.3 has no pause response time for " + format_rate(rate), remedy);
}

}  // namespace

Alpha ScalarType<Alpha>::parse(const std::string& text) {
  for (int exponent = kSmallestExponent; exponent <= kLargestExponent; ++exponent) {
    const Alpha alpha{static_cast<std::int8_t>(exponent)};
    if (format(alpha) == text) return alpha;
  }
  throw ConfigError("", quoted(text) + " is not a share of the free cells",
                    "write a power of two from 1/128 to 8, like " + example());
}

std::string ScalarType<Alpha>::format(Alpha value) {
  return value.exponent < 0 ? "1/" + std::to_string(value.den()) : std::to_string(value.num());
}

void SwitchPfcConfig::declare(Parameters& p) {
  p.add("enabled", enabled).doc("Priority flow control; without it every priority is lossy");
  p.list("priorities", priorities).size(0, 8).max(7).doc("Priorities that are lossless");
  p.add("quanta", quanta)
      .min(1024)
      .doc("Pause time of an XOFF in quanta of 512 bit times; refreshed after half of it");
  p.add("latency", latency)
      .max(1000)
      .doc("Cycles from the clock edge that samples a threshold's crossing to the wish for XOFF");
  p.add("response_quanta", response_quanta)
      .range(0, 65'535)
      .doc(
          "Quanta after which a pause that was received takes effect; none: the limit of IEEE "
          "802.3 31B.3.7, which ends at 800Gbps");
  p.check([this](const Bound& bound) {
    for (std::size_t i = 0; i < priorities.size(); ++i) {
      if (std::count(priorities.begin(), priorities.end(), priorities[i]) == 1) continue;
      bound.fail("priorities", "priority " + std::to_string(priorities[i]) + " is listed twice",
                 "name each lossless priority once");
    }
  });
}

void LosslessShareConfig::declare(Parameters& p) {
  p.add("alpha", alpha)
      .doc(
          "A lossless priority group is paused when it holds more, beyond its reserve, than this "
          "share "
          "of the free shared buffer; 1/128 to 8");
  p.add("reserved", reserved).max(kLargestBuffer).doc("Buffer of each lossless group's own");
  p.add("xon_offset", xon_offset)
      .max(kLargestBuffer)
      .doc("A paused group resumes this far below the threshold, or when only its reserve is used");
}

void LossyShareConfig::declare(Parameters& p) {
  p.add("alpha", alpha)
      .doc("Share of the free shared buffer that a lossy priority group may hold at its ingress");
  p.add("reserved", reserved).max(kLargestBuffer).doc("Buffer of each lossy group's own");
  p.add("queue_alpha", queue_alpha)
      .doc("Share of the free shared buffer that the lossy frames of an egress queue may hold");
}

void HeadroomConfig::declare(Parameters& p) {
  p.choice("rule", rule,
           {{"exact", HeadroomRule::kExact},
            {"sonic", HeadroomRule::kSonic},
            {"by_hand", HeadroomRule::kByHand}})
      .doc("Headroom: the exact worst case in cells, SONiC's formula, or `size`");
  p.choice("scope", scope, {{"priority", HeadroomScope::kPriority}, {"port", HeadroomScope::kPort}})
      .doc("Whether each lossless priority has its headroom, or a port's share the sum of theirs");
  p.add("size", size)
      .max(kLargestBuffer)
      .doc(
          "Headroom set by hand, of a priority or of a port by `scope`; frames that overflow it "
          "are dropped and counted");
  p.add("largest_frame", largest_frame)
      .range(64, 16'384)
      .doc("Largest frame of any priority that the port sends, bytes with FCS: XOFF waits for it");
  p.add("largest_lossless_frame", largest_lossless_frame)
      .range(64, 16'384)
      .doc("Largest frame of a lossless priority that the peer sends, bytes with FCS");
  p.add("interface_delay", interface_delay)
      .max(1'000'000)
      .doc("Delay of the MAC and PHY of one side, both directions together, in bytes of line time");
  p.add("response_quanta", response_quanta)
      .range(0, 65'535)
      .doc(
          "Quanta of 512 bit times in which the peer has stopped; none: IEEE 802.3 31B.3.7, which "
          "ends at 800Gbps");
  p.add("small_packet_percent", small_packet_percent)
      .max(100)
      .doc("Share of the packets that SONiC's formula takes to be of the worst size");
  p.check([this](const Bound& bound) {
    const bool by_hand = rule == HeadroomRule::kByHand;
    const HeadroomConfig defaults;
    if (rule != HeadroomRule::kSonic) {
      bound.needs("small_packet_percent", small_packet_percent != defaults.small_packet_percent,
                  "rule: sonic");
    }
    if (by_hand) {
      const char* const setting = "rule: exact or sonic";
      bound.needs("interface_delay", interface_delay != defaults.interface_delay, setting);
      bound.needs("response_quanta", response_quanta.has_value(), setting);
    }
    if (by_hand == size.has_value()) return;
    if (by_hand) bound.fail("rule", "a headroom by hand has no size", "write headroom.size");
    bound.fail("size", "a headroom's size is only for the rule by_hand",
               "write headroom.rule: by_hand, or leave the size out");
  });
}

void BufferConfig::declare(Parameters& p) {
  p.add("buffer", buffer)
      .range(kibibytes(64), kLargestBuffer)
      .doc("Packet buffer that the ports share, reserves and headrooms included");
  p.add("cell", cell).range(64, 512).doc("Bytes of a buffer cell; a frame takes whole cells");
  p.group("pfc", pfc).doc("Priority flow control");
  p.group("lossless", lossless).doc("Shares of the lossless priority groups");
  p.group("lossy", lossy).doc("Shares of the lossy priority groups and queues");
  p.group("headroom", headroom).doc("Buffer for what arrives after XOFF");
  p.where(mark);
}

std::uint32_t peer_response_quanta(const BufferConfig& config, const Rate& rate) {
  return written_or_standard(config, config.headroom.response_quanta, rate,
                             "write headroom.response_quanta, the peer's limit in quanta of 512 "
                             "bit times");
}

std::uint32_t own_response_quanta(const BufferConfig& config, const Rate& rate) {
  return written_or_standard(config, config.pfc.response_quanta, rate,
                             "write pfc.response_quanta, in quanta of 512 bit times");
}

std::uint64_t quanta_at_least(std::uint64_t quanta, const Rate& rate, Time least) {
  while (rate.time_of(PauseTimers::kBytesAQuantum * quanta) < least) ++quanta;
  return quanta;
}

std::uint64_t headroom_cells(const BufferConfig& config, const PortLine& line) {
  const HeadroomConfig& headroom = config.headroom;
  if (headroom.rule == HeadroomRule::kByHand) {
    return headroom.size.value_or(0) / config.cell;
  }
  const std::uint64_t quanta =
      quanta_at_least(peer_response_quanta(config, line.rate), line.rate, line.shortest_response);
  const std::uint64_t exact = exact_headroom({line.rate, line.propagation, headroom.largest_frame,
                                              headroom.largest_lossless_frame, config.cell, quanta,
                                              headroom.interface_delay, line.decision_delay, true});
  if (headroom.rule == HeadroomRule::kExact) return exact;

  const std::uint64_t bytes = sonic_headroom_bytes(
      {line.rate, line.length, headroom.largest_frame, headroom.largest_lossless_frame, config.cell,
       headroom.small_packet_percent, headroom.interface_delay, quanta});
  if (bytes / config.cell < exact) {
    throw ConfigError(config.mark.place(),
                      "SONiC's headroom of " + format_bytes(bytes) + " at " +
                          format_rate(line.rate) + " is less than the worst case of " +
                          format_bytes(exact * config.cell),
                      "write headroom.rule: exact, or set its size by hand");
  }
  return bytes / config.cell;
}

SharedBufferShape buffer_shape(const BufferConfig& config, const std::vector<PortLine>& lines) {
  SharedBufferShape shape;
  shape.cells = limit(config.buffer / config.cell);
  shape.cell = config.cell;
  shape.place = config.mark.place();
  std::array<bool, PortShape::kClasses> lossless{};
  std::uint64_t count = 0;
  if (config.pfc.enabled) {
    count = config.pfc.priorities.size();
    for (const std::uint8_t priority : config.pfc.priorities) lossless[priority] = true;
  }
  const std::uint64_t pooled = config.headroom.rule == HeadroomRule::kByHand ? 1 : count;
  for (const PortLine& line : lines) {
    const std::uint64_t cells = count == 0 ? 0 : headroom_cells(config, line);
    PortShape& port = shape.ports.emplace_back();
    port.queue_alpha.fill(config.lossy.queue_alpha);
    for (std::size_t c = 0; c < PortShape::kClasses; ++c) {
      port.groups[c] = group_shape(config, lossless[c], cells);
    }
    if (config.headroom.scope == HeadroomScope::kPort) port.headroom_pool = limit(pooled * cells);
  }
  return shape;
}

}  // namespace railyard
