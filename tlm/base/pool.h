// Pooled, reference-counted objects. A pool grows until the run's working set is reached and then
// allocates nothing; objects go back when their last Ref dies. One pool a partition: no locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

namespace railyard {

template <class T>
class Pool;

/// Base of a pooled type: `struct Packet : Pooled<Packet>`. The type has `void reset()`, which
/// makes a recycled object as good as new without giving its memory back.
template <class T>
class Pooled {
 public:
  Pooled() = default;
  Pooled(const Pooled&) = delete;
  Pooled& operator=(const Pooled&) = delete;

  void retain() { ++references_; }
  void release() {
    if (--references_ == 0) pool_->put(static_cast<T*>(this));
  }
  std::uint32_t references() const { return references_; }

 private:
  friend class Pool<T>;
  Pool<T>* pool_ = nullptr;
  T* next_free_ = nullptr;
  std::uint32_t references_ = 0;
};

/// A counted reference to a pooled object, or none.
template <class T>
class Ref {
 public:
  Ref() = default;
  /// Takes over the one reference that `object` was acquired or detached with.
  static Ref adopt(T* object) {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  /// Adds a reference.
  static Ref share(T& object) {
    object.retain();
    return adopt(&object);
  }
  Ref(const Ref& o) : object_(o.object_) {
    if (object_ != nullptr) object_->retain();
  }
  Ref(Ref&& o) noexcept : object_(std::exchange(o.object_, nullptr)) {}
  Ref& operator=(Ref o) noexcept {
    std::swap(object_, o.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr) object_->release();
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  T* object_ = nullptr;
};

template <class T>
class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  Ref<T> acquire() {
    T* object = free_;
    if (object != nullptr) {
      free_ = object->next_free_;
    } else {
      object = &all_.emplace_back();
      object->pool_ = this;
    }
    object->references_ = 1;
    ++outstanding_;
    return Ref<T>::adopt(object);
  }

  /// Objects that somebody holds.
  std::size_t outstanding() const { return outstanding_; }
  /// Objects ever made: the most that were held at once.
  std::size_t capacity() const { return all_.size(); }

 private:
  friend class Pooled<T>;
  void put(T* object) {
    object->reset();
    object->next_free_ = free_;
    free_ = object;
    --outstanding_;
  }

  std::deque<T> all_;
  T* free_ = nullptr;
  std::size_t outstanding_ = 0;
};

}  // namespace railyard
