// A first-in first-out ring that grows and never gives memory back: no allocation once a run's
// depth is reached, unlike std::deque.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace railyard {

template <class T>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T& front() { return slots_[head_]; }
  T& back() { return slots_[wrap(head_ + size_ - 1)]; }
  /// The i-th from the front.
  T& operator[](std::size_t i) { return slots_[wrap(head_ + i)]; }
  const T& operator[](std::size_t i) const { return slots_[wrap(head_ + i)]; }

  void push(const T& value) { push(T(value)); }
  void push(T&& value) {
    if (size_ == capacity_) grow();
    slots_[wrap(head_ + size_)] = std::move(value);
    ++size_;
  }
  T pop() {
    T value = std::move(slots_[head_]);
    head_ = wrap(head_ + 1);
    --size_;
    return value;
  }
  /// Takes out the i-th from the front; those before it move, so it is for small i.
  T take(std::size_t i) {
    T value = std::move((*this)[i]);
    for (; i > 0; --i) (*this)[i] = std::move((*this)[i - 1]);
    head_ = wrap(head_ + 1);
    --size_;
    return value;
  }

 private:
  std::size_t wrap(std::size_t i) const { return i & (capacity_ - 1); }
  void grow() {
    const std::size_t capacity = capacity_ == 0 ? 8 : capacity_ * 2;
    auto larger = std::make_unique<T[]>(capacity);
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move((*this)[i]);
    slots_ = std::move(larger);
    capacity_ = capacity;
    head_ = 0;
  }

  std::unique_ptr<T[]> slots_;
  std::size_t capacity_ = 0;  // a power of two
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

}  // namespace railyard
