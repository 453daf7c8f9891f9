#include "tlm/config/text_file.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tlm/base/error.h"
#include "tlm/base/format.h"

namespace railyard {

std::string read_text_file(const std::string& place, const std::string& key,
                           const std::string& path, const std::string& base) {
  constexpr std::uintmax_t kLargest = 16'000'000;
  const std::string name = printable(path, 200);
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw ConfigError(place, key + ": there is no file \"" + name + "\"",
                      "write a file's path, relative to the " + base);
  }
  if (std::filesystem::file_size(path, error) > kLargest) {
    throw ConfigError(name, "is larger than 16 MB", "write fewer lines");
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  // An empty file sets failbit of the text, not of the file.
  if (!file.is_open() || file.bad()) {
    throw ConfigError(name, "cannot be read", "check its permissions");
  }
  return text.str();
}

}  // namespace railyard
