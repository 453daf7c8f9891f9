// What passed one direction of a link, written down on its way to the link's checker.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hw/pcie/port_observer.h"

namespace railyard::pcie::bench {

struct LinkTap : PortObserver {
  enum class What : std::uint8_t { kTlp, kReplay, kAck, kNak, kUpdate };
  struct Entry {
    What what = What::kTlp;
    std::uint64_t sequence = 0;
    std::uint32_t wire_bytes = 0;
    bool good = true;  // of what arrived
    Time at = 0;       // first bit, or arrival
  };

  void queued(const Tlp& tlp, Time now) override { next->queued(tlp, now); }
  void sent(const Tlp& tlp, std::uint64_t sequence, bool replayed, Time now, Time end) override {
    went.push_back({replayed ? What::kReplay : What::kTlp, sequence, tlp.wire_bytes, true, now});
    next->sent(tlp, sequence, replayed, now, end);
  }
  void sent(const Dllp& dllp, Time now, Time end) override {
    went.push_back({what(dllp), dllp.sequence, kDllpBytes, true, now});
    next->sent(dllp, now, end);
  }
  void sent_skip(Time now, Time end) override { next->sent_skip(now, end); }
  void arrived(const Tlp& tlp, std::uint64_t sequence, bool good, Time now) override {
    came.push_back({What::kTlp, sequence, tlp.wire_bytes, good, now});
    next->arrived(tlp, sequence, good, now);
  }
  void arrived(const Dllp& dllp, bool good, Time now) override {
    came.push_back({what(dllp), dllp.sequence, kDllpBytes, good, now});
    next->arrived(dllp, good, now);
  }
  void accepted(const Tlp& tlp, Time now) override { next->accepted(tlp, now); }
  void released(FlowClass flow_class, std::uint32_t data_credits, Time now) override {
    next->released(flow_class, data_credits, now);
  }

  std::uint64_t broken() const {
    return static_cast<std::uint64_t>(
        std::count_if(came.begin(), came.end(), [](const Entry& e) { return !e.good; }));
  }

  PortObserver* next = nullptr;
  std::vector<Entry> went, came;

 private:
  static What what(const Dllp& dllp) {
    return dllp.kind == Dllp::Kind::kAck   ? What::kAck
           : dllp.kind == Dllp::Kind::kNak ? What::kNak
                                           : What::kUpdate;
  }
};

}  // namespace railyard::pcie::bench
