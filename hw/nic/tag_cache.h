// Which lines a set-associative cache holds: tags with true LRU. What is in the lines is kept by
// who uses it, by the number of the line.
#pragma once

#include <cstdint>
#include <vector>

namespace railyard::nic {

class TagCache {
 public:
  static constexpr std::uint32_t kNone = ~0U;  // no tag, no line

  /// A tag is in set `tag mod (entries / ways)`. A ConfigError if `entries` is not a multiple of
  /// `ways`.
  TagCache(std::uint32_t entries, std::uint32_t ways);

  std::uint32_t lines() const { return ways_ * sets_; }

  /// The line that holds `tag`, which is now the most recently used of its set; or kNone.
  std::uint32_t find(std::uint32_t tag) {
    const std::uint32_t line = tags_[latest_] == tag ? latest_ : peek(tag);
    if (line == kNone) return kNone;
    used_[line] = ++uses_;
    latest_ = line;
    return line;
  }
  /// The same, and no use of it.
  std::uint32_t peek(std::uint32_t tag) const {
    const std::uint32_t first = first_line(tag);
    for (std::uint32_t line = first; line < first + ways_; ++line) {
      if (tags_[line] == tag) return line;
    }
    return kNone;
  }

  struct Place {
    std::uint32_t line = kNone;  // kNone: all lines of the set are pinned
    std::uint32_t evicted = kNone;
  };
  /// Gives `tag`, which is in no line, a line: one that is free, else the least recently used one
  /// that is not pinned. It is the most recently used now.
  Place place(std::uint32_t tag);
  /// A tag that place() would evict for `tag` stays as long as its line is pinned.
  void pin(std::uint32_t line) { pinned_[line] = true; }
  void unpin(std::uint32_t line) { pinned_[line] = false; }
  /// The line of `tag`, if there is one, is free. One that is pinned stays so.
  void remove(std::uint32_t tag);
  /// The same for all.
  void clear();

 private:
  std::uint32_t first_line(std::uint32_t tag) const { return tag % sets_ * ways_; }
  void make_free(std::uint32_t line);

  std::uint32_t ways_;
  std::uint32_t sets_;
  // By line; those of a set are neighbours.
  std::vector<std::uint32_t> tags_;
  std::vector<std::uint64_t> used_;  // number of its latest use; 0: free
  std::vector<bool> pinned_;
  std::uint64_t uses_ = 0;
  std::uint32_t latest_ = 0;  // line that find() found last: often it is the next one as well
};

}  // namespace railyard::nic
