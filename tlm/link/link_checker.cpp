#include "tlm/link/link_checker.h"

#include <numeric>
#include <utility>

#include "tlm/base/format.h"

namespace railyard {

// The byte time comes from the rate itself, bits * 10^12 / (bits a second), not from what the link
// counts with. Lowest terms keep the products below in 64 bits, where they are cheap.
LinkChecker::LinkChecker(std::string name, const LinkConfig& config)
    : name_(std::move(name)), config_(config), propagation_(config.propagation()) {
  constexpr std::uint64_t kBitPicoseconds = 8'000'000'000'000;
  const std::uint64_t common = std::gcd(kBitPicoseconds, config.rate.numerator());
  time_num_ = kBitPicoseconds / common * config.rate.denominator();
  time_den_ = config.rate.numerator() / common;
}

Time LinkChecker::exact(std::uint64_t bytes) const {
  __extension__ using Wide = unsigned __int128;
  const Wide num = Wide{bytes} * time_num_;
  const Wide floor = num / time_den_;
  const Wide rest = num - floor * time_den_;
  return static_cast<Time>(floor + (2 * rest >= time_den_ ? 1 : 0));
}

void LinkChecker::transmitted(const net::Packet& packet, const Transmission& t) {
  ++transmitted_;
  require(t.now >= line_free_, t.now, "a frame began before the line was free");
  if (t.now != line_free_) {
    burst_start_ = t.now;
    burst_bytes_ = 0;
  }
  burst_bytes_ += net::kPreambleBytes;
  require(t.first_bit == burst_start_ + exact(burst_bytes_), t.now, "wrong time of the first bit");
  burst_bytes_ += packet.wire_bytes;
  require(t.last_bit == burst_start_ + exact(burst_bytes_), t.now, "wrong time of the last bit");
  burst_bytes_ += net::kInterFrameGapBytes;
  line_free_ = burst_start_ + exact(burst_bytes_);
  require(t.line_free == line_free_, t.now, "wrong time of the end of the gap");
  if (!t.carried) {
    ++not_carried_;
    return;
  }
  expected_.push(
      {packet.id, packet.wire_bytes, t.first_bit + propagation_, t.last_bit + propagation_});
}

LinkChecker::Expected LinkChecker::leave(const FrameInFlight& frame, Time now) {
  require(!expected_.empty(), now, "a frame came out that did not go in");
  const Expected expected = expected_.pop();
  require(frame.packet->id == expected.id, now, "frames came out in another order");
  require(frame.packet->wire_bytes == expected.wire_bytes, now, "a frame changed its length");
  require(frame.first_bit == expected.first_bit && frame.last_bit == expected.last_bit, now,
          "a frame's times are not the transmitter's plus the propagation delay");
  return expected;
}

void LinkChecker::delivered(const FrameInFlight& frame, Time now) {
  ++delivered_;
  leave(frame, now);
  require(now == frame.first_bit || now == frame.last_bit, now,
          "a frame was announced neither at its first nor at its last bit");
}

void LinkChecker::lost(const FrameInFlight& frame, Time now) {
  ++lost_;
  leave(frame, now);
}

void LinkChecker::at_end(Time now, bool drained) {
  const std::uint64_t accounted = not_carried_ + delivered_ + lost_ + expected_.size();
  require(transmitted_ == accounted, now, "frames are unaccounted for");
  if (drained && !expected_.empty()) {
    fail(now, std::to_string(expected_.size()) + " frames never arrived, the first was due at " +
                  format_time(expected_.front().last_bit));
  }
}

void LinkChecker::fail(Time now, const std::string& what) const {
  break_invariant(name_, now, what);
}

void check_link(LinkEnd& a, LinkEnd& b) {
  const std::string a_name = a.name();
  const std::string b_name = b.name();
  auto& forth = a.partition().add_checker<LinkChecker>(a_name + " to " + b_name, a.config());
  auto& back = a.partition().add_checker<LinkChecker>(b_name + " to " + a_name, a.config());
  a.set_observers(&forth, &back);
  b.set_observers(&back, &forth);
}

}  // namespace railyard
