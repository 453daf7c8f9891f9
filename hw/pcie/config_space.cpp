#include "hw/pcie/config_space.h"

#include <algorithm>

namespace railyard::pcie {

namespace {

constexpr std::uint32_t kSmallestSize = 128;  // of payloads and read requests
constexpr std::uint32_t kLargestSize = 4096;

std::uint32_t size_of(std::uint32_t code) {
  return std::min(kSmallestSize << (code & config::kSizeMask), kLargestSize);
}

std::uint32_t bytes_of(std::uint8_t byte_enables) {
  std::uint32_t mask = 0;
  for (unsigned i = 0; i < 4; ++i) {
    if ((byte_enables >> i & 1U) != 0) mask |= 0xFFU << 8 * i;
  }
  return mask;
}

}  // namespace

std::string format_id(DeviceId id) {
  constexpr char kDigits[] = "0123456789abcdef";
  const unsigned bus = id.bus();
  const unsigned device = id.device();
  return {kDigits[bus >> 4],     kDigits[bus & 15],    ':',
          kDigits[device >> 4],  kDigits[device & 15], '.',
          kDigits[id.function()]};
}

void ConfigSpace::write(unsigned offset, std::uint32_t value, std::uint8_t byte_enables) {
  const std::uint32_t bytes = bytes_of(byte_enables);
  const std::uint32_t written = writable_[offset / 4] & bytes;
  const std::uint32_t cleared = clearable_[offset / 4] & bytes & value;
  put(offset, value & ~cleared, written | cleared);
}

void ConfigSpace::put(unsigned offset, std::uint32_t value, std::uint32_t mask) {
  std::uint32_t& now = value_[offset / 4];
  const std::uint32_t next = (now & ~mask) | (value & mask);
  if (next == now) return;
  now = next;
  ++changes_;
}

ConfigSpace::Bar ConfigSpace::bar(unsigned index) const {
  if (bar_sizes_[index] == 0) return {};
  const unsigned offset = config::kBar0 + 4 * index;
  const std::uint32_t low = read(offset);
  std::uint64_t base = low & config::kBarAddress;
  if ((low & config::kBar64) != 0) base |= std::uint64_t{read(offset + 4)} << 32;
  return {base, bar_sizes_[index], memory_enabled()};
}

std::optional<unsigned> ConfigSpace::bar_at(std::uint64_t address) const {
  for (unsigned i = 0; i < config::kBars; ++i) {
    if (bar(i).contains(address)) return i;
  }
  return std::nullopt;
}

ConfigSpace::Window ConfigSpace::window(std::uint32_t low, std::uint64_t upper_base,
                                        std::uint64_t upper_limit) const {
  if (!is_bridge_ || !memory_enabled()) return {};
  const std::uint64_t base = upper_base << 32 | (low & 0xFFF0U) << 16;
  const std::uint64_t limit = upper_limit << 32 | (low & 0xFFF00000U);
  return {base, limit | (config::kWindowGranularity - 1)};
}

ConfigSpace::Window ConfigSpace::memory_window() const {
  return window(read(config::kMemoryBase), 0, 0);
}

ConfigSpace::Window ConfigSpace::prefetchable_window() const {
  return window(read(config::kPrefetchableBase), read(config::kPrefetchableBaseUpper),
                read(config::kPrefetchableLimitUpper));
}

bool ConfigSpace::in_window(std::uint64_t address) const {
  return memory_window().contains(address) || prefetchable_window().contains(address);
}

std::uint32_t ConfigSpace::max_payload_supported() const {
  if (express_ == 0) return kSmallestSize;
  return size_of(read(express_ + config::kDeviceCapabilities));
}

std::uint32_t ConfigSpace::max_payload() const {
  if (express_ == 0) return kSmallestSize;
  const std::uint32_t control = read(express_ + config::kDeviceControl);
  return std::min(size_of(control >> config::kPayloadShift), max_payload_supported());
}

std::uint32_t ConfigSpace::max_read_request() const {
  if (express_ == 0) return kSmallestSize;
  return size_of(read(express_ + config::kDeviceControl) >> config::kReadRequestShift);
}

std::uint32_t ConfigSpace::read_completion_boundary() const {
  return express_bit(config::kLinkControl, config::kReadCompletionBoundary) ? 128 : 64;
}

std::optional<ConfigSpace::TimeRange> ConfigSpace::completion_timeout() const {
  constexpr TimeRange kDefault = {50 * kMicrosecond, 50 * kMillisecond};
  if (express_ == 0) return kDefault;
  const std::uint32_t control = read(express_ + config::kDeviceControl2);
  if ((control & config::kTimeoutDisable) != 0) return std::nullopt;
  switch (control & config::kTimeoutValue) {  // 7.5.3.16
    case 0x1:
      return TimeRange{50 * kMicrosecond, 100 * kMicrosecond};
    case 0x2:
      return TimeRange{kMillisecond, 10 * kMillisecond};
    case 0x5:
      return TimeRange{16 * kMillisecond, 55 * kMillisecond};
    case 0x6:
      return TimeRange{65 * kMillisecond, 210 * kMillisecond};
    case 0x9:
      return TimeRange{260 * kMillisecond, 900 * kMillisecond};
    case 0xA:
      return TimeRange{1'000 * kMillisecond, 3'500 * kMillisecond};
    case 0xD:
      return TimeRange{4'000 * kMillisecond, 13'000 * kMillisecond};
    case 0xE:
      return TimeRange{17'000 * kMillisecond, 64'000 * kMillisecond};
    default:
      return kDefault;
  }
}

void ConfigSpace::set_link(unsigned generation, unsigned lanes) {
  if (express_ == 0) return;
  std::uint32_t status = 0;
  if (lanes != 0) {
    status = (lanes << config::kLinkWidthShift | generation) << config::kLinkStatusShift;
    // Only ports that lead downstream report it.
    if (type_ == PortType::kRootPort || type_ == PortType::kSwitchDownstream) {
      status |= config::kLinkActive;
    }
  }
  put(express_ + config::kLinkControl, status, 0xFFFFU << config::kLinkStatusShift);
}

void ConfigSpace::log_completion(Status status) {
  const unsigned offset = is_bridge_ ? config::kSecondaryStatus : config::kCommand;
  if (status == Status::kUnsupportedRequest) put(offset, ~0U, config::kReceivedMasterAbort);
  if (status == Status::kCompleterAbort) put(offset, ~0U, config::kReceivedTargetAbort);
}

void ConfigSpace::log_error(UncorrectableError error, const std::array<std::uint32_t, 4>& header) {
  const auto number = static_cast<unsigned>(error);
  const std::uint32_t bit = 1U << number;
  bool fatal = false;
  if (aer_ != 0) {
    fatal = (read(aer_ + config::kUncorrectableSeverity) & bit) != 0;
    const std::uint32_t mask = read(aer_ + config::kUncorrectableMask);
    const std::uint32_t first = read(aer_ + config::kAerControl) & config::kFirstErrorMask;
    // The pointer is valid while the status bit that it names is set (7.8.4.7). No error has number
    // 0, so a pointer at rest is not valid; one that was cleared is not made valid by a masked
    // error.
    const bool logged = (read(aer_ + config::kUncorrectableStatus) & ~mask & 1U << first) != 0;
    put(aer_ + config::kUncorrectableStatus, bit, bit);
    if (!logged && (mask & bit) == 0) {
      put(aer_ + config::kAerControl, number, config::kFirstErrorMask);
      for (unsigned i = 0; i < 4; ++i) put(aer_ + config::kHeaderLog + 4 * i, header[i]);
    }
  }
  if (express_ == 0) return;
  std::uint32_t detected = fatal ? config::kFatalDetected : config::kNonFatalDetected;
  if (error == UncorrectableError::kUnsupportedRequest) detected |= config::kUnsupportedDetected;
  put(express_ + config::kDeviceControl, detected, detected);
}

}  // namespace railyard::pcie
