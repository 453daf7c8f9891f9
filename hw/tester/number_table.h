// Finds a small number by another: a flow by its queue pair, in one step however many there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace railyard {

/// Open addressing, at most half full. Filled before a run; nothing is taken out.
class NumberTable {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// False if `key` stands there already, and then nothing changes. `value` is not kNone.
  bool insert(std::uint32_t key, std::uint32_t value) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    if (!place({key, value})) return false;
    ++size_;
    return true;
  }

  /// The value of `key`, or kNone.
  std::uint32_t find(std::uint32_t key) const {
    if (slots_.empty()) return kNone;
    for (std::size_t i = home(key);; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i].value == kNone || slots_[i].key == key) return slots_[i].value;
    }
  }

 private:
  struct Slot {
    std::uint32_t key = 0;
    std::uint32_t value = kNone;
  };

  std::size_t home(std::uint32_t key) const {
    constexpr std::uint32_t kMix = 0x9E3779B9;  // 2^32 / golden ratio
    return (key * kMix >> 8) & (slots_.size() - 1);
  }

  bool place(Slot slot) {
    std::size_t i = home(slot.key);
    while (slots_[i].value != kNone) {
      if (slots_[i].key == slot.key) return false;
      i = (i + 1) & (slots_.size() - 1);
    }
    slots_[i] = slot;
    return true;
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : 2 * slots_.size());
    slots_.swap(old);
    for (const Slot& slot : old) {
      if (slot.value != kNone) place(slot);
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace railyard
