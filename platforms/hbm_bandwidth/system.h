// The hardware of a run: a controller, who checks its commands, and who writes them down.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "hw/hbm/command_checker.h"
#include "hw/hbm/command_trace.h"
#include "hw/hbm/controller.h"
#include "platforms/hbm_bandwidth/bandwidth_config.h"
#include "tlm/sim/partition.h"

namespace railyard::hbm_bandwidth {

class System {
 public:
  System(Partition& partition, const BandwidthConfig& config, bool checks);

  hbm::Controller& controller() { return controller_; }
  /// At the begin of the run: opens the file of commands.
  void begin();

 private:
  /// Commands to a file that is made when the run begins, not where its metrics are asked for.
  struct LateTrace : hbm::CommandListener {
    std::optional<hbm::CommandTrace> file;
    void command(const hbm::CommandRecord& record) override { file->command(record); }
  };

  void add_utilisation();

  const BandwidthConfig& config_;
  Partition& partition_;
  hbm::Controller controller_;
  LateTrace trace_;
};

}  // namespace railyard::hbm_bandwidth
