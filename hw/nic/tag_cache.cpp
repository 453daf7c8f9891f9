#include "hw/nic/tag_cache.h"

#include <algorithm>
#include <string>

#include "tlm/base/error.h"

namespace railyard::nic {

TagCache::TagCache(std::uint32_t entries, std::uint32_t ways)
    : ways_(ways), sets_(ways == 0 ? 0 : entries / ways), tags_(entries, kNone), used_(entries) {
  if (sets_ == 0 || sets_ * ways != entries) {
    throw ConfigError("",
                      "a cache of " + std::to_string(entries) + " entries cannot have " +
                          std::to_string(ways) + " ways",
                      "make the entries a multiple of the ways");
  }
  pinned_.resize(entries);
}

TagCache::Place TagCache::place(std::uint32_t tag) {
  const std::uint32_t first = first_line(tag);
  std::uint32_t line = kNone;
  for (std::uint32_t i = first; i < first + ways_; ++i) {
    if (!pinned_[i] && (line == kNone || used_[i] < used_[line])) line = i;
  }
  if (line == kNone) return {};
  const Place place{line, tags_[line]};
  tags_[line] = tag;
  used_[line] = ++uses_;
  return place;
}

void TagCache::remove(std::uint32_t tag) {
  const std::uint32_t line = peek(tag);
  if (line != kNone) make_free(line);
}

void TagCache::clear() {
  for (std::uint32_t line = 0; line < lines(); ++line) make_free(line);
}

void TagCache::make_free(std::uint32_t line) {
  tags_[line] = kNone;
  used_[line] = 0;
}

}  // namespace railyard::nic
