#include "rtl/model/pacer.h"

namespace railyard::rtl {

namespace {
constexpr unsigned kPointBits = Pacer::kStampBits + Pacer::kFracBits;
constexpr std::uint64_t kPointValid = std::uint64_t{1} << kPointBits;
constexpr std::uint64_t kPointMask = kPointValid - 1;
constexpr std::uint64_t kFracMask = (std::uint64_t{1} << Pacer::kFracBits) - 1;
constexpr unsigned kToStage2 = 2;

/// The first whole cycle that is not before it.
std::uint32_t rounded_up(std::uint64_t point) {
  return static_cast<std::uint32_t>(((point & kPointMask) + kFracMask) >> Pacer::kFracBits);
}
}  // namespace

PacerModel::PacerModel(unsigned contexts)
    : contexts_(contexts),
      scan_bits_(kStampBits - 2 - static_cast<unsigned>(__builtin_ctz(contexts))) {}

// The memory keeps what it held, as the RTL's does: the block clears the contexts itself.
void PacerModel::reset() { state_ = {}; }

bool PacerModel::scans(const PacerIn& in) const {
  const bool slot = (in.now & ((std::uint64_t{1} << scan_bits_) - 1)) == 0;
  return state_.init == contexts() && slot && state_.fresh != 0;
}

PacerOut PacerModel::outputs(const PacerIn& in) const {
  PacerOut out;
  const bool initialised = state_.init == contexts();
  const bool scan = scans(in);
  out.tx_ready = initialised && !scan;
  out.next_valid = state_.next_valid;
  out.next_index = state_.next_index;
  out.next_at = state_.next_at;
  out.quiet = out.tx_ready && !in.tx_valid && !state_.s1_valid && !state_.s1_scan &&
              !state_.s2_valid && !state_.s2_scan && !state_.next_valid;
  out.wake_valid = state_.fresh != 0;
  out.wake = (((in.now >> scan_bits_) + 1) << scan_bits_) & kTimeMask;
  return out;
}

void PacerModel::charge(const PacerIn& in) {
  if (!state_.s2_valid && !state_.s2_scan) return;
  std::uint64_t& context = contexts_[state_.s2_index];
  const std::uint64_t sent = (in.now - kToStage2) & kTimeMask;
  const auto stamp = static_cast<std::uint32_t>(sent);
  const bool fresh = (context & kPointValid) != 0;
  const auto late = static_cast<std::int32_t>(stamp - rounded_up(context));
  const bool behind = late > static_cast<std::int32_t>(in.burst);
  if (state_.s2_scan && fresh && behind) {
    context = 0;
    --state_.fresh;
  }
  if (!state_.s2_valid) return;
  if (!fresh) ++state_.fresh;
  const std::uint64_t earliest = std::uint64_t{stamp - in.burst} << kFracBits;
  const std::uint64_t base = state_.s2_open     ? std::uint64_t{stamp} << kFracBits
                             : fresh && !behind ? context
                                                : earliest;
  const std::uint64_t next = base + state_.s2_product;
  context = kPointValid | (next & kPointMask);
  const auto to_next = static_cast<std::int32_t>(rounded_up(next) - stamp);
  state_.next_at = (sent + static_cast<std::uint64_t>(std::int64_t{to_next})) & kTimeMask;
  state_.next_index = state_.s2_index;
}

void PacerModel::multiply() {
  if (state_.s1_valid) state_.s2_product = state_.s1_bytes * state_.s1_interval;
  if (state_.s1_valid || state_.s1_scan) state_.s2_index = state_.s1_index;
  state_.s2_valid = state_.s1_valid;
  state_.s2_scan = state_.s1_scan;
  state_.s2_open = state_.s1_open;
}

PacerOut PacerModel::clock(const PacerIn& in) {
  const bool initialised = state_.init == contexts();
  const bool scan = scans(in);
  const bool take = initialised && !scan && in.tx_valid;
  charge(in);
  state_.next_valid = state_.s2_valid;
  multiply();
  if (!initialised) contexts_[state_.init++] = 0;
  if (scan) {
    state_.s1_index = static_cast<std::uint16_t>((in.now >> scan_bits_) & (contexts() - 1));
  } else if (take) {
    state_.s1_index = in.tx_index;
  }
  if (take) {
    state_.s1_bytes = in.tx_bytes;
    state_.s1_interval = in.tx_interval;
  }
  state_.s1_valid = take;
  state_.s1_scan = scan;
  state_.s1_open = take && in.tx_open;
  return outputs(in);
}

}  // namespace railyard::rtl
