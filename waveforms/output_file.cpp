#include "waveforms/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "tlm/base/error.h"
#include "tlm/base/format.h"

namespace railyard {

namespace {

constexpr std::size_t kBufferBytes = 1 << 18;

bool ends_with(std::string_view text, std::string_view suffix) {
  return text.size() > suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

std::string joined(std::initializer_list<std::string_view> suffixes) {
  std::string text;
  for (const std::string_view suffix : suffixes) {
    text += (text.empty() ? "" : " or ") + std::string(suffix);
  }
  return text;
}

[[noreturn]] void refuse(const std::string& place, const std::string& path, int error) {
  throw ConfigError(place, "cannot write " + printable(path, 256) + ": " + std::strerror(error),
                    "name a file in a folder that exists and that you may write to");
}

}  // namespace

void check_suffix(const std::string& place, const std::string& path,
                  std::initializer_list<std::string_view> suffixes) {
  if (std::none_of(suffixes.begin(), suffixes.end(),
                   [&](std::string_view suffix) { return ends_with(path, suffix); })) {
    throw ConfigError(place, "unknown kind of file: " + printable(path, 256),
                      "give a name that ends in " + joined(suffixes));
  }
}

void check_regular_file(const std::string& place, const std::string& path) {
  struct stat status = {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {
    throw ConfigError(place, printable(path, 256) + " is not a regular file",
                      "name a file, or one to be made");
  }
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) refuse(place, path, errno);
  ::close(file);
  if (!exists) ::unlink(path.c_str());
}

OutputFile::OutputFile(const std::string& place, std::string path) : path_(std::move(path)) {
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) refuse(place, path_, errno);
  pending_.reserve(kBufferBytes);
}

OutputFile::~OutputFile() {
  try {
    close();
  } catch (const std::exception&) {  // nobody is left to tell
  }
}

void OutputFile::append(std::string_view record) {
  if (file_ < 0 || failed_) return;
  if (!pending_.empty() && pending_.size() + record.size() > kBufferBytes) flush();
  pending_ += record;
}

void OutputFile::flush() {
  std::string_view rest = pending_;
  while (file_ >= 0 && !failed_ && !rest.empty()) {
    const ssize_t count = ::write(file_, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  pending_.clear();
}

void OutputFile::close() {
  if (file_ < 0) return;
  const int file = file_;
  try {
    flush();
  } catch (...) {
    file_ = -1;
    ::close(file);
    throw;
  }
  file_ = -1;
  if (::close(file) != 0) fail(errno);
}

void OutputFile::fail(int error) {
  if (failed_) return;
  failed_ = true;
  pending_.clear();
  throw std::runtime_error("cannot write " + path_ + ": " + std::strerror(error));
}

}  // namespace railyard
