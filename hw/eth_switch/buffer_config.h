// Parameters of a switch's shared buffer, and the shape in cells that they give a set of ports. The
// keys stand beside the switch's others: `switch.buffer`, `switch.pfc.enabled`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hw/eth_switch/headroom.h"
#include "hw/eth_switch/shared_buffer.h"
#include "tlm/config/parameters.h"

namespace railyard {

/// Written "1/8", "1" or "8".
template <>
struct ScalarType<Alpha> {
  static constexpr bool kText = true;
  static std::string name() { return "share"; }
  static std::string example() { return "1/8"; }
  static Alpha parse(const std::string& text);
  static std::string format(Alpha value);
};

/// Which priorities are lossless, and how their pauses are sent and obeyed.
struct SwitchPfcConfig {
  bool enabled = true;
  std::vector<std::uint8_t> priorities = {3};
  std::uint16_t quanta = 0xFFFF;
  std::uint32_t latency = 2;
  std::optional<std::uint32_t> response_quanta;

  void declare(Parameters& p);
};

struct LosslessShareConfig {
  Alpha alpha{-3};
  Bytes reserved = 0;
  Bytes xon_offset = kibibytes(3);

  void declare(Parameters& p);
};

struct LossyShareConfig {
  Alpha alpha{3};
  Bytes reserved = 0;
  Alpha queue_alpha{0};

  void declare(Parameters& p);
};

enum class HeadroomRule : std::uint8_t { kExact, kSonic, kByHand };
enum class HeadroomScope : std::uint8_t { kPriority, kPort };

struct HeadroomConfig {
  HeadroomRule rule = HeadroomRule::kExact;
  HeadroomScope scope = HeadroomScope::kPriority;
  std::optional<Bytes> size;
  std::uint32_t largest_frame = 9216;
  std::uint32_t largest_lossless_frame = 9216;
  Bytes interface_delay = 800;
  std::optional<std::uint32_t> response_quanta;
  std::uint32_t small_packet_percent = 100;

  void declare(Parameters& p);
};

struct BufferConfig {
  Bytes buffer = kibibytes(32'768);
  std::uint32_t cell = 192;
  SwitchPfcConfig pfc;
  LosslessShareConfig lossless;
  LossyShareConfig lossy;
  HeadroomConfig headroom;
  Mark mark;

  void declare(Parameters& p);
};

/// What is at a port: its link, how long the switch takes to decide on XOFF (one block clock and
/// the latency of the PFC generator), and how long the peer takes to obey at least.
struct PortLine {
  Rate rate = Rate::gbps(400);
  Length length = metres(3);
  Time propagation = 15 * kNanosecond;  // one way
  Time decision_delay = 0;
  Time shortest_response = 0;  // of a peer of the switch's own kind
};

/// The response limit of the port's peer, as configured or the standard's, and the port's own
/// response. ConfigError above 800 Gb/s without a configured one.
std::uint32_t peer_response_quanta(const BufferConfig& config, const Rate& rate);
std::uint32_t own_response_quanta(const BufferConfig& config, const Rate& rate);

/// `quanta`, or as many as take `least` at that rate.
std::uint64_t quanta_at_least(std::uint64_t quanta, const Rate& rate, Time least);

/// Headroom in cells: of one lossless priority, or of the whole port if set by hand with scope
/// `port`. ConfigError if SONiC's formula gives less than the worst case: a lossless priority whose
/// headroom is not set by hand never drops.
std::uint64_t headroom_cells(const BufferConfig& config, const PortLine& line);

/// The buffer that serves these ports. ConfigError as headroom_cells; SharedBuffer checks the sum.
SharedBufferShape buffer_shape(const BufferConfig& config, const std::vector<PortLine>& lines);

}  // namespace railyard
