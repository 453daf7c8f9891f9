#include "platforms/common/congestion/pause_graph.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <unordered_map>

namespace railyard {

std::uint32_t LoggedDevice::port(std::uint16_t number) const {
  if (number < port_of_number.size() && port_of_number[number] != JoinedPause::kNone) {
    return port_of_number[number];
  }
  throw std::logic_error("a pause is logged of a port " + std::to_string(number) +
                         " that is not in the fabric");
}

PauseGraph::PauseGraph(const std::vector<PausePort>& ports) : ports_(ports) {
  check_ports();
  rank_ports();
  find_devices();
  collect();
  join();
  find_roots();
}

std::uint32_t PauseGraph::latest_at(std::size_t port, std::uint8_t priority, Time time) const {
  const std::vector<std::uint32_t>& asked = asked_[slot(port, priority)];
  const auto after =
      std::upper_bound(asked.begin(), asked.end(), time,
                       [this](Time t, std::uint32_t pause) { return t < pauses_[pause].begin; });
  if (after == asked.begin()) return kNone;
  const std::uint32_t latest = *std::prev(after);
  return may_have_missed(latest, time) ? kNone : latest;
}

/// The log filled up, and the latest pause in it was over by then.
bool PauseGraph::may_have_missed(std::uint32_t latest, Time time) const {
  const JoinedPause& pause = pauses_[latest];
  const PauseLog& log = *ports_[pause.port].log;
  return log.unlogged() > 0 && pause.end <= time && log.sent().back().begin < time;
}

void PauseGraph::check_ports() const {
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const std::size_t peer = ports_[i].peer;
    if (ports_[i].log == nullptr) throw std::logic_error(ports_[i].name + " has no log of pauses");
    if (peer >= ports_.size() || ports_[peer].peer != i) {
      throw std::logic_error(ports_[i].name + " is not the peer of its peer");
    }
  }
}

void PauseGraph::rank_ports() {
  std::vector<std::uint32_t> order(ports_.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [this](std::uint32_t a, std::uint32_t b) { return ports_[a].name < ports_[b].name; });
  rank_.resize(ports_.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) rank_[order[i]] = i;
}

void PauseGraph::find_devices() {
  std::unordered_map<const PauseLog*, std::size_t> device_of;
  for (std::uint32_t i = 0; i < ports_.size(); ++i) {
    const PausePort& port = ports_[i];
    const auto [device, is_new] = device_of.emplace(port.log, devices_.size());
    if (is_new) devices_.push_back({port.log, {}});
    std::vector<std::uint32_t>& port_of_number = devices_[device->second].port_of_number;
    if (port.number >= port_of_number.size()) port_of_number.resize(port.number + 1, kNone);
    if (port_of_number[port.number] != kNone) {
      throw std::logic_error(port.name + " and " + ports_[port_of_number[port.number]].name +
                             " have the same number in a log of pauses");
    }
    port_of_number[port.number] = i;
  }
}

void PauseGraph::collect() {
  std::size_t count = 0;
  for (const LoggedDevice& device : devices_) count += device.log->sent().size();
  pauses_.reserve(count);
  for (const LoggedDevice& device : devices_) {
    unlogged_ += device.log->unlogged();
    for (const PauseSent& sent : device.log->sent()) {
      JoinedPause pause;
      pause.begin = sent.begin;
      pause.end = sent.end;
      pause.port = device.port(sent.port);
      if (sent.cause_port != PauseLog::kNoPort) pause.cause = device.port(sent.cause_port);
      pause.priority = sent.priority;
      pause.cause_paused = sent.cause_paused;
      pauses_.push_back(pause);
    }
  }
  // Pauses that are alike in all of this are of one log, and stay in its order.
  std::stable_sort(pauses_.begin(), pauses_.end(),
                   [this](const JoinedPause& a, const JoinedPause& b) {
                     return std::tie(a.begin, rank_[a.port], a.priority) <
                            std::tie(b.begin, rank_[b.port], b.priority);
                   });
}

std::uint32_t PauseGraph::holder(const JoinedPause& pause) const {
  if (pause.cause == kNone) return kNone;
  const std::vector<std::uint32_t>& asked = asked_[slot(ports_[pause.cause].peer, pause.priority)];
  return asked.empty() ? kNone : asked.back();
}

