// Memory keys and translation tables: in host memory, with caches of both. A key's context is 64
// bytes, a page's entry 8, and eight neighbouring entries are a line; what is translated is what
// was read from there.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/nic/address_translation.h"
#include "hw/nic/dma_path.h"
#include "hw/nic/nic_abi.h"
#include "hw/nic/units.h"

namespace railyard::nic {

/// What CREATE_MKEY says.
struct KeyShape {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint32_t pd = 0;
  std::uint32_t access = 0;
  std::uint32_t log_page = 12;
};

class MemoryKeys : public AddressTranslation, private DmaClient {
 public:
  explicit MemoryKeys(Units& units);
  ~MemoryKeys() override;

  /// Bytes of host memory that keys and their tables need at most.
  std::uint64_t memory_bytes() const;
  void set_memory(std::uint64_t address);

  /// Writes the key and its table to host memory and makes it valid. `pages`: bus addresses.
  abi::CommandStatus create(const KeyShape& shape, const std::vector<std::uint64_t>& pages,
                            std::uint32_t& key);
  /// Accesses under way end; later ones find no key.
  abi::CommandStatus destroy(std::uint32_t key);
  bool uses_pd(std::uint32_t pd) const;

  Time translate(const KeyedRange& range, Time at, unsigned cls, TranslationClient& client,
                 std::uint64_t ticket, Mapping& mapping) override;

 private:
  void dma_done(std::uint64_t ticket, pcie::Status status, Ref<net::Payload> payload) override;
};

}  // namespace railyard::nic
