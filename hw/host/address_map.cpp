#include "hw/host/address_map.h"

#include <algorithm>

#include "tlm/base/error.h"
#include "tlm/base/format.h"

namespace railyard::host {

namespace {

constexpr std::uint64_t kMebibyte = 1ULL << 20;
constexpr Address k4Gib = 1ULL << 32;

}  // namespace

void AddressMapConfig::declare(Parameters& p) {
  constexpr std::uint64_t kMost = 1ULL << 51;
  const auto whole_mebibytes = [](const Bytes& value) { return value % kMebibyte == 0; };
  const auto add = [&](const char* key, Bytes& value, const char* doc) {
    p.add(key, value)
        .max(kMost)
        .accept("is not a multiple of 1MiB", "multiples of 1MiB", whole_mebibytes)
        .doc(doc);
  };
  add("mmio32_base", mmio32_base, "Where the window of 32-bit device registers begins");
  add("mmio32_size", mmio32_size, "Its size; it ends at 4GiB or below");
  add("mmio64_base", mmio64_base,
      "Where the window of 64-bit, prefetchable device registers begins: at 4GiB or above");
  add("mmio64_size", mmio64_size, "Its size; a device's whole memory may lie in it");
  add("ecam_base", ecam_base, "Where configuration space is mapped: 4KiB a function, 1MiB a bus");
  p.add("buses", buses).range(1, 256).doc("PCIe bus numbers, from 0");
}

std::string format_range(const AddressRange& range) {
  return range.name + " (" + format_hex(range.base) + " + " + format_bytes(range.size) + " = " +
         format_hex(range.end()) + ")";
}

AddressMap::AddressMap(const AddressMapConfig& config, const std::vector<AddressRange>& memory)
    : mmio32_{"the 32-bit MMIO window", config.mmio32_base, config.mmio32_size},
      mmio64_{"the 64-bit MMIO window", config.mmio64_base, config.mmio64_size},
      ecam_{"the configuration window", config.ecam_base, config.buses * kMebibyte},
      ranges_(memory) {
  ranges_.push_back(mmio32_);
  ranges_.push_back(mmio64_);
  ranges_.push_back(ecam_);
  ranges_.push_back({"the interrupt window", kInterruptBase, kInterruptBytes});
  check_places();
  std::stable_sort(ranges_.begin(), ranges_.end(),
                   [](const AddressRange& a, const AddressRange& b) { return a.base < b.base; });
  check_overlaps();
}

void AddressMap::check_places() const {
  if (mmio32().end() > k4Gib) {
    throw ConfigError("", format_range(mmio32()) + " does not end at 4GiB or below",
                      "write a lower mmio32_base or less mmio32_size");
  }
  if (mmio64().base < k4Gib && mmio64().size > 0) {
    throw ConfigError("", format_range(mmio64()) + " begins below 4GiB",
                      "write an mmio64_base of at least 4GiB");
  }
}

// The ranges are in order of base: as long as none overlaps, each ends where the next may begin.
void AddressMap::check_overlaps() const {
  const AddressRange* before = nullptr;
  for (const AddressRange& range : ranges_) {
    if (range.size == 0) continue;
    if (before != nullptr && before->end() > range.base) {
      const std::uint64_t both = std::min(before->end(), range.end()) - range.base;
      throw ConfigError("",
                        format_range(*before) + " and " + format_range(range) + " overlap by " +
                            format_bytes(both),
                        "move one of them or write a smaller size");
    }
    before = &range;
  }
}

std::optional<AddressMap::ConfigRegister> AddressMap::config_register(Address address) const {
  if (!ecam_.contains(address)) return std::nullopt;
  const Address offset = address - ecam_.base;
  return ConfigRegister{{static_cast<std::uint16_t>(offset >> 12)},
                        static_cast<unsigned>(offset & 0xFFFU)};
}

}  // namespace railyard::host
