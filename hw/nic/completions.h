// Completion queues: entries in host memory, arming, events, moderation.
//
// A CQE is written when it leaves the stage `completion`, behind all that was written before it was
// asked for. How far software has consumed is read from the doorbell record only when the queue
// looks full; one that is full then is overrun: the device's event queue is told, and nothing is
// written to it any more.
//
// Arming asks for one event, as mlx5 devices give it: when there is an entry beyond the consumer
// index that came with it, be it written before or later; armed for solicited ones, an entry of a
// solicited message or an error. The sequence number is not looked at: an arm doorbell that comes
// twice may bring a second event, which software stands.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "hw/nic/completion_sink.h"
#include "hw/nic/dma_path.h"
#include "hw/nic/event_queues.h"
#include "hw/nic/moderation.h"
#include "hw/nic/stage.h"
#include "hw/nic/units.h"
#include "tlm/base/ring.h"

namespace railyard::nic {

struct CqShape {
  std::uint64_t address = 0;
  std::uint64_t doorbell_record = 0;
  std::uint32_t log_entries = 0;
  std::uint32_t eq = 0;
  Time moderation = 0;
  std::uint32_t moderation_count = 0;
};

class Completions : public CompletionSink, private DmaClient {
 public:
  explicit Completions(Units& units);

  // Numbers are the caller's, below the limits; what exists is the caller's to know.
  void create_eq(std::uint32_t number, const EqShape& shape);
  void destroy_eq(std::uint32_t number);
  void create_cq(std::uint32_t number, const CqShape& shape);
  void modify_cq(std::uint32_t number, Time moderation, std::uint32_t moderation_count);
  void destroy_cq(std::uint32_t number);

  /// The arm doorbell of a CQ that exists: its first word.
  void arm_cq(std::uint32_t number, std::uint32_t word);
  /// Software has consumed entries of an EQ that exists up to `consumer` (24 bits).
  void consume_eq(std::uint32_t number, std::uint32_t consumer, bool arm);
  /// Called when an event queue has no room for an event.
  void set_overrun(std::function<void()> overrun) { events_.set_overrun(std::move(overrun)); }

  void complete(const Completion& completion, Time at) override;
  void event(abi::EventType type, std::uint32_t qp) override;

 private:
  enum class Armed : std::uint8_t { kNo, kNext, kSolicited };
  struct Cq {
    Cq(Completions& completions, Endpoint& endpoint)
        : owner(completions), timer(Event::of<&Cq::timed>(*this, endpoint, Phase::kTimer)) {}
    void timed() { owner.check(*this); }

    Completions& owner;
    Event timer;
    CqShape shape;
    Moderation moderation;
    std::uint32_t number = 0;
    std::uint32_t serial = 0;  // of the creation
    std::uint32_t producer = 0;
    std::uint32_t consumer = 0;   // as far as it is known
    std::uint32_t solicited = 0;  // behind the latest entry that is solicited or an error
    std::uint32_t armed_from = 0;
    Armed armed = Armed::kNo;
    bool dead = false;
    Ring<Completion> waiting;  // while the doorbell record is read
  };
  struct Pending {
    Time at = 0;
    std::uint32_t serial = 0;
    Completion completion;
  };

  void write_due();
  void take(Cq& cq, const Completion& completion);
  void write(Cq& cq, const Completion& completion);
  void check(Cq& cq);
  void read_consumer(Cq& cq);
  void overrun(Cq& cq);
  void wait_is_over(Cq& cq);
  void lose(const Completion& completion);
  bool full(const Cq& cq) const { return cq.producer - cq.consumer >= 1U << cq.shape.log_entries; }
  Cq* living(std::uint32_t number, std::uint32_t serial);
  void dma_done(std::uint64_t ticket, pcie::Status status, Ref<net::Payload> payload) override;

  Units& units_;
  EventQueues events_;
  Stage stage_;
  Event due_;
  Endpoint& timers_;
  std::vector<std::unique_ptr<Cq>> cqs_;
  Ring<Pending> pending_;
  std::uint32_t serials_ = 0;
  std::uint32_t reading_ = 0;  // CQs whose doorbell record is being read
  Counter written_;
  Counter errors_;
  Counter overruns_;
  Counter lost_;
  Counter record_reads_;
  Counter completion_events_;
};

}  // namespace railyard::nic
