#include "tlm/link/stall.h"

#include <utility>

namespace railyard {

void StallConfig::declare(Parameters& p) {
  p.add("probability", probability)
      .range(0, 1)
      .doc("Chance that a service of the queue is stalled first; 0 switches stalls off");
  p.add("longest", longest)
      .range(kPicosecond, kSecond)
      .doc("A stall lasts a uniformly random time from 1ps to this");
}

StallGate::StallGate(Partition& partition, const std::string& name, const StallConfig& config,
                     std::function<void()> resume)
    : partition_(partition),
      threshold_(RandomStream::threshold(config.probability)),
      longest_(config.longest),
      random_(partition.random(name + ".stall")),
      resume_(std::move(resume)),
      end_(Event::of<&StallGate::end_stall>(*this, partition.endpoint(name + ".stall"),
                                            Phase::kTimer)) {
  partition.statistics().add(stalls_,
                             {name + ".stalls", "stalls", "Random stalls before a service"});
}

StallGate::StallGate(LazyScheduler& scheduler, const std::string& name, const StallConfig& config,
                     std::function<void()> resume)
    : StallGate(scheduler.partition(), name, config, std::move(resume)) {
  lazy_ = &scheduler;
}

bool StallGate::open_or_stall() {
  if (end_.pending()) return false;
  if (granted_ || !random_.chance(threshold_)) {
    granted_ = false;
    return true;
  }
  stalls_.add();
  const auto span = static_cast<std::uint64_t>(longest_);
  const Time lasts = 1 + static_cast<Time>(random_.below(span));
  if (lazy_ != nullptr) {
    lazy_->schedule_in(end_, lasts);
  } else {
    partition_.scheduler().schedule_in(end_, lasts);
  }
  return false;
}

// One stall a service: with probability 1 every service is stalled once, and none for ever.
void StallGate::end_stall() {
  granted_ = true;
  resume_();
}

}  // namespace railyard
