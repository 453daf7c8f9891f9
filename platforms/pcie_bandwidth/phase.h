// One size of transfers: alone, then all streams at once, measured while they are in full flow,
// then drained.
//
//   begin() -> one read alone -> all streams begin -> each has done twice what it has in flight:
//   the window opens -> each has done `transfers` more: it closes -> streams stop -> drained ->
//   dev0 raises its interrupt.
//
// Of the window: data moved, latencies, and where each line's time went.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hw/pcie/line_time.h"
#include "platforms/pcie_bandwidth/ceilings.h"
#include "platforms/pcie_bandwidth/system.h"
#include "platforms/pcie_bandwidth/traffic_config.h"

namespace railyard::pcie_bandwidth {

class Phase : public StreamOwner {
 public:
  Phase(System& system, const PcieConfig& config, std::uint64_t size, std::uint8_t number);

  /// Within simulated time, after System::enumerate().
  void prepare();
  void begin();
  /// Transfers of the window that are not done; before and after it those that are in flight.
  std::uint64_t unfinished() const;

  /// Names of metrics that a summary begins with, once there is something to tell.
  std::vector<std::string> summary() const;

  void transfer_done(Stream& stream, Time latency) override;
  void alone_done(Stream& stream, Time latency) override;
  void drained(Stream& stream) override;

 private:
  enum class State : std::uint8_t { kWaiting, kAlone, kRamp, kWindow, kDrain, kFinished };
  using Uses = std::array<Time, pcie::kLineUses>;
  struct Line {
    const pcie::Port* port = nullptr;
    Uses spent{};  // in the window; while it is open, what it was when it opened
  };
  /// Writes, or reads, of all devices together.
  struct Kind {
    std::vector<Stream*> streams;
    std::vector<std::size_t> bottleneck;  // indices into lines_
    std::vector<std::uint64_t> before;    // done when the window opened, by stream
    std::uint64_t bytes = 0;              // moved in the window
    double ceiling = 0;                   // bytes a picosecond
    double tag_bound = 0;                 // likewise, reads
    Histogram latency;
  };

  void add_streams(Kind& kind, bool writes);
  StreamShape shape_of(std::size_t device, bool writes) const;
  void begin_all();
  bool all_have(std::uint64_t transfers) const;
  void open();
  void close();
  void take_times(bool opening);
  double measured(const Kind& kind) const;
  double ideal_ceiling(const Kind& kind) const;
  double overhead(const Kind& kind) const;
  void register_all();
  void add_losses(std::size_t line, std::vector<std::string>& names) const;
  void register_kind(Kind& kind, const std::string& name);
  void register_lines();
  void register_real(const std::string& name, const std::string& unit, const std::string& doc,
                     std::function<double()> value);

  System& system_;
  const PcieConfig& config_;
  std::uint64_t size_;
  std::uint8_t number_;
  std::string prefix_;
  State state_ = State::kWaiting;
  Kind writes_, reads_;
  std::vector<Line> lines_;
  TransferCost cost_;
  Time opened_ = 0;
  Time window_ = 0;
  Time alone_ = 0;
  std::size_t running_ = 0;
};

}  // namespace railyard::pcie_bandwidth
