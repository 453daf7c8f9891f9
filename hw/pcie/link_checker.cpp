#include "hw/pcie/link_checker.h"

namespace railyard::pcie {

LinkChecker::LinkChecker(const std::string& name, const LinkConfig& config,
                         const CreditConfig& receiver)
    : place_(name),
      line_(place_, config),
      order_(place_),
      sequence_(place_),
      credits_(place_, receiver) {}

void LinkChecker::pair(LinkChecker& forth, LinkChecker& back) {
  forth.other_ = &back;
  back.other_ = &forth;
}

LinkChecker& LinkChecker::other(Time now) const {
  place_.require(other_ != nullptr, now, "the other direction has no checker");
  return *other_;
}

void LinkChecker::queued(const Tlp& tlp, Time now) { order_.queued(tlp, now); }

void LinkChecker::sent(const Tlp& tlp, std::uint64_t sequence, bool replayed, Time now, Time end) {
  if (!replayed) {
    order_.left(tlp, now);
    credits_.sent(tlp, now);
  }
  const std::uint32_t wire_bytes = sequence_.sent(tlp, sequence, replayed, now);
  line_.sent(tlp, sequence, wire_bytes, now, end);
}

// What a DLLP says is about the other direction's TLPs.
void LinkChecker::sent(const Dllp& dllp, Time now, Time end) {
  line_.sent(dllp, now, end);
  if (dllp.kind == Dllp::Kind::kUpdate) {
    other(now).credits_.update_sent(dllp, now);
  } else {
    other(now).sequence_.acknowledgement_sent(dllp, now);
  }
}

void LinkChecker::sent_skip(Time now, Time end) { line_.sent_skip(now, end); }

void LinkChecker::arrived(const Tlp& tlp, std::uint64_t sequence, bool good, Time now) {
  line_.arrived(tlp, sequence, now);
  if (sequence_.arrived(tlp, sequence, good, now)) credits_.stored(tlp, now);
}

void LinkChecker::arrived(const Dllp& dllp, bool good, Time now) {
  line_.arrived(dllp, now);
  if (!good) return;
  if (dllp.kind == Dllp::Kind::kUpdate) {
    other(now).credits_.update_arrived(dllp);
  } else {
    other(now).sequence_.acknowledgement_arrived(dllp, now);
  }
}

void LinkChecker::accepted(const Tlp& tlp, Time now) {
  sequence_.accepted(tlp, now);
  credits_.accepted(tlp);
}

void LinkChecker::released(FlowClass flow_class, std::uint32_t data_credits, Time now) {
  credits_.released(flow_class, data_credits, now);
}

void LinkChecker::at_end(Time now, bool drained) {
  if (!drained) return;
  order_.at_end(now);
  line_.at_end(now);
  sequence_.at_end(now);
  credits_.at_end(now);
}

}  // namespace railyard::pcie
