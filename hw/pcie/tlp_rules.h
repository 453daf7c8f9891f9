// Rules of the transaction layer that need no state: how a transfer is cut into requests and a
// request's data into completions, byte enables, ordering, and what all that costs on the line
// (PCI Express Base Specification 5.0, chapter 2).
#pragma once

#include <array>
#include <cstdint>

#include "hw/pcie/tlp.h"

namespace railyard::pcie {

constexpr std::uint32_t kRequestBoundary = 4096;  // no memory request crosses it, 2.2.7

/// Bytes that the next request of a transfer takes: at most `limit` (max payload for writes, max
/// read request for reads; a power of two of at least 128), and no further than the next 4 KiB
/// boundary. Data goes in whole dwords, so that one that begins within a dword takes less. 0 when
/// nothing is left.
std::uint32_t next_request(std::uint64_t address, std::uint64_t bytes_left, std::uint32_t limit);

/// Where a completer ends the completions of a read, 2.3.1.1.
enum class CompletionSplit : std::uint8_t {
  kMaxPayload,  // each as large as the max payload lets, all but the last ending at a boundary
  kBoundary,    // at each read completion boundary
};

struct CompletionRule {
  CompletionSplit split = CompletionSplit::kMaxPayload;
  std::uint32_t max_payload = 256;
  std::uint32_t boundary = 64;  // read completion boundary: 64 or 128 for a root complex, else 128
};

/// Bytes that the next completion of a read takes, whose first is at `address`. 0 when nothing is
/// left; so a read of no byte is its caller's to answer, with one completion of a dword.
std::uint32_t next_completion(std::uint64_t address, std::uint32_t bytes_left,
                              const CompletionRule& rule);

/// Which bytes of a request's first and last dword are meant; bit 0 is the lowest address. A
/// request of one dword has no last: 0. One of no byte has neither. 2.2.5.
struct ByteEnables {
  std::uint8_t first = 0;
  std::uint8_t last = 0;
};
ByteEnables byte_enables(const TlpFields& request);

/// The byte count of a memory read's first completion: from the first byte that is enabled to the
/// last, holes included; 1 if none is. Table 2-39. `dwords` is the request's length.
std::uint32_t byte_count(ByteEnables enables, std::uint32_t dwords);
/// The byte count of the first completion of any request: 4 for all but memory reads.
std::uint32_t byte_count(const TlpFields& request);
/// The lower address of the first completion of a request (2.3.1.1): seven bits, 0 for all but
/// memory reads. Later ones have the low bits of the address of their first byte.
std::uint8_t lower_address(const TlpFields& request);

/// The header of a request as on the line, first byte in bits 31:24 of the first dword, for error
/// logs; the last dword is 0 in a header of three. 2.2.1, 2.2.7.
std::array<std::uint32_t, 4> header_of(const TlpFields& request);

/// Whether `later`, which came to a queue after `earlier`, may leave before it: table 2-40. Of
/// requests with relaxed ordering only posted ones gain by it, and completions.
bool may_pass(const TlpFields& later, const TlpFields& earlier);

/// Bytes on the line of a transfer, without data link layer packets and skip ordered sets.
std::uint64_t write_wire_bytes(std::uint64_t address, std::uint64_t bytes,
                               std::uint32_t max_payload);
/// The requests of a read, away from the requester.
std::uint64_t read_up_bytes(std::uint64_t address, std::uint64_t bytes,
                            std::uint32_t max_read_request);
/// Its completions, towards the requester.
std::uint64_t read_down_bytes(std::uint64_t address, std::uint64_t bytes,
                              std::uint32_t max_read_request, const CompletionRule& rule);

/// Which share of a direction's raw rate is data when it carries nothing but such transfers. The
/// share of a read's requests is above 1: they carry none of the data themselves.
double write_efficiency(std::uint64_t address, std::uint64_t bytes, std::uint32_t max_payload);
struct ReadEfficiency {
  double up = 0;
  double down = 0;
};
ReadEfficiency read_efficiency(std::uint64_t address, std::uint64_t bytes,
                               std::uint32_t max_read_request, const CompletionRule& rule);

}  // namespace railyard::pcie
