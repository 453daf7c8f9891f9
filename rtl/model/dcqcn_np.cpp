#include "rtl/model/dcqcn_np.h"

namespace railyard::rtl {

namespace {
constexpr std::uint64_t kStampValid = std::uint64_t{1} << DcqcnNp::kStampBits;
constexpr std::uint64_t kStampMask = kStampValid - 1;
}  // namespace

DcqcnNpModel::DcqcnNpModel(unsigned contexts)
    : contexts_(contexts),
      waiting_(contexts),
      scan_bits_(kStampBits - 2 - static_cast<unsigned>(__builtin_ctz(contexts))) {}

// The memories keep what they held, as the RTL's do: the block clears the contexts itself.
void DcqcnNpModel::reset() { state_ = {}; }

DcqcnNpModel::Moves DcqcnNpModel::moves(const DcqcnNpIn& in) const {
  Moves m{};
  m.initialised = state_.init == contexts();
  const bool slot = (in.now & ((std::uint64_t{1} << scan_bits_) - 1)) == 0;
  m.scan = m.initialised && slot && state_.fresh != 0;
  m.ready = m.initialised && !m.scan && state_.count + (state_.s1_valid ? 1U : 0U) < contexts();
  m.take = in.ce_valid && m.ready;
  m.cnp_valid = state_.head_valid && reached(in.now, state_.head_at);
  m.pop = m.cnp_valid && in.cnp_ready;
  m.load = state_.count != 0 && (!state_.head_valid || m.pop);
  return m;
}

DcqcnNpOut DcqcnNpModel::outputs(const DcqcnNpIn& in) const {
  const Moves m = moves(in);
  DcqcnNpOut out;
  out.ce_ready = m.ready;
  out.cnp_valid = m.cnp_valid;
  out.cnp_index = m.cnp_valid ? state_.head_index : std::uint16_t{0};
  out.quiet = m.initialised && !m.take && !m.scan && !state_.s1_valid && !state_.s1_scan &&
              !m.load && !m.pop;
  const bool head_waits = state_.head_valid && !m.cnp_valid;
  const std::uint64_t to_head = (state_.head_at - in.now) & kTimeMask;
  const std::uint64_t cycle = std::uint64_t{1} << scan_bits_;
  const std::uint64_t to_scan = cycle - (in.now & (cycle - 1));
  out.wake_valid = head_waits || state_.fresh != 0;
  const bool head_first = head_waits && (state_.fresh == 0 || to_head < to_scan);
  out.wake = (in.now + (head_first ? to_head : to_scan)) & kTimeMask;
  return out;
}

bool DcqcnNpModel::judge(const DcqcnNpIn& in) {
  if (!state_.s1_valid && !state_.s1_scan) return false;
  std::uint64_t& context = contexts_[state_.s1_index];
  const bool fresh = (context & kStampValid) != 0;
  const bool passed = ((in.now - context) & kStampMask) >= in.interval;
  if (state_.s1_scan && fresh && passed) {
    context = 0;
    --state_.fresh;
  }
  if (!state_.s1_valid || (fresh && !passed)) return false;
  if (!fresh) ++state_.fresh;
  context = kStampValid | (in.now & kStampMask);
  return true;
}

// The FIFO's output, read as the memory was before this edge.
void DcqcnNpModel::load(bool due, const Moves& m) {
  if (m.pop) {
    state_.head_valid = false;
    state_.head_index = 0;
    state_.head_at = 0;
  }
  if (m.load) {
    const Entry& first = waiting_[state_.read_at];
    state_.head_valid = true;
    state_.head_index = first.index;
    state_.head_at = first.at;
    state_.read_at = static_cast<std::uint16_t>((state_.read_at + 1U) % contexts());
  }
  state_.count = static_cast<std::uint16_t>(state_.count + (due ? 1 : 0) - (m.load ? 1 : 0));
}

DcqcnNpOut DcqcnNpModel::clock(const DcqcnNpIn& in) {
  const Moves m = moves(in);
  const bool due = judge(in);
  load(due, m);
  if (due) {
    waiting_[state_.write_at] = {(in.now + in.delay) & kTimeMask, state_.s1_index};
    state_.write_at = static_cast<std::uint16_t>((state_.write_at + 1U) % contexts());
  }
  if (!m.initialised) contexts_[state_.init++] = 0;
  state_.s1_valid = m.take;
  state_.s1_scan = m.scan;
  if (m.scan) {
    state_.s1_index = static_cast<std::uint16_t>((in.now >> scan_bits_) & (contexts() - 1));
  } else if (m.take) {
    state_.s1_index = in.ce_index;
  }
  return outputs(in);
}

}  // namespace railyard::rtl
