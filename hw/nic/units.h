// What the units of one NIC share: where they live, and how they find each other.
#pragma once

#include <string>

#include "hw/nic/nic_config.h"
#include "hw/nic/observer.h"
#include "hw/nic/qp.h"
#include "tlm/sim/partition.h"

namespace railyard {
class CongestionControl;
}

namespace railyard::nic {

class AddressTranslation;
class CompletionSink;
class ContextStore;
class DmaPath;
class PacketConsumer;
class RateGate;
class ReceiveBuffer;
class TransmitPath;

/// For a side of a queue pair that finds it broken.
class QpControl {
 public:
  virtual ~QpControl() = default;
  /// The queue pair goes to the error state (if it is not in it): both sides flush, and software is
  /// told by an event if `type` is not kCompletion.
  virtual void fail(Qp& qp, abi::EventType type) = 0;
};

/// Finds queue pairs. They stay where they are from CREATE_QP to DESTROY_QP.
class QpLookup {
 public:
  virtual ~QpLookup() = default;
  /// By number; null: there is none.
  virtual Qp* find(std::uint32_t number) = 0;
  virtual Qp& in_slot(std::uint32_t slot) = 0;
};

/// Set before the run by who makes the units; a unit's test sets what the unit uses.
struct Units {
  Partition* partition = nullptr;
  std::string name;  // of the NIC, hierarchical: prefix of metrics, probes and endpoints
  const NicConfig* config = nullptr;
  NicAddress address;
  QpLookup* qps = nullptr;
  QpControl* control = nullptr;
  DmaPath* dma = nullptr;
  AddressTranslation* translation = nullptr;
  ContextStore* contexts = nullptr;
  TransmitPath* transmit = nullptr;
  ReceiveBuffer* receive_buffer = nullptr;
  CompletionSink* completions = nullptr;
  PacketConsumer* requester = nullptr;      // acknowledgements and READ responses
  PacketConsumer* responder = nullptr;      // requests
  CongestionControl* congestion = nullptr;  // null: none; queue pairs by slot
  RateGate* rates = nullptr;                // of that
  Observer* observer = nullptr;             // null: nobody looks
  DeliveryObserver* deliveries = nullptr;   // likewise

  void passed(Point point, std::uint32_t qp, Time at) const {
    if (observer != nullptr) observer->passed(point, qp, at);
  }
  /// The scheduler's class of a priority: classes beyond the last share that one.
  unsigned class_of(std::uint8_t priority) const {
    const auto classes = static_cast<unsigned>(config->send.weights.size());
    return priority < classes ? priority : classes - 1;
  }
  unsigned classes() const { return static_cast<unsigned>(config->send.weights.size()); }
};

}  // namespace railyard::nic
