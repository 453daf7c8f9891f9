// A checked requester, and what it would tell its checker.
#pragma once

#include "hw/pcie/transaction_checker.h"
#include "tests/hw/pcie/link_checker_bench.h"

namespace railyard::pcie {

inline RequesterLimits limits() {
  RequesterLimits made;
  made.tags = 32;
  made.completion_timeout = 50 * kMicrosecond;
  return made;
}

constexpr DeviceId kRequester = DeviceId::of(1, 0);

struct Watched {
  TlpRef make(TlpType type, std::uint64_t address, std::uint32_t bytes, std::uint16_t tag) {
    TlpRef tlp = pool.acquire();
    tlp->type = type;
    tlp->requester = kRequester;
    tlp->address = address;
    tlp->bytes = bytes;
    tlp->tag = tag;
    return tlp;
  }
  void ask(TlpType type, std::uint64_t address, std::uint32_t bytes, std::uint16_t tag = 3) {
    checker.requested(*make(type, address, bytes, tag), 0);
  }
  void read(std::uint64_t address, std::uint32_t bytes, std::uint16_t tag = 3) {
    ask(TlpType::kMemoryRead, address, bytes, tag);
  }
  TlpRef answer_of(std::uint64_t address, std::uint32_t bytes, std::uint32_t left,
                   std::uint16_t tag = 3) {
    TlpRef tlp = make(TlpType::kCompletionData, address, bytes, tag);
    tlp->bytes_left = left;
    return tlp;
  }
  void answer(std::uint64_t address, std::uint32_t bytes, std::uint32_t left,
              std::uint16_t tag = 3) {
    checker.completed(*answer_of(address, bytes, left, tag), 0);
  }
  void fail(Status status, TlpType type = TlpType::kCompletion) {
    const TlpRef tlp = make(type, 0, 0, 3);
    tlp->status = status;
    checker.completed(*tlp, 0);
  }

  Pool<Tlp> pool;
  Pool<net::Payload> payloads;
  TransactionChecker checker{"nic.pcie", limits()};
};

}  // namespace railyard::pcie
