#include "hw/pcie/line_check.h"

#include <algorithm>
#include <string>

#include "tlm/base/format.h"

namespace railyard::pcie {

namespace {

// The longest TLP: 4 KiB of data, the longer header.
constexpr std::uint64_t kLongestPacket = 4096 + 24;

bool equal(const Dllp& a, const Dllp& b) {
  return a.kind == b.kind && a.flow_class == b.flow_class && a.sequence == b.sequence &&
         a.headers == b.headers && a.data == b.data;
}

}  // namespace

// From lanes and transfers a second, not from what the port counts with: a lane carries 128 bits in
// 130 transfers. Generation 3 makes 8 G of them a second, a transfer takes 125 ps; each one after
// it halves that.
LineCheck::LineCheck(const CheckPlace& place, const LinkConfig& config)
    : place_(place),
      latency_(config.latency),
      skip_bytes_(config.lanes * 16 + 4),
      num_(std::uint64_t{125} * 8 * 130),
      den_((std::uint64_t{1} << (config.generation - 3)) * 128 * config.lanes) {
  const Wide interval = Wide{config.skip_interval} * config.lanes * 16 * num_;
  shortest_skip_interval_ = static_cast<Time>(interval / den_);
  longest_skip_interval_ = static_cast<Time>((interval + den_ - 1) / den_);
  longest_packet_ = rounded(kLongestPacket) + 1;
}

Time LineCheck::rounded(std::uint64_t bytes) const {
  return static_cast<Time>((Wide{bytes} * num_ * 2 + den_) / (Wide{den_} * 2));
}

void LineCheck::occupy(std::uint64_t bytes, Time now, Time end) {
  place_.require(now >= line_free_, now, "a packet began before the line was free");
  if (now != line_free_) {
    burst_start_ = now;
    burst_bytes_ = 0;
  }
  burst_bytes_ += bytes;
  place_.require(end == burst_start_ + rounded(burst_bytes_), now, "wrong time of the last bit");
  line_free_ = end;
}

// A skip ordered set that is due waits for no packet but the one that is on the line. Only an
// unbroken burst tells: what is sent in idle need not be shown.
void LineCheck::check_skip_was_not_due(Time now) {
  if (shortest_skip_interval_ == 0) return;
  const Time since = std::max(last_skip_, burst_start_);
  place_.require(now - since <= longest_skip_interval_, now,
                 "a packet began while a skip ordered set was due");
}

void LineCheck::sent(const Tlp& tlp, std::uint64_t sequence, std::uint32_t wire_bytes, Time now,
                     Time end) {
  occupy(wire_bytes, now, end);
  check_skip_was_not_due(now);
  expected_.push({end + latency_, &tlp, sequence, {}});
}

void LineCheck::sent(const Dllp& dllp, Time now, Time end) {
  occupy(kDllpBytes, now, end);
  check_skip_was_not_due(now);
  expected_.push({end + latency_, nullptr, 0, dllp});
}

// On an even grid each may be late by the packet that it waited for, so that two may be closer by
// it, but no more of them may come than the grid has.
void LineCheck::sent_skip(Time now, Time end) {
  place_.require(shortest_skip_interval_ != 0, now, "a skip ordered set where there are none");
  occupy(skip_bytes_, now, end);
  place_.require(last_skip_ < 0 || now >= next_skip_ - longest_packet_, now,
                 "skip ordered sets come more often than their interval");
  next_skip_ = std::max(now, next_skip_) + shortest_skip_interval_;
  last_skip_ = now;
}

LineCheck::Expected LineCheck::leave(Time now, bool tlp) {
  place_.require(!expected_.empty(), now, "a packet came out that did not go in");
  const Expected expected = expected_.pop();
  place_.require((expected.tlp != nullptr) == tlp, now, "packets came out in another order");
  place_.require(now == expected.at, now,
                 "a packet did not arrive at its last bit's time plus the latency");
  return expected;
}

void LineCheck::arrived(const Tlp& tlp, std::uint64_t sequence, Time now) {
  const Expected expected = leave(now, true);
  place_.require(expected.tlp == &tlp && expected.sequence == sequence, now,
                 "TLPs came out in another order");
}

void LineCheck::arrived(const Dllp& dllp, Time now) {
  const Expected expected = leave(now, false);
  place_.require(equal(expected.dllp, dllp), now, "a DLLP changed on the way");
}

void LineCheck::at_end(Time now) {
  if (expected_.empty()) return;
  place_.fail(now, std::to_string(expected_.size()) +
                       " packets never arrived, the first was due at " +
                       format_time(expected_.front().at));
}

}  // namespace railyard::pcie
