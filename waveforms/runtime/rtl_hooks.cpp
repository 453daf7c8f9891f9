#include "waveforms/runtime/rtl_hooks.h"

#include <verilated.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <string>
#include <utility>

#include "tlm/base/error.h"

namespace railyard {

namespace {

// An assertion prints its message, then stops, in one call of eval(): Verilator's hooks are free
// functions, so what lies between the two lives here. A thread runs one simulation.
thread_local std::string last_error;  // NOLINT: see above

constexpr char kErrorMark[] = "%Error: ";
constexpr char kNameMark[] = "Assertion failed in ";

// "[5] %Error: counter.sv:37: Assertion failed in sw0.pfc.a_count: text" -> the name, the text.
std::pair<std::string, std::string> name_and_text(const std::string& message) {
  const auto name_at = message.find(kNameMark);
  if (name_at == std::string::npos) return {"rtl", message};
  const auto begin = name_at + sizeof kNameMark - 1;
  const auto end = message.find(": ", begin);
  if (end == std::string::npos) return {message.substr(begin), ""};
  return {message.substr(begin, end - begin), message.substr(end + 2)};
}

[[noreturn]] void stop(const char* file, int line, const char* hierarchy, const char* reason) {
  std::string message = std::exchange(last_error, std::string());
  while (!message.empty() && (message.back() == '\n' || message.back() == ' ')) message.pop_back();
  auto [name, text] = name_and_text(message);
  if (name == "rtl" && hierarchy != nullptr && hierarchy[0] != '\0') name = hierarchy;
  std::replace(name.begin(), name.end(), ' ', '.');  // a model's scopes, as it was named
  const auto when = static_cast<Time>(Verilated::threadContextp()->time());
  throw InvariantError(
      name, when,
      std::string(file) + ":" + std::to_string(line) + ": " + (text.empty() ? reason : text));
}

}  // namespace

void rtl_print(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  char text[1024];
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const std::string message = text;
  if (const auto at = message.find(kErrorMark); at != std::string::npos) {
    last_error = message.substr(at + sizeof kErrorMark - 1);
  } else {
    std::fputs(text, stderr);
  }
}

}  // namespace railyard

void vl_stop(const char* filename, int linenum, const char* hier) {
  railyard::stop(filename, linenum, hier, "an assertion failed");
}

void vl_fatal(const char* filename, int linenum, const char* hier, const char* msg) {
  railyard::stop(filename, linenum, hier, msg);
}
