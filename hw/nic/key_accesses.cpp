// Accesses by memory key: from the key to its pages, through the caches. Keys: memory_keys.cpp.
#include <algorithm>
#include <cstring>

#include "hw/nic/memory_keys.h"

namespace railyard::nic {

Time MemoryKeys::translate(const KeyedRange& range, Time at, unsigned cls,
                           TranslationClient& client, std::uint64_t ticket, Mapping& mapping) {
  Walk walk;
  walk.range = range;
  const std::uint32_t index = walk.key_index();
  if (index >= keys_.size() || keys_[index].last == kNone) {
    advance(walk);
    if (walk.done) {
      map(walk, mapping);
      return blocked_.pass(stage_, at, cls, units_.partition->now());
    }
  }
  Waiter waiter;
  waiter.walk = walk;
  waiter.client = &client;
  waiter.ticket = ticket;
  waiter.at = at;
  waiter.cls = static_cast<std::uint8_t>(cls);
  to_ask_.push(add_waiter(waiter));
  ask();
  return kForever;
}

// Goes as far as the caches lead.
void MemoryKeys::advance(Walk& walk) {
  if (walk.range.bytes == 0) walk.done = true;
  if (!walk.done && !walk.has_key && !find_key(walk)) return;
  while (!walk.done && walk.found < walk.wanted) {
    const std::uint32_t line = walk.waited ? translation_cache_.find_again(walk.line())
                                           : translation_cache_.find(walk.line());
    if (line == LineCache::kNone) return;
    walk.waited = false;
    take_pages(walk, entries_[line]);
  }
  walk.done = true;
}

/// False: its context must be read.
bool MemoryKeys::find_key(Walk& walk) {
  const std::uint32_t index = walk.key_index();
  if (!has_memory_ || index >= units_.config->limits.mkeys) {
    walk.end(KeyError::kNoSuchKey);
    return true;
  }
  const std::uint32_t line = walk.waited ? key_cache_.find_again(index) : key_cache_.find(index);
  if (line == LineCache::kNone) return false;
  walk.waited = false;
  check(walk, contexts_[line]);
  return true;
}

void MemoryKeys::check(Walk& walk, const KeyContext& key) const {
  const KeyedRange& range = walk.range;
  if (key.state == KeyContext::State::kMalformed) return walk.end(KeyError::kMemory);
  if (key.state == KeyContext::State::kFree || key.key != range.key) {
    return walk.end(KeyError::kNoSuchKey);
  }
  if (key.pd != range.pd) return walk.end(KeyError::kDomain);
  if ((range.right & ~key.access) != 0) return walk.end(KeyError::kRight);
  if (range.address < key.address || range.bytes > key.bytes ||
      range.address - key.address > key.bytes - range.bytes) {
    return walk.end(KeyError::kBounds);
  }
  walk.has_key = true;
  walk.relaxed = (key.access & abi::access::kRelaxedOrdering) != 0;
  walk.log_page = key.log_page;
  walk.entry = key.first + static_cast<std::uint32_t>(key.page_of(range.address));
  walk.wanted = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(kPages, pages_of(range.address, range.bytes, key.log_page)));
}

void MemoryKeys::take_pages(Walk& walk, const std::array<std::uint64_t, kLineEntries>& line) {
  const std::uint64_t within = (std::uint64_t{1} << walk.log_page) - 1;
  const std::uint32_t number = walk.line();
  while (walk.found < walk.wanted && walk.line() == number) {
    const std::uint64_t page = line[(walk.entry + walk.found) % kLineEntries];
    if ((page & within) != 0) return walk.end(KeyError::kMemory);
    walk.pages[walk.found] = page;
    ++walk.found;
  }
}

void MemoryKeys::map(const Walk& walk, Mapping& mapping) {
  mapping.error = walk.error;
  mapping.count = 0;
  mapping.relaxed = walk.relaxed;
  if (walk.error != KeyError::kNone) return;
  const std::uint64_t page_bytes = std::uint64_t{1} << walk.log_page;
  std::uint64_t offset = walk.range.address & (page_bytes - 1);
  std::uint32_t left = walk.range.bytes;
  for (std::uint32_t i = 0; i < walk.found; ++i) {
    const std::uint64_t address = walk.pages[i] + offset;
    const auto bytes =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(left, page_bytes - offset));
    BusSegment* last = mapping.count == 0 ? nullptr : &mapping.segments[mapping.count - 1];
    if (last != nullptr && last->address + last->bytes == address) {
      last->bytes += bytes;
    } else {
      mapping.segments[mapping.count++] = {address, bytes};
    }
    left -= bytes;
    offset = 0;
  }
}

