// Text files that a configuration names, as CSV lists are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace railyard {

/// The whole of a regular file of at most 16 MB that the key `key` names at `place`. `base` says
/// what a path is relative to, for the remedy. ConfigError: at the key if there is no such file, at
/// the file if it is too large or cannot be read.
std::string read_text_file(const std::string& place, const std::string& key,
                           const std::string& path, const std::string& base);

/// Calls take(line, number) for each line of a text, numbered from 1. Lines end by LF or CR LF, the
/// last one by the text's end too; a byte-order mark at the begin is skipped.
template <class Take>
void for_each_line(const std::string& text, Take&& take) {
  const std::string mark = "\xEF\xBB\xBF";
  std::size_t begin = text.compare(0, mark.size(), mark) == 0 ? mark.size() : 0;
  for (std::size_t number = 1; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    take(line, number);
    begin = end + 1;
  }
}

}  // namespace railyard
