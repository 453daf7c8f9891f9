// The configuration space of a function: 4 KiB of registers as software reads and writes them, and
// what they mean to the device.
//
// Modelled: type 0 and type 1 headers, memory BARs, the capabilities PCI Express, MSI-X, advanced
// error reporting and access control services. Not modelled: I/O space, expansion ROMs, power
// management, slots and hot plug, ARI, virtual channels, error messages to the root.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "hw/pcie/config_registers.h"
#include "hw/pcie/tlp.h"

namespace railyard::pcie {

/// "bb:dd.f" in hexadecimal, as lspci writes it.
std::string format_id(DeviceId id);

/// Device/port type (7.5.3.2).
enum class PortType : std::uint8_t {
  kEndpoint = 0,
  kRootPort = 4,
  kSwitchUpstream = 5,
  kSwitchDownstream = 6,
};

struct FunctionIdentity {
  std::uint16_t vendor = 0;
  std::uint16_t device = 0;
  std::uint32_t class_code = 0;  // 24 bits
  std::uint8_t revision = 0;
  bool multi_function = false;
};

/// A memory BAR. A 64-bit one takes the next register too.
struct BarShape {
  std::uint64_t size = 0;  // a power of two, at least 128; 0: there is none
  bool is_64_bit = true;
  bool prefetchable = true;
};
using BarShapes = std::array<BarShape, config::kBars>;

struct ExpressShape {
  PortType type = PortType::kEndpoint;
  std::uint32_t max_payload = 512;  // supported: 128 to 4096
  bool extended_tag = true;         // supported
  bool ten_bit_completer = true;
  bool ten_bit_requester = true;
  unsigned generation = 5;
  unsigned lanes = 16;
  std::uint32_t read_completion_boundary = 64;  // a root port's; 64 or 128
};

struct MsixShape {
  unsigned vectors = 1;  // to 2048
  unsigned table_bar = 0;
  std::uint32_t table_offset = 0;  // both multiples of 8
  unsigned pending_bar = 0;
  std::uint32_t pending_offset = 0;
};

/// Errors that are logged; the value is their bit of the uncorrectable error registers (7.8.4.2).
enum class UncorrectableError : std::uint8_t {
  kCompletionTimeout = 14,
  kCompleterAbort = 15,
  kUnexpectedCompletion = 16,
  kUnsupportedRequest = 20,
};

class ConfigSpace {
 public:
  struct Bar {
    std::uint64_t base = 0;
    std::uint64_t size = 0;  // 0: there is none
    bool enabled = false;    // it is there and memory space is enabled
    bool contains(std::uint64_t address) const { return enabled && address - base < size; }
  };
  /// Addresses that a bridge passes on; first > last: none.
  struct Window {
    std::uint64_t first = 1;
    std::uint64_t last = 0;
    bool contains(std::uint64_t address) const { return first <= address && address <= last; }
  };
  struct TimeRange {
    Time min;
    Time max;
  };

  /// `place` is what a ConfigError names: the device's name or its place in the configuration.
  /// Everything that a shape gets wrong is a ConfigError.
  static ConfigSpace endpoint(const std::string& place, const FunctionIdentity& identity,
                              const BarShapes& bars);
  static ConfigSpace bridge(const std::string& place, const FunctionIdentity& identity);
  void add_express(const ExpressShape& shape);
  void add_msix(const MsixShape& shape);  // after the BARs that it lies in
  void add_error_reporting();
  void add_access_control();

  /// `offset` is that of a dword: a multiple of 4 below 4096.
  std::uint32_t read(unsigned offset) const { return value_[offset / 4]; }
  /// Bit i of `byte_enables`: byte i of the dword is written.
  void write(unsigned offset, std::uint32_t value, std::uint8_t byte_enables = 0xF);
  /// Grows when a write has changed a register: what is cached of it is stale then.
  std::uint64_t changes() const { return changes_; }

  bool is_bridge() const { return is_bridge_; }
  PortType type() const { return type_; }
  bool memory_enabled() const { return (read(config::kCommand) & config::kMemorySpace) != 0; }
  bool bus_master() const { return (read(config::kCommand) & config::kBusMaster) != 0; }
  /// By register, 0 to 5. The upper half of a 64-bit one is none.
  Bar bar(unsigned index) const;
  /// The enabled BAR that an address is in.
  std::optional<unsigned> bar_at(std::uint64_t address) const;

