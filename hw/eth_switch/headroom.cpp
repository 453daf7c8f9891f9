#include "hw/eth_switch/headroom.h"

#include <algorithm>

#include "tlm/net/frame.h"

namespace railyard {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint32_t kSmallestFrame = 64;  // FCS included; a PFC frame is one
constexpr std::uint64_t kBytesAQuantum = 64;

std::uint64_t line_of(std::uint64_t frame) {
  return net::kPreambleBytes + frame + net::kInterFrameGapBytes;
}

Wide ceiling(Wide num, Wide den) { return (num + den - 1) / den; }

}  // namespace

std::optional<std::uint32_t> standard_response_quanta(const Rate& rate) {
  struct Speed {
    std::uint64_t gbps;
    std::uint32_t quanta;
  };
  constexpr Speed kSpeeds[] = {{10, 67},   {25, 80},   {40, 118},  {50, 147},
                               {100, 394}, {200, 453}, {400, 905}, {800, 905}};
  for (const Speed& speed : kSpeeds) {
    if (!(Rate::gbps(speed.gbps) < rate)) return speed.quanta;
  }
  return std::nullopt;
}

// Of the frames of one number of cells the smallest is best, so only those are tried. The densest
// frame has one or two cells: k >= 3 cells cost at least (k-1)*cell + 21 bytes of line, and k/2
// frames of cell + 1 bytes cost k*(cell+21)/2, which is no more for cells of 21 bytes and up. Of
// any two other frames, one or both together have a multiple of its cells, so densest frames can
// replace them at no more line. So some best packing is densest frames and at most one other.
std::uint64_t densest_packing(std::uint64_t line_bytes, std::uint32_t largest_frame,
                              std::uint32_t cell) {
  const auto next_size = [&](std::uint64_t size) { return cells_of(size, cell) * cell + 1; };
  std::uint64_t cells = cells_of(kSmallestFrame, cell);  // of the densest frame
  std::uint64_t line = line_of(kSmallestFrame);
  for (std::uint64_t size = kSmallestFrame; size <= largest_frame; size = next_size(size)) {
    if (cells_of(size, cell) * line > cells * line_of(size)) {
      cells = cells_of(size, cell);
      line = line_of(size);
    }
  }
  std::uint64_t most = line_bytes / line * cells;
  for (std::uint64_t size = kSmallestFrame; size <= largest_frame; size = next_size(size)) {
    if (line_of(size) > line_bytes) break;
    const std::uint64_t left = line_bytes - line_of(size);
    most = std::max(most, cells_of(size, cell) + left / line * cells);
  }
  return most;
}

// At our receiver, in bytes of line time after the count crosses the threshold (0):
//   decision_delay               XOFF wants to go; our transmitter has just begun its largest frame
//   + 8 + largest_frame + 12     ... and is free
//   + 8 + 64                     XOFF has left
//   + interface + propagation    ... and is received
//   + response                   the peer begins no frame after this
//   + interface + propagation    ... seen from our receiver: `last_begin`
// The two passes through each side's MAC and PHY are that side's one interface_delay. All frames
// that begin up to last_begin arrive whole: the densest packing of the time before it, and one
// largest frame that begins just then.
//
// Counted whole: the crossing frame's last byte is at 0 and none of its cells need fit below the
// threshold; the first frame after it begins behind the gap. Counted in cells: the crossing byte
// may be the first of its frame, which began a preamble earlier and is one of the packing.
std::uint64_t pause_window(const LosslessLine& line) {
  const Wide times = Wide{2} * static_cast<std::uint64_t>(line.propagation) +
                     static_cast<std::uint64_t>(line.decision_delay);
  const auto timed_bytes = static_cast<std::uint64_t>(
      ceiling(times * line.rate.byte_time_den(), line.rate.byte_time_num()));
  return timed_bytes + line_of(line.largest_frame) + net::kPreambleBytes + kSmallestFrame +
         2 * line.interface_delay + line.response_quanta * kBytesAQuantum;
}

std::uint64_t exact_headroom(const LosslessLine& line) {
  const std::uint64_t last_begin = pause_window(line);
  const std::uint64_t largest = cells_of(line.largest_lossless_frame, line.cell);
  const auto packed = [&](std::uint64_t bytes) {
    return densest_packing(bytes, line.largest_lossless_frame, line.cell);
  };
  if (line.counted_whole) {
    return largest + packed(last_begin - net::kInterFrameGapBytes) + largest;
  }
  return packed(last_begin + net::kPreambleBytes) + largest;
}

Bytes sonic_headroom_bytes(const SonicHeadroom& inputs) {
  // on_cable = 2 * length * rate / 1.98e8 / 8 = um * bits a second / cable_den bytes
  const Wide cable_num = Wide{inputs.length.micrometres} * inputs.rate.numerator();
  const Wide cable_den = Wide{792'000'000'000'000ULL} * inputs.rate.denominator();
  const std::uint64_t fixed =
      inputs.port_mtu + inputs.mac_phy_delay + inputs.response_quanta * kBytesAQuantum;
  // A small packet costs cell/64 of its bytes, or 2*cell/(1+cell) where a packet of cell + 1 bytes
  // is worse; others cost what they are.
  const bool smallest_is_worst = inputs.cell > 2 * kSmallestFrame;
  const Wide worst_num = smallest_is_worst ? inputs.cell : Wide{2} * inputs.cell;
  const Wide worst_den = smallest_is_worst ? kSmallestFrame : Wide{1} + inputs.cell;
  const Wide occupancy_num =
      (100 - inputs.small_packet_percent) * worst_den + inputs.small_packet_percent * worst_num;
  const Wide occupancy_den = 100 * worst_den;

  const Wide propagated = (fixed * cable_den + cable_num) * occupancy_num;
  const Wide den = cable_den * occupancy_den;
  const Wide kibis = ceiling(inputs.lossless_mtu * den + propagated, den * 1024);
  return kibibytes(static_cast<std::uint64_t>(kibis));
}

}  // namespace railyard
