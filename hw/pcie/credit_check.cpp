#include "hw/pcie/credit_check.h"

namespace railyard::pcie {

CreditCheck::CreditCheck(const CheckPlace& place, const CreditConfig& receiver) : place_(place) {
  pools(FlowClass::kPosted).size = {receiver.posted_headers, receiver.posted_data};
  pools(FlowClass::kNonPosted).size = {receiver.non_posted_headers, receiver.non_posted_data};
  pools(FlowClass::kCompletion).size = {receiver.completion_headers, receiver.completion_data};
  for (Pools& p : pools_) {
    p.finite = p.size.headers != 0;
    p.limit = p.size;
    p.told = p.size;
  }
}

void CreditCheck::sent(const Tlp& tlp, Time now) {
  Pools& p = pools(tlp.flow_class());
  p.consumed = p.consumed + of(tlp);
  if (!p.finite) return;
  place_.require(p.consumed.headers <= p.limit.headers, now, "a TLP went without header credit");
  place_.require(p.consumed.data <= p.limit.data, now, "a TLP went without its data credits");
}

void CreditCheck::stored(const Tlp& tlp, Time now) {
  Pools& p = pools(tlp.flow_class());
  p.stored = p.stored + of(tlp);
  place_.require(!p.finite || p.stored.within(p.released + p.size), now,
                 "the receive buffer is overfull");
}

void CreditCheck::accepted(const Tlp& tlp) {
  Pools& p = pools(tlp.flow_class());
  p.accepted = p.accepted + of(tlp);
}

void CreditCheck::released(FlowClass flow_class, std::uint32_t data_credits, Time now) {
  Pools& p = pools(flow_class);
  p.released = p.released + Amount{1, data_credits};
  place_.require(p.released.within(p.accepted), now, "more was released than was accepted");
}

void CreditCheck::update_sent(const Dllp& dllp, Time now) {
  Pools& p = pools(dllp.flow_class);
  const Amount told{dllp.headers, dllp.data};
  place_.require(p.finite, now, "an update of credits that are infinite");
  place_.require(p.told.within(told), now, "an update takes credits back");
  place_.require(told.within(p.released + p.size), now,
                 "an update allocates more than the receive buffer has free");
  p.told = told;
}

void CreditCheck::update_arrived(const Dllp& dllp) {
  pools(dllp.flow_class).limit = {dllp.headers, dllp.data};
}

void CreditCheck::at_end(Time now) {
  for (const Pools& p : pools_) {
    place_.require(p.released == p.accepted, now, "what was accepted was not all released");
    place_.require(!p.finite || p.limit == p.consumed + p.size, now,
                   "not all credits are back at the transmitter");
  }
}

}  // namespace railyard::pcie
