// From an address to where it leads: windows that do not overlap, each with a target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace railyard::pcie {

class AddressRoute {
 public:
  static constexpr int kNone = -1;

  /// Throws a ConfigError at `name` if the window is empty, ends beyond 2^64, or overlaps another,
  /// whose name it then says. `target` is at least 0.
  void add(const std::string& name, std::uint64_t base, std::uint64_t bytes, int target);
  void clear();
  std::size_t size() const { return windows_.size(); }

  /// The target of the window that the address is in, or kNone.
  int find(std::uint64_t address) const;
  /// The same for a range of at least a byte that lies in one window as a whole.
  int find(std::uint64_t address, std::uint64_t bytes) const;

 private:
  struct Window {
    std::uint64_t first;
    std::uint64_t last;
    int target;
  };

  const Window* look_up(std::uint64_t address) const;

  std::vector<Window> windows_;  // in order of addresses
  std::vector<std::string> names_;
  mutable std::size_t latest_ = 0;  // the window that was found last
};

}  // namespace railyard::pcie
