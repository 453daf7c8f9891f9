#include "platforms/common/fabric/first_moments.h"

#include <tuple>

namespace railyard {

FirstMoment::FirstMoment(const std::string& name, Simulation& simulation) {
  const std::string ending = "." + name;
  for (std::size_t i = 0; i < simulation.partition_count(); ++i) {
    for (auto& moment : simulation.partition(i).probes().moments()) {
      const std::string& whole = moment.info.name;
      if (whole.size() <= ending.size()) continue;
      const std::size_t port = whole.size() - ending.size();
      if (whole.compare(port, ending.size(), ending) != 0) continue;
      Place& place = places_.emplace_back();
      place.name = whole.substr(0, port);
      place.told = [&place](Time now) { place.at = now; };
      moment.point->listen(&place.told);
    }
  }
}

const FirstMoment::Place* FirstMoment::first() const {
  const auto order = [](const Place& p) { return std::make_tuple(p.at, p.name.size(), p.name); };
  const Place* least = nullptr;
  for (const Place& place : places_) {
    if (place.at == kForever) continue;
    if (least == nullptr || order(place) < order(*least)) least = &place;
  }
  return least;
}

Time FirstMoment::at() const {
  const Place* place = first();
  return place == nullptr ? kForever : place->at;
}

std::string FirstMoment::where() const {
  const Place* place = first();
  return place == nullptr ? "" : place->name;
}

void register_first(StatisticsRegistry& statistics, const std::string& name,
                    const std::string& what, const FirstMoment& first) {
  statistics.add_derived({"total.first_" + name + "_us", "us",
                          "When " + what + ", in simulated time, warm-up or not; 0: never"},
                         [&first](Time, Time) {
                           const double at = first.happened() ? static_cast<double>(first.at()) : 0;
                           return MetricValue::of(at / kMicrosecond);
                         });
}

}  // namespace railyard
