#include "waveforms/glob.h"

#include <algorithm>

namespace railyard {

bool glob_match(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;  // the last star takes one character more
      t = ++star_text;
    } else {
      return false;
    }
  }
  return std::all_of(pattern.begin() + static_cast<std::ptrdiff_t>(p), pattern.end(),
                     [](char c) { return c == '*'; });
}

GlobList::GlobList(std::string_view list) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (comma > 0) patterns_.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  if (patterns_.empty()) patterns_.emplace_back("*");
}

bool GlobList::matches(std::string_view name) const {
  return std::any_of(patterns_.begin(), patterns_.end(), [&](const std::string& pattern) {
    for (std::size_t dot = name.find('.'); dot != std::string_view::npos;
         dot = name.find('.', dot + 1)) {
      if (glob_match(pattern, name.substr(0, dot))) return true;
    }
    return glob_match(pattern, name);
  });
}

}  // namespace railyard
