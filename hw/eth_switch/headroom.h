// Headroom: the buffer that a lossless priority needs for what still arrives once it has decided to
// pause its peer (IEEE 802.1Qbb; IEEE 802.1Q-2018 Annex N). Plain arithmetic, exact in integers.
#pragma once

#include <cstdint>
#include <optional>

#include "tlm/base/quantity.h"
#include "tlm/base/rate.h"
#include "tlm/base/time.h"

namespace railyard {

/// What `bytes` take in a buffer of cells of `cell` bytes.
constexpr std::uint64_t cells_of(std::uint64_t bytes, std::uint32_t cell) {
  return (bytes + cell - 1) / cell;
}

/// Pause quanta (64 B of line time) within which a station must have stopped beginning frames after
/// it received a PAUSE or PFC frame: IEEE 802.3 31B.3.7, of the slowest standard speed that is not
/// below `rate`. None above 800 Gb/s: the standard gives no value there.
std::optional<std::uint32_t> standard_response_quanta(const Rate& rate);

/// What bounds the headroom of one lossless priority of a port. Frames in bytes, FCS included, of
/// at least 64.
struct LosslessLine {
  Rate rate = Rate::gbps(400);
  Time propagation = 0;                         // one way
  std::uint32_t largest_frame = 9216;           // of any priority, that this side sends
  std::uint32_t largest_lossless_frame = 9216;  // of this priority, that the peer sends
  std::uint32_t cell = 192;                     // bytes, at least 64
  std::uint64_t response_quanta = 905;          // the peer's limit
  Bytes interface_delay = 800;                  // MAC and PHY of one side, both directions together
  Time decision_delay = 0;                      // from the count to the wish to send XOFF
  /// A frame is counted when its last byte is there; false: each cell at its first byte.
  bool counted_whole = true;
};

/// Line time, in bytes, from the wish to send XOFF until the peer may begin its last frame, as our
/// receiver sees it.
std::uint64_t pause_window(const LosslessLine& line);

/// The most cells that can arrive beyond the threshold, from the frame that crosses it (counted
/// whole) or the byte that does (counted in cells) to the last that the pause lets through.
/// At most one cell above what can happen: line time is rounded up to whole bytes.
std::uint64_t exact_headroom(const LosslessLine& line);

/// The most cells that back-to-back frames of 64 to `largest_frame` bytes fill in `line_bytes` of
/// line time, each taking its preamble and gap of the line but not of its cells.
std::uint64_t densest_packing(std::uint64_t line_bytes, std::uint32_t largest_frame,
                              std::uint32_t cell);

/// The inputs of SONiC's formula (buffer_headroom_mellanox.lua), with its defaults.
struct SonicHeadroom {
  Rate rate = Rate::gbps(400);
  Length length = metres(5);  // at 1.98e8 m/s
  std::uint64_t port_mtu = 9100;
  std::uint64_t lossless_mtu = 1024;
  std::uint32_t cell = 192;
  std::uint32_t small_packet_percent = 100;
  Bytes mac_phy_delay = 800;
  std::uint64_t response_quanta = 905;
};

/// Rounded up to 1 KiB.
Bytes sonic_headroom_bytes(const SonicHeadroom& inputs);

}  // namespace railyard
