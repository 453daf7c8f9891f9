#include "waveforms/timeline_file.h"

#include <exception>
#include <map>
#include <utility>

namespace railyard {

namespace {

constexpr char kTimelineFlag[] = "--timeline";

const std::string& checked_timeline(const std::string& path) {
  check_suffix(kTimelineFlag, path, {".json"});
  return path;
}

void append_quoted(std::string& out, std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

// Picoseconds as microseconds, exactly.
void append_microseconds(std::string& out, Time time) {
  const std::string fraction = std::to_string(time % kMicrosecond);
  out += std::to_string(time / kMicrosecond) + '.';
  out.append(6 - fraction.size(), '0');
  out += fraction;
}

// "sw0.port8" -> {"sw0", "port8"}; a name without a dot is its own process.
std::pair<std::string_view, std::string_view> split(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {name, name};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

}  // namespace

TimelineFile::TimelineFile(const std::string& path)
    : file_(kTimelineFlag, checked_timeline(path)) {}

TimelineFile::~TimelineFile() {
  try {
    close(0);
  } catch (const std::exception&) {  // nobody is left to tell
  }
}

void TimelineFile::connect(ProbeRegistry& registry) {
  std::map<std::string_view, Lane> last_lanes;  // of each process
  for (auto& entry : registry.lanes()) {
    const auto [process, name] = split(entry.info.name);
    const auto next = static_cast<std::uint32_t>(last_lanes.size() + 1);
    const auto [found, is_new] = last_lanes.try_emplace(process, Lane{next, 0});
    Lane& lane = found->second;
    if (is_new) write_name("process_name", lane, process);
    ++lane.thread;
    write_name("thread_name", lane, name);
    entry.point->connect(this, static_cast<std::uint32_t>(lanes_.size()));
    lanes_.push_back(lane);
  }
}

void TimelineFile::span(std::uint32_t lane, std::string_view name, Time begin, Time end,
                        std::string_view argument_name, std::uint64_t argument) {
  event_ = R"({"ph":"X","name":)";
  append_quoted(event_, name);
  event_ += R"(,"pid":)" + std::to_string(lanes_[lane].process);
  event_ += R"(,"tid":)" + std::to_string(lanes_[lane].thread);
  event_ += R"(,"ts":)";
  append_microseconds(event_, begin);
  event_ += R"(,"dur":)";
  append_microseconds(event_, end - begin);
  event_ += R"(,"args":{)";
  append_quoted(event_, argument_name);
  event_ += ':' + std::to_string(argument) + "}}";
  write(event_);
}

void TimelineFile::close(Time /*now*/) {
  if (std::exchange(closed_, true)) return;
  file_.append(empty_ ? "[\n]\n" : "\n]\n");
  file_.close();
}

void TimelineFile::write(std::string_view event) {
  std::string record = std::exchange(empty_, false) ? "[\n" : ",\n";
  file_.append(record.append(event));
}

void TimelineFile::write_name(const char* kind, Lane lane, std::string_view name) {
  std::string event = R"({"ph":"M","name":")" + std::string(kind);
  event += R"(","pid":)" + std::to_string(lane.process);
  event += R"(,"tid":)" + std::to_string(lane.thread) + R"(,"args":{"name":)";
  append_quoted(event, name);
  write(event + "}}");
}

}  // namespace railyard
