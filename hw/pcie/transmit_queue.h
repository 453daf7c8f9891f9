// TLPs that wait for the line, in order of arrival, of which the next one is the oldest that has
// its credits and passes nothing that it must not pass (PCI Express Base 5.0, 2.4.1, table 2-40):
// - posted: no posted one, unless it is relaxed; all else, if that is blocked;
// - non-posted: no posted and no non-posted one;
// - completion: no completion; no posted one, unless it is relaxed; non-posted ones, if blocked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "hw/pcie/credit_pools.h"
#include "hw/pcie/tlp.h"
#include "tlm/base/ring.h"

namespace railyard::pcie {

class TransmitQueue {
 public:
  void push(TlpRef tlp) {
    const FlowClass flow_class = tlp->flow_class();
    if (flow_class == FlowClass::kPosted && tlp->relaxed) ++relaxed_posted_;
    ring(flow_class).push({std::move(tlp), next_order_++});
    ++size_;
  }
  bool empty() const { return size_ == 0; }
  std::size_t size(FlowClass flow_class) { return ring(flow_class).size(); }

  /// What may go now.
  struct Choice {
    FlowClass flow_class;
    std::uint32_t index;  // from the front of its class
  };
  std::optional<Choice> choose(const CreditPools& credits);
  /// After choose() found nothing: something has its credits, and must not pass what has not.
  bool held_by_order(const CreditPools& credits);
  /// Whether the oldest of a class lacks its credits.
  bool lacks_credits(FlowClass flow_class, const CreditPools& credits);

  const Tlp& look(const Choice& choice) { return *ring(choice.flow_class)[choice.index].tlp; }
  TlpRef take(const Choice& choice) {
    TlpRef tlp = ring(choice.flow_class).take(choice.index).tlp;
    --size_;
    if (choice.flow_class == FlowClass::kPosted && tlp->relaxed) --relaxed_posted_;
    return tlp;
  }

 private:
  struct Entry {
    TlpRef tlp;
    std::uint64_t order = 0;
  };

  Ring<Entry>& ring(FlowClass flow_class) { return rings_[static_cast<std::size_t>(flow_class)]; }
  static bool has_credits(const Tlp& tlp, const CreditPools& credits) {
    return credits.cover(tlp.flow_class(), tlp.data_credits);
  }
  std::optional<Choice> posted(const CreditPools& credits);
  bool behind_posted(const Entry& entry);

  std::array<Ring<Entry>, kFlowClasses> rings_;
  std::uint64_t next_order_ = 0;
  std::size_t size_ = 0;
  std::size_t relaxed_posted_ = 0;
};

}  // namespace railyard::pcie
