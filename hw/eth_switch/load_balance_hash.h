// The hash of a frame's flow.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tlm/net/frame.h"

namespace railyard {

/// A bijection in which each input bit flips each output bit in half of the cases (SplitMix64's
/// finaliser, Steele et al. 2014, with Stafford's constants).
constexpr std::uint64_t mix_bits(std::uint64_t z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
  return z ^ z >> 31;
}

/// Of the 5-tuple (addresses, protocol, UDP ports) of an IP frame; of the addresses and type of
/// another. Frames of one flow hash alike whatever else they carry. `seed` is any number: the
/// hashes by two seeds are independent.
inline std::uint64_t flow_hash(const net::Frame& frame, std::uint64_t seed) {
  const auto big_endian = [](const std::uint8_t* bytes, std::size_t size) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < size; ++i) word = word << 8 | bytes[i];
    return word;
  };
  std::uint64_t h = mix_bits(seed);
  if (!frame.is_ip()) {
    const net::Ethernet& e = frame.ethernet;
    h = mix_bits(h ^ (big_endian(e.source.bytes.data(), 6) << 16 | static_cast<unsigned>(e.type)));
    return mix_bits(h ^ big_endian(e.destination.bytes.data(), 6));
  }
  std::uint64_t tail = 0;
  if (frame.is_ipv4()) {
    h = mix_bits(h ^ (std::uint64_t{frame.ipv4.source.value} << 32 | frame.ipv4.destination.value));
    tail = frame.ipv4.protocol;
  } else {
    for (const net::Ipv6Address* a : {&frame.ipv6.source, &frame.ipv6.destination}) {
      h = mix_bits(h ^ big_endian(a->bytes.data(), 8));
      h = mix_bits(h ^ big_endian(a->bytes.data() + 8, 8));
    }
    tail = frame.ipv6.next_header;
  }
  if (frame.is_udp()) {
    tail |= std::uint64_t{frame.udp.source_port} << 32 | std::uint64_t{frame.udp.destination_port}
                                                             << 16;
  }
  return mix_bits(h ^ tail);
}

/// An index below `size` from the high bits of a hash: each index has the same share to size/2^64.
inline std::size_t index_of(std::uint64_t hash, std::size_t size) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::size_t>(Wide{hash} * size >> 64);
}

}  // namespace railyard
