#include "hw/tester/tester_config.h"

#include "tlm/base/error.h"

namespace railyard {

net::MacAddress ScalarType<net::MacAddress>::parse(const std::string& text) {
  const std::optional<net::MacAddress> mac = net::parse_mac(text);
  if (!mac) {
    throw ConfigError("", quoted(text) + " is not a MAC address",
                      "write six pairs of hex digits, like " + example());
  }
  if (mac->is_multicast()) {
    throw ConfigError("", quoted(text) + " is a multicast address",
                      "write a station's address, whose first byte is even, like " + example());
  }
  return *mac;
}

IpAddress ScalarType<IpAddress>::parse(const std::string& text) {
  if (const auto v4 = net::parse_ipv4(text)) return *v4;
  if (const auto v6 = net::parse_ipv6(text)) return *v6;
  throw ConfigError("", quoted(text) + " is not an IP address",
                    "write it like " + example() + " or fd00::1");
}

std::string ScalarType<IpAddress>::format(const IpAddress& value) {
  return std::visit([](const auto& address) { return net::to_string(address); }, value);
}

void PfcConfig::declare(Parameters& p) {
  p.add("enabled", enabled).doc("Pauses the peer's priority before the receive buffer is full");
  p.add("xoff", xoff).min(64).doc("Receive bytes above which XOFF is sent");
  p.add("xon", xon).doc("Receive bytes at or below which XON is sent");
  p.add("quanta", quanta)
      .min(2)
      .doc("Pause time of an XOFF in quanta of 512 bit times; refreshed after half of it");
  p.check([this](const Bound& bound) {
    if (xon <= xoff) return;
    bound.fail("xon", "XON at " + format_bytes(xon) + " lies above XOFF at " + format_bytes(xoff),
               "write an xon of at most xoff");
  });
}

void StuckWindow::declare(Parameters& p) {
  p.add("at", at).range(0, 1000 * kSecond).doc("When the receiver stops taking frames");
  p.add("lasts", lasts)
      .range(0, 1000 * kSecond)
      .doc("How long it takes none; 0s: for good. A run lasts at least until it is over");
}

void TesterConfig::declare(Parameters& p) {
  p.add("receive_buffer", receive_buffer)
      .min(9216)
      .doc("Bytes that wait to be drained; a frame that does not fit is dropped and counted");
  p.add("drain_rate", drain_rate)
      .range(Rate::bits_per_second(1'000'000), Rate::gbps(10'000))
      .doc("Rate at which received bytes are taken from the buffer; none: at once");
  p.group("pfc", pfc).doc("Priority flow control towards the peer");
  p.add("response_quanta", response_quanta)
      .max(100'000)
      .doc(
          "Quanta of 512 bit times from a pause's arrival to its effect (IEEE 802.3 31B.3.7 "
          "allows 905 at 400Gbps); 0: obeys at once");
  p.group("receive_stall", receive_stall).doc("Random stalls of the receive queue");
  p.group("send_stall", send_stall).doc("Random stalls of the send queue");
  p.list("stuck", stuck).doc("Times when the receiver takes nothing, in order and apart");
  p.group("cnp", cnp).doc("Answers to packets that a switch marked");
  p.check([this](const Bound& bound) {
    if (!pfc.enabled || pfc.xoff < receive_buffer) return;
    bound.fail("pfc.xoff",
               "XOFF at " + format_bytes(pfc.xoff) + " is not below the receive_buffer of " +
                   format_bytes(receive_buffer),
               "write less, or pfc.enabled: false");
  });
  p.check([this](const Bound& bound) {
    for (std::size_t i = 1; i < stuck.size(); ++i) {
      if (stuck[i - 1].end() < stuck[i].at) continue;
      bound.fail("stuck", "time " + std::to_string(i) + " begins before the one before ends",
                 "write times in order and apart");
    }
  });
}

}  // namespace railyard
