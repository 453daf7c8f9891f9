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

  std::uint32_t lines() const { return static_cast<std::uint32_t>(ways_.size()); }

  /// The line that holds `tag`, which is now the most recently used of its set; or kNone.
  std::uint32_t find(std::uint32_t tag);
  /// The same, and no use of it.
  std::uint32_t peek(std::uint32_t tag) const;

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
  struct Way {
    std::uint32_t tag = kNone;
    std::uint32_t line = kNone;
  };

  Way* set_of(std::uint32_t tag) { return &ways_[std::size_t{tag % sets_} * associativity_]; }
  const Way* set_of(std::uint32_t tag) const {
    return &ways_[std::size_t{tag % sets_} * associativity_];
  }

  std::uint32_t associativity_;
  std::uint32_t sets_;
  std::vector<Way> ways_;  // those of a set together, the most recently used first, free ones last
  std::vector<bool> pinned_;
};

}  // namespace railyard::nic
