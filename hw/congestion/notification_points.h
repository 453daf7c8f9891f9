// The notification points of a port: the block dcqcn_np (rtl/dcqcn) between the packets that come
// with CE and the CNPs that answer them. A context is a flow's, an address's or the port's.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "hw/congestion/blocks.h"
#include "hw/congestion/lazy_clock.h"
#include "tlm/base/ring.h"
#include "tlm/sim/partition.h"

namespace railyard {

class NotificationPoints : private Stepped {
 public:
  struct Config {
    Time clock = kNanosecond;
    Time interval = 50 * kMicrosecond;  // least, from CNP to CNP of a context
    Time delay = 0;                     // from a packet to its CNP, beyond the block's own
  };

  /// `name` is the port's. `due` is called when a context's CNP is to be sent; it is always taken.
  NotificationPoints(Partition& partition, const std::string& name, const Config& config,
                     Blocks& blocks, std::function<void(std::uint32_t context)> due);

  /// Before the run, and before anything is traced.
  void make(std::size_t contexts);
  void start();

  /// A packet of the context came with CE. It makes no CNP while as many as there are contexts wait
  /// for their delay: with a delay beyond the interval, those are the most that a delay can see.
  void marked(std::uint32_t context);

 private:
  struct Marked {
    std::uint64_t cycle = 0;  // the edge from which it stands
    std::uint32_t context = 0;
  };

  void step(std::uint64_t cycle) override;
  void visited() override;
  void foresee(std::uint64_t taken);

  std::string name_;
  Blocks& blocks_;
  std::function<void(std::uint32_t context)> due_;
  LazyClock clock_;
  std::unique_ptr<rtl::DcqcnNp> block_;
  rtl::DcqcnNpIn in_;
  Ring<Marked> marked_;
  Ring<std::uint32_t> cnps_;
  std::uint64_t last_visit_ = 0;
};

}  // namespace railyard
