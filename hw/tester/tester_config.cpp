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

void TesterConfig::declare(Parameters& p) {
  p.add("mac", mac).required().doc("Address of the port");
  p.add("ip", ip).required().doc("IPv4 or IPv6 address, of one family in the whole platform");
  p.add("sends", sends).doc("The port sends the platform's traffic to its peer");
  p.add("start", start).range(0, 1000 * kSecond).doc("When the port begins to send");
  p.add("receive_buffer", receive_buffer)
      .min(9216)
      .doc("Bytes that wait to be drained; a frame that does not fit is dropped and counted");
  p.add("drain_rate", drain_rate)
      .range(Rate::bits_per_second(1'000'000), Rate::gbps(10'000))
      .doc("Rate at which received bytes are taken from the buffer; none: at once");
  p.group("pfc", pfc).doc("Priority flow control towards the peer");
  p.group("receive_stall", receive_stall).doc("Random stalls of the receive queue");
  p.group("send_stall", send_stall).doc("Random stalls of the send queue");
  p.check([this](const Bound& bound) {
    if (!pfc.enabled || pfc.xoff < receive_buffer) return;
    bound.fail("pfc.xoff",
               "XOFF at " + format_bytes(pfc.xoff) + " is not below the receive_buffer of " +
                   format_bytes(receive_buffer),
               "write less, or pfc.enabled: false");
  });
}

void TrafficConfig::declare(Parameters& p) {
  p.add("messages", messages)
      .range(1, 1'000'000'000)
      .doc("RDMA writes (unreliable connection) that each sending port sends");
  p.add("message_size", message_size).range(1, 1ULL << 31).doc("Bytes of a message");
  p.choice("path_mtu", path_mtu,
           {{"256", 256}, {"512", 512}, {"1024", 1024}, {"2048", 2048}, {"4096", 4096}})
      .doc("Largest payload of a RoCE packet, bytes");
  p.add("priority", priority)
      .max(7)
      .doc("Priority (PFC class, and PCP with a VLAN) of the traffic");
  p.add("dscp", dscp).max(63).doc("DSCP of the traffic");
  p.add("vlan", vlan).range(1, 4094).doc("VLAN id; none: untagged frames");
}

}  // namespace railyard