/// In order of time. Those of one instant do not cause each other, but may close a cycle together.
void PauseGraph::join() {
  asked_.resize(ports_.size() * kPriorities);
  walked_by_.assign(pauses_.size(), kNone);
  for (std::uint32_t first = 0, next = 0; first < pauses_.size(); first = next) {
    while (next < pauses_.size() && pauses_[next].begin == pauses_[first].begin) ++next;
    for (std::uint32_t i = first; i < next; ++i) {
      if (!pauses_[i].cause_paused) continue;
      const std::uint32_t latest = holder(pauses_[i]);
      if (latest == kNone || may_have_missed(latest, pauses_[i].begin)) continue;
      pauses_[i].parent = latest;
    }
    for (std::uint32_t i = first; i < next; ++i) {
      asked_[slot(pauses_[i].port, pauses_[i].priority)].push_back(i);
    }
    for (std::uint32_t i = first; i < next; ++i) look_for_cycle(i);
  }
}

/// Follows the pauses that stand when `closing` begins.
void PauseGraph::look_for_cycle(std::uint32_t closing) {
  const Time now = pauses_[closing].begin;
  walk_.clear();
  for (std::uint32_t at = closing;;) {
    walk_.push_back(at);
    walked_by_[at] = closing;
    at = holder(pauses_[at]);
    if (at == closing) break;
    if (at == kNone || pauses_[at].end <= now || walked_by_[at] == closing) return;
  }
  add_cycle(pauses_[closing].priority);
}

/// The pauses of the walk wait for each other.
void PauseGraph::add_cycle(std::uint8_t priority) {
  std::vector<std::size_t> members;
  for (const std::uint32_t pause : walk_) members.push_back(ports_[pauses_[pause].port].peer);
  std::rotate(
      members.begin(),
      std::min_element(members.begin(), members.end(),
                       [this](std::size_t a, std::size_t b) { return rank_[a] < rank_[b]; }),
      members.end());
  const auto next = static_cast<std::uint32_t>(roots_.size());
  const auto [cycle, is_new] = cycles_.emplace(std::make_pair(priority, members), next);
  if (is_new) roots_.push_back({RootKind::kCycle, members.front(), priority, members});
  for (const std::uint32_t pause : walk_) {
    if (pauses_[pause].root == kNone) pauses_[pause].root = cycle->second;
  }
}

void PauseGraph::find_roots() {
  constexpr std::size_t kKinds = 4;
  root_at_.assign(kKinds * ports_.size() * kPriorities, kNone);
  for (JoinedPause& pause : pauses_) find_root(pause);
}

/// All earlier pauses have their roots; a member of a cycle has it from the join.
void PauseGraph::find_root(JoinedPause& pause) {
  pause.depth = 1;
  if (pause.root != kNone) {
    pause.parent = kNone;
    return;
  }
  if (pause.parent == kNone) {
    pause.root = own_root(pause);
    return;
  }
  for (std::uint32_t at = pause.parent; at != kNone; at = pauses_[at].parent) {
    if (pauses_[at].port != pause.port) continue;
    // A wave that came back: what caused the pause then causes this one.
    const JoinedPause& before = pauses_[at];
    pause.parent = before.parent;
    pause.root = before.root;
    pause.depth = before.depth;
    return;
  }
  pause.root = pauses_[pause.parent].root;
  pause.depth = pauses_[pause.parent].depth + 1;
}

std::uint32_t PauseGraph::own_root(const JoinedPause& pause) {
  if (pause.cause == kNone) return root_at(RootKind::kReceiver, pause.port, pause.priority);
  if (!pause.cause_paused) {
    return root_at(RootKind::kOversubscription, pause.cause, pause.priority);
  }
  return root_at(RootKind::kUnlogged, ports_[pause.cause].peer, pause.priority);
}

std::uint32_t PauseGraph::root_at(RootKind kind, std::size_t port, std::uint8_t priority) {
  const std::size_t of_kind = static_cast<std::size_t>(kind) * ports_.size() * kPriorities;
  std::uint32_t& root = root_at_[of_kind + slot(port, priority)];
  if (root == kNone) {
    root = static_cast<std::uint32_t>(roots_.size());
    roots_.push_back({kind, port, priority, {}});
  }
  return root;
}

}  // namespace railyard
