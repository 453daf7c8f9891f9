#include "hw/eth_switch/egress_scheduler.h"

#include <algorithm>
#include <limits>
#include <string>

namespace railyard {

void TrafficClassConfig::declare(Parameters& p) {
  p.add("traffic_class", traffic_class)
      .max(EgressScheduler::kClasses - 1)
      .required()
      .doc("The class that this is about");
  p.add("strict", strict).doc("Goes before all weighted classes and all lower strict ones");
  p.add("weight", weight)
      .range(1, 100)
      .doc("Share of what strict classes leave, beside the other weights; none: 50");
  p.check([this](const Bound& bound) {
    if (!strict || !weight) return;
    bound.fail("weight", "a strict class has no weight",
               "leave out weight, or write strict: false");
  });
}

void EgressSchedulerConfig::declare(Parameters& p) {
  p.list("classes", classes)
      .size(0, EgressScheduler::kClasses)
      .doc("Traffic classes; one that is not listed has a weight of 50");
  p.add("quantum", quantum)
      .range(64, 1'000'000)
      .doc("Bytes a turn of the weighted class with the least weight; at best the largest frame");
  p.check([this](const Bound& bound) {
    unsigned seen = 0;
    for (const TrafficClassConfig& c : classes) {
      if ((seen >> c.traffic_class & 1U) != 0) {
        bound.fail("classes",
                   "traffic class " + std::to_string(c.traffic_class) + " is listed twice",
                   "list each class once");
      }
      seen |= 1U << c.traffic_class;
    }
  });
}

EgressScheduler::EgressScheduler(const EgressSchedulerConfig& config) {
  std::array<std::uint32_t, kClasses> weight;
  weight.fill(kDefaultWeight);
  for (const TrafficClassConfig& c : config.classes) {
    weight[c.traffic_class] = c.weight.value_or(kDefaultWeight);
    if (c.strict) strict_ |= 1U << c.traffic_class;
  }
  std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
  for (unsigned c = 0; c < kClasses; ++c) {
    if (!is_strict(c)) least = std::min(least, weight[c]);
  }
  for (unsigned c = 0; c < kClasses; ++c) {
    if (is_strict(c)) continue;
    quantum_[c] = static_cast<std::uint32_t>(config.quantum * weight[c] / least);
  }
}

}  // namespace railyard
