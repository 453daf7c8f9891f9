// Watches one direction of a link and computes anew, from the standard's rule and in wide integers,
// what the link claims: each frame takes exactly its time, frames do not overlap, arrive in order,
// unchanged, once, and not before the propagation delay; at the end none is unaccounted for.
#pragma once

#include <cstdint>
#include <string>

#include "tlm/base/ring.h"
#include "tlm/link/link.h"

namespace railyard {

class LinkChecker : public Checker, public LinkObserver {
 public:
  /// `name` is the direction's: "a.link to b.link".
  LinkChecker(std::string name, const LinkConfig& config);

  void transmitted(const net::Packet& packet, const Transmission& transmission) override;
  void delivered(const FrameInFlight& frame, Time now) override;
  void lost(const FrameInFlight& frame, Time now) override;
  void at_end(Time now, bool drained) override;

 private:
  struct Expected {
    std::uint64_t id = 0;
    std::uint32_t wire_bytes = 0;
    Time first_bit = 0;
    Time last_bit = 0;
  };

  Expected leave(const FrameInFlight& frame, Time now);
  Time exact(std::uint64_t bytes) const;
  void require(bool holds, Time now, const char* what) const {
    if (!holds) fail(now, what);
  }
  [[noreturn]] void fail(Time now, const std::string& what) const;

  std::string name_;
  LinkConfig config_;
  Time propagation_;
  std::uint64_t time_num_;  // a byte takes time_num_/time_den_ ps, in lowest terms
  std::uint64_t time_den_;
  Time burst_start_ = 0;
  std::uint64_t burst_bytes_ = 0;
  Time line_free_ = -1;
  Ring<Expected> expected_;
  std::uint64_t transmitted_ = 0;
  std::uint64_t not_carried_ = 0;
  std::uint64_t delivered_ = 0;
  std::uint64_t lost_ = 0;
};

/// Puts a checker on each direction of a link; they live in the partition of `a`.
void check_link(LinkEnd& a, LinkEnd& b);

}  // namespace railyard
