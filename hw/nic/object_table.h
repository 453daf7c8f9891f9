// Objects of one kind that commands make: which numbers exist, and how many others use each.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace railyard::nic {

template <class T>
class ObjectTable {
 public:
  /// Numbers are `first` to `first` + `limit` - 1.
  ObjectTable(std::uint32_t first, std::uint32_t limit) : first_(first), limit_(limit) {}

  /// The number of a new object: the one that was given back last, or the next; none: all exist.
  std::optional<std::uint32_t> create(const T& value) {
    std::uint32_t index = 0;
    if (!free_.empty()) {
      index = free_.back();
      free_.pop_back();
    } else if (entries_.size() < limit_) {
      index = static_cast<std::uint32_t>(entries_.size());
      entries_.emplace_back();
    } else {
      return std::nullopt;
    }
    entries_[index] = {value, 0, true};
    ++count_;
    return first_ + index;
  }
  /// Of one that exists.
  void destroy(std::uint32_t number) {
    entries_[number - first_].exists = false;
    free_.push_back(number - first_);
    --count_;
  }
  void clear() {
    entries_.clear();
    free_.clear();
    count_ = 0;
  }

  bool exists(std::uint32_t number) const {
    const std::uint32_t index = number - first_;
    return index < entries_.size() && entries_[index].exists;
  }
  /// Null: there is none.
  T* find(std::uint32_t number) {
    return exists(number) ? &entries_[number - first_].value : nullptr;
  }
  std::uint32_t count() const { return count_; }

  // Of one that exists.
  void use(std::uint32_t number) { ++entries_[number - first_].users; }
  void unuse(std::uint32_t number) { --entries_[number - first_].users; }
  bool used(std::uint32_t number) const { return entries_[number - first_].users != 0; }

 private:
  struct Entry {
    T value{};
    std::uint32_t users = 0;
    bool exists = false;
  };

  std::uint32_t first_;
  std::uint32_t limit_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
  std::uint32_t count_ = 0;
};

}  // namespace railyard::nic
