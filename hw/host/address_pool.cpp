#include "hw/host/address_pool.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tlm/base/error.h"
#include "tlm/base/format.h"

namespace railyard::host {

namespace {

using Functions = std::vector<FoundFunction>;

std::uint64_t align(std::uint64_t address, std::uint64_t alignment) {
  return (address + alignment - 1) & ~(alignment - 1);
}

/// One of the two pools: its BARs and its windows of all bridges.
class Assigner {
 public:
  Assigner(bool prefetchable, const AddressPool& pool) : prefetchable_(prefetchable), pool_(pool) {}

  /// Returns the bytes that are left behind the last one.
  std::uint64_t assign(Functions& functions) {
    std::vector<Item> items = items_of(functions);
    std::uint64_t next = pool_.base;
    for (Item& item : items) {
      const std::uint64_t base = align(next, item.alignment);
      const std::uint64_t end = pool_.base + pool_.bytes;
      if (base < next || base > end || item.bytes > end - base) refuse(item, end, next);
      place(item, base);
      next = base + item.bytes;
    }
    return pool_.base + pool_.bytes - next;
  }

 private:
  /// A BAR, or all that is behind a bridge.
  struct Item {
    FoundFunction* function;
    FoundBar* bar;  // null: a bridge's window
    std::uint64_t bytes;
    std::uint64_t alignment;
    std::vector<Item> inside;  // a window's, in the order in which they lie
  };

  /// What a bus needs, the largest alignment first: then BARs leave no gap between them.
  std::vector<Item> items_of(Functions& functions) {
    std::vector<Item> items;
    for (FoundFunction& function : functions) {
      for (FoundBar& bar : function.bars) {
        if (in_prefetchable_pool(bar) != prefetchable_) continue;
        check_size(function, bar);
        items.push_back({&function, &bar, bar.size, bar.size, {}});
      }
      if (!function.is_bridge) continue;
      Item window = window_of(function);
      if (window.bytes != 0) items.push_back(std::move(window));
    }
    std::stable_sort(items.begin(), items.end(),
                     [](const Item& a, const Item& b) { return a.alignment > b.alignment; });
    return items;
  }

  Item window_of(FoundFunction& bridge) {
    Item window = {&bridge, nullptr, 0, pcie::config::kWindowGranularity,
                   items_of(bridge.children)};
    const std::uint64_t end = pool_.bytes;
    for (const Item& item : window.inside) {
      window.alignment = std::max(window.alignment, item.alignment);
      const std::uint64_t base = align(window.bytes, item.alignment);
      // Refused here, sums stay far from where 64 bits end.
      if (base < window.bytes || base > end || item.bytes > end - base) {
        refuse(item, end, window.bytes);
      }
      window.bytes = base + item.bytes;
    }
    window.bytes = align(window.bytes, pcie::config::kWindowGranularity);
    return window;
  }

  void place(Item& item, std::uint64_t base) {
    if (item.bar != nullptr) {
      item.bar->base = base;
      return;
    }
    (prefetchable_ ? item.function->prefetchable : item.function->memory) = {base, item.bytes};
    for (Item& inside : item.inside) {
      base = align(base, inside.alignment);
      place(inside, base);
      base += inside.bytes;
    }
  }

  void check_size(const FoundFunction& function, const FoundBar& bar) const {
    if (bar.size <= pool_.bytes) return;
    throw ConfigError(pcie::format_id(function.id),
                      "BAR " + std::to_string(bar.index) + " asks for " + format_bytes(bar.size) +
                          ", more than the whole " + name() + " window of " +
                          format_bytes(pool_.bytes),
                      "enlarge the window");
  }

  [[noreturn]] void refuse(const Item& item, std::uint64_t end, std::uint64_t next) const {
    const std::string what = item.bar == nullptr ? "what is behind this bridge"
                                                 : "BAR " + std::to_string(item.bar->index);
    throw ConfigError(pcie::format_id(item.function->id),
                      what + " asks for " + format_bytes(item.bytes) + " aligned to " +
                          format_bytes(item.alignment) + ", and " +
                          format_bytes(end > next ? end - next : 0) + " of the " + name() +
                          " window of " + format_bytes(pool_.bytes) + " are left",
                      "enlarge the window, or use fewer devices");
  }

  std::string name() const { return prefetchable_ ? "prefetchable" : "memory"; }

  bool prefetchable_;
  AddressPool pool_;
};

}  // namespace

void assign_addresses(DeviceTree& tree, const AddressPools& pools) {
  tree.memory_left = Assigner(false, pools.memory).assign(tree.functions);
  tree.prefetchable_left = Assigner(true, pools.prefetchable).assign(tree.functions);
}

}  // namespace railyard::host
