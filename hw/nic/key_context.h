// A memory key as it lies in host memory: 64 bytes that say what it allows, and where the entries
// of its pages are. Entries are the bus addresses of pages, 8 bytes each, big endian.
#pragma once

#include <cstdint>

#include "hw/nic/nic_abi.h"
#include "tlm/base/time.h"

namespace railyard::nic {

/// The image. All zero: no key.
struct KeyContextImage {
  abi::Be32 state;  // kKeyValid, or 0: free
  abi::Be32 key;    // index << 8 | byte
  abi::Be32 pd;
  abi::Be32 access;   // abi::access
  abi::Be64 address;  // virtual, of the first byte
  abi::Be64 bytes;
  abi::Be32 log_page;
  abi::Be32 first;  // entry, a multiple of 8
  abi::Be32 pages;
  abi::Be32 reserved[5];
};
constexpr std::uint32_t kKeyBytes = 64;
constexpr std::uint32_t kKeyValid = 1;
static_assert(sizeof(KeyContextImage) == kKeyBytes);

constexpr std::uint32_t kEntryBytes = 8;
constexpr std::uint32_t kLineEntries = 8;  // of a line of the translation cache
constexpr std::uint32_t kLineBytes = kEntryBytes * kLineEntries;
constexpr std::uint32_t kMinLogPage = 12;
constexpr std::uint32_t kMaxLogPage = 30;

/// What was read.
struct KeyContext {
  enum class State : std::uint8_t { kFree, kValid, kMalformed };
  State state = State::kFree;
  std::uint8_t log_page = kMinLogPage;
  std::uint32_t key = 0;
  std::uint32_t pd = 0;
  std::uint32_t access = 0;
  std::uint32_t first = 0;
  std::uint32_t pages = 0;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;

  std::uint64_t page_bytes() const { return std::uint64_t{1} << log_page; }
  /// The page, counted from the key's first, that a virtual address of it is in.
  std::uint64_t page_of(std::uint64_t virtual_address) const {
    return (virtual_address >> log_page) - (address >> log_page);
  }
};

/// Pages of 1 << log_page bytes that `bytes` (not 0) from `address` on touch.
std::uint64_t pages_of(std::uint64_t address, std::uint64_t bytes, std::uint32_t log_page);

/// Fills an image of kKeyBytes.
void encode(const KeyContext& context, std::uint8_t* image);
/// Malformed: it is neither free nor of a key of so many entries in all that can be.
KeyContext parse_key_context(const std::uint8_t* image, std::uint32_t entries);

}  // namespace railyard::nic
