#include "hw/host/function_settings.h"

#include <algorithm>
#include <string>

#include "tlm/base/error.h"

namespace railyard::host {

namespace {

namespace cfg = pcie::config;
using pcie::PortType;

constexpr std::uint32_t kSmallestSize = 128;  // of payloads and read requests
constexpr unsigned kLargestCode = 5;          // 4 KiB

class Settings {
 public:
  Settings(ConfigAccess& access, const EnumerationConfig& config, DeviceTree& tree)
      : access_(access), config_(config), tree_(tree) {}

  void apply() {
    const auto all = tree_.all();
    for (const FoundFunction* f : all) {
      program_bars(*f);
      if (f->is_bridge) program_windows(*f);
    }
    agree();
    for (const FoundFunction* f : all) {
      set_express(*f);
      if (config_.acs_redirect) redirect(*f);
    }
    // Upstream first: nobody is enabled before the way to him.
    for (const FoundFunction* f : all) {
      access_.write(f->id, cfg::kCommand, cfg::kMemorySpace | cfg::kBusMaster);
    }
  }

 private:
  void program_bars(const FoundFunction& f) {
    for (const FoundBar& bar : f.bars) {
      const unsigned offset = cfg::kBar0 + 4 * bar.index;
      access_.write(f.id, offset, static_cast<std::uint32_t>(bar.base));
      if (bar.is_64_bit) {
        access_.write(f.id, offset + 4, static_cast<std::uint32_t>(bar.base >> 32));
      }
    }
  }

  void program_windows(const FoundFunction& f) {
    access_.write(f.id, cfg::kMemoryBase, base_and_limit(f.memory));
    const BridgeWindow& window = f.prefetchable;
    const std::uint64_t last = window.base + window.bytes - 1;
    const bool is_64_bit = (access_.read(f.id, cfg::kPrefetchableBase) & cfg::kWindow64) != 0;
    if (window.bytes != 0 && !is_64_bit && last >> 32 != 0) {
      throw ConfigError(pcie::format_id(f.id),
                        "this bridge's prefetchable window has 32-bit addresses",
                        "put the prefetchable window below 4GiB");
    }
    access_.write(f.id, cfg::kPrefetchableBase, base_and_limit(window));
    access_.write(f.id, cfg::kPrefetchableBaseUpper, static_cast<std::uint32_t>(window.base >> 32));
    access_.write(f.id, cfg::kPrefetchableLimitUpper,
                  window.bytes == 0 ? 0 : static_cast<std::uint32_t>(last >> 32));
  }

  /// Bits 31:20 of both. A closed window has its base above its limit.
  static std::uint32_t base_and_limit(const BridgeWindow& window) {
    if (window.bytes == 0) return 0x0000FFF0;
    const std::uint64_t last = window.base + window.bytes - 1;
    return (static_cast<std::uint32_t>(window.base) >> 16 & 0xFFF0U) |
           (static_cast<std::uint32_t>(last) & 0xFFF00000U);
  }

  std::uint32_t express(const FoundFunction& f, unsigned offset) {
    return access_.read(f.id, f.capability(cfg::kExpressCapability) + offset);
  }

  /// What the functions have in common.
  void agree() {
    payload_code_ = kLargestCode;
    tree_.extended_tags = config_.extended_tags;
    tree_.ten_bit_tags = config_.ten_bit_tags;
    for (const FoundFunction* f : tree_.all()) {
      if (f->capability(cfg::kExpressCapability) == 0) continue;
      const std::uint32_t capabilities = express(*f, cfg::kDeviceCapabilities);
      payload_code_ = std::min(payload_code_, capabilities & cfg::kPayloadSupported);
      if ((capabilities & cfg::kExtendedTagSupported) == 0) tree_.extended_tags = false;
      const std::uint32_t capabilities2 = express(*f, cfg::kDeviceCapabilities2);
      if ((capabilities2 & cfg::kTenBitCompleterSupported) == 0) tree_.ten_bit_tags = false;
    }
    tree_.max_payload = kSmallestSize << payload_code_;
  }

  void set_express(const FoundFunction& f) {
    const unsigned at = f.capability(cfg::kExpressCapability);
    if (at == 0) return;
    unsigned read_code = 0;
    while (kSmallestSize << read_code < config_.max_read_request) ++read_code;
    constexpr std::uint32_t kSet = cfg::kSizeMask << cfg::kPayloadShift |
                                   cfg::kSizeMask << cfg::kReadRequestShift |
                                   cfg::kRelaxedOrdering | cfg::kExtendedTag;
    std::uint32_t control = payload_code_ << cfg::kPayloadShift | read_code
                                                                      << cfg::kReadRequestShift;
    if (config_.relaxed_ordering) control |= cfg::kRelaxedOrdering;
    if (tree_.extended_tags) control |= cfg::kExtendedTag;
    modify(f, at + cfg::kDeviceControl, control, kSet);
    const bool requester =
        (express(f, cfg::kDeviceCapabilities2) & cfg::kTenBitRequesterSupported) != 0;
    modify(f, at + cfg::kDeviceControl2, tree_.ten_bit_tags && requester ? cfg::kTenBitTag : 0,
           cfg::kTenBitTag);
  }

  void redirect(const FoundFunction& f) {
    constexpr std::uint32_t kRedirects = cfg::kAcsRequestRedirect | cfg::kAcsCompletionRedirect;
    const unsigned at = f.extended_capability(cfg::kAcsCapability);
    const std::uint32_t supported = at == 0 ? 0 : access_.read(f.id, at + cfg::kAcs) & kRedirects;
    if (supported == kRedirects) {
      modify(f, at + cfg::kAcs, kRedirects << cfg::kAcsControlShift,
             kRedirects << cfg::kAcsControlShift);
    } else if (f.type == PortType::kSwitchDownstream) {
      throw ConfigError(pcie::format_id(f.id),
                        "this switch port cannot redirect requests and completions of its peers",
                        "write acs_redirect: false");
    }
  }

  /// Changes the bits that `mask` covers of a control register in the lower half of a dword whose
  /// upper half is a status that a write of 1 would clear; or of one in the upper half.
  void modify(const FoundFunction& f, unsigned offset, std::uint32_t value, std::uint32_t mask) {
    const std::uint32_t now = access_.read(f.id, offset);
    const std::uint32_t kept = (mask & 0xFFFFU) != 0 ? now & 0xFFFFU : now;
    access_.write(f.id, offset, (kept & ~mask) | value);
  }

  ConfigAccess& access_;
  const EnumerationConfig& config_;
  DeviceTree& tree_;
  std::uint32_t payload_code_ = 0;
};

}  // namespace

void apply_settings(ConfigAccess& access, const EnumerationConfig& config, DeviceTree& tree) {
  Settings(access, config, tree).apply();
}

}  // namespace railyard::host
