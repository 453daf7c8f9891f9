#include "hw/pcie/address_route.h"

#include <algorithm>
#include <limits>

#include "tlm/base/error.h"
#include "tlm/base/format.h"

namespace railyard::pcie {

namespace {

std::string hex(std::uint64_t value) {
  std::string text;
  do {
    text.insert(text.begin(), "0123456789abcdef"[value & 15]);
    value >>= 4;
  } while (value != 0);
  return "0x" + text;
}

std::string range(std::uint64_t first, std::uint64_t last) {
  return hex(first) + " to " + hex(last);
}

}  // namespace

void AddressRoute::add(const std::string& name, std::uint64_t base, std::uint64_t bytes,
                       int target) {
  if (bytes == 0) throw ConfigError(name, "its address window is empty", "give it a size");
  if (bytes - 1 > std::numeric_limits<std::uint64_t>::max() - base) {
    throw ConfigError(name,
                      "its window of " + format_bytes(bytes) + " at " + hex(base) +
                          " ends beyond the last 64-bit address",
                      "move it down");
  }
  const std::uint64_t last = base + (bytes - 1);
  const auto after = std::partition_point(windows_.begin(), windows_.end(),
                                          [&](const Window& window) { return window.last < base; });
  const auto place = after - windows_.begin();
  if (after != windows_.end() && after->first <= last) {
    throw ConfigError(name,
                      "its window " + range(base, last) + " overlaps that of " +
                          names_[static_cast<std::size_t>(place)] + ", " +
                          range(after->first, after->last),
                      "move one of them");
  }
  windows_.insert(after, {base, last, target});
  names_.insert(names_.begin() + place, name);
  latest_ = 0;
}

void AddressRoute::clear() {
  windows_.clear();
  names_.clear();
  latest_ = 0;
}

const AddressRoute::Window* AddressRoute::look_up(std::uint64_t address) const {
  if (windows_.empty()) return nullptr;
  const Window& latest = windows_[latest_];
  if (latest.first <= address && address <= latest.last) return &latest;
  const auto found =
      std::partition_point(windows_.begin(), windows_.end(),
                           [&](const Window& window) { return window.last < address; });
  if (found == windows_.end() || address < found->first) return nullptr;
  latest_ = static_cast<std::size_t>(found - windows_.begin());
  return &*found;
}

int AddressRoute::find(std::uint64_t address) const {
  const Window* window = look_up(address);
  return window == nullptr ? kNone : window->target;
}

int AddressRoute::find(std::uint64_t address, std::uint64_t bytes) const {
  const Window* window = look_up(address);
  if (window == nullptr || bytes - 1 > window->last - address) return kNone;
  return window->target;
}

}  // namespace railyard::pcie
