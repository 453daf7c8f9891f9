#include "hw/hbm/bank_queues.h"

namespace railyard::hbm {

BankQueues::BankQueues(unsigned banks, unsigned reads, unsigned writes)
    : depth_{reads, writes}, banks_(banks), slots_(reads + writes) {
  for (std::size_t i = slots_.size(); i-- > 0;) free_.push_back(static_cast<Index>(i));
  held_.reserve(slots_.size());
}

void BankQueues::add(const Request& request) {
  const Index index = free_.back();
  free_.pop_back();
  Slot& slot = slots_[index];
  slot.request = request;
  slot.blocker = kNone;
  ++count_[request.write];
  if (count_[!request.write] != 0) {
    slot.blocker = find(request.bank, request.row, request.column, !request.write);
  }
  if (slot.blocker == kNone) {
    link(index);
  } else {
    ++held_count_[request.write];
    held_.push_back(index);
  }
}

// The youngest, which is behind all others to its address.
BankQueues::Index BankQueues::find(unsigned bank, std::uint32_t row, std::uint32_t column,
                                   bool write) const {
  for (std::size_t i = held_.size(); i-- > 0;) {
    const Request& r = slots_[held_[i]].request;
    if (r.write == write && r.bank == bank && r.row == row && r.column == column) return held_[i];
  }
  for (Index i = banks_[bank].tail[write]; i != kNone; i = slots_[i].previous) {
    const Request& r = slots_[i].request;
    if (r.row == row && r.column == column) return i;
  }
  return kNone;
}

// By age: one that was held may be older than others.
void BankQueues::link(Index index) {
  Slot& slot = slots_[index];
  const bool write = slot.request.write;
  const unsigned number = slot.request.bank;
  Bank& bank = banks_[number];
  Index before = bank.tail[write];
  while (before != kNone && slots_[before].request.age > slot.request.age) {
    before = slots_[before].previous;
  }
  slot.previous = before;
  Index& forward = before == kNone ? bank.head[write] : slots_[before].next;
  slot.next = forward;
  forward = index;
  (slot.next == kNone ? bank.tail[write] : slots_[slot.next].previous) = index;
  const std::uint64_t bit = std::uint64_t{1} << number;
  waiting_[write] |= bit;
  if (before == kNone) {
    oldest_age_[write][number] = slot.request.age;
    if (bank.hit[write] != kNone) passing_[write] |= bit;
  }
  if ((open_ & bit) == 0 || slot.request.row != bank.row) return;
  const Index hit = bank.hit[write];
  if (hit == kNone || slots_[hit].request.age > slot.request.age) set_hit(number, write, index);
}

void BankQueues::remove(Index index) {
  const Slot& slot = slots_[index];
  const bool write = slot.request.write;
  const unsigned number = slot.request.bank;
  Bank& bank = banks_[number];
  (slot.previous == kNone ? bank.head[write] : slots_[slot.previous].next) = slot.next;
  (slot.next == kNone ? bank.tail[write] : slots_[slot.next].previous) = slot.previous;
  if (bank.head[write] == kNone) {
    waiting_[write] &= ~(std::uint64_t{1} << number);
  } else {
    oldest_age_[write][number] = slots_[bank.head[write]].request.age;
  }
  const std::uint64_t bit = std::uint64_t{1} << number;
  if (bank.hit[write] == index) {
    find_hit(number, write, slot.next);
  } else if (bank.hit[write] == bank.head[write]) {
    passing_[write] &= ~bit;
  }
  --count_[write];
  free_.push_back(index);
  if (!held_.empty()) release(index);
}

void BankQueues::find_hit(unsigned bank, bool write, Index from) {
  while (from != kNone && slots_[from].request.row != banks_[bank].row) from = slots_[from].next;
  set_hit(bank, write, from);
}

void BankQueues::set_hit(unsigned bank, bool write, Index hit) {
  const std::uint64_t bit = std::uint64_t{1} << bank;
  banks_[bank].hit[write] = hit;
  hits_[write] &= ~bit;
  passing_[write] &= ~bit;
  if (hit == kNone) return;
  hits_[write] |= bit;
  hit_age_[write][bank] = slots_[hit].request.age;
  if (hit != banks_[bank].head[write]) passing_[write] |= bit;
}

void BankQueues::release(Index blocker) {
  for (std::size_t i = 0; i < held_.size();) {
    const Index index = held_[i];
    if (slots_[index].blocker != blocker) {
      ++i;
      continue;
    }
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(i));
    --held_count_[slots_[index].request.write];
    link(index);
  }
}

void BankQueues::open(unsigned bank, std::uint32_t row) {
  banks_[bank].row = row;
  open_ |= std::uint64_t{1} << bank;
  find_hit(bank, false, banks_[bank].head[false]);
  find_hit(bank, true, banks_[bank].head[true]);
}

void BankQueues::close(unsigned bank) {
  const std::uint64_t rest = ~(std::uint64_t{1} << bank);
  open_ &= rest;
  hits_[false] &= rest;
  hits_[true] &= rest;
  passing_[false] &= rest;
  passing_[true] &= rest;
  banks_[bank].hit = {kNone, kNone};
}

bool BankQueues::others_hit(Index index) const {
  const Request& request = slots_[index].request;
  const Bank& bank = banks_[request.bank];
  if (bank.hit[!request.write] != kNone) return true;
  for (Index i = bank.hit[request.write]; i != kNone; i = slots_[i].next) {
    if (i != index && slots_[i].request.row == bank.row) return true;
  }
  return false;
}

}  // namespace railyard::hbm
