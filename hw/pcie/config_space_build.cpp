// How a configuration space gets its headers and capabilities.
#include "hw/pcie/config_space.h"
#include "tlm/base/error.h"
#include "tlm/base/format.h"

namespace railyard::pcie {

namespace {

bool power_of_two(std::uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

/// 128 B << code.
std::uint32_t size_code(std::uint32_t size) {
  std::uint32_t code = 0;
  while (128U << code < size) ++code;
  return code;
}

}  // namespace

void ConfigSpace::fail(const std::string& problem, const std::string& remedy) const {
  throw ConfigError(place_, problem, remedy);
}

ConfigSpace ConfigSpace::endpoint(const std::string& place, const FunctionIdentity& identity,
                                  const BarShapes& bars) {
  ConfigSpace space(place);
  space.put_identity(identity, 0);
  for (unsigned i = 0; i < config::kBars; ++i) {
    if (bars[i].size != 0) space.put_bar(i, bars);
  }
  return space;
}

ConfigSpace ConfigSpace::bridge(const std::string& place, const FunctionIdentity& identity) {
  ConfigSpace space(place);
  space.is_bridge_ = true;
  space.put_identity(identity, 1);
  space.make_writable(config::kBusNumbers, 0x00FFFFFF);
  space.make_clearable(config::kSecondaryStatus, config::kStatusDetected);
  space.make_writable(config::kMemoryBase, config::kWindowBits);
  space.put(config::kPrefetchableBase, config::kWindow64);
  space.make_writable(config::kPrefetchableBase, config::kWindowBits);
  space.make_writable(config::kPrefetchableBaseUpper, ~0U);
  space.make_writable(config::kPrefetchableLimitUpper, ~0U);
  space.make_writable(config::kBridgeControl, config::kBridgeControlBits);
  return space;
}

void ConfigSpace::put_identity(const FunctionIdentity& identity, unsigned header_type) {
  if (identity.vendor == config::kNoVendor) {
    fail("vendor 0xffff means that no function is there", "give it another one");
  }
  put(config::kVendorId, std::uint32_t{identity.device} << 16 | identity.vendor);
  put(config::kRevision, identity.class_code << 8 | identity.revision);
  put(config::kCacheLine, header_type << 16);
  if (identity.multi_function) put(config::kCacheLine, ~0U, config::kMultiFunction);
  make_writable(config::kCommand, config::kMemorySpace | config::kBusMaster |
                                      config::kParityResponse | config::kSystemError |
                                      config::kInterruptDisable);
  make_clearable(config::kCommand, config::kStatusDetected);
  make_writable(config::kCacheLine, 0xFF);
  make_writable(config::kInterruptLine, 0xFF);
}

void ConfigSpace::put_bar(unsigned index, const BarShapes& bars) {
  const BarShape& shape = bars[index];
  const std::string name = "BAR " + std::to_string(index);
  if (!power_of_two(shape.size) || shape.size < 128) {
    fail(name + " of " + format_bytes(shape.size) + " is no size of a memory BAR",
         "it takes a power of two, at least 128B");
  }
  if (!shape.is_64_bit && shape.size > 1ULL << 31) {
    fail(name + " of " + format_bytes(shape.size) + " has 32-bit addresses",
         "make it a 64-bit one, or at most 2GiB");
  }
  const unsigned offset = config::kBar0 + 4 * index;
  std::uint32_t kind = shape.prefetchable ? config::kBarPrefetchable : 0;
  if (shape.is_64_bit) {
    if (index + 1 == config::kBars || bars[index + 1].size != 0) {
      fail(name + " is a 64-bit one, and the next register is not free for its upper half",
           "leave the register after it empty");
    }
    kind |= config::kBar64;
    make_writable(offset + 4, static_cast<std::uint32_t>(~(shape.size - 1) >> 32));
  }
  put(offset, kind);
  make_writable(offset, static_cast<std::uint32_t>(~(shape.size - 1)) & config::kBarAddress);
  bar_sizes_[index] = shape.size;
}

unsigned ConfigSpace::add_capability(unsigned id, unsigned bytes) {
  const unsigned offset = next_free_;
  next_free_ += (bytes + 3) / 4 * 4;
  put(offset, id, 0xFFFF);
  if (last_capability_ == 0) {
    put(config::kCapabilityPointer, offset, 0xFF);
    put(config::kCommand, ~0U, config::kCapabilityList);
  } else {
    put(last_capability_, offset << 8, 0xFF00);
  }
  last_capability_ = offset;
  return offset;
}

unsigned ConfigSpace::add_extended_capability(unsigned id, unsigned version, unsigned bytes) {
  const unsigned offset = next_extended_;
  next_extended_ += bytes;
  put(offset, version << 16 | id);
  if (last_extended_ != 0) put(last_extended_, offset << 20, 0xFFF00000);
  last_extended_ = offset;
  return offset;
}

void ConfigSpace::add_express(const ExpressShape& shape) {
  if (!power_of_two(shape.max_payload) || shape.max_payload < 128 || shape.max_payload > 4096) {
    fail("a largest payload of " + format_bytes(shape.max_payload),
         "it takes a power of two from 128B to 4KiB");
  }
  if (is_bridge_ == (shape.type == PortType::kEndpoint)) {
    fail("the device type does not fit its header", "endpoints have type 0, ports type 1");
  }
  type_ = shape.type;
  express_ = add_capability(config::kExpressCapability, config::kExpressBytes);
  put(express_, 2U << 16 | static_cast<std::uint32_t>(shape.type) << 20, 0xFFFF0000);
  put(express_ + config::kDeviceCapabilities,
      size_code(shape.max_payload) | config::kRoleBasedErrors |
          (shape.extended_tag ? config::kExtendedTagSupported : 0));
  const bool downstream =
      shape.type == PortType::kRootPort || shape.type == PortType::kSwitchDownstream;
  put(express_ + config::kLinkCapabilities, shape.lanes << config::kLinkWidthShift |
                                                shape.generation |
                                                (downstream ? config::kLinkActiveReporting : 0));
  put(express_ + config::kLinkCapabilities2, ((1U << shape.generation) - 1) << 1);
  std::uint32_t capabilities2 = config::kTimeoutRanges | config::kTimeoutDisableSupported;
  if (shape.ten_bit_completer) capabilities2 |= config::kTenBitCompleterSupported;
  if (shape.ten_bit_requester) capabilities2 |= config::kTenBitRequesterSupported;
  put(express_ + config::kDeviceCapabilities2, capabilities2);

  // Reset values (7.5.3.4): payloads of 128 B, read requests of 512 B, relaxed ordering allowed.
  std::uint32_t control = config::kErrorReporting | config::kRelaxedOrdering | config::kNoSnoop |
                          config::kSizeMask << config::kPayloadShift |
                          config::kSizeMask << config::kReadRequestShift;
  if (shape.extended_tag) control |= config::kExtendedTag;
  make_writable(express_ + config::kDeviceControl, control);
  make_clearable(express_ + config::kDeviceControl, config::kDeviceStatusBits);
  put(express_ + config::kDeviceControl,
      config::kRelaxedOrdering | config::kNoSnoop | 2U << config::kReadRequestShift);
  make_writable(express_ + config::kDeviceControl2,
                config::kTimeoutValue | config::kTimeoutDisable |
                    (shape.ten_bit_requester ? config::kTenBitTag : 0));
  put_boundary(shape);
  set_link(shape.generation, shape.lanes);
}

void ConfigSpace::put_boundary(const ExpressShape& shape) {
  const std::uint32_t boundary = shape.read_completion_boundary;
  if (boundary != 64 && boundary != 128) {
    fail("a read completion boundary of " + format_bytes(boundary), "it takes 64B or 128B");
  }
  // A root port tells its own; endpoints are told by software; switches have none (7.5.3.7).
  const unsigned offset = express_ + config::kLinkControl;
  if (shape.type == PortType::kRootPort && boundary == 128) {
    put(offset, ~0U, config::kReadCompletionBoundary);
  }
  if (shape.type == PortType::kEndpoint) make_writable(offset, config::kReadCompletionBoundary);
}

void ConfigSpace::check_msix_space(unsigned bar, std::uint32_t offset, std::uint64_t bytes,
                                   const char* what) const {
  const std::string name = std::string("the MSI-X ") + what;
  if (bar >= config::kBars || bar_sizes_[bar] == 0) {
    fail(name + " lies in BAR " + std::to_string(bar) + ", which is not there",
         "name a BAR that is");
  }
  if (offset % 8 != 0) fail(name + " is not aligned", "give it an offset that is a multiple of 8");
  if (offset + bytes > bar_sizes_[bar]) {
    fail(name + " takes " + format_bytes(bytes) + " from offset " + std::to_string(offset) +
             ", beyond BAR " + std::to_string(bar) + " of " + format_bytes(bar_sizes_[bar]),
         "enlarge the BAR, or use fewer vectors");
  }
}

void ConfigSpace::add_msix(const MsixShape& shape) {
  if (shape.vectors < 1 || shape.vectors > 2048) {
    fail(std::to_string(shape.vectors) + " MSI-X vectors", "it takes 1 to 2048");
  }
  const std::uint64_t table = std::uint64_t{shape.vectors} * 16;
  const std::uint64_t pending = (std::uint64_t{shape.vectors} + 63) / 64 * 8;
  check_msix_space(shape.table_bar, shape.table_offset, table, "table");
  check_msix_space(shape.pending_bar, shape.pending_offset, pending, "pending bit array");
  if (shape.table_bar == shape.pending_bar && shape.table_offset < shape.pending_offset + pending &&
      shape.pending_offset < shape.table_offset + table) {
    fail("the MSI-X table and its pending bit array overlap in BAR " +
             std::to_string(shape.table_bar),
         "move one of them");
  }
  msix_ = add_capability(config::kMsixCapability, config::kMsixBytes);
  put(msix_, (shape.vectors - 1) << 16, config::kMsixSizeMask);
  make_writable(msix_, config::kMsixFunctionMask | config::kMsixEnable);
  put(msix_ + config::kMsixTable, shape.table_offset | shape.table_bar);
  put(msix_ + config::kMsixPending, shape.pending_offset | shape.pending_bar);
}

void ConfigSpace::add_error_reporting() {
  constexpr std::uint32_t kErrors =
      1U << static_cast<unsigned>(UncorrectableError::kCompletionTimeout) |
      1U << static_cast<unsigned>(UncorrectableError::kCompleterAbort) |
      1U << static_cast<unsigned>(UncorrectableError::kUnexpectedCompletion) |
      1U << static_cast<unsigned>(UncorrectableError::kUnsupportedRequest);
  aer_ = add_extended_capability(config::kAerCapability, 2, config::kAerBytes);
  make_clearable(aer_ + config::kUncorrectableStatus, kErrors);
  // All four start neither masked nor fatal (7.8.4.3, 7.8.4.4).
  make_writable(aer_ + config::kUncorrectableMask, kErrors);
  make_writable(aer_ + config::kUncorrectableSeverity, kErrors);
  put(aer_ + config::kAerControl, config::kTimeoutLogCapable);
}

void ConfigSpace::add_access_control() {
  constexpr std::uint32_t kRedirects = config::kAcsRequestRedirect | config::kAcsCompletionRedirect;
  if (type_ != PortType::kRootPort && type_ != PortType::kSwitchDownstream) {
    fail("access control services are modelled in root ports and switch downstream ports",
         "leave them out here");
  }
  acs_ = add_extended_capability(config::kAcsCapability, 1, config::kAcsBytes);
  put(acs_ + config::kAcs, kRedirects);
  make_writable(acs_ + config::kAcs, kRedirects << config::kAcsControlShift);
}

}  // namespace railyard::pcie
