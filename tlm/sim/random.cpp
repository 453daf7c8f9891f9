#include "tlm/sim/random.h"

#include <cmath>

namespace railyard {

namespace {

std::uint64_t rotate(std::uint64_t x, unsigned k) { return x << k | x >> (64 - k); }

std::uint64_t split_mix(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15ULL;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
  return z ^ z >> 31;
}

// FNV-1a, 64 bits
std::uint64_t hash(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325ULL;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return h;
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::string_view name) {
  std::uint64_t mix = seed;
  mix = split_mix(mix) ^ hash(name);
  for (std::uint64_t& word : state_) word = split_mix(mix);
}

std::uint64_t RandomStream::next() {
  const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = rotate(state_[3], 45);
  return result;
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  __extension__ using Wide = unsigned __int128;
  Wide product = Wide{next()} * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t reject = (0 - bound) % bound;
    while (static_cast<std::uint64_t>(product) < reject) product = Wide{next()} * bound;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

double RandomStream::uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

std::uint64_t RandomStream::threshold(double probability) {
  if (probability <= 0) return 0;
  if (probability >= 1) return ~std::uint64_t{0};
  return static_cast<std::uint64_t>(probability * 0x1p64);
}

std::uint64_t RandomStream::geometric(double probability) {
  constexpr double kMost = 0x1p62;
  const double trials = std::floor(std::log1p(-uniform()) / std::log1p(-probability));
  return trials < kMost ? static_cast<std::uint64_t>(trials) : static_cast<std::uint64_t>(kMost);
}

}  // namespace railyard
