// The ways between a core and a device, one at a time with nothing else under way: a doorbell from
// the store to its arrival, a register's read, a read of memory by the device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/pcie_bandwidth/system.h"
#include "tlm/core/core.h"

namespace railyard::pcie_bandwidth {

class LatencyMeasurement : public StreamOwner {
 public:
  LatencyMeasurement(System& system, const PcieConfig& config);

  /// On a core, after System::enumerate().
  void run(Core& core);
  std::uint64_t unfinished() const;
  std::vector<std::string> summary() const;

  void transfer_done(Stream& /*stream*/, Time /*latency*/) override {}
  void alone_done(Stream& stream, Time latency) override;
  void drained(Stream& /*stream*/) override {}

 private:
  void rest(Core& core);

  System& system_;
  const PcieConfig& config_;
  Histogram doorbell_, register_read_;
  std::vector<Histogram> reads_;  // by size
  std::size_t size_ = 0;          // index of the one under way
  Time rang_ = 0;
  bool waiting_ = false;  // for the device
  std::uint64_t rounds_ = 0;
};

}  // namespace railyard::pcie_bandwidth
