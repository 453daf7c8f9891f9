// The six credit pools of one direction of a link, as its transmitter knows them (PCI Express Base
// 5.0, 2.6.1): limits only grow, by what the receiver's updates say. Counters do not wrap here.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "hw/pcie/link_config.h"
#include "hw/pcie/tlp.h"
#include "tlm/sim/partition.h"

namespace railyard::pcie {

class CreditPools {
 public:
  /// `name` is the transmitter's, `holder` that of the port which gives credits back.
  CreditPools(Partition& partition, const std::string& name, const std::string& holder);

  /// What the peer advertised at first.
  void advertise(const CreditConfig& config);

  /// Whether there are credits for a TLP of the class with `data` units of data.
  bool cover(FlowClass flow_class, std::uint32_t data) const {
    const Pool& pool = pools_[static_cast<std::size_t>(flow_class)];
    return !pool.finite ||
           (pool.header_limit != pool.headers && pool.data_limit - pool.data >= data);
  }
  void take(FlowClass flow_class, std::uint32_t data, Time now) {
    Pool& pool = pools_[static_cast<std::size_t>(flow_class)];
    if (!pool.finite) return;
    ++pool.headers;
    pool.data += data;
    show(pool, now);
  }
  /// An update of the receiver: totals since the start.
  void update(FlowClass flow_class, std::uint64_t headers, std::uint64_t data, Time now);
  std::uint64_t header_limit(FlowClass flow_class) const {
    return pools_[static_cast<std::size_t>(flow_class)].header_limit;
  }
  /// Somebody waits for credits of the class, or no longer does.
  void wait(FlowClass flow_class, bool waits, Time now) {
    WaitPoint& point = pools_[static_cast<std::size_t>(flow_class)].waiting;
    if (waits) {
      point.begin(now);
    } else {
      point.end();
    }
  }

 private:
  struct Pool {
    std::uint64_t header_limit = 0;
    std::uint64_t headers = 0;  // consumed
    std::uint64_t data_limit = 0;
    std::uint64_t data = 0;
    bool finite = false;
    Probe headers_left, data_left;
    WaitPoint waiting;
  };
  static void show(Pool& pool, Time now) {
    pool.headers_left.set(pool.header_limit - pool.headers, now);
    pool.data_left.set(pool.data_limit - pool.data, now);
  }

  std::array<Pool, kFlowClasses> pools_;
};

}  // namespace railyard::pcie