std::uint32_t MemoryKeys::add_waiter(const Waiter& waiter) {
  if (free_waiters_ == kNone) {
    free_waiters_ = static_cast<std::uint32_t>(waiters_.size());
    waiters_.emplace_back();
  }
  const std::uint32_t index = free_waiters_;
  free_waiters_ = waiters_[index].next;
  waiters_[index] = waiter;
  Key& key = key_at(waiter.walk.key_index());
  if (key.last == kNone) {
    waiters_[index].next = index;
  } else {
    waiters_[index].next = waiters_[key.last].next;
    waiters_[key.last].next = index;
  }
  key.last = index;
  if (key.without_turn == kNone) key.without_turn = index;
  return index;
}

void MemoryKeys::remove_first_waiter(std::uint32_t key_index) {
  Key& key = keys_[key_index];
  const std::uint32_t first = waiters_[key.last].next;
  if (first == key.last) {
    key.last = kNone;
  } else {
    waiters_[key.last].next = waiters_[first].next;
  }
  waiters_[first].next = free_waiters_;
  free_waiters_ = first;
}

// What comes to the stage comes in order: one that comes later holds up those behind it.
void MemoryKeys::ask() {
  const Time now = units_.partition->now();
  while (!to_ask_.empty()) {
    const std::uint32_t index = to_ask_.front();
    Waiter& waiter = waiters_[index];
    if (waiter.at > now) {
      units_.partition->scheduler().schedule(ask_, waiter.at);
      break;
    }
    to_ask_.pop();
    waiter.asked = true;
    blocked_.add(waiter.cls);
    go_on(index);
  }
  blocked_.mark(stage_, now);
}

void MemoryKeys::go_on(std::uint32_t waiter) {
  Walk& walk = waiters_[waiter].walk;
  advance(walk);
  waiters_[waiter].reading = !walk.done;
  if (walk.done) {
    give_turns(walk.key_index());
  } else if (walk.has_key) {
    translation_cache_.want(walk.line(), waiter);
  } else {
    key_cache_.want(walk.key_index(), waiter);
  }
}

void MemoryKeys::line_filled(LineCache& cache, std::uint32_t tag, std::uint32_t line,
                             const std::uint8_t* bytes) {
  if (&cache == &key_cache_) {
    contexts_[line] = tag < keys_.size() && keys_[tag].live
                          ? parse_key_context(bytes, units_.config->limits.translation_entries)
                          : KeyContext{};
    return;
  }
  for (std::uint64_t& page : entries_[line]) {
    abi::Be64 entry;
    std::memcpy(&entry, bytes, sizeof entry);
    bytes += sizeof entry;
    page = entry;
  }
}

void MemoryKeys::line_ready(LineCache& /*cache*/, std::uint32_t waiter, bool good) {
  Walk& walk = waiters_[waiter].walk;
  walk.waited = true;
  if (!good && !walk.done) walk.end(KeyError::kMemory);
  go_on(waiter);
}

// In the order of asking, as far as what they need has come.
void MemoryKeys::give_turns(std::uint32_t key_index) {
  const Time now = units_.partition->now();
  Key& key = keys_[key_index];
  while (key.without_turn != kNone) {
    const std::uint32_t index = key.without_turn;
    Waiter& waiter = waiters_[index];
    if (!waiter.asked || !waiter.walk.done || waiter.reading) return;
    key.without_turn = index == key.last ? kNone : waiter.next;
    blocked_.remove(waiter.cls);
    waiter.at =
        blocked_.pass(stage_, std::max(waiter.at, now), waiter.cls, units_.partition->now());
    leaving_.push(index);
    if (!deliver_.pending()) units_.partition->scheduler().schedule(deliver_, waiter.at);
  }
}

void MemoryKeys::deliver() {
  const Time now = units_.partition->now();
  while (!leaving_.empty() && waiters_[leaving_.front()].at <= now) {
    const Waiter waiter = waiters_[leaving_.pop()];
    remove_first_waiter(waiter.walk.key_index());
    Mapping mapping;
    map(waiter.walk, mapping);
    waiter.client->translated(waiter.ticket, mapping);
  }
  if (!leaving_.empty()) {
    units_.partition->scheduler().schedule(deliver_, waiters_[leaving_.front()].at);
  }
}

}  // namespace railyard::nic
