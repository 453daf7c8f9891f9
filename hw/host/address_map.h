// Who answers at which physical address of a host: memory, the windows that devices' registers are
// put into, configuration space, message-signalled interrupts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hw/pcie/tlp.h"
#include "tlm/base/quantity.h"
#include "tlm/config/parameters.h"
#include "tlm/core/core.h"

namespace railyard::host {

struct AddressMapConfig {
  Bytes mmio32_base = 0xC000'0000;
  Bytes mmio32_size = 0x2000'0000;
  Bytes mmio64_base = 1ULL << 38;
  Bytes mmio64_size = 1ULL << 38;
  Bytes ecam_base = 0xE000'0000;
  unsigned buses = 256;

  void declare(Parameters& p);
};

/// Addresses from `base` to `base + size - 1`.
struct AddressRange {
  std::string name;
  Address base = 0;
  std::uint64_t size = 0;

  Address end() const { return base + size; }
  bool contains(Address address, std::uint64_t bytes = 1) const {
    return address >= base && bytes <= size && address - base <= size - bytes;
  }
};

/// "the 32-bit MMIO window (0xc0000000 + 512MiB = 0xe0000000)".
std::string format_range(const AddressRange& range);

class AddressMap {
 public:
  /// The local interrupt controllers' range on x86 (Intel SDM volume 3, 11.11.1).
  static constexpr Address kInterruptBase = 0xFEE0'0000;
  static constexpr std::uint64_t kInterruptBytes = 0x10'0000;

  /// A function's configuration register in the ECAM window.
  struct ConfigRegister {
    pcie::DeviceId id;
    unsigned offset = 0;  // of the byte
  };

  /// Throws a ConfigError if two ranges overlap, or if one does not lie where it must.
  AddressMap(const AddressMapConfig& config, const std::vector<AddressRange>& memory);

  const std::vector<AddressRange>& ranges() const { return ranges_; }
  const AddressRange& mmio32() const { return mmio32_; }
  const AddressRange& mmio64() const { return mmio64_; }
  const AddressRange& ecam() const { return ecam_; }
  /// Either MMIO window.
  bool is_mmio(Address address, std::uint64_t bytes = 1) const {
    return mmio32().contains(address, bytes) || mmio64().contains(address, bytes);
  }
  bool is_interrupt(Address address) const {
    return address >= kInterruptBase && address - kInterruptBase < kInterruptBytes;
  }
  /// Bus, device, function and register (PCI Express Base Specification 5.0, 7.2.2); none outside
  /// of the window.
  std::optional<ConfigRegister> config_register(Address address) const;
  Address config_address(pcie::DeviceId id, unsigned offset) const {
    return ecam_.base + (Address{id.value} << 12) + offset;
  }

 private:
  void check_places() const;
  void check_overlaps() const;

  AddressRange mmio32_;
  AddressRange mmio64_;
  AddressRange ecam_;
  std::vector<AddressRange> ranges_;
};

}  // namespace railyard::host
