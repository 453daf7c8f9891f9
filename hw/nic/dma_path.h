// How the units of a NIC reach memory: reads of which so many may be outstanding, writes in order.
#pragma once

#include <cstdint>

#include "hw/pcie/dma.h"
#include "tlm/net/packet.h"

namespace railyard::nic {

/// What a transfer is for: bounds and metrics are by use. Of payload alone the bytes may be elided.
enum class DmaUse : std::uint8_t {
  kPayload,
  kWqe,
  kContext,
  kTranslation,
  kQueueEntry,  // CQEs, EQEs
  kRecord,      // doorbell records
  kCommand,
  kCount
};

class DmaClient {
 public:
  virtual ~DmaClient() = default;
  /// `payload`: a read's bytes; none: it failed, or they are elided. At the time when the last byte
  /// came; of a write, when its last TLP left. Never within the call that asked.
  virtual void dma_done(std::uint64_t ticket, pcie::Status status, Ref<net::Payload> payload) = 0;
};

struct DmaRead {
  DmaUse use = DmaUse::kPayload;
  std::uint64_t address = 0;  // on the bus
  std::uint32_t bytes = 0;
  std::uint64_t ticket = 0;
};

struct DmaWrite {
  DmaUse use = DmaUse::kPayload;
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  Ref<net::Payload> payload;  // none: elided
  std::uint32_t payload_offset = 0;
  bool relaxed = false;
  std::uint64_t ticket = 0;
};

class DmaPath {
 public:
  virtual ~DmaPath() = default;
  /// Beyond the bound of its use it waits for its turn.
  virtual void read(const DmaRead& read, DmaClient& client) = 0;
  /// `client` may be null: nobody asks when it is done. All writes reach memory in order, whatever
  /// their use (but relaxed ones).
  virtual void write(const DmaWrite& write, DmaClient* client) = 0;
  /// Payload reads of so many bytes more would be asked for at once.
  virtual bool payload_room(std::uint32_t bytes) const = 0;
  /// Raises MSI-X vector `vector` behind all writes before.
  virtual void interrupt(unsigned vector) = 0;
};

}  // namespace railyard::nic
