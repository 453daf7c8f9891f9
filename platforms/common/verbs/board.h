// What programs of one run tell each other outside of the network, as perftest does it over a
// socket before and after it measures. `Id` names a queue pair; it has an order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "platforms/common/verbs/queue_pair.h"
#include "tlm/core/core.h"

namespace railyard::rdma {

template <class Id>
class Board {
 public:
  explicit Board(std::size_t programs) : programs_(programs) {}

  /// Waits until all programs have called it as often, and looks for that every so often.
  void meet(Core& core, Time look = kMicrosecond) {
    const std::uint64_t round = round_;
    if (++arrived_ == programs_) {
      arrived_ = 0;
      ++round_;
      met_at_ = core.now();
    }
    while (round_ == round) core.spend(look);
  }
  /// When the last program came to the latest meeting that is over.
  Time met_at() const { return met_at_; }

  void publish(const Id& id, const Destination& destination) { destinations_[id] = destination; }
  /// std::out_of_range: nobody has published it.
  const Destination& find(const Id& id) const { return destinations_.at(id); }

 private:
  std::size_t programs_;
  std::size_t arrived_ = 0;
  std::uint64_t round_ = 0;
  Time met_at_ = 0;
  std::map<Id, Destination> destinations_;
};

}  // namespace railyard::rdma
