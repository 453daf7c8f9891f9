#include "hw/nic/line_cache.h"

#include <algorithm>
#include <utility>

namespace railyard::nic {

LineCache::LineCache(Units& units, const CacheConfig& config, const Shape& shape, LineUser& user)
    : units_(units),
      shape_(shape),
      user_(user),
      tags_(config.entries, config.ways),
      fetches_(config.misses),
      fetch_of_(config.entries, kNone) {
  for (std::uint32_t i = config.misses; i-- > 0;) free_fetches_.push_back(i);
  register_all();
}

LineCache::~LineCache() = default;

void LineCache::register_all() {
  StatisticsRegistry& statistics = units_.partition->statistics();
  const std::string p = units_.name + "." + shape_.name + ".";
  const std::string of = " (" + shape_.doc + ")";
  statistics.add(hits_, {p + "hits", "lookups", "Lookups that found their line" + of});
  statistics.add(misses_, {p + "misses", "lookups", "Lookups that had their line read" + of});
  statistics.add(joined_,
                 {p + "joined", "lookups", "Lookups that waited for what another had read" + of});
  statistics.add(evictions_, {p + "evictions", "lines", "Lines that others had to make room" + of});
  statistics.add(failed_, {p + "reads_failed", "reads", "Reads that ended without data" + of});
  statistics.add(latency_,
                 {p + "miss_latency_ns", "ns",
                  "From a line's being wanted, its wait for a place to be read to included, to its "
                  "bytes" +
                      of},
                 static_cast<double>(kNanosecond));
  statistics.add(in_flight_, {p + "misses_in_flight", "lines", "Lines being read" + of});
  constexpr std::uint32_t kWidth = 16;
  units_.partition->probes().add(
      in_flight_probe_,
      {p + "misses_in_flight", ProbeKind::kUnsigned, kWidth, "lines", "Lines being read" + of, {}});
}

void LineCache::set_memory(std::uint64_t address) {
  drop_all();
  memory_ = address;
}

std::uint32_t LineCache::fetch_of(std::uint32_t tag) const {
  const std::uint32_t line = tags_.peek(tag);
  return line == kNone ? kNone : fetch_of_[line];
}

void LineCache::want(std::uint32_t tag, std::uint32_t waiter) {
  const Wish wish{tag, waiter, units_.partition->now()};
  const std::uint32_t fetch = fetch_of(tag);
  if (fetch != kNone) {
    join(fetches_[fetch], wish);
  } else if (telling_ || !waiting_.empty() || !try_start(wish)) {
    waiting_.push(wish);
  }
}

bool LineCache::try_start(const Wish& wish) {
  if (free_fetches_.empty()) return false;
  const TagCache::Place place = tags_.place(wish.tag);
  if (place.line == kNone) return false;
  start(wish, place.line);
  if (place.evicted == kNone) return true;
  evictions_.add();
  user_.line_evicted(*this, place.evicted);  // after the read, which need not wait for a write-back
  return true;
}

void LineCache::start(const Wish& wish, std::uint32_t line) {
  const std::uint32_t index = free_fetches_.back();
  free_fetches_.pop_back();
  Fetch& fetch = fetches_[index];
  fetch = Fetch{};
  fetch.tag = wish.tag;
  fetch.line = line;
  fetch.since = wish.since;
  add_waiter(fetch, wish.waiter);
  tags_.pin(line);
  fetch_of_[line] = index;
  misses_.add();
  count_fetches();
  units_.dma->read({shape_.use, address_of(wish.tag), shape_.line_bytes, index}, *this);
}

void LineCache::join(Fetch& fetch, const Wish& wish) {
  joined_.add();
  add_waiter(fetch, wish.waiter);
}

void LineCache::add_waiter(Fetch& fetch, std::uint32_t waiter) {
  if (free_nodes_ == kNone) {
    free_nodes_ = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
  }
  const std::uint32_t node = free_nodes_;
  free_nodes_ = nodes_[node].next;
  nodes_[node] = {waiter, kNone};
  (fetch.first == kNone ? fetch.first : nodes_[fetch.last].next) = node;
  fetch.last = node;
}

void LineCache::count_fetches() {
  const std::size_t count = fetches_.size() - free_fetches_.size();
  in_flight_.set(count, units_.partition->now());
  in_flight_probe_.set(count, units_.partition->now());
}

void LineCache::dma_done(std::uint64_t ticket, pcie::Status status, Ref<net::Payload> payload) {
  const auto index = static_cast<std::uint32_t>(ticket);
  const Fetch fetch = fetches_[index];
  free_fetches_.push_back(index);
  count_fetches();
  tags_.unpin(fetch.line);
  fetch_of_[fetch.line] = kNone;
  latency_.record(static_cast<std::uint64_t>(units_.partition->now() - fetch.since));
  const bool good =
      status == pcie::Status::kSuccess && payload && payload->size() == shape_.line_bytes;
  if (!good) failed_.add();
  if (!fetch.dropped) {
    if (good) {
      user_.line_filled(*this, fetch.tag, fetch.line, payload->data());
    } else {
      tags_.remove(fetch.tag);
    }
  }
  tell(fetch.first, good || fetch.dropped);
  start_waiting();
}

// All see the line before another read can take its place: what they want next waits until then.
void LineCache::tell(std::uint32_t first, bool good) {
  telling_ = true;
  for (std::uint32_t node = first; node != kNone;) {
    const Node told = nodes_[node];
    nodes_[node].next = free_nodes_;
    free_nodes_ = node;
    node = told.next;
    user_.line_ready(*this, told.waiter, good);
  }
  telling_ = false;
}

void LineCache::start_waiting() {
  while (!waiting_.empty()) {
    const Wish wish = waiting_.front();
    const std::uint32_t fetch = fetch_of(wish.tag);
    const bool here = fetch == kNone && tags_.peek(wish.tag) != kNone;
    if (fetch != kNone) {
      join(fetches_[fetch], wish);
    } else if (!here && !try_start(wish)) {
      return;
    }
    waiting_.pop();
    if (!here) continue;
    joined_.add();
    telling_ = true;
    user_.line_ready(*this, wish.waiter, true);
    telling_ = false;
  }
}

std::uint32_t LineCache::put(std::uint32_t tag) {
  const TagCache::Place place = tags_.place(tag);
  if (place.evicted != kNone) {
    evictions_.add();
    user_.line_evicted(*this, place.evicted);
  }
  return place.line;
}

void LineCache::drop(std::uint32_t tag) {
  const std::uint32_t fetch = fetch_of(tag);
  if (fetch != kNone) {
    fetches_[fetch].dropped = true;
    // Its line stays pinned until its bytes have come, and is nobody's.
  }
  tags_.remove(tag);
}

void LineCache::drop_all() {
  for (std::uint32_t i = 0; i < fetches_.size(); ++i) {
    const bool under_way =
        std::find(free_fetches_.begin(), free_fetches_.end(), i) == free_fetches_.end();
    if (under_way) fetches_[i].dropped = true;
  }
  tags_.clear();
}

}  // namespace railyard::nic
