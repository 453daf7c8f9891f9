#include "hw/pcie/translator.h"

#include <algorithm>
#include <utility>

namespace railyard::pcie {

Translator::Translator(Hierarchy& hierarchy, const std::string& name, const IommuConfig& config,
                       unsigned ports, std::function<void(unsigned port, Result&&)> out)
    : hierarchy_(hierarchy),
      iommu_(config),
      walkers_(config.walkers),
      out_(std::move(out)),
      lanes_(ports),
      walks_(hierarchy, name + ".walks", config.miss_latency,
             [this](const Page& page) { walked(page); }) {
  StatisticsRegistry& statistics = hierarchy.partition().statistics();
  statistics.add(walks_done_, {name + ".walks", "walks", "Page table walks"});
  statistics.add(faults_, {name + ".faults", "TLPs", "Requests that no mapping allowed"});
  statistics.add_derived({name + ".tlb_hits", "TLPs", "Requests whose page the TLB held"},
                         [this](Time, Time) { return MetricValue::of(iommu_.hits()); });
  statistics.add_derived({name + ".tlb_misses", "TLPs", "Requests whose page it did not hold"},
                         [this](Time, Time) { return MetricValue::of(iommu_.misses()); });
}

// False: it misses.
bool Translator::translate(Result& result) {
  const Tlp& tlp = *result.tlp;
  const auto hit = iommu_.look_up(tlp.requester, tlp.address, tlp.type == TlpType::kMemoryWrite);
  if (!hit) return false;
  result.address = hit->physical;
  result.fault = hit->fault;
  return true;
}

void Translator::push(unsigned port, TlpRef tlp, bool translate_it) {
  Lane& lane = lanes_[port];
  if (!translate_it && lane.ordered.empty()) {
    const std::uint64_t address = tlp->address;
    out_(port, {std::move(tlp), address});
    return;
  }
  const bool non_posted = tlp->flow_class() == FlowClass::kNonPosted;
  Pending pending;
  pending.result.address = tlp->address;
  pending.result.tlp = std::move(tlp);
  pending.order = next_order_++;
  pending.ready = !translate_it || translate(pending.result);
  // Relaxed ordering lets posted requests and completions pass, not reads.
  const bool alone = lane.ordered.empty() || (pending.result.tlp->relaxed && !non_posted);
  if (pending.ready && alone) {
    out_(port, std::move(pending.result));
    return;
  }
  if (!pending.ready) miss(page_of(*pending.result.tlp));
  if (non_posted) {
    lane.others.push_back(std::move(pending));
  } else {
    lane.ordered.push(std::move(pending));
  }
}

void Translator::miss(const Page& page) {
  if (std::find(walking_.begin(), walking_.end(), page) != walking_.end()) return;
  for (std::size_t i = 0; i < to_walk_.size(); ++i) {
    if (to_walk_[i] == page) return;
  }
  to_walk_.push(page);
  start_walks();
}

void Translator::start_walks() {
  while (walking_.size() < walkers_ && !to_walk_.empty()) {
    walking_.push_back(to_walk_.pop());
    walks_.push(walking_.back());
  }
}

void Translator::walked(const Page& page) {
  walks_done_.add();
  walking_.erase(std::find(walking_.begin(), walking_.end(), page));
  const std::uint64_t address = page.number * iommu_.page_size();
  iommu_.fill(page.device, address, iommu_.walk(page.device, address, false));
  for (Lane& lane : lanes_) {
    for (std::size_t i = 0; i < lane.ordered.size(); ++i) settle(lane.ordered[i], page);
    for (Pending& pending : lane.others) settle(pending, page);
  }
  for (unsigned port = 0; port < lanes_.size(); ++port) drain(port);
  start_walks();
}

void Translator::settle(Pending& pending, const Page& page) {
  Result& result = pending.result;
  if (pending.ready || !(page_of(*result.tlp) == page)) return;
  const Iommu::Walk walk = iommu_.walk(result.tlp->requester, result.tlp->address,
                                       result.tlp->type == TlpType::kMemoryWrite);
  pending.ready = true;
  result.fault = walk.fault;
  result.address = walk.physical;
  if (walk.fault != IommuFault::kNone) faults_.add();
}

void Translator::drain(unsigned port) {
  Lane& lane = lanes_[port];
  const auto leave = [&](Pending pending) {
    pending.result.tlp->spend(Stage::kTranslation, hierarchy_.now());
    out_(port, std::move(pending.result));
  };
  while (!lane.ordered.empty() && lane.ordered.front().ready) leave(lane.ordered.pop());
  for (std::size_t i = 0; i < lane.others.size();) {
    Pending& pending = lane.others[i];
    const bool passes = !lane.ordered.empty() && lane.ordered.front().order < pending.order;
    if (!pending.ready || passes) {
      ++i;
      continue;
    }
    Pending mine = std::move(pending);
    lane.others.erase(lane.others.begin() + static_cast<std::ptrdiff_t>(i));
    leave(std::move(mine));
  }
}

}  // namespace railyard::pcie
