// From the bytes of a send WQE to what it asks for, or what is wrong with it. Plain C++.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/nic/nic_abi.h"
#include "tlm/base/pool.h"

namespace railyard::nic {

/// A send WQE, from its parsing to its completion. It is kept so long, so that a retransmission
/// reads no WQE again. Recycled ones keep their memory.
struct SendWqe : Pooled<SendWqe> {
  struct Data {
    std::uint64_t address = 0;  // virtual
    std::uint32_t bytes = 0;
    std::uint32_t key = 0;
  };

  abi::Opcode opcode = abi::Opcode::kNop;
  std::uint8_t flags = 0;
  std::uint16_t index = 0;   // of its first basic block
  std::uint32_t blocks = 1;  // basic blocks
  std::uint32_t immediate = 0;
  std::uint64_t remote_address = 0;
  std::uint32_t rkey = 0;
  std::uint32_t length = 0;  // of the message
  std::vector<Data> data;
  bool is_inline = false;
  std::vector<std::uint8_t> inlined;

  // Since it is sent.
  std::uint32_t first_psn = 0;
  std::uint32_t packets = 0;  // PSNs: of a READ those of its responses; of a NOP none
  std::uint32_t writes = 0;   // responses of a READ that are on their way to memory
  abi::Syndrome error = abi::Syndrome::kNone;

  bool is_read() const { return opcode == abi::Opcode::kRdmaRead; }
  std::uint32_t end_psn() const { return (first_psn + packets) & 0xFF'FFFF; }

  /// What of the message lies from `offset` on in one data segment, at most `most` bytes.
  Data piece(std::uint32_t offset, std::uint32_t most) const;
  void reset();
};

enum class WqeFault : std::uint8_t {
  kNone,
  kSegments,   // `ds` is 0, beyond 63, or beyond what was posted
  kIndex,      // not the index of where it lies
  kQueuePair,  // of another queue pair
  kOpcode,     // unknown, or an atomic: those are not modelled
  kTruncated,  // `ds` has no room for what the opcode needs
  kInline,     // bytes beyond the WQE, something behind them, or in a READ
  kLength,     // of the message: beyond 2^31
};

/// What `ds` of the WQE that begins at `bytes` says, in basic blocks: 1 at least.
std::uint32_t wqe_blocks(const std::uint8_t* bytes);
/// Its own index.
std::uint16_t wqe_index(const std::uint8_t* bytes);

/// Parses the WQE in `size` bytes (whole basic blocks, or what a BlueField write brought) at
/// `index` of queue pair `number`. With a fault, `wqe` has index, blocks and opcode alone.
WqeFault parse_wqe(const std::uint8_t* bytes, std::size_t size, std::uint16_t index,
                   std::uint32_t number, SendWqe& wqe);

}  // namespace railyard::nic
