// Records with numbers, which stay where they are; given back ones are used again.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "hw/nic/responder_state.h"

namespace railyard::nic {

/// `Record` has a member `std::uint32_t next` for lists.
template <class Record>
class RecordPool {
 public:
  std::uint32_t acquire() {
    if (free_.empty()) {
      records_.emplace_back();
      free_.reserve(records_.size());
      return static_cast<std::uint32_t>(records_.size() - 1);
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    return index;
  }
  void release(std::uint32_t index) {
    records_[index] = Record();
    free_.push_back(index);
  }
  Record& operator[](std::uint32_t index) { return records_[index]; }
  const Record& operator[](std::uint32_t index) const { return records_[index]; }
  /// Records ever made, in use or not.
  std::size_t capacity() const { return records_.size(); }
  std::size_t in_use() const { return records_.size() - free_.size(); }

  void push(RecordList& list, std::uint32_t index) {
    records_[index].next = RecordList::kNone;
    if (list.head == RecordList::kNone) {
      list.head = index;
    } else {
      records_[list.tail].next = index;
    }
    list.tail = index;
    ++list.size;
  }
  std::uint32_t pop(RecordList& list) {
    const std::uint32_t index = list.head;
    list.head = records_[index].next;
    if (list.head == RecordList::kNone) list.tail = RecordList::kNone;
    --list.size;
    return index;
  }

 private:
  std::deque<Record> records_;
  std::vector<std::uint32_t> free_;
};

}  // namespace railyard::nic
