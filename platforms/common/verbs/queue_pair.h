// A reliable connection of one program, written against verbs: made, connected, destroyed.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>

#include "platforms/common/verbs/device.h"

namespace railyard::rdma {

/// Of the one port that devices have here.
constexpr std::uint8_t kPort = 1;

/// A program that the run's end, or an error, takes down: verbs would take time that is over.
bool unwinding();

/// What the other side must know of a queue pair.
struct Destination {
  std::uint32_t number = 0;
  std::uint32_t psn = 0;
  std::uint32_t rkey = 0;
  std::uint64_t address = 0;  // of the memory that its messages are for
  ibv_gid gid{};
};

struct QueuePairShape {
  ibv_cq* send = nullptr;
  ibv_cq* receive = nullptr;
  std::uint32_t sends = 1;  // work requests
  std::uint32_t receives = 1;
  std::uint32_t inline_bytes = 0;
};

struct QueuePairPath {
  std::uint32_t mtu = 4096;
  std::uint32_t reads = 1;          // outstanding
  std::uint32_t traffic_class = 0;  // of IP
  std::uint8_t timeout = 14;        // 4.096 us * 2^timeout; 0: never
};

class QueuePair {
 public:
  QueuePair(Device& device, const QueuePairShape& shape);
  ~QueuePair();
  QueuePair(const QueuePair&) = delete;
  QueuePair& operator=(const QueuePair&) = delete;

  ibv_qp* verbs() const { return qp_; }
  /// Its own number and first PSN; where its messages are for is the caller's to add.
  Destination here() const;
  /// Ready to receive and to send.
  void connect(const Destination& remote, const QueuePairPath& path);

 private:
  Device& device_;
  ibv_qp* qp_ = nullptr;
};

}  // namespace railyard::rdma
