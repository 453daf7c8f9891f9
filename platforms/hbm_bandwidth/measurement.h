// One load, measured: requests are given, a window opens after the warm-up and closes when no more
// are given, what is under way drains.
//
// That of a trace, and where all are given at once, closes when the last is done.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platforms/hbm_bandwidth/bandwidth_config.h"
#include "platforms/hbm_bandwidth/driver.h"

namespace railyard::hbm_bandwidth {

class Measurement : private DriverOwner {
 public:
  /// `prefix` of its metrics: "total.". Without a load, closed loop or as the trace says. `trace`
  /// and the rest outlive it. `ended` is called when all is done.
  Measurement(const std::string& name, const std::string& prefix, Partition& partition,
              hbm::Controller& controller, const BandwidthConfig& config,
              std::optional<double> load, const Trace& trace, Time warm_up,
              std::function<void()> ended);

  void begin();

  /// Requests that were to be done, or were given, and are not.
  std::uint64_t unfinished() const;
  std::vector<std::string> summary() const;
  /// A line of the curve's table.
  std::string row(Time now) const;
  static std::string header();

 private:
  void request_done(std::uint32_t bytes, bool write, Time latency) override;
  void last_given() override;
  void all_done() override;

  void open();
  void close();
  Time window(Time now) const;
  double gbytes(std::uint64_t bytes, Time now) const;
  void add_metrics();
  void add_real(const char* name, const char* unit, const char* doc,
                std::function<double(Time)> value);

  std::string prefix_;
  Partition& partition_;
  hbm::Controller& controller_;
  const BandwidthConfig& config_;
  std::optional<double> load_;
  const Trace& trace_;
  Time warm_up_;
  std::function<void()> ended_;
  std::uint64_t requests_;
  Event opening_;
  Driver driver_;
  std::uint64_t bytes_[2] = {0, 0};  // read, written, in the window
  Histogram latency_;
  Time begun_ = 0;
  std::optional<Time> opened_;
  std::optional<Time> closed_;
  std::optional<Time> finished_;
};

}  // namespace railyard::hbm_bandwidth
