// Watches one direction of a PCIe link and computes anew, from the standard's rules and in wide
// integers, what its ports claim:
// - each packet takes exactly its time on the line, none overlap, skip ordered sets come on time;
//   each arrives once, in order, exactly the latency after its last bit, good or not;
// - sequence numbers, replay and acknowledgements; each TLP is accepted once, in sequence;
// - TLPs leave the transmit queue in an order that table 2-40 allows;
// - none goes without its credits, the receive buffer holds what it should and gives it all back.
// Acknowledgements and updates go the other way: so the checkers of a link know each other.
//
// What is lost on the line arrives too, as not good.
#pragma once

#include <string>

#include "hw/pcie/credit_check.h"
#include "hw/pcie/line_check.h"
#include "hw/pcie/link_config.h"
#include "hw/pcie/order_check.h"
#include "hw/pcie/port_observer.h"
#include "hw/pcie/sequence_check.h"
#include "tlm/observe/checker.h"

namespace railyard::pcie {

class LinkChecker : public Checker, public PortObserver {
 public:
  /// `name` is the direction's: "a.link to b.link". `receiver` is what b advertises.
  LinkChecker(const std::string& name, const LinkConfig& config, const CreditConfig& receiver);
  LinkChecker(const LinkChecker&) = delete;
  LinkChecker& operator=(const LinkChecker&) = delete;

  /// Both directions of one link; before anything is sent.
  static void pair(LinkChecker& forth, LinkChecker& back);

  void queued(const Tlp& tlp, Time now) override;
  void sent(const Tlp& tlp, std::uint64_t sequence, bool replayed, Time now, Time end) override;
  void sent(const Dllp& dllp, Time now, Time end) override;
  void sent_skip(Time now, Time end) override;
  void arrived(const Tlp& tlp, std::uint64_t sequence, bool good, Time now) override;
  void arrived(const Dllp& dllp, bool good, Time now) override;
  void accepted(const Tlp& tlp, Time now) override;
  void released(FlowClass flow_class, std::uint32_t data_credits, Time now) override;
  void at_end(Time now, bool drained) override;

 private:
  LinkChecker& other(Time now) const;

  CheckPlace place_;
  LineCheck line_;
  OrderCheck order_;
  SequenceCheck sequence_;
  CreditCheck credits_;
  LinkChecker* other_ = nullptr;
};

}  // namespace railyard::pcie
