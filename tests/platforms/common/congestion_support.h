// A fabric of names and pauses, without a device behind them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "platforms/common/congestion/congestion.h"

namespace railyard {

/// Devices are what port names begin with; those that begin with "h" are hosts. A device's ports
/// are numbered as they come.
class PausedFabric {
 public:
  static constexpr std::uint8_t kPriority = 3;

  PausedFabric& link(const std::string& a, const std::string& b) {
    add_port(a, ports_.size() + 1);
    add_port(b, ports_.size() - 1);
    return *this;
  }

  /// `port` asks its peer to pause because of `cause`, an egress of its device, or "" for itself.
  PausedFabric& sent(const std::string& port, Time begin, Time end, const std::string& cause,
                     bool cause_paused = false, std::uint8_t priority = kPriority) {
    PauseSent pause;
    pause.begin = begin;
    pause.end = end;
    pause.port = number(port);
    pause.priority = priority;
    pause.cause_port = cause.empty() ? PauseLog::kNoPort : number(cause);
    pause.cause_paused = cause_paused;
    devices_[device(port)].sent.push_back(pause);
    return *this;
  }

  PausedFabric& obeyed(const std::string& port, Time begin, Time end,
                       std::uint8_t priority = kPriority) {
    devices_[device(port)].obeyed.push_back({begin, end, number(port), priority});
    return *this;
  }

  /// Both ends of a pause: asked for at `begin`, obeyed `kWire` later.
  PausedFabric& pause(const std::string& port, Time begin, Time end, const std::string& cause,
                      bool cause_paused = false) {
    const Time resumes = end == kForever ? kForever : end + kWire;
    sent(port, begin, end, cause, cause_paused);
    return obeyed(ports_[ports_[index_.at(port)].peer].name, begin + kWire, resumes);
  }
  static constexpr Time kWire = 10;

  PausedFabric& flow(const std::string& source, const std::vector<std::string>& egresses,
                     const std::string& destination, Time start = 0, Time end = kForever,
                     std::uint8_t priority = kPriority) {
    FlowPath path;
    path.flow = flows_.size();
    path.source = index_.at(source);
    path.destination = index_.at(destination);
    path.priority = priority;
    for (const std::string& egress : egresses) path.egresses.push_back(index_.at(egress));
    path.start = start;
    path.end = end;
    flows_.push_back(path);
    return *this;
  }

  /// Room in the logs, if not for all.
  PausedFabric& capacity(std::size_t pauses) {
    capacity_ = pauses;
    return *this;
  }

  CongestionReport analyse(Time now) {
    write_logs();
    return analyse_congestion(ports_, flows_, now);
  }

  /// The same with ports and flows in another order.
  CongestionReport analyse_permuted(Time now, unsigned seed) {
    write_logs();
    std::mt19937 random(seed);
    std::vector<std::size_t> new_place(ports_.size());
    std::iota(new_place.begin(), new_place.end(), 0);
    std::shuffle(new_place.begin(), new_place.end(), random);
    std::vector<PausePort> ports(ports_.size());
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      ports[new_place[i]] = ports_[i];
      ports[new_place[i]].peer = new_place[ports_[i].peer];
    }
    std::vector<FlowPath> flows = flows_;
    for (FlowPath& flow : flows) {
      flow.source = new_place[flow.source];
      flow.destination = new_place[flow.destination];
      for (std::size_t& egress : flow.egresses) egress = new_place[egress];
    }
    std::shuffle(flows.begin(), flows.end(), random);
    return analyse_congestion(ports, flows, now);
  }

  std::vector<PausePort>& ports() { return ports_; }
  const std::vector<FlowPath>& flows() const { return flows_; }

  /// `ports` then point to their logs.
  void write_logs() {
    for (auto& [name, events] : devices_) {
      const auto by_begin = [](const auto& a, const auto& b) { return a.begin < b.begin; };
      std::stable_sort(events.sent.begin(), events.sent.end(), by_begin);
      std::stable_sort(events.obeyed.begin(), events.obeyed.end(), by_begin);
      events.log.emplace(capacity_ != 0 ? capacity_ : events.sent.size() + events.obeyed.size());
      for (const PauseSent& pause : events.sent) events.log->begin_sent(pause);
      for (const PauseObeyed& pause : events.obeyed) {
        events.log->begin_obeyed(pause.port, pause.priority, pause.begin);
        events.log->end_obeyed(pause.port, pause.priority, pause.end);
      }
    }
    for (PausePort& port : ports_) port.log = &*devices_[device(port.name)].log;
  }

 private:
  struct Device {
    std::vector<PauseSent> sent;
    std::vector<PauseObeyed> obeyed;
    std::uint16_t ports = 0;
    std::optional<PauseLog> log;
  };

  static std::string device(const std::string& port) { return port.substr(0, port.find('.')); }
  std::uint16_t number(const std::string& port) const { return ports_[index_.at(port)].number; }
  void add_port(const std::string& name, std::size_t peer) {
    index_[name] = ports_.size();
    ports_.push_back({name, peer, nullptr, devices_[device(name)].ports++, name.front() == 'h'});
  }

  std::vector<PausePort> ports_;
  std::vector<FlowPath> flows_;
  std::map<std::string, std::size_t> index_;
  std::map<std::string, Device> devices_;
  std::size_t capacity_ = 0;
};

}  // namespace railyard
