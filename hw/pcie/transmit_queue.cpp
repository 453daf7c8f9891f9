#include "hw/pcie/transmit_queue.h"

namespace railyard::pcie {

bool TransmitQueue::behind_posted(const Entry& entry) {
  Ring<Entry>& posted = ring(FlowClass::kPosted);
  return !posted.empty() && posted.front().order < entry.order;
}

// The oldest, or the oldest relaxed one behind it that has its credits.
std::optional<TransmitQueue::Choice> TransmitQueue::posted(const CreditPools& credits) {
  Ring<Entry>& posted = ring(FlowClass::kPosted);
  if (posted.empty()) return std::nullopt;
  if (has_credits(*posted.front().tlp, credits)) return Choice{FlowClass::kPosted, 0};
  if (relaxed_posted_ == 0) return std::nullopt;
  for (std::uint32_t i = 1; i < posted.size(); ++i) {
    const Tlp& tlp = *posted[i].tlp;
    if (tlp.relaxed && has_credits(tlp, credits)) return Choice{FlowClass::kPosted, i};
  }
  return std::nullopt;
}

std::optional<TransmitQueue::Choice> TransmitQueue::choose(const CreditPools& credits) {
  std::optional<Choice> best = posted(credits);
  std::uint64_t best_order = best ? ring(FlowClass::kPosted)[best->index].order : next_order_;
  Ring<Entry>& non_posted = ring(FlowClass::kNonPosted);
  if (!non_posted.empty()) {
    const Entry& entry = non_posted.front();
    if (entry.order < best_order && !behind_posted(entry) && has_credits(*entry.tlp, credits)) {
      best = Choice{FlowClass::kNonPosted, 0};
      best_order = entry.order;
    }
  }
  Ring<Entry>& completions = ring(FlowClass::kCompletion);
  if (!completions.empty()) {
    const Entry& entry = completions.front();
    if (entry.order < best_order && (entry.tlp->relaxed || !behind_posted(entry)) &&
        has_credits(*entry.tlp, credits)) {
      best = Choice{FlowClass::kCompletion, 0};
    }
  }
  return best;
}

bool TransmitQueue::held_by_order(const CreditPools& credits) {
  for (const FlowClass flow_class : {FlowClass::kNonPosted, FlowClass::kCompletion}) {
    Ring<Entry>& entries = ring(flow_class);
    if (!entries.empty() && has_credits(*entries.front().tlp, credits)) return true;
  }
  return false;
}

bool TransmitQueue::lacks_credits(FlowClass flow_class, const CreditPools& credits) {
  Ring<Entry>& entries = ring(flow_class);
  return !entries.empty() && !has_credits(*entries.front().tlp, credits);
}

}  // namespace railyard::pcie