  unsigned primary_bus() const { return read(config::kBusNumbers) & 0xFFU; }
  unsigned secondary_bus() const { return read(config::kBusNumbers) >> 8 & 0xFFU; }
  unsigned subordinate_bus() const { return read(config::kBusNumbers) >> 16 & 0xFFU; }
  /// Whether what is for the bus goes through this bridge. Bus 0 is behind none: its number is what
  /// a bridge has that nobody has set up.
  bool has_bus(unsigned bus) const {
    return is_bridge_ && secondary_bus() > 0 && secondary_bus() <= bus && bus <= subordinate_bus();
  }
  Window memory_window() const;
  Window prefetchable_window() const;
  /// Whether the bridge passes memory requests for the address downstream.
  bool in_window(std::uint64_t address) const;

  /// Bytes; never more than the function supports.
  std::uint32_t max_payload() const;
  std::uint32_t max_read_request() const;
  std::uint32_t max_payload_supported() const;
  std::uint32_t read_completion_boundary() const;
  bool extended_tags() const { return express_bit(config::kDeviceControl, config::kExtendedTag); }
  bool ten_bit_tags() const { return express_bit(config::kDeviceControl2, config::kTenBitTag); }
  bool relaxed_ordering() const {
    return express_bit(config::kDeviceControl, config::kRelaxedOrdering);
  }
  /// What software allows a completion timeout to be; none: it is disabled.
  std::optional<TimeRange> completion_timeout() const;
  bool msix_enabled() const { return msix_ != 0 && (read(msix_) & config::kMsixEnable) != 0; }
  bool msix_function_mask() const {
    return msix_ != 0 && (read(msix_) & config::kMsixFunctionMask) != 0;
  }
  bool acs_request_redirect() const { return acs_bit(config::kAcsRequestRedirect); }
  bool acs_completion_redirect() const { return acs_bit(config::kAcsCompletionRedirect); }

  /// The link's state; `lanes` 0: it is down.
  void set_link(unsigned generation, unsigned lanes);
  /// A completion that the function's request got, or a root port's secondary side: its status
  /// shows in (secondary) status if it is not success (7.5.1.1.4, 7.5.1.3.7).
  void log_completion(Status status);
  /// Logs an error, and its TLP's header (first byte in bits 31:24 of the first dword) if it is the
  /// first that is not masked and not cleared yet (6.2.4.2).
  void log_error(UncorrectableError error, const std::array<std::uint32_t, 4>& header);

 private:
  explicit ConfigSpace(const std::string& place) : place_(place) {}

  void put_identity(const FunctionIdentity& identity, unsigned header_type);
  void put_bar(unsigned index, const BarShapes& bars);
  void put_boundary(const ExpressShape& shape);
  /// Room for a capability, chained to the list; its offset.
  unsigned add_capability(unsigned id, unsigned bytes);
  unsigned add_extended_capability(unsigned id, unsigned version, unsigned bytes);
  /// Sets the bits that `mask` covers, whatever software may write.
  void put(unsigned offset, std::uint32_t value, std::uint32_t mask = ~0U);
  void make_writable(unsigned offset, std::uint32_t mask) { writable_[offset / 4] |= mask; }
  void make_clearable(unsigned offset, std::uint32_t mask) { clearable_[offset / 4] |= mask; }
  void check_msix_space(unsigned bar, std::uint32_t offset, std::uint64_t bytes,
                        const char* what) const;
  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const;

  bool express_bit(unsigned offset, std::uint32_t mask) const {
    return express_ != 0 && (read(express_ + offset) & mask) != 0;
  }
  bool acs_bit(std::uint32_t bit) const {
    return acs_ != 0 && (read(acs_ + config::kAcs) >> config::kAcsControlShift & bit) != 0;
  }
  Window window(std::uint32_t low, std::uint64_t upper_base, std::uint64_t upper_limit) const;

  std::string place_;
  std::array<std::uint32_t, config::kBytes / 4> value_{};
  std::array<std::uint32_t, config::kBytes / 4> writable_{};
  std::array<std::uint32_t, config::kBytes / 4> clearable_{};  // by a write of 1
  std::array<std::uint64_t, config::kBars> bar_sizes_{};
  std::uint64_t changes_ = 0;
  unsigned last_capability_ = 0;  // offset of the last one of each list, 0: the list is empty
  unsigned next_free_ = 0x40;
  unsigned last_extended_ = 0;
  unsigned next_extended_ = config::kExtendedCapabilities;
  unsigned express_ = 0;  // offsets, 0: not there
  unsigned msix_ = 0;
  unsigned aer_ = 0;
  unsigned acs_ = 0;
  bool is_bridge_ = false;
  PortType type_ = PortType::kEndpoint;
};

}  // namespace railyard::pcie
