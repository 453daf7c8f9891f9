// Sets of the banks of a pseudo-channel, a bit each.
#pragma once

#include <cstdint>

namespace railyard::hbm {

/// Calls for each bank of a set, the lowest first.
template <class Call>
void for_each_bank(std::uint64_t banks, Call call) {
  for (; banks != 0; banks &= banks - 1) {
    call(static_cast<unsigned>(__builtin_ctzll(banks)));
  }
}

}  // namespace railyard::hbm
