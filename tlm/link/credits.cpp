#include "tlm/link/credits.h"

#include <algorithm>
#include <utility>

namespace railyard {

Credits::Credits(Partition& partition, const std::string& name, const std::string& holder,
                 std::uint64_t limit)
    : partition_(partition), name_(name), limit_(limit), available_(limit) {
  partition.waits().add(wait_, {name, holder, "credits"});
  partition.probes().add(
      probe_, {name + ".available", ProbeKind::kUnsigned, 64, "credits", "Credits left", {}});
  partition.statistics().add(
      stalls_, {name + ".stalls", "times", "Times that a sender found too few credits"});
  probe_.set(available_, 0);
}

bool Credits::take(std::uint64_t n) {
  if (limit_ == kInfinite) return true;
  if (n > limit_) {
    break_invariant(name_, partition_.now(),
                    std::to_string(n) + " credits wanted at once of " + std::to_string(limit_));
  }
  if (n > available_) {
    wanted_ = wanted_ == 0 ? n : std::min(wanted_, n);
    stalls_.add();
    wait_.begin(partition_.now());
    return false;
  }
  available_ -= n;
  probe_.set(available_, partition_.now());
  wanted_ = 0;
  wait_.end();
  return true;
}

void Credits::grant(std::uint64_t n) {
  if (limit_ == kInfinite) return;
  if (n > limit_ - available_) {
    break_invariant(name_, partition_.now(),
                    std::to_string(n) + " credits came back while " +
                        std::to_string(limit_ - available_) + " were out");
  }
  available_ += n;
  probe_.set(available_, partition_.now());
  if (wanted_ == 0 || available_ < wanted_) return;
  wanted_ = 0;
  wait_.end();
  if (granted_) granted_();
}

}  // namespace railyard
