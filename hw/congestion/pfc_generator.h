// The PFC generator of a port: pfc_gen (rtl/pfc) between the levels of its priority groups and its
// MAC. The block's clock runs when a level crosses its threshold, when the MAC has taken a frame,
// when a refresh is due and when the link goes down: no other cycle changes a register of it.
//
// A crossing is seen by the next clock edge; `latency` cycles later the MAC is told. A frame is
// formed when the line is free for it, with what is wanted at that moment, so what was overtaken is
// never sent. While a priority is paused its XOFF is repeated after half of its pause time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "hw/congestion/block_clock.h"
#include "hw/congestion/blocks.h"
#include "hw/congestion/pfc_levels.h"
#include "tlm/base/rate.h"
#include "tlm/net/frame.h"

namespace railyard {

/// The port that the frames leave by.
class PfcTransmitter {
 public:
  virtual ~PfcTransmitter() = default;
  /// A PFC frame is due.
  virtual void pfc_due() = 0;
  /// A PFC frame will be due at this very time. True: the line is free, and kept for it.
  virtual bool reserve_line() = 0;
};

class PfcGenerator : private Clocked {
 public:
  struct Config {
    Time clock = 1000;
    std::uint32_t latency = 0;  // cycles
    std::uint16_t quanta = 0xFFFF;
    std::uint8_t priorities = 0;  // lossless ones
  };
  struct Sent {
    std::uint8_t xoff = 0;  // priorities that are paused by the frame, anew or still
    std::uint8_t xon = 0;   // priorities that it lets go
    bool refresh = false;   // it only repeats
  };

  /// `name` is the port's.
  PfcGenerator(Partition& partition, const std::string& name, Rate rate, const Config& config,
               Blocks& blocks, const PfcLevelSource& levels, PfcTransmitter& transmitter);

  void start() { clock_.start(); }

  /// A level has crossed its threshold.
  void crossed() { clock_.request(); }
  /// A frame should go as soon as the line is free.
  bool due() const { return reserved_ || (announced_ && !taken_); }
  /// The frame to send now.
  Sent form(net::Frame& frame, const net::MacAddress& source);
  /// The link went down: the peer has forgotten what it was told, and will be told when it is up.
  void forget();

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  bool edge(std::uint64_t cycle) override;
  void show() override { transmitter_.pfc_due(); }
  void change_due(bool due, std::uint64_t cycle);
  void sample(unsigned priority, const PfcLevels& levels);

  Partition& partition_;
  std::string name_;
  Blocks& blocks_;
  const PfcLevelSource& levels_;
  PfcTransmitter& transmitter_;
  Config config_;
  std::unique_ptr<rtl::PfcGen> block_;
  rtl::PfcGenIn in_;
  rtl::PfcGenOut out_;
  BlockClock clock_;
  std::optional<rtl::PfcGenOut> reserved_;  // the frame that the line is kept for
  std::uint64_t announce_at_ = kNever;      // cycle in which the MAC hears of a frame
  bool announced_ = false;                  // the MAC knows that a frame is due
  bool taken_ = false;                      // the MAC has taken it, which the next edge will see
  bool forgotten_ = false;                  // likewise, that the link went down
};

}  // namespace railyard
