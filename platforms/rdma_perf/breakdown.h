// Where the time of a message goes: the points of both NICs that it passes, in the order of its
// way, and software at both ends. Each part lasts from one point to the next, so the parts sum to
// the whole, to the picosecond. A point that a message does not pass has a part of zero.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "hw/nic/observer.h"
#include "platforms/rdma_perf/test_config.h"
#include "tlm/base/time.h"

namespace railyard::rdma_perf {

enum class Side : std::uint8_t { kSender, kReceiver };

struct Step {
  Side side;
  nic::Point point;
  const char* name;  // of the part that ends here
  const char* doc;
};

/// The way of a message of each test, from its posting on; its last part, "seen", ends when
/// software at its end knows of it.
const std::vector<Step>& steps_of(TestKind test);

/// Remembers when a NIC's points were last passed.
class LastPassing : public nic::Observer {
 public:
  LastPassing() { at_.fill(-1); }
  void passed(nic::Point point, std::uint32_t /*qp*/, Time at) override {
    at_[static_cast<std::size_t>(point)] = at;
  }
  /// Before zero: never.
  Time at(nic::Point point) const { return at_[static_cast<std::size_t>(point)]; }

 private:
  std::array<Time, static_cast<std::size_t>(nic::Point::kCount)> at_{};
};

/// Sums the parts of messages of one size.
class Breakdown {
 public:
  explicit Breakdown(TestKind test) : steps_(steps_of(test)), sums_(steps_.size() + 1, 0) {}

  /// A message that was posted at `posted` and known of at `seen`.
  void add(Time posted, Time seen, const LastPassing& sender, const LastPassing& receiver);

  std::uint64_t messages() const { return messages_; }
  std::size_t parts() const { return sums_.size(); }
  std::string name(std::size_t part) const;
  std::string doc(std::size_t part) const;
  /// Picoseconds of all messages.
  Time sum(std::size_t part) const { return sums_[part]; }
  Time whole() const { return whole_; }
  /// Nanoseconds of a message, on average.
  double mean_ns(Time sum) const;

 private:
  const std::vector<Step>& steps_;
  std::vector<Time> sums_;
  Time whole_ = 0;
  std::uint64_t messages_ = 0;
};

}  // namespace railyard::rdma_perf
