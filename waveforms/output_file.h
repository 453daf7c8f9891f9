// A file that grows by whole records, so that a run which is killed leaves a readable prefix.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace railyard {

/// ConfigError at `place` (a flag) unless `path` ends in one of `suffixes`.
void check_suffix(const std::string& place, const std::string& path,
                  std::initializer_list<std::string_view> suffixes);

/// ConfigError at `place` unless `path` is, or can be made, a regular file that can be written. An
/// existing file is left as it is.
void check_regular_file(const std::string& place, const std::string& path);

class OutputFile {
 public:
  /// Creates or empties the file. ConfigError at `place` (a flag) if that cannot be done.
  OutputFile(const std::string& place, std::string path);
  /// Writes what is left; an error goes unsaid, for a destructor must not throw.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Appends a record that never reaches the disk in part, unless the machine stops in a write.
  /// A write error throws std::runtime_error with the path, once; what follows is dropped.
  void append(std::string_view record);
  void flush();
  /// flush() and close. Nothing to do if closed.
  void close();

 private:
  void fail(int error);

  std::string path_;
  std::string pending_;
  int file_ = -1;
  bool failed_ = false;
};

}  // namespace railyard
