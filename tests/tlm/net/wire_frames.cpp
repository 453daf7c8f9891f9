// Writes encoded frames for tests/support/wire_check.py, one a line: opcode's name and hex, from
// the destination address to the FCS. Fields are random where every value is legal.
#include <cstdio>
#include <vector>

#include <systemc>

#include "tests/tlm/net/hex.h"
#include "tests/tlm/net/random_frame.h"
#include "tlm/net/codec.h"

using railyard::net::Frame;

int sc_main(int, char**) {
  namespace net = railyard::net;
  net::TestRandom random(30);
  for (const net::Opcode opcode : net::all_opcodes()) {
    for (const auto type : {net::EtherType::kIpv4, net::EtherType::kIpv6}) {
      for (const std::uint32_t size : {0u, 1u, 2u, 3u, 64u, 1024u}) {
        Frame frame = net::random_frame(random, type, opcode, random.flip(), size);
        frame.ethernet.source.bytes[0] &= 0xFE;  // not a group address
        frame.ipv4.reserved_flag = false;
        frame.ipv4.source.value = 0x0A000001 + random.bits(8);
        frame.ipv4.destination.value = 0x0A000101 + random.bits(8);
        frame.ipv4.ttl |= 0x40;
        frame.ipv6.source.bytes[0] = frame.ipv6.destination.bytes[0] = 0x20;
        frame.udp.checksum = 0;
        const auto payload = net::random_bytes(random, frame.payload_bytes);
        std::vector<std::uint8_t> bytes;
        net::encode(frame, payload.data(), payload.size(), bytes);
        std::printf("%s %s\n", net::opcode_name(opcode), net::to_hex(bytes).c_str());
      }
    }
  }
  return 0;
}
