// A trace's signals: what its writer needs of each, their declaration in the file, values as text.
#pragma once

#include <gtkwave/fstapi.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tlm/observe/probe.h"

namespace railyard {

/// The low `width` bits (1 to 64) of a value as text, highest first, as fstapi takes them.
class BitText {
 public:
  BitText(std::uint64_t value, std::uint32_t width);
  /// Not ended by a 0.
  const char* begin() const { return begin_; }
  std::string string() const { return std::string(begin_, text_ + 64); }

 private:
  char text_[64];
  const char* begin_;
};

struct TraceSignal {
  fstHandle handle = 0;
  std::uint32_t width = 0;
  bool real = false;
  bool pending = false;  // has changed at the time that is not over
  bool written = false;  // `last` is in the file
  std::uint64_t value = 0;
  std::uint64_t last = 0;
};

/// Declares probes in the order of their names, so that a scope is opened once.
class TraceDeclarations {
 public:
  explicit TraceDeclarations(void* writer) : writer_(writer) {}
  ~TraceDeclarations() { leave(0); }
  TraceDeclarations(const TraceDeclarations&) = delete;
  TraceDeclarations& operator=(const TraceDeclarations&) = delete;

  TraceSignal declare(const ProbeInfo& info);

 private:
  void enter(const std::vector<std::string>& scopes);
  void leave(std::size_t depth);
  void comment(const ProbeInfo& info);
  fstEnumHandle table(const ProbeInfo& info);

  void* writer_;
  std::vector<std::string> open_;
  // One for all enums with the same width and names.
  std::map<std::pair<std::uint32_t, std::vector<std::string>>, fstEnumHandle> tables_;
};

}  // namespace railyard
