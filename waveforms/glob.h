// Globs over hierarchical names, as --trace-filter takes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace railyard {

/// `*` stands for any characters, dots too; `?` for one.
bool glob_match(std::string_view pattern, std::string_view text);

/// Comma-separated globs. A glob takes a name if it matches the whole of it or the scopes in front:
/// "sw?.port8" takes "sw0.port8" and all inside it. An empty list takes everything.
class GlobList {
 public:
  explicit GlobList(std::string_view list);
  bool matches(std::string_view name) const;

 private:
  std::vector<std::string> patterns_;
};

}  // namespace railyard
