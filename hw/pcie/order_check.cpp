#include "hw/pcie/order_check.h"

#include <cstddef>
#include <string>

#include "hw/pcie/tlp_rules.h"

namespace railyard::pcie {

namespace {

// What a TLP takes on the line and in the receive buffer, from its header alone.
std::uint32_t data_dwords(const Tlp& tlp) {
  if (!tlp.has_data()) return 0;
  if (tlp.bytes == 0) return 1;
  return static_cast<std::uint32_t>((tlp.address + tlp.bytes + 3) / 4 - tlp.address / 4);
}

std::uint32_t header_dwords(const Tlp& tlp) {
  const bool memory = tlp.type == TlpType::kMemoryRead || tlp.type == TlpType::kMemoryWrite;
  return memory && tlp.address > 0xFFFF'FFFF ? 4 : 3;
}

}  // namespace

void OrderCheck::queued(const Tlp& tlp, Time now) {
  const std::uint32_t data = data_dwords(tlp);
  place_.require(tlp.wire_bytes == 4 + header_dwords(tlp) * 4 + data * 4 + 4, now,
                 "a TLP's bytes on the line do not follow from its header");
  place_.require(tlp.data_credits == (data + 3) / 4, now,
                 "a TLP's data credits do not follow from its header");
  const auto flow_class = static_cast<std::size_t>(tlp.flow_class());
  rings_[flow_class].push({TlpImage::of(tlp), next_order_++});
}

OrderCheck::Entry OrderCheck::take(Ring<Entry>& ring, const Tlp& tlp, Time now) {
  std::size_t place = 0;
  while (place < ring.size() && ring[place].image.object != &tlp) ++place;
  place_.require(place < ring.size(), now, "a TLP was sent that was not in the transmit queue");
  place_.require(ring[place].image.is(tlp), now, "a TLP changed in the transmit queue");
  // Those of its own class that came before it.
  for (std::size_t i = 0; i < place; ++i) {
    place_.require(may_pass(tlp, ring[i].image.header()), now,
                   "a TLP passed one of its own class that it must not pass");
  }
  const Entry taken = ring[place];
  for (std::size_t i = place; i > 0; --i) ring[i] = ring[i - 1];
  ring.pop();
  return taken;
}

// Of another class the oldest stands for all: there the rules look at the classes alone.
void OrderCheck::left(const Tlp& tlp, Time now) {
  const auto own = static_cast<std::size_t>(tlp.flow_class());
  const Entry taken = take(rings_[own], tlp, now);
  for (std::size_t i = 0; i < kFlowClasses; ++i) {
    if (i == own || rings_[i].empty() || rings_[i].front().order > taken.order) continue;
    place_.require(may_pass(tlp, rings_[i].front().image.header()), now,
                   "a TLP passed one of another class that it must not pass");
  }
}

void OrderCheck::at_end(Time now) {
  std::size_t left = 0;
  for (const Ring<Entry>& ring : rings_) left += ring.size();
  if (left != 0) place_.fail(now, std::to_string(left) + " TLPs were never sent");
}

}  // namespace railyard::pcie
