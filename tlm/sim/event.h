// An intrusive event: a member of the model that it calls, so that scheduling allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tlm/base/time.h"

namespace railyard {

/// What goes first among events of one time. A state of the world before what meets it, deliveries
/// before decisions, decisions before those who only look.
enum class Phase : std::uint8_t {
  kClock,         // registers of clocked blocks take their inputs
  kOutputs,       // and show their outputs
  kReset,         // warm-up ends
  kLinkState,     // a link goes down or comes up
  kArrival,       // a packet's first or last bit arrives
  kTransmitDone,  // a transmitter is free again
  kTimer,         // a timer of a protocol runs out
  kAct,           // a device decides on what it now knows
  kObserve,       // monitors
};

/// Whose event it is: the last word in a tie. `id` is the rank of the name among all endpoints of
/// the simulation (given by Simulation::seal), so it depends on the topology alone.
struct Endpoint {
  std::string name;
  std::uint32_t id = 0;
  std::uint64_t sequence = 0;
};

class EventQueue;

/// Its owner's hot members should follow it: they are brought near with it. One that is destroyed
/// while pending leaves its queue, so that a run that was cut can be taken down in any order.
class Event {
 public:
  /// Bytes from an event on that the scheduler brings near before it fires.
  static constexpr std::size_t kNear = 320;

  /// Calls `(owner.*Method)()` when due.
  template <auto Method, class Owner>
  static Event of(Owner& owner, Endpoint& endpoint, Phase phase) {
    return Event(
        &owner, [](void* o) { (static_cast<Owner*>(o)->*Method)(); }, endpoint, phase);
  }

  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() {
    if (pending()) leave();
  }

  bool pending() const { return slot_ != kNone; }
  /// When it is due; kForever if it is not pending.
  Time time() const { return pending() ? time_ : kForever; }
  /// A background event (a monitor) does not keep a run alive. Set before it is first scheduled.
  void set_background() { background_ = true; }

 private:
  friend class EventQueue;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  Event(void* owner, void (*call)(void*), Endpoint& endpoint, Phase phase)
      : owner_(owner), call_(call), endpoint_(&endpoint), phase_(phase) {}

  void leave();

  void* owner_;
  void (*call_)(void*);
  Endpoint* endpoint_;
  Time time_ = 0;
  EventQueue* queue_ = nullptr;  // while pending
  std::uint32_t slot_ = kNone;
  Phase phase_;
  bool background_ = false;
};

}  // namespace railyard
