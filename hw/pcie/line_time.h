// Where the time of one direction of a link goes: each picosecond has one cause, and they sum to
// the time measured.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tlm/sim/partition.h"

namespace railyard::pcie {

enum class LineUse : std::uint8_t {
  kData,         // bytes that TLPs are there for
  kHeaders,      // framing, headers, CRC and padding of TLPs
  kDllp,         // acknowledgements and flow control updates
  kSkip,         // skip ordered sets
  kReplay,       // TLPs sent again
  kRetrain,      // the link is down
  kCredits,      // nothing that is queued has its credits
  kOrdering,     // what has its credits must not pass what has not
  kAcknowledge,  // the replay buffer is full
  kTags,         // nothing is queued; a read waits for a tag or for room for its completions
  kIdle,         // nothing to send
};
constexpr std::size_t kLineUses = 11;

class LineTime {
 public:
  /// Registers NAME.time.<use>_ns.
  LineTime(StatisticsRegistry& statistics, const std::string& name);

  /// From now on the line's time goes to `use`.
  void become(LineUse use, Time now) {
    if (now < since_) {
      const Time headers = headers_of(since_ - now);
      at(use_) += headers;
      at(LineUse::kHeaders) -= headers;
    }
    at(use_) += now - since_;
    since_ = now;
    use_ = use;
  }
  /// The time from now to `end` goes to `use`, but for `headers` of it; after that, to what
  /// become() says next at `end`.
  void spend(LineUse use, Time now, Time end, Time headers) {
    become(use, now);
    at(use) += end - now - headers;
    at(LineUse::kHeaders) += headers;
    since_ = end;
    span_ = end - now;
    headers_ = headers;
  }
  LineUse use() const { return use_; }
  /// What went to `use` until `now`. What is on the line over `now` may count in part; all uses sum
  /// to the time since the last reset.
  Time spent(LineUse use, Time now) const;

 private:
  Time& at(LineUse use) { return spent_[static_cast<std::size_t>(use)]; }
  /// The part of headers in the last `rest` of what is on the line.
  Time headers_of(Time rest) const { return rest * headers_ / span_; }

  std::array<Time, kLineUses> spent_{};
  Time since_ = 0;    // may lie ahead: the end of what is on the line
  Time span_ = 1;     // how long that is there
  Time headers_ = 0;  // and for its headers
  LineUse use_ = LineUse::kIdle;
};

}  // namespace railyard::pcie
