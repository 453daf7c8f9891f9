// Credits of a sender: what its peer has said it can take. They come back as packets of the
// protocol (PCIe UpdateFC, NVLink credit flits), which the owner turns into grant().
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tlm/observe/probe.h"
#include "tlm/sim/partition.h"

namespace railyard {

class Credits {
 public:
  static constexpr std::uint64_t kInfinite = ~std::uint64_t{0};

  /// `name` is hierarchical; `holder` names who gives credits back. `limit` is what the peer
  /// advertised at first, in credits of the protocol (16 B units, headers, flits); kInfinite never
  /// runs out.
  Credits(Partition& partition, const std::string& name, const std::string& holder,
          std::uint64_t limit);

  /// Takes `n` if they are there. Otherwise takes none, remembers that somebody waits, and calls
  /// `when_granted` once after a later grant that makes enough available for the smallest wish that
  /// failed since the last success. Of several takers each asks again then.
  bool take(std::uint64_t n);
  /// The peer gives `n` back. More than were taken breaks an invariant.
  void grant(std::uint64_t n);

  std::uint64_t available() const { return available_; }
  std::uint64_t limit() const { return limit_; }
  void when_granted(std::function<void()> callback) { granted_ = std::move(callback); }

 private:
  Partition& partition_;
  std::string name_;
  std::uint64_t limit_;
  std::uint64_t available_;
  std::uint64_t wanted_ = 0;
  std::function<void()> granted_;
  WaitPoint wait_;
  Probe probe_;
  Counter stalls_;
};

}  // namespace railyard
