// Event queues: entries in host memory, armed by software, each with an interrupt vector.
//
// An EQE is written when it leaves the stage `event`. If the queue is armed, its interrupt follows
// the write, once, within the bounds of its moderation; arming with entries that software has not
// consumed raises it at once. An entry for which there is no room is lost, and counted: software
// has to give the queue as many entries as it can have events.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "hw/nic/moderation.h"
#include "hw/nic/nic_abi.h"
#include "hw/nic/stage.h"
#include "hw/nic/units.h"
#include "tlm/base/ring.h"

namespace railyard::nic {

struct EqShape {
  std::uint64_t address = 0;
  std::uint32_t log_entries = 0;
  std::uint32_t vector = 0;
  Time moderation = 0;
  std::uint32_t moderation_count = 0;
};

class EventQueues {
 public:
  explicit EventQueues(Units& units);

  void create(std::uint32_t number, const EqShape& shape);
  void destroy(std::uint32_t number);
  bool exists(std::uint32_t number) const { return number < eqs_.size() && eqs_[number]; }
  void consume(std::uint32_t number, std::uint32_t consumer, bool arm);
  /// Does nothing if there is no such queue.
  void post(std::uint32_t number, abi::EventType type, std::uint32_t object);
  void set_overrun(std::function<void()> overrun) { overrun_ = std::move(overrun); }

 private:
  struct Eq {
    Eq(EventQueues& queues, Endpoint& endpoint)
        : owner(queues), timer(Event::of<&Eq::timed>(*this, endpoint, Phase::kTimer)) {}
    void timed() { owner.check(*this); }

    EventQueues& owner;
    Event timer;
    EqShape shape;
    Moderation moderation;
    std::uint64_t serial = 0;  // of the creation: what is on its way to another is not for this
    std::uint32_t producer = 0;
    std::uint32_t consumer = 0;
    bool armed = false;
  };
  struct Pending {
    Time at = 0;
    std::uint32_t number = 0;
    std::uint64_t serial = 0;
    abi::EventType type = abi::EventType::kCompletion;
    std::uint32_t object = 0;
  };

  void write_due();
  void write(Eq& eq, abi::EventType type, std::uint32_t object);
  void check(Eq& eq);

  Units& units_;
  Stage stage_;
  Event due_;
  Endpoint& timers_;
  std::vector<std::unique_ptr<Eq>> eqs_;
  Ring<Pending> pending_;
  std::uint64_t serials_ = 0;
  std::function<void()> overrun_;
  Counter written_;
  Counter overruns_;
  Counter interrupts_;
};

}  // namespace railyard::nic
