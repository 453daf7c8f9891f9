#include "hw/congestion/pause_log.h"

namespace railyard {

namespace {

constexpr std::size_t kPriorities = 8;

/// The slot of a port and priority, made when it is first used.
std::uint32_t& slot(std::vector<std::uint32_t>& open, std::uint16_t port, std::uint8_t priority) {
  const std::size_t index = port * kPriorities + priority;
  if (index >= open.size()) open.resize(index + 1);
  return open[index];
}

/// Ends the pause that stands there; nothing if it was not logged.
template <class Pause>
void end(std::vector<Pause>& pauses, std::uint32_t& open, Time now) {
  if (open == 0) return;
  pauses[open - 1].end = now;
  open = 0;
}

}  // namespace

PauseLog::PauseLog(std::size_t capacity) : capacity_(capacity) {
  sent_.reserve(capacity);
  obeyed_.reserve(capacity);
}

void PauseLog::begin_sent(const PauseSent& pause) {
  ++revision_;
  if (sent_.size() == capacity_) {
    ++unlogged_;
    return;
  }
  sent_.push_back(pause);
  slot(open_sent_, pause.port, pause.priority) = static_cast<std::uint32_t>(sent_.size());
}

void PauseLog::end_sent(std::uint16_t port, std::uint8_t priority, Time now) {
  ++revision_;
  end(sent_, slot(open_sent_, port, priority), now);
}

void PauseLog::begin_obeyed(std::uint16_t port, std::uint8_t priority, Time now) {
  ++revision_;
  if (obeyed_.size() == capacity_) {
    ++unlogged_;
    return;
  }
  obeyed_.push_back({now, kForever, port, priority});
  slot(open_obeyed_, port, priority) = static_cast<std::uint32_t>(obeyed_.size());
}

void PauseLog::end_obeyed(std::uint16_t port, std::uint8_t priority, Time now) {
  ++revision_;
  end(obeyed_, slot(open_obeyed_, port, priority), now);
}

}  // namespace railyard
