// The pauses of a whole fabric, each joined to what caused it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hw/congestion/pause_log.h"
#include "tlm/base/time.h"

namespace railyard {

/// A port of the fabric: it asks its peer to pause, and it obeys the pauses of its peer.
struct PausePort {
  std::string name;               // hierarchical
  std::size_t peer = 0;           // index of the port at the other end
  const PauseLog* log = nullptr;  // its device's
  std::uint16_t number = 0;       // in that log
  bool host = false;              // of an endpoint; its host is its name up to the last dot
};

enum class RootKind {
  kOversubscription,  // a switch egress that takes in more than it may send, unpaused
  kReceiver,          // a port that drains too slowly
  kCycle,             // pauses that wait for each other: a deadlock, unless something breaks it
  kUnlogged           // a port whose pause found no room in its log: the cause is not known
};

/// What a pause goes back to.
struct PauseRoot {
  RootKind kind = RootKind::kOversubscription;
  std::size_t port = 0;  // that egress; that receiver; the member of the first name; that port
  std::uint8_t priority = 0;
  /// Of a cycle: its paused egress ports, each waiting for the next, from the first name on.
  std::vector<std::size_t> members;
};

/// A log and whose it is.
struct LoggedDevice {
  const PauseLog* log = nullptr;
  std::vector<std::uint32_t> port_of_number;

  /// Index of the fabric's port of that number; throws std::logic_error if it is not there.
  std::uint32_t port(std::uint16_t number) const;
};

struct JoinedPause {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  Time begin = 0;
  Time end = 0;  // kForever: it stands
  std::uint32_t port = 0;
  std::uint32_t cause = kNone;   // egress port of the same device; kNone: the device is slow
  std::uint32_t parent = kNone;  // index of the pause that held `cause`; kNone: there is no further
  std::uint32_t root = kNone;    // index
  std::uint32_t depth = 0;       // hops from the root; 1: asked by the root's own device
  std::uint8_t priority = 0;
  bool cause_paused = false;
};

/// Joins by time. A pause whose cause egress was paused goes on to the latest pause that the peer
/// of that egress had asked for before, of the same priority (the wire takes time, so none of the
/// same instant); and so on, to an egress that was not paused, or to a slow receiver. If the chain
/// comes back to the pause's own port at an earlier time (a wave round a ring), it counts from
/// there: depths do not grow with time.
///
/// When a pause begins and, from its cause on, each egress is held by a pause that stands, back to
/// the pause itself, then all of them are a cycle, and so is what they cause; also when only a
/// later member closed it. It is as good as the logs: they name the one egress that held most.
///
/// No result depends on the order of ports. Throws std::logic_error on ports that do not fit
/// together, or a logged port that is not there.
class PauseGraph {
 public:
  static constexpr std::uint32_t kNone = JoinedPause::kNone;
  static constexpr std::size_t kPriorities = 8;

  explicit PauseGraph(const std::vector<PausePort>& ports);

  /// By begin, then by the name of the port, then by priority.
  const std::vector<JoinedPause>& pauses() const { return pauses_; }
  const std::vector<PauseRoot>& roots() const { return roots_; }
  const std::vector<LoggedDevice>& devices() const { return devices_; }
  /// What the logs could not hold.
  std::uint64_t unlogged() const { return unlogged_; }
  /// The latest pause of that priority that `port` asked for at or before `time`; kNone if there is
  /// none, or a later one may be missing in the log.
  std::uint32_t latest_at(std::size_t port, std::uint8_t priority, Time time) const;

 private:
  static std::size_t slot(std::size_t port, std::uint8_t priority) {
    return port * kPriorities + priority;
  }
  bool may_have_missed(std::uint32_t latest, Time time) const;
  void check_ports() const;
  void rank_ports();
  void find_devices();
  void collect();
  void join();
  void look_for_cycle(std::uint32_t closing);
  void add_cycle(std::uint8_t priority);
  void find_roots();
  void find_root(JoinedPause& pause);
  std::uint32_t own_root(const JoinedPause& pause);
  std::uint32_t root_at(RootKind kind, std::size_t port, std::uint8_t priority);
  /// The latest pause, of those joined so far, that the peer of the cause of `pause` asked for.
  std::uint32_t holder(const JoinedPause& pause) const;

  const std::vector<PausePort>& ports_;
  std::vector<std::uint32_t> rank_;  // a port's place in the order of names
  std::vector<LoggedDevice> devices_;
  std::vector<JoinedPause> pauses_;
  std::vector<PauseRoot> roots_;
  std::uint64_t unlogged_ = 0;
  std::vector<std::vector<std::uint32_t>> asked_;  // by slot: its pauses, joined so far
  std::vector<std::uint32_t> root_at_;             // by kind and slot, or kNone
  std::map<std::pair<std::uint8_t, std::vector<std::size_t>>, std::uint32_t> cycles_;
  // While joining.
  std::vector<std::uint32_t> walk_;
  std::vector<std::uint32_t> walked_by_;  // by pause: the last walk that passed it
};

}  // namespace railyard
