#include "hw/pcie/line_time.h"

#include <algorithm>

namespace railyard::pcie {

namespace {

struct Name {
  const char* key;
  const char* doc;
};

constexpr std::array<Name, kLineUses> kNames = {{
    {"data", "Time that the data of TLPs took on the line"},
    {"headers", "Time of the framing, headers, CRC and padding of TLPs"},
    {"dllp", "Time of acknowledgements and flow control updates"},
    {"skip", "Time of skip ordered sets"},
    {"replay", "Time of TLPs that were sent again"},
    {"retrain", "Time in which the link was down"},
    {"credits", "Time lost because nothing that was queued had its credits"},
    {"ordering", "Time lost because what had its credits must not pass what had not"},
    {"acknowledge", "Time lost because the replay buffer was full"},
    {"tags", "Time lost because reads waited for a tag or for room for their completions"},
    {"idle", "Time with nothing to send"},
}};

}  // namespace

LineTime::LineTime(StatisticsRegistry& statistics, const std::string& name) {
  for (std::size_t i = 0; i < kLineUses; ++i) {
    statistics.add_derived({name + ".time." + kNames[i].key + "_ns", "ns", kNames[i].doc},
                           [this, i](Time now, Time) {
                             const Time time = spent(static_cast<LineUse>(i), now);
                             return MetricValue::of(static_cast<double>(time) / kNanosecond);
                           });
  }
  statistics.on_reset([this](Time now) {
    // What is on the line over the end of warm-up counts after it with its rest alone.
    const Time ahead = std::max<Time>(since_ - now, 0);
    spent_ = {};
    if (ahead > 0) {
      at(use_) = ahead - headers_of(ahead);
      at(LineUse::kHeaders) += headers_of(ahead);
    } else {
      since_ = now;
    }
  });
}

Time LineTime::spent(LineUse use, Time now) const {
  Time time = spent_[static_cast<std::size_t>(use)];
  if (use == use_) time += now - since_;
  if (now >= since_) return time;
  const Time headers = headers_of(since_ - now);
  if (use == LineUse::kHeaders) time -= headers;
  if (use == use_) time += headers;
  return time;
}

}  // namespace railyard::pcie
