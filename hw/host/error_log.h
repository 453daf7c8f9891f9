// What a host's hardware reports as errors to its software: accesses that nobody answered, and
// what devices failed. The first are kept with their text, all are counted.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tlm/base/time.h"
#include "tlm/observe/statistics.h"

namespace railyard::host {

class ErrorLog {
 public:
  static constexpr std::size_t kKept = 256;

  struct Entry {
    Time time;
    std::string who;
    std::string what;
  };

  /// `name` is hierarchical.
  ErrorLog(StatisticsRegistry& statistics, const std::string& name) {
    statistics.add(count_, {name + ".errors", "errors",
                            "Accesses that nobody answered or that a device failed"});
  }

  void add(Time time, const std::string& who, std::string what) {
    count_.add();
    if (entries_.size() < kKept) entries_.push_back({time, who, std::move(what)});
  }
  const std::vector<Entry>& entries() const { return entries_; }
  std::uint64_t count() const { return count_.value(); }

 private:
  Counter count_;
  std::vector<Entry> entries_;
};

}  // namespace railyard::host
