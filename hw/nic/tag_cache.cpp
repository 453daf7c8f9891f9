#include "hw/nic/tag_cache.h"

#include <algorithm>
#include <string>

#include "tlm/base/error.h"

namespace railyard::nic {

TagCache::TagCache(std::uint32_t entries, std::uint32_t ways)
    : associativity_(ways), sets_(ways == 0 ? 0 : entries / ways), ways_(entries) {
  if (sets_ == 0 || sets_ * ways != entries) {
    throw ConfigError("",
                      "a cache of " + std::to_string(entries) + " entries cannot have " +
                          std::to_string(ways) + " ways",
                      "make the entries a multiple of the ways");
  }
  pinned_.resize(entries);
  for (std::uint32_t line = 0; line < entries; ++line) ways_[line].line = line;
}

std::uint32_t TagCache::find(std::uint32_t tag) {
  Way* set = set_of(tag);
  for (std::uint32_t i = 0; i < associativity_; ++i) {
    if (set[i].tag != tag) continue;
    std::rotate(set, set + i, set + i + 1);
    return set->line;
  }
  return kNone;
}

std::uint32_t TagCache::peek(std::uint32_t tag) const {
  const Way* set = set_of(tag);
  const Way* end = set + associativity_;
  const Way* way = std::find_if(set, end, [tag](const Way& w) { return w.tag == tag; });
  return way == end ? kNone : way->line;
}

TagCache::Place TagCache::place(std::uint32_t tag) {
  Way* set = set_of(tag);
  for (std::uint32_t i = associativity_; i-- > 0;) {
    if (pinned_[set[i].line]) continue;
    std::rotate(set, set + i, set + i + 1);
    const Place place{set->line, set->tag};
    set->tag = tag;
    return place;
  }
  return {};
}

void TagCache::remove(std::uint32_t tag) {
  Way* set = set_of(tag);
  Way* end = set + associativity_;
  Way* way = std::find_if(set, end, [tag](const Way& w) { return w.tag == tag; });
  if (way == end) return;
  way->tag = kNone;
  std::rotate(way, way + 1, end);
}

void TagCache::clear() {
  for (Way& way : ways_) way.tag = kNone;
}

}  // namespace railyard::nic
