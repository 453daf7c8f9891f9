#include "tlm/link/link_config.h"

namespace railyard {

void Outage::declare(Parameters& p) {
  p.add("at", at).range(0, kSecond * 1000).doc("When the link goes down");
  p.add("lasts", lasts)
      .range(0, kSecond * 1000)
      .doc("How long it stays down; 0s: for good. A run lasts at least until it is up again");
}

void LinkConfig::declare(Parameters& p) {
  p.add("rate", rate)
      .range(Rate::bits_per_second(1'000'000), Rate::gbps(10'000))
      .doc("Rate of each direction, line coding taken off: what Ethernet calls its speed");
  p.add("length", length).range(Length{0}, metres(100'000)).doc("Length of the cable");
  p.add("delay_per_metre", delay_per_metre)
      .range(0, 20 * kNanosecond)
      .doc("Propagation delay of a metre; light in fibre takes 5ns");
  p.add("bit_error_rate", bit_error_rate)
      .range(0, 1)
      .doc("Chance that a bit is wrong after FEC; a frame with a wrong bit has a bad FCS");
  p.add("drop_probability", drop_probability)
      .range(0, 1)
      .doc("Chance that a frame is lost without a trace, to test recovery");
  p.list("outages", outages).doc("Times when the link is down, in order and apart");
  p.check([this](const Bound& bound) {
    for (std::size_t i = 1; i < outages.size(); ++i) {
      if (outages[i - 1].end() < outages[i].at) continue;
      bound.fail("outages", "outage " + std::to_string(i) + " begins before the one before ends",
                 "write outages in order of time and apart");
    }
  });
}

Time LinkConfig::propagation() const {
  __extension__ using Wide = unsigned __int128;
  constexpr Wide kMicrometresAMetre = 1'000'000;
  const Wide scaled = Wide{length.micrometres} * static_cast<std::uint64_t>(delay_per_metre);
  return static_cast<Time>((scaled + kMicrometresAMetre / 2) / kMicrometresAMetre);
}

}  // namespace railyard
