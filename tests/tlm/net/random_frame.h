// Frames with random fields for the tests of tlm/net, the same on every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tlm/net/frame.h"

namespace railyard::net {

/// SplitMix64.
class TestRandom {
 public:
  explicit TestRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  /// 0 to bound-1.
  std::size_t below(std::size_t bound) { return next() % bound; }
  template <class T = std::uint32_t>
  T bits(int count) {
    return static_cast<T>(next() >> (64 - count));
  }
  bool flip() { return bits<unsigned>(1) != 0; }
  template <class Array>
  void fill(Array& bytes) {
    for (auto& byte : bytes) byte = bits<std::uint8_t>(8);
  }

 private:
  std::uint64_t state_;
};

inline std::vector<Opcode> all_opcodes() {
  std::vector<Opcode> opcodes;
  for (int byte = 0; byte < 256; ++byte) {
    if (is_known(static_cast<Opcode>(byte))) opcodes.push_back(static_cast<Opcode>(byte));
  }
  return opcodes;
}

inline std::vector<std::uint8_t> random_bytes(TestRandom& random, std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  random.fill(bytes);
  return bytes;
}

/// Every field of every header is random, reserved bits too.
inline Frame random_frame(TestRandom& r, EtherType type, Opcode opcode, bool vlan,
                          std::uint32_t payload_bytes) {
  Frame f;
  r.fill(f.ethernet.destination.bytes);
  r.fill(f.ethernet.source.bytes);
  f.ethernet.type = type;
  f.ethernet.has_vlan = vlan;
  f.ethernet.pcp = r.bits<std::uint8_t>(3);
  f.ethernet.dei = r.flip();
  f.ethernet.vid = r.bits<std::uint16_t>(12);
  f.ipv4.dscp = r.bits<std::uint8_t>(6);
  f.ipv4.ecn = r.bits<Ecn>(2);
  f.ipv4.identification = r.bits<std::uint16_t>(16);
  f.ipv4.reserved_flag = r.flip();
  f.ipv4.dont_fragment = r.flip();
  f.ipv4.ttl = r.bits<std::uint8_t>(8);
  f.ipv4.source.value = r.bits(32);
  f.ipv4.destination.value = r.bits(32);
  f.ipv6.dscp = r.bits<std::uint8_t>(6);
  f.ipv6.ecn = r.bits<Ecn>(2);
  f.ipv6.hop_limit = r.bits<std::uint8_t>(8);
  f.ipv6.flow_label = r.bits(20);
  r.fill(f.ipv6.source.bytes);
  r.fill(f.ipv6.destination.bytes);
  f.udp.source_port = r.bits<std::uint16_t>(16);
  f.udp.checksum = r.bits<std::uint16_t>(16);
  f.bth.opcode = opcode;
  f.bth.solicited_event = r.flip();
  f.bth.migration = r.flip();
  f.bth.version = r.bits<std::uint8_t>(4);
  f.bth.p_key = r.bits<std::uint16_t>(16);
  f.bth.fecn = r.flip();
  f.bth.becn = r.flip();
  f.bth.reserved6 = r.bits<std::uint8_t>(6);
  f.bth.ack_request = r.flip();
  f.bth.reserved7 = r.bits<std::uint8_t>(7);
  f.bth.destination_qp = r.bits(24);
  f.bth.psn = r.bits(24);
  f.reth = {r.next(), r.bits(32), r.bits(32)};
  f.atomic = {r.next(), r.bits(32), r.next(), r.next()};
  f.aeth = {r.bits<std::uint8_t>(8), r.bits(24)};
  f.atomic_ack = {r.next()};
  f.immediate = {r.bits(32)};
  f.ieth = {r.bits(32)};
  f.deth = {r.bits(32), r.bits<std::uint8_t>(8), r.bits(24)};
  r.fill(f.cnp_reserved.bytes);
  f.payload_bytes = has_payload(opcode) ? payload_bytes : 0;
  return f;
}

}  // namespace railyard::net
