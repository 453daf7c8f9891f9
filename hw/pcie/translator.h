// The root complex' way through its IOMMU: requests of devices get the addresses that their page
// tables say, in the order that the standard asks for.
//
// A request that misses the TLB waits for a walk: one of `walkers` at a time, each of
// `miss_latency`; requests for one page share a walk. Posted requests and completions of a port
// stay in order; a read that waits lets others pass, and passes no posted request.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hw/pcie/delay_line.h"
#include "hw/pcie/hierarchy.h"
#include "hw/pcie/iommu.h"
#include "tlm/base/ring.h"

namespace railyard::pcie {

class Translator {
 public:
  struct Result {
    TlpRef tlp;
    std::uint64_t address = 0;  // physical
    IommuFault fault = IommuFault::kNone;
  };
  /// `out` takes what is translated, or was never to be, of a port.
  Translator(Hierarchy& hierarchy, const std::string& name, const IommuConfig& config,
             unsigned ports, std::function<void(unsigned port, Result&&)> out);

  Iommu& iommu() { return iommu_; }
  /// `translate`: it is a request for memory.
  void push(unsigned port, TlpRef tlp, bool translate);

 private:
  struct Pending {
    Result result;
    std::uint64_t order = 0;
    bool ready = false;
  };
  struct Lane {
    Ring<Pending> ordered;        // posted requests and completions
    std::vector<Pending> others;  // non-posted requests
  };
  struct Page {
    DeviceId device;
    std::uint64_t number = 0;
    bool operator==(const Page& o) const { return device == o.device && number == o.number; }
  };

  Page page_of(const Tlp& tlp) const { return {tlp.requester, tlp.address / iommu_.page_size()}; }
  bool translate(Result& result);
  void miss(const Page& page);
  void start_walks();
  void walked(const Page& page);
  void settle(Pending& pending, const Page& page);
  void drain(unsigned port);

  Hierarchy& hierarchy_;
  Iommu iommu_;
  unsigned walkers_;
  std::function<void(unsigned, Result&&)> out_;
  std::vector<Lane> lanes_;
  std::uint64_t next_order_ = 0;
  std::vector<Page> walking_;
  Ring<Page> to_walk_;
  DelayLine<Page> walks_;
  Counter walks_done_, faults_;
};

}  // namespace railyard::pcie
