#include "platforms/common/output_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "tlm/base/error.h"
#include "tlm/base/format.h"
#include "waveforms/output_file.h"

namespace railyard {

namespace {

constexpr std::size_t kPathShown = 256;  // characters of it in a message

/// A file that is to be written, tried before the run and before any other is touched. What was not
/// there is made, and removed at the end: so two names of one file are seen to be that.
class Trial {
 public:
  Trial(const char* flag, const std::string& path, bool special_too) : flag_(flag), path_(path) {
    const bool exists = ::stat(path.c_str(), &info_) == 0;
    if (exists && !S_ISREG(info_.st_mode) && !special_too) {
      fail("is not a regular file", "name a file, or one to be made");
    }
    // A FIFO that nobody reads would keep us waiting, a full device would not say so yet.
    const int file =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
    const bool good = file >= 0 && ::write(file, "", 0) == 0 && ::fstat(file, &info_) == 0;
    const int error = errno;
    if (file >= 0) ::close(file);
    std::error_code none;
    // Behind a link that led to nothing, what was made is not at `path`.
    if (file >= 0 && !exists) made_ = std::filesystem::canonical(path, none).string();
    if (good) return;
    remove_made();
    if (error == ENXIO) fail("cannot be written: nothing reads it", "start its reader first");
    fail(std::string("cannot be written: ") + std::strerror(error),
         "name a file in a folder that exists and that you may write to");
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  ~Trial() { remove_made(); }

  const char* flag() const { return flag_; }
  bool is(const struct stat& other) const {
    return info_.st_dev == other.st_dev && info_.st_ino == other.st_ino;
  }
  bool is(const Trial& other) const { return is(other.info_); }
  bool regular() const { return S_ISREG(info_.st_mode); }

  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const {
    throw ConfigError(flag_, '"' + printable(path_, kPathShown) + "\" " + problem, remedy);
  }

 private:
  void remove_made() const {
    if (!made_.empty()) ::unlink(made_.c_str());
  }

  const char* flag_;
  const std::string& path_;
  std::string made_;
  struct stat info_ = {};
};

/// Files that come and go beside an output, and that a killed run leaves there for the next one to
/// replace: no other output may be one of them.
void check_companions(const CommandLine& line, std::deque<Trial>& trials) {
  std::deque<std::pair<const char*, std::string>> companions;
  const std::string& trace = line.trace;
  if (!trace.empty()) {
    const bool vcd = trace.size() > 4 && trace.compare(trace.size() - 4, 4, ".vcd") == 0;
    const std::string fst = vcd ? trace + ".fst" : trace;
    if (vcd) companions.emplace_back("--trace", fst);
    companions.emplace_back("--trace", fst + ".hier");
  }
  if (!line.report.empty() && trials.back().regular()) {
    companions.emplace_back("--report", line.report + ".part");
  }
  for (const auto& [flag, path] : companions) {
    const Trial trial(flag, path, false);
    for (const Trial& other : trials) {
      if (trial.is(other)) trial.fail("is needed on the way", "choose another name");
    }
  }
}

}  // namespace

void check_output_files(const CommandLine& line) {
  struct Output {
    const char* flag;
    const std::string& path;
    std::initializer_list<std::string_view> suffixes;
  };
  const Output outputs[] = {{"--trace", line.trace, {".fst", ".vcd"}},
                            {"--pcap", line.pcap, {".pcapng"}},
                            {"--timeline", line.timeline, {".json"}},
                            {"--report", line.report, {}}};
  struct stat config = {};
  const bool has_config = ::stat(line.config.c_str(), &config) == 0;
  std::deque<Trial> trials;
  for (const auto& [flag, path, suffixes] : outputs) {
    if (path.empty()) continue;
    if (suffixes.size() > 0) check_suffix(flag, path, suffixes);
    const Trial& trial = trials.emplace_back(flag, path, suffixes.size() == 0);
    if (has_config && trial.is(config)) {
      trial.fail("is the configuration", "write to another file");
    }
    for (const Trial& other : trials) {
      if (&other == &trial || !trial.is(other)) continue;
      trial.fail(std::string("is the file of ") + other.flag() + " too",
                 "give each output a file of its own");
    }
  }
  check_companions(line, trials);
}

}  // namespace railyard
